#include "ulnetd/configuration.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>
#include <utility>

#include "admin/conf/module_params.h"
#include "admin/conf/unsupported.h"
#include "admin/conf/yaml_in.h"
#include "lnet/base/limits.h"
#include "lnet/config/modparams.h"
#include "lnet/config/params.h"
#include "lnet/config/routes.h"
#include "lnet/node/node.h"
#include "lnet/node/runtime/drivers.h"
#include "lnet/os/interfaces.h"
#include "text/quantity.h"
#include "ulnetd/apply.h"

namespace ulnet::tools {

namespace {

constexpr const char* kCommandLine = "command line";

/// Waits until a pipe, whose writer may be slow, has more to read. False: no data came within the
/// time-out.
bool more_comes(int file) {
  constexpr int kTimeoutMs = 10'000;
  pollfd waiting{.fd = file, .events = POLLIN, .revents = 0};
  return ::poll(&waiting, 1, kTimeoutMs) > 0;
}

/// Reads the file, which may be a pipe, and returns its text. If the text is longer than
/// limits::kConfigTextMax, returns only its beginning, a little more than that.
Result<std::string> read_file(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return fail(-errno, std::string("cannot open: ") + std::strerror(errno));
  std::string text;
  char buffer[64 << 10];
  for (;;) {
    const auto got = ::read(file, buffer, sizeof buffer);
    if (got < 0 && (errno == EINTR || (errno == EAGAIN && more_comes(file)))) continue;
    const int problem = got < 0 ? errno : 0;
    if (got > 0) text.append(buffer, static_cast<std::size_t>(got));
    if (got > 0 && text.size() <= limits::kConfigTextMax) continue;
    ::close(file);
    if (problem != 0) return fail(-problem, std::string("cannot read: ") + std::strerror(problem));
    return text;
  }
}

class Reading {
 public:
  Reading(const Trial& trial, const DaemonOptions& options)
      : trial_(trial), skips_(options.settings.skip_unsupported) {}

  Configuration made;
  conf::Problems mistakes;
  // Warnings about nets that were left out on request. With --strict they are still no mistakes.
  conf::Problems left_out;

  void read(const std::string& file) {
    const auto text = read_file(file);
    if (!text) return wrong({file}, text.error().reason);
    auto document = conf::read_yaml(*text);
    if (!document) return add(mistakes, {document.error()}, file);
    add(made.warnings, document->notes, file);
    note_nets(file, *document);
    conf::Places parts;
    auto config = conf::to_config(*document, interfaces_, &parts);
    if (!config) return add(mistakes, std::move(config.error()), file);
    made.config = std::move(*config);
    where_ = {file};
    for (const auto& [part, place] : parts) parts_[part] = {file, place};
  }

  /// Adds the parameters of a modprobe file.
  void read_modparams(const std::string& file) {
    const auto text = read_file(file);
    if (!text) return wrong({file}, text.error().reason);
    auto params = conf::module_params(*text);
    if (!params) return add(mistakes, std::move(params.error()), file);
    add(made.warnings, std::move(params->notes), file);
    for (const auto& [name, value] : params->values) {
      made.config.params[name] = value;
      parts_[conf::name_of_param(name)] = {file, params->places[name]};
    }
  }

  void add_options(const DaemonOptions& options) {
    for (const auto& [name, value] : options.params) {
      made.config.params[name] = value;
      parts_[conf::name_of_param(name)] = {kCommandLine};
    }
    made.config.daemon = conf::merged(options.settings, made.config.daemon);
    // LNet that starts with modprobe files and without a named net has its default net.
    const bool by_default =
        !options.modparams.empty() && made.config.nets.empty() && options.interfaces.empty();
    for (const conf::NetItem& net : nets_of_params(by_default)) join(net, where_of_params());
    add_routes_of_params();
    if (!options.interfaces.empty()) join(net_of(options), {kCommandLine});
    refuse_or_leave_out();
    for (const conf::NetItem& net : made.config.nets) warn_of_missing(net);
    const bool in_force = trial_.in_force != nullptr && *trial_.in_force == made.config;
    if (mistakes.empty() && !in_force) try_out();
  }

 private:
  struct Where {
    std::string file;
    conf::Place place = {};
  };
  static void add(conf::Problems& to, conf::Problems more, const std::string& file) {
    std::ranges::move(conf::in_file(std::move(more), file), std::back_inserter(to));
  }
  void wrong(const Where& at, std::string reason) {
    mistakes.push_back({.place = at.place, .reason = std::move(reason), .file = at.file});
  }
  static conf::Problem warning(const Where& at, std::string reason) {
    return {.place = at.place,
            .reason = std::move(reason),
            .file = at.file,
            .severity = conf::Severity::kWarning};
  }
  void warn(const Where& at, std::string reason) {
    made.warnings.push_back(warning(at, std::move(reason)));
  }
  std::string param(const std::string& name) const {
    const auto at = made.config.params.find(name);
    return at == made.config.params.end() ? std::string() : at->second;
  }

  /// Adds the routes of the module parameter routes= to those of the file (spec/cli-lnetctl.md
  /// 9.2). A route that the file has already stays as it is.
  void add_routes_of_params() {
    const std::string text = param("routes");
    const conf::PlainText in(text);
    const auto rules = conf::read_routes(in, in.text());
    const auto routes = rules ? conf::routes_of(in, *rules) : tl::unexpected(rules.error());
    if (!routes) return wrong_param("routes", routes.error());
    conf::Config& config = made.config;
    if (config.routes.size() + routes->size() > conf::kRoutesMax)
      return wrong_param("routes", {{}, conf::kTooManyRoutes, -E2BIG});
    std::set<std::pair<NetId, Nid>> there;
    for (const conf::RouteItem& route : config.routes) there.emplace(route.net, route.gateway);
    for (const conf::RouteItem& route : *routes)
      if (there.emplace(route.net, route.gateway).second) config.routes.push_back(route);
  }

  void warn_of_param(const std::string& name, const std::string& what) {
    warn(where_of_param(name), conf::name_of_param(name) + ": " + what);
  }

  void wrong_param(const std::string& name, const conf::Problem& problem) {
    wrong(where_of_param(name), conf::name_of_param(name) + ": " + to_string(problem));
  }

  /// Returns the nets of the module parameters networks= and ip2nets= (spec/cli-lnetctl.md 9.1,
  /// 9.3). If neither is given, returns LNet's default net with `by_default`, else no net.
  std::vector<conf::NetItem> nets_of_params(bool by_default) {
    const bool none = param("networks").empty() && param("ip2nets").empty();
    if (none && !by_default) return {};
    auto nets =
        conf::resolve_networks(param("networks"), param("ip2nets"), interfaces_, &node::has_driver);
    if (nets) {
      for (const std::string& remark :
           conf::remarks_on_ip2nets(param("ip2nets"), interfaces_, &node::has_driver))
        warn_of_param("ip2nets", remark);
      return std::move(*nets);
    }
    if (none) return warn({}, nets.error().reason), std::vector<conf::NetItem>{};
    const bool both = !param("networks").empty() && !param("ip2nets").empty();
    if (both)
      wrong(where_, "parameters networks and ip2nets: " + nets.error().reason);
    else
      wrong_param(param("networks").empty() ? "ip2nets" : "networks",
                  {{}, nets.error().reason, nets.error().code});
    return {};
  }

  /// Notes where a file names its nets. Leaves out nets without a driver if requested, before other
  /// code asks for their interfaces.
  void note_nets(const std::string& file, conf::Document& document) {
    for (const conf::Item& item : document.items) {
      if (const auto* net = std::get_if<conf::NetEntry>(&item.what))
        places_.emplace(net->item.net, Where{file, item.place});
      if (const auto* rules = std::get_if<conf::Ip2NetsEntry>(&item.what))
        for (const conf::Ip2NetsRule& rule : rules->rules)
          places_.emplace(rule.net, Where{file, rule.place});
    }
    if (!skips_) skips_ = conf::skips_unsupported(document);
    if (!skips()) return;
    const conf::LeftOut left = conf::leave_out_unsupported(document, &node::has_driver);
    if (left.any()) left_out.push_back(warning({file}, "left out: " + left.to_string()));
  }

  bool skips() const { return skips_.value_or(false); }

  /// Nets whose type has no driver here cause one mistake, which names them all with their places.
  void refuse_or_leave_out() {
    if (skips()) {
      const conf::LeftOut left =
          conf::leave_out_unsupported(made.config.nets, made.config.routes, &node::has_driver);
      if (left.any()) left_out.push_back(warning({}, "left out: " + left.to_string()));
      return;
    }
    std::vector<std::string> named;
    Where first;
    for (const conf::NetItem& net : made.config.nets) {
      if (node::has_driver(net.net.type)) continue;
      const Where& where = places_.at(net.net);
      if (named.empty()) first = where;
      named.push_back(net.net.to_string() + " (" + conf::place_text(where.file, where.place) + ")");
    }
    if (named.empty()) return;
    wrong(first, fmt::format("nets whose type is not built in (only tcp is): {}; "
                             "--skip-unsupported leaves them out",
                             fmt::join(named, ", ")));
  }

  /// Where the parameter that names nets is given.
  Where where_of_params() const {
    return where_of_param(param("networks").empty() ? "ip2nets" : "networks");
  }

  static conf::NetItem net_of(const DaemonOptions& options) {
    conf::NetItem net{.net = NetId::parse(options.net).value(), .nis = {}};
    for (const std::string& name : options.interfaces) {
      conf::NiItem ni;
      ni.interface = name;
      net.nis.push_back(std::move(ni));
    }
    return net;
  }

  void join(const conf::NetItem& net, const Where& where) {
    places_.emplace(net.net, where);
    auto& nets = made.config.nets;
    auto at = std::ranges::find(nets, net.net, &conf::NetItem::net);
    if (at == nets.end()) at = nets.insert(at, conf::NetItem{.net = net.net, .nis = {}});
    for (const conf::NiItem& ni : net.nis) {
      const bool known = std::any_of(at->nis.begin(), at->nis.end(), [&](const auto& other) {
        return other.interface == ni.interface && other.nid == ni.nid;
      });
      if (known) continue;
      at->nis.push_back(ni);
      parts_.emplace(conf::name_of(conf::NiRef{net.net, ni}), where);
    }
  }

  void warn_of_missing(const conf::NetItem& net) {
    if (!node::has_driver(net.net.type)) return;
    for (const conf::NiItem& ni : net.nis) {
      const std::string name = ni.nid ? ni.nid->to_string() : ni.interface;
      const std::string device =
          ni.nid ? machine::device_of(*ni.nid) : machine::device_of(ni.interface);
      const auto known = std::ranges::find(interfaces_, ni.interface, &conf::LocalInterface::name);
      const bool bare = known != interfaces_.end() && known->addresses.empty();
      if (!device.empty() && !bare) continue;
      const bool address = ni.nid || Nid::parse(ni.interface);
      warn(where_of(conf::name_of(conf::NiRef{net.net, ni})),
           "net " + net.net.to_string() + ": " +
               (bare      ? "interface '" + name + "' has no address now"
                : address ? "no interface has the address " + name + " now"
                          : "no interface '" + name + "' on this machine now"));
    }
  }

  /// Tries the configuration on a trial node, in the way in which the start applies it. What the
  /// trial node refuses, the node that starts would refuse too.
  void try_out() {
    node::NodeOptions options;
    options.params = made.config.params;
    if (param("mode") == "dedicated") options.mode = Mode::kDedicated;
    const auto node = node::Node::start_trial(options, {trial_.machine});
    if (!node) return refused(where_of_partitions(), node.error());
    conf::Config fresh;
    fresh.params = options.params;  // the node has started with them
    for (const Failure& failure : apply(**node, fresh, made.config).failures)
      refused(where_of(failure.part),
              {failure.error.code, failure.what() + ": " + failure.error.reason});
  }
  void refused(const Where& at, const Error& error) {
    const bool lack = error.code == -ENOMEM || error.code == -EAGAIN || error.code == -EMFILE ||
                      error.code == -ENFILE;
    if (lack)  // of the machine, now: no mistake of the configuration
      warn(at, "could not be tried: " + error.reason);
    else
      wrong(at, error.reason);
  }
  Where where_of(const std::string& part) const {
    const auto known = parts_.find(part);
    return known == parts_.end() ? where_ : known->second;
  }
  /// Where the CPU partitions are configured: a node that does not start refuses them.
  Where where_of_partitions() const {
    return where_of_param(param("cpu_pattern").empty() ? "cpu_npartitions" : "cpu_pattern");
  }
  Where where_of_param(const std::string& name) const {
    return where_of(conf::name_of_param(name));
  }

  const Trial trial_;
  const std::vector<conf::LocalInterface> interfaces_ = machine::local_interfaces();
  Where where_{kCommandLine};
  std::optional<bool> skips_;           // --skip-unsupported, or the file's setting
  std::map<std::string, Where> parts_;  // where each part is given (conf::name_of())
  std::map<NetId, Where> places_;       // where each net is named first
};

}  // namespace

tl::expected<Configuration, conf::Problems> read_configuration(
    const std::optional<std::string>& file, const DaemonOptions& options, const Trial& trial) {
  Reading reading(trial, options);
  if (file) reading.read(*file);
  for (const std::string& params : options.modparams) reading.read_modparams(params);
  if (reading.mistakes.empty()) reading.add_options(options);
  if (options.strict)
    reading.mistakes.insert(reading.mistakes.end(), reading.made.warnings.begin(),
                            reading.made.warnings.end());
  if (!reading.mistakes.empty()) return tl::unexpected(std::move(reading.mistakes));
  std::ranges::move(reading.left_out, std::back_inserter(reading.made.warnings));
  return std::move(reading.made);
}

std::string summary(const conf::Config& config) {
  using text::counted;
  std::size_t interfaces = 0;
  for (const conf::NetItem& net : config.nets) interfaces += net.nis.size();
  const std::vector<std::string> daemon = conf::described(config.daemon);
  return counted(config.nets.size(), "net") + " with " + counted(interfaces, "interface") + ", " +
         counted(config.globals.size(), "global setting") + ", " +
         counted(config.params.size(), "parameter") +
         (config.peers.empty() ? "" : ", " + counted(config.peers.size(), "peer")) +
         (config.routes.empty() ? "" : ", " + counted(config.routes.size(), "route")) +
         (daemon.empty() ? "" : fmt::format("; daemon: {}", fmt::join(daemon, ", ")));
}

}  // namespace ulnet::tools

#include "tools/ulnetd/configuration.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "conf/modparams.h"
#include "conf/module_params.h"
#include "conf/params.h"
#include "conf/routes.h"
#include "conf/yaml_in.h"
#include "machine/interfaces.h"
#include "node/machine/partitions.h"
#include "node/runtime/drivers.h"
#include "node/settings.h"
#include "tools/ulnetd/config_file.h"

namespace ulnet::tools {

namespace {

/// The node would refuse a net without a driver when it is added; this check finds it at once.
bool has_driver(NetType type) { return node::find_driver(type) != nullptr; }

constexpr const char* kCommandLine = "command line";

class Reading {
 public:
  explicit Reading(const std::string& machine) : machine_(machine) {}

  Configuration made;
  Mistakes mistakes;

  void read(const std::string& file) {
    const auto text = read_file(file);
    if (!text) return mistakes.push_back(file + ": " + text.error().reason);
    const auto document = conf::read_yaml(*text);
    if (!document) return mistakes.push_back(located(file, document.error()));
    for (const conf::Note& note : document->notes)
      made.warnings.push_back(located(file, note.place, note.text));
    auto config = conf::to_config(*document, interfaces_);
    if (!config) {
      for (const conf::Problem& problem : config.error())
        mistakes.push_back(located(file, problem));
      return;
    }
    made.config = std::move(*config);
    where_ = file;
  }

  /// Adds the parameters of a file of modprobe's.
  void read_modparams(const std::string& file) {
    const auto text = read_file(file);
    if (!text) return mistakes.push_back(file + ": " + text.error().reason);
    const auto params = conf::module_params(*text);
    if (!params) {
      for (const conf::Problem& problem : params.error())
        mistakes.push_back(located(file, problem));
      return;
    }
    for (const auto& [name, value] : *params) {
      made.config.params[name] = value;
      files_of_params_[name] = file;
    }
  }

  void add_options(const DaemonOptions& options) {
    for (const auto& [name, value] : options.params) {
      made.config.params[name] = value;
      files_of_params_.erase(name);
    }
    made.config.daemon = conf::merged(options.settings, made.config.daemon);
    for (const conf::NetItem& net : nets_of_params()) join(net);
    add_routes_of_params();
    for (const conf::NetItem& net : made.config.nets) check_net(net, where_);
    if (!options.interfaces.empty()) {
      const conf::NetItem net = net_of(options);
      check_net(net, kCommandLine);
      join(net);
    }
    check_partitions();
    check_tunables();
  }

 private:
  std::string param(const std::string& name) const {
    const auto at = made.config.params.find(name);
    return at == made.config.params.end() ? std::string() : at->second;
  }

  /// Adds the routes of the module parameter routes= to those of the file (spec/cli-lnetctl.md
  /// 9.2). One that is there already stays as it is.
  void add_routes_of_params() {
    const std::string text = param("routes");
    const conf::PlainText in(text);
    const auto rules = conf::read_routes(in, in.text());
    const auto routes = rules ? conf::routes_of(in, *rules) : tl::unexpected(rules.error());
    if (!routes) return wrong_param("routes", routes.error());
    conf::Config& config = made.config;
    if (config.routes.size() + routes->size() > conf::kRoutesMax)
      return wrong_param("routes", {{}, -E2BIG, conf::kTooManyRoutes});
    std::set<std::pair<NetId, Nid>> there;
    for (const conf::RouteItem& route : config.routes) there.emplace(route.net, route.gateway);
    for (const conf::RouteItem& route : *routes)
      if (there.emplace(route.net, route.gateway).second) config.routes.push_back(route);
  }

  void wrong_param(const std::string& name, const conf::Problem& problem) {
    const auto file = files_of_params_.find(name);
    mistakes.push_back((file == files_of_params_.end() ? where_ : file->second) + ": parameter " +
                       name + ": " + conf::told(problem.place, problem.reason));
  }

  /// The nets of the module parameters networks= and ip2nets= (spec/cli-lnetctl.md 9.1, 9.3).
  std::vector<conf::NetItem> nets_of_params() {
    if (param("networks").empty() && param("ip2nets").empty()) return {};
    auto nets = conf::resolve_networks(param("networks"), param("ip2nets"), interfaces_);
    if (nets) return std::move(*nets);
    const bool both = !param("networks").empty() && !param("ip2nets").empty();
    if (both)
      mistakes.push_back(where_ + ": parameters networks and ip2nets: " + nets.error().reason);
    else
      wrong_param(param("networks").empty() ? "ip2nets" : "networks",
                  {{}, nets.error().code, nets.error().reason});
    return {};
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

  void join(const conf::NetItem& net) {
    auto& nets = made.config.nets;
    auto at = std::find_if(nets.begin(), nets.end(),
                           [&](const conf::NetItem& other) { return other.net == net.net; });
    if (at == nets.end()) at = nets.insert(at, conf::NetItem{.net = net.net, .nis = {}});
    for (const conf::NiItem& ni : net.nis) {
      const bool known = std::any_of(at->nis.begin(), at->nis.end(), [&](const auto& other) {
        return other.interface == ni.interface && other.nid == ni.nid;
      });
      if (!known) at->nis.push_back(ni);
    }
  }

  void check_net(const conf::NetItem& net, const std::string& where) {
    const std::string name = net.net.to_string();
    if (!has_driver(net.net.type))
      mistakes.push_back(where + ": net " + name + ": LND type not supported");
    for (const conf::NiItem& ni : net.nis) {
      if (ni.interface.empty()) continue;
      const bool device =
          std::any_of(interfaces_.begin(), interfaces_.end(),
                      [&](const auto& known) { return known.name == ni.interface; });
      if (!device && !Nid::parse(ni.interface))
        made.warnings.push_back(where + ": net " + name + ": no interface '" + ni.interface +
                                "' on this machine now");
    }
  }

  /// Finds CPU partitions that this machine does not have, and NIs bound to such
  /// (spec/core-semantics.md 13.1, 13.3).
  void check_partitions() {
    conf::ParamValues params;
    for (const auto& [name, value] : made.config.params) (void)params.set(name, value);
    std::string warning;  // dropped: the node logs it when it starts
    const auto partitions = node::Partitions::make(
        params.text("mode") == "dedicated" ? Mode::kDedicated : Mode::kShared,
        params.text("cpu_pattern"), static_cast<std::uint32_t>(params.number("cpu_npartitions")),
        {machine_}, warning);
    if (!partitions) return mistakes.push_back(where_ + ": " + partitions.error().reason);
    for (const conf::NetItem& net : made.config.nets)
      for (const conf::NiItem& ni : net.nis)
        for (const std::uint32_t cpt : ni.cpts)
          if (cpt >= partitions->count())
            wrong_ni(net, ni,
                     fmt::format("invalid CPT value {}: the last CPU partition is {}", cpt,
                                 partitions->count() - 1));
  }

  /// Finds what the node would refuse when it starts, or when it brings an NI up.
  void check_tunables() {
    const auto settings = node::Settings::make(made.config.params);
    if (!settings) return mistakes.push_back(where_ + ": " + settings.error().reason);
    for (const conf::NetItem& net : made.config.nets)
      for (const conf::NiItem& ni : net.nis)
        if (const auto good = settings->net_tunables(ni.tunables); !good)
          wrong_ni(net, ni, good.error().reason);
  }

  void wrong_ni(const conf::NetItem& net, const conf::NiItem& ni, const std::string& why) {
    mistakes.push_back(fmt::format("{}: net {}, interface {}: {}", where_, net.net.to_string(),
                                   ni.nid ? ni.nid->to_string() : ni.interface, why));
  }

  const std::string machine_;
  const std::vector<conf::LocalInterface> interfaces_ = machine::local_interfaces();
  std::string where_ = kCommandLine;
  std::map<std::string, std::string> files_of_params_;  // of those that a file of modprobe's gives
};

}  // namespace

tl::expected<Configuration, Mistakes> read_configuration(const std::optional<std::string>& file,
                                                         const DaemonOptions& options,
                                                         const std::string& machine) {
  Reading reading(machine);
  if (file) reading.read(*file);
  for (const std::string& params : options.modparams) reading.read_modparams(params);
  if (reading.mistakes.empty()) reading.add_options(options);
  if (options.strict)
    reading.mistakes.insert(reading.mistakes.end(), reading.made.warnings.begin(),
                            reading.made.warnings.end());
  if (!reading.mistakes.empty()) return tl::unexpected(std::move(reading.mistakes));
  return std::move(reading.made);
}

std::string summary(const conf::Config& config) {
  const auto count = [](std::size_t number, const char* what) {
    return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
  };
  std::size_t interfaces = 0;
  for (const conf::NetItem& net : config.nets) interfaces += net.nis.size();
  const std::vector<std::string> daemon = conf::described(config.daemon);
  return count(config.nets.size(), "net") + " with " + count(interfaces, "interface") + ", " +
         count(config.globals.size(), "global setting") + ", " +
         count(config.params.size(), "parameter") +
         (config.peers.empty() ? "" : ", " + count(config.peers.size(), "peer")) +
         (config.routes.empty() ? "" : ", " + count(config.routes.size(), "route")) +
         (daemon.empty() ? "" : fmt::format("; daemon: {}", fmt::join(daemon, ", ")));
}

}  // namespace ulnet::tools

#include "ulnetd/daemon.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <thread>

#include "admin/conf/unsupported.h"
#include "admin/http/wake.h"
#include "lnet/config/modparams.h"
#include "lnet/config/params.h"
#include "lnet/config/routes.h"
#include "lnet/lnd/memory_short.h"
#include "lnet/node/runtime/drivers.h"
#include "lnet/os/interfaces.h"
#include "lnet/os/process_name.h"
#include "selftest/api/lst_service.h"
#include "ulnetd/exit_code.h"
#include "ulnetd/explain.h"
#include "ulnetd/notify.h"
#include "ulnetd/places.h"
#include "ulnetd/port_wait.h"

namespace ulnet::tools {

namespace {

/// How long the daemon waits after the drain's deadline, at which everything is cancelled. An
/// operation that has not ended by then never will.
constexpr std::chrono::seconds kAfterDeadline{20};
constexpr std::uint32_t kDrainSeconds = 10;
/// How often the main thread looks for work that is due.
constexpr std::chrono::seconds kTick{1};

/// "SIGHUP from systemctl (pid 12, uid 0)"
std::string named(const Signals::Signal& signal) {
  const char* const name = signal.number == SIGHUP   ? "SIGHUP"
                           : signal.number == SIGINT ? "SIGINT"
                                                     : "SIGTERM";
  return fmt::format("{} from {}", name, node::named_process(signal.sender, signal.uid));
}

/// The addresses on which an NI's acceptor listens; an interface means all of its addresses.
std::vector<Nid> addresses_of(const conf::NiItem& ni) {
  if (ni.nid) return {*ni.nid};
  if (const auto address = Nid::parse(ni.interface)) return {*address};
  for (const conf::LocalInterface& known : machine::local_interfaces())
    if (known.name == ni.interface) return known.addresses;
  return {};
}

std::string param_text(const std::map<std::string, std::string>& params, const char* name) {
  const auto given = params.find(name);
  if (given != params.end()) return given->second;
  return std::string(conf::find_param(name)->initial);
}

/// The ports on which an NI listens: by default one port, also for bulk connections.
std::vector<std::uint16_t> acceptor_ports(const std::map<std::string, std::string>& params) {
  const auto number = [&](const char* name) {
    return static_cast<std::uint16_t>(std::stoi(param_text(params, name)));
  };
  if (!params.contains("accept_port_bulk")) return {number("accept_port")};
  return {number("accept_port"), number("accept_port_bulk")};
}

/// Adds the nets that `lnet configure --all` brings up (spec/cli-lnetctl.md 3.1).
Result<void> add_nets_of_params(node::Node& node, const std::map<std::string, std::string>& params,
                                bool skip_unsupported, Log& log) {
  const std::string networks = param_text(params, "networks");
  const std::string ip2nets = param_text(params, "ip2nets");
  auto nets =
      conf::resolve_networks(networks, ip2nets, machine::local_interfaces(), &node::has_driver);
  if (!nets) return tl::unexpected(nets.error());
  auto routes = conf::routes_of_param(param_text(params, "routes"));
  if (!routes) return tl::unexpected(routes.error());
  if (skip_unsupported) {
    const conf::LeftOut left = conf::leave_out_unsupported(*nets, *routes, &node::has_driver);
    if (left.any()) log.warn("left out: " + left.to_string());
  }
  std::vector<conf::Change> changes;
  for (const conf::NiRef& ref : conf::nis_of(*nets))
    changes.emplace_back(conf::change::AddNi{ref.net, ref.ni});
  changes.emplace_back(conf::change::AddRoutes{*std::move(routes)});
  for (Result<void>& made : node.change_all(changes))
    if (!made) return std::move(made);
  return {};
}

/// Whether the node can run without what has failed: an NI whose device is missing or has no
/// address now, and the routes by its net, if another NI is up.
bool can_run_without(const std::vector<Failure>& failures, const node::NodeState& state) {
  const auto may_come = [](const Failure& failure) {
    const int code = failure.error.code;
    return failure.ni ? code == -ENETDOWN || code == -EADDRNOTAVAIL : code == -EHOSTUNREACH;
  };
  return std::ranges::all_of(failures, may_come) &&
         std::ranges::any_of(state.nis,
                             [](const node::NiShow& ni) { return ni.net != NetId::loopback(); });
}

}  // namespace

Daemon::Daemon(const DaemonOptions& options, std::optional<std::string> file,
               const conf::Config& requested, std::string socket_path, Log& log, Signals& signals,
               node::MemoryReserve& reserve)
    : options_(options),
      file_(std::move(file)),
      requested_(requested),
      settings_(requested.daemon),
      socket_path_(std::move(socket_path)),
      log_(log),
      signals_(signals),
      memory_([&reserve] { return reserve.restore(); }),
      params_(requested.params),
      skip_unsupported_(requested.daemon.skip_unsupported.value_or(false)),
      slot_([this](const node::control::ConfigureOptions& asked) { return start_node(asked); },
            node::control::start_lst) {}

Result<std::unique_ptr<node::Node>> Daemon::start_node(
    const node::control::ConfigureOptions& asked) {
  node::NodeOptions node;
  bool skip_unsupported = false;
  {
    const std::scoped_lock lock(mutex_);
    node.params = params_;
    skip_unsupported = skip_unsupported_;
  }
  for (const auto& [name, value] : asked.params) node.params[name] = value;
  node.name = options_.name;
  node.mode = param_text(node.params, "mode") == "dedicated" ? Mode::kDedicated : Mode::kShared;
  node.prefer_large = asked.large;
  node.log = &Log::from_node;
  node.log_context = &log_;
  node.log_level = log_.level();
  auto started = node::Node::start(node, {}, asked.ping_sequence);
  if (started && asked.all)
    if (const auto added = add_nets_of_params(**started, node.params, skip_unsupported, log_);
        !added)
      return tl::unexpected(added.error());
  return started;
}

void Daemon::warn(node::control::Reloaded& done, const std::string& line) {
  log_.warn(line);
  done.warnings.push_back(line);
}
void Daemon::error(node::control::Reloaded& done, int code, const std::string& line) {
  log_.error(line);
  done.failures.push_back({code, line});
}

void Daemon::report(const Outcome& outcome, node::control::Reloaded& done) {
  done.changes = outcome.changes;
  for (const std::string& setting : outcome.settings) log_.info(setting);
  for (const std::string& name : outcome.postponed)
    warn(done,
         "parameter " + name + " changed: the change takes effect when the daemon is restarted");
  for (const Failure& failure : outcome.failures) {
    const auto addresses = failure.ni ? addresses_of(failure.ni->ni) : std::vector<Nid>();
    const std::string port = explain_port(failure.error.code, {addresses, acceptor_ports(params_)});
    error(done, failure.error.code,
          failure.what() + ": " + (port.empty() ? failure.error.reason : port));
  }
}

void Daemon::warn_about_ports(const conf::Config& config) {
  if (param_text(config.params, "accept") == "trust")
    return;  // this process may then use any port; the node warns of that
  const bool tcp = std::any_of(config.nets.begin(), config.nets.end(),
                               [](const auto& net) { return net.net.type == NetType::kTcp; });
  if (tcp && !may_bind_privileged_ports())
    log_.warn(
        "this process may not use ports below 1024: nodes with accept=secure (the default of all "
        "nodes) will refuse its connections");
}

bool Daemon::wait_for_acceptor_port() {
  if (param_text(params_, "accept") == "none") return true;
  AcceptorPlaces places{{}, acceptor_ports(params_)};
  for (const conf::NetItem& net : requested_.nets)
    for (const conf::NiItem& ni : net.nis)
      for (const Nid& nid : addresses_of(ni)) places.addresses.push_back(nid);
  bool reload = false;
  const auto rest = [&](std::chrono::seconds time) {
    notify_supervisor("EXTEND_TIMEOUT_USEC=10000000");
    const auto signal = signals_.wait(time);
    if (!signal) return true;
    if (signal->number == SIGHUP) return reload = true;
    log_.info("the daemon ends before its node has started: " + named(*signal));
    return false;
  };
  const auto say = [this](const std::string& line) {
    log_.info(line);
    notify_supervisor("STATUS=" + line);
  };
  const bool done = wait_for_port({[&] { return port_of_ended(places); }, rest, say});
  if (reload) ::kill(::getpid(), SIGHUP);  // served once the node runs
  return done;
}

bool Daemon::start(const conf::Config& requested) {
  warn_about_ports(requested);
  if (const auto started = slot_.configure({}); !started) {
    log_.error("the node did not start: " + started.error().reason);
    return false;
  }
  const auto node = slot_.node();
  conf::Config fresh;
  fresh.params = requested.params;  // the node started with them
  Outcome outcome = apply(*node, fresh, requested);
  node::control::Reloaded done;  // for report(); no reload waits for the answer
  report(outcome, done);
  applied_ = std::move(outcome.now);
  applied_to_ = node;
  if (!outcome.failures.empty()) {
    if (!can_run_without(outcome.failures, node->state())) return false;
    log_.warn(
        "running without what failed: 'ulnetctl reload' adds it when its interface has an address");
  }
  if (settings_.selftest.value_or(false)) {
    if (const auto selftest = slot_.selftest(); !selftest) {
      log_.error("selftest did not start: " + selftest.error().reason);
      return false;
    }
    log_.info("serving LNet selftest");
  }
  return true;
}

bool Daemon::open_control_api() {
  auto server = node::control::ControlServer::open(
      {.path = socket_path_,
       .tcp_port = settings_.metrics,
       .tcp_reads = settings_.metrics_api.value_or(false),
       .name = options_.name,
       .version = ULNET_VERSION,
       .log = [this](int level,
                     const std::string& line) { Log::from_node(&log_, level, line.c_str()); },
       .reload = [this] { return reloads_.ask(); }},
      slot_);
  if (!server) {
    log_.error(server.error().reason);
    return false;
  }
  server_ = std::move(*server);
  return true;
}

int Daemon::run() {
  if (!wait_for_acceptor_port()) return kExitDone;
  if (!start(requested_) || !open_control_api()) {
    slot_.stop(std::chrono::seconds(0));
    return kExitFailed;
  }
  become_ready();
  if (!ready_) {
    const std::string waits = "waiting for the first answers of gateways; " + control_addresses();
    log_.info(waits);
    notify_supervisor("STATUS=" + waits);
  }
  for (;;) {
    const std::chrono::milliseconds time = ready_ ? kTick : node::kUntilFirstChecksAreAskedFor;
    const auto signal = signals_.wait(time, reloads_.descriptor());
    log_.show_repeats();
    log_troubles();
    give_spare_memory_back(spare_, std::chrono::steady_clock::now());
    reloads_.serve([this] { return reload("through the control socket"); });
    if (!signal && !ready_) become_ready();
    if (!signal) continue;
    if (signal->number != SIGHUP) return drain(*signal);
    reload(named(*signal));
  }
}

std::string Daemon::control_addresses() const {
  const std::string socket = "control socket " + socket_path_;
  if (server_->tcp_port() == 0) return socket;
  return socket + (settings_.metrics_api.value_or(false) ? ", read-only on " : ", metrics on ") +
         "127.0.0.1:" + std::to_string(server_->tcp_port());
}

/// Reports the node ready, if the first checks of its gateways are over. If a client of the control
/// API has removed the node meanwhile, there is nothing to wait for.
void Daemon::become_ready() {
  const auto node = slot_.node();
  if (node != nullptr && !node::first_checks_are_over(*node)) return;
  ready_ = true;
  const std::string ready = "ready: " + summary(applied_) + "; " + control_addresses();
  log_.info(ready);
  notify_supervisor("READY=1\nSTATUS=" + ready);
}

void Daemon::log_troubles() {
  const auto now = std::chrono::steady_clock::now();
  const auto node = slot_.node();
  if (const std::string line = memory_.look(now, lnd::memory_is_short); !line.empty()) {
    log_.warn(line);
    if (node != nullptr)
      node->events()->add({.type = node::NodeEvent::Type::kMemory, .level = 2, .text = line});
  }
  if (recovery_.is_due(now)) {
    std::vector<Nid> own, peers;
    if (node != nullptr) {
      own = in_recovery(*node, true);
      peers = in_recovery(*node, false);
    }
    for (const std::string& line : recovery_.look(now, own, peers)) log_.warn(line);
  }
  if (late_.is_due(now)) {
    const auto line = late_.look(now, node == nullptr ? core::LateMessages{} : totals(*node).late);
    if (!line.empty()) log_.warn(line);
  }
}

/// A log rotation moves the file away and sends SIGHUP.
void Daemon::reopen_log() {
  if (const auto reopened = log_.reopen(); !reopened) log_.error(reopened.error().reason);
}

/// Takes over the keys of `daemon:` that can change while the daemon runs; warns about the others.
void Daemon::take_settings(const conf::DaemonSettings& requested, node::control::Reloaded& done) {
  for (const std::string& key : conf::differing_keys(settings_, requested)) {
    if (key == "log-level")
      log_.set_level(requested.log_level.value_or("info"));
    else if (key != "drain" && key != "skip-unsupported")
      warn(done,
           "daemon: " + key + " changed: the change takes effect when the daemon is restarted");
  }
  settings_ = requested;
  {
    const std::scoped_lock lock(mutex_);
    skip_unsupported_ = requested.skip_unsupported.value_or(false);
  }
  if (const auto node = slot_.node()) node->set_log_level(log_.level());
}

/// A missing default file is a mistake, like a missing file of --config, because an editor may be
/// about to write it again.
tl::expected<Configuration, conf::Problems> Daemon::read_again() {
  const auto file = options_.config ? options_.config : find_config_file(conf::place_environment());
  if (file_ && !file)
    return tl::unexpected(conf::Problems{{.reason = "the file is gone", .file = *file_}});
  auto read = read_configuration(file, options_, {{}, &applied_});
  if (read) file_ = file;
  return read;
}

node::control::Reloaded Daemon::reload(const std::string& asked) {
  reopen_log();
  log_.info("reading the configuration again: " + asked);
  if (ready_) notify_reloading();
  node::control::Reloaded done;
  try {
    read_and_apply(done);
  } catch (const std::bad_alloc&) {
    error(done, -ENOMEM, "no memory for the configuration: only a part of it may be in use");
  }
  if (ready_) notify_supervisor("READY=1");
  return done;
}

void Daemon::read_and_apply(node::control::Reloaded& done) {
  const auto read = read_again();
  if (!read) {
    for (const conf::Problem& mistake : read.error()) error(done, -EINVAL, to_string(mistake));
    return log_.error("the configuration stays as it was");
  }
  for (const conf::Problem& warning : read->warnings) warn(done, to_string(warning));
  take_settings(read->config.daemon, done);
  reconfigure(read->config, done);
}

void Daemon::reconfigure(const conf::Config& requested, node::control::Reloaded& done) {
  const auto node = slot_.node();
  if (node == nullptr) return error(done, -ENETDOWN, "LNet is not configured: nothing is set");
  // If the control API has started another node since then, that node has only its parameters.
  conf::Config fresh;
  fresh.params = applied_.params;
  const bool same = applied_to_.lock() == node;
  Outcome outcome = apply(*node, same ? applied_ : fresh, requested);
  report(outcome, done);
  applied_ = std::move(outcome.now);
  applied_to_ = node;
  const std::scoped_lock lock(mutex_);
  params_ = applied_.params;
  log_.info("configuration read again: " + summary(outcome));
}

int Daemon::drain(const Signals::Signal& asked) {
  // Before the node is ready a check of a gateway is in flight, for which a drain would wait.
  const std::chrono::seconds time(ready_ ? settings_.drain.value_or(kDrainSeconds) : 0);
  log_.info(
      fmt::format("draining: {}; messages in flight have {} s to end", named(asked), time.count()));
  notify_supervisor("STOPPING=1\nSTATUS=draining");
  reloads_.close();
  slot_.drain();
  http::WakeFlag done;
  std::thread ending([&] {
    slot_.stop(time);
    server_.reset();
    done.raise();
  });
  const auto give_up = std::chrono::steady_clock::now() + time + kAfterDeadline;
  while (!done.raised()) {
    const auto signal = signals_.wait(std::chrono::seconds(1), done.descriptor());
    if (signal && signal->number != SIGHUP) {
      log_.warn("second signal, " + named(*signal) + ": ending at once");
      end_at_once(128 + signal->number);
    }
    if (std::chrono::steady_clock::now() < give_up) continue;
    log_.error("the node or the control API does not end: giving up");
    end_at_once(kExitFailed);
  }
  ending.join();
  return kExitDone;
}

void Daemon::end_at_once(int code) {
  log_.show_repeats(true);
  ::unlink(socket_path_.c_str());
  ::_exit(code);
}

}  // namespace ulnet::tools

#include "tools/ulnetd/daemon.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "conf/modparams.h"
#include "conf/params.h"
#include "node/control/wake.h"
#include "node/machine.h"
#include "tools/ulnetd/exit_code.h"
#include "tools/ulnetd/explain.h"
#include "tools/ulnetd/notify.h"
#include "tools/ulnetd/places.h"

namespace ulnet::tools {

namespace {

/// After the drain's deadline everything is cancelled; what has not ended so much later never will.
constexpr std::chrono::seconds kAfterDeadline{20};

std::string param_text(const std::map<std::string, std::string>& params, const char* name) {
  const auto given = params.find(name);
  if (given != params.end()) return given->second;
  return std::string(conf::find_param(name)->initial);
}

std::uint16_t accept_port(const std::map<std::string, std::string>& params) {
  return static_cast<std::uint16_t>(std::stoi(param_text(params, "accept_port")));
}

/// What `lnet configure --all` brings up (spec/cli-lnetctl.md 3.1).
Result<void> add_nets_of_params(node::Node& node,
                                const std::map<std::string, std::string>& params) {
  const std::string networks = param_text(params, "networks");
  const std::string ip2nets = param_text(params, "ip2nets");
  if (networks.empty() && ip2nets.empty()) return {};
  const auto nets = conf::resolve_networks(networks, ip2nets, node::local_interfaces());
  if (!nets) return tl::unexpected(nets.error());
  for (const conf::NetItem& net : *nets)
    for (const conf::NiItem& ni : net.nis)
      if (const auto added = node.net_add(net.net, ni); !added) return added;
  return {};
}

}  // namespace

Daemon::Daemon(const DaemonOptions& options, const conf::Config& wish, std::string socket_path,
               Log& log, Signals& signals)
    : options_(options),
      wish_(wish),
      socket_path_(std::move(socket_path)),
      log_(log),
      signals_(signals),
      params_(wish.params),
      slot_([this](const node::control::ConfigureOptions& asked) { return start_node(asked); }) {}

Result<std::unique_ptr<node::Node>> Daemon::start_node(
    const node::control::ConfigureOptions& asked) {
  node::NodeOptions node;
  {
    const std::scoped_lock lock(mutex_);
    node.params = params_;
  }
  for (const auto& [name, value] : asked.params) node.params[name] = value;
  node.name = options_.name;
  node.mode = param_text(node.params, "mode") == "dedicated" ? Mode::kDedicated : Mode::kShared;
  node.prefer_large = asked.large;
  node.log = &Log::from_node;
  node.log_context = &log_;
  node.log_level = log_.level();
  auto started = node::Node::start(node);
  if (started && asked.all)
    if (const auto added = add_nets_of_params(**started, node.params); !added)
      return tl::unexpected(added.error());
  return started;
}

void Daemon::report(const Outcome& outcome) {
  for (const std::string& name : outcome.postponed)
    log_.warn("parameter " + name + " changed: it counts when the daemon is started again");
  for (const Error& failure : outcome.failures) {
    const std::string port = explain_port(failure.code, accept_port(params_));
    log_.error(failure.reason + (port.empty() ? "" : ": " + port));
  }
}

void Daemon::warn_about_ports(const conf::Config& config) {
  if (param_text(config.params, "accept") == "trust")
    return;  // then ports mean nothing; the node warns of it
  const bool tcp = std::any_of(config.nets.begin(), config.nets.end(),
                               [](const auto& net) { return net.net.type == NetType::kTcp; });
  if (tcp && !may_bind_privileged_ports())
    log_.warn(
        "this process may not use ports below 1024: nodes with accept=secure (the default of all "
        "nodes) "
        "will refuse its connections");
}

bool Daemon::start(const conf::Config& wish) {
  warn_about_ports(wish);
  if (const auto started = slot_.configure({}); !started) {
    log_.error("the node did not start: " + started.error().reason);
    return false;
  }
  const auto node = slot_.node();
  conf::Config fresh;
  fresh.params = wish.params;  // the node started with them
  Outcome outcome = apply(*node, fresh, wish);
  report(outcome);
  applied_ = std::move(outcome.now);
  applied_to_ = node;
  if (options_.selftest)
    if (const auto selftest = slot_.selftest(); !selftest) {
      log_.error("selftest did not start: " + selftest.error().reason);
      return false;
    }
  return outcome.failures.empty();
}

bool Daemon::open_door() {
  auto door = node::control::Door::open({.path = socket_path_,
                                         .tcp_port = options_.metrics_port,
                                         .name = options_.name,
                                         .version = ULNET_VERSION},
                                        slot_);
  if (!door) {
    log_.error(door.error().reason);
    return false;
  }
  door_ = std::move(*door);
  return true;
}

int Daemon::run() {
  if (!start(wish_) || !open_door()) {
    slot_.stop(std::chrono::seconds(0));
    return kExitFailed;
  }
  std::string ready = "ready: " + summary(applied_) + "; control socket " + socket_path_;
  if (door_->tcp_port() != 0)
    ready += ", read-only on 127.0.0.1:" + std::to_string(door_->tcp_port());
  log_.info(ready);
  notify_supervisor("READY=1\nSTATUS=" + ready);
  for (;;) {
    const auto signal = signals_.wait(std::chrono::seconds(1));
    log_.tell_repeats();
    if (signal == SIGHUP) reload();
    if (signal == SIGTERM || signal == SIGINT) return drain();
  }
}

void Daemon::reload() {
  notify_reloading();
  const auto file = options_.config ? options_.config : find_config_file(conf::place_environment());
  const auto read = read_configuration(file, options_);
  const auto node = slot_.node();
  if (!read) {
    for (const std::string& mistake : read.error()) log_.error(mistake);
    log_.error("the configuration stays as it was");
  } else if (node == nullptr) {
    log_.warn("LNet is not configured: the configuration is not read again");
  } else {
    for (const std::string& warning : read->warnings) log_.warn(warning);
    // Another node than the one we configured has nothing but the parameters it started with.
    conf::Config fresh;
    fresh.params = applied_.params;
    const bool same = applied_to_.lock() == node;
    Outcome outcome = apply(*node, same ? applied_ : fresh, read->config);
    report(outcome);
    applied_ = std::move(outcome.now);
    applied_to_ = node;
    const std::scoped_lock lock(mutex_);
    params_ = applied_.params;
    log_.info("configuration read again: " + summary(outcome));
  }
  notify_supervisor("READY=1");
}

int Daemon::drain() {
  log_.info("draining: what is in flight has " + std::to_string(options_.drain.count()) +
            " s to end");
  notify_supervisor("STOPPING=1\nSTATUS=draining");
  slot_.drain();
  node::control::WakeFlag done;
  std::thread ending([&] {
    slot_.stop(options_.drain);
    door_.reset();
    done.raise();
  });
  const auto give_up = std::chrono::steady_clock::now() + options_.drain + kAfterDeadline;
  while (!done.raised()) {
    const auto signal = signals_.wait(std::chrono::seconds(1), done.descriptor());
    if (signal == SIGTERM || signal == SIGINT) {
      log_.warn("told again: ending at once");
      end_at_once(128 + *signal);
    }
    if (std::chrono::steady_clock::now() < give_up) continue;
    log_.error("something does not end: giving up");
    end_at_once(kExitFailed);
  }
  ending.join();
  log_.info("ended");
  log_.tell_repeats(true);
  return kExitDone;
}

void Daemon::end_at_once(int code) {
  log_.tell_repeats(true);
  ::unlink(socket_path_.c_str());
  ::_exit(code);
}

}  // namespace ulnet::tools

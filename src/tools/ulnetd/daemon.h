// One running daemon: the node, its door, and the signals that move it from start over reloads to
// the end.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "node/control/door.h"
#include "node/control/node_slot.h"
#include "tools/ulnetd/apply.h"
#include "tools/ulnetd/configuration.h"
#include "tools/ulnetd/log.h"
#include "tools/ulnetd/options.h"
#include "tools/ulnetd/reload_requests.h"
#include "tools/ulnetd/signals.h"

namespace ulnet::tools {

class Daemon {
 public:
  /// `file`: where `wish` was read from, if from any. `socket_path` is ours already (instance.h).
  /// All references must outlive this.
  Daemon(const DaemonOptions& options, std::optional<std::string> file, const conf::Config& wish,
         std::string socket_path, Log& log, Signals& signals);

  /// Until it is told to end; the exit code.
  int run();

 private:
  Result<std::unique_ptr<node::Node>> start_node(const node::control::ConfigureOptions& asked);
  bool start(const conf::Config& wish);
  bool open_door();
  void warn_about_ports(const conf::Config& config);
  /// `asked`: who, for the log.
  node::control::Reloaded reload(const std::string& asked);
  tl::expected<Configuration, Mistakes> read_again();
  void reconfigure(const conf::Config& wish, node::control::Reloaded& done);
  void reopen_log();
  void take_settings(const conf::DaemonSettings& wish, node::control::Reloaded& done);
  // Each says it in the log and keeps it for whoever asked.
  void warn(node::control::Reloaded& done, const std::string& line);
  void error(node::control::Reloaded& done, int code, const std::string& line);
  void report(const Outcome& outcome, node::control::Reloaded& done);
  int drain(const Signals::Signal& asked);
  [[noreturn]] void end_at_once(int code);

  const DaemonOptions& options_;
  std::optional<std::string> file_;  // that was read last; the main thread's
  const conf::Config wish_;
  conf::DaemonSettings settings_;  // as the configuration said last; the main thread's
  const std::string socket_path_;
  Log& log_;
  Signals& signals_;

  std::mutex mutex_;  // guards params_: door threads start nodes too
  std::map<std::string, std::string> params_;
  conf::Config applied_;  // what of the configuration the node `applied_to_` has; the main thread's
  std::weak_ptr<node::Node> applied_to_;
  node::control::NodeSlot slot_;
  ReloadRequests reloads_;
  std::unique_ptr<node::control::Door> door_;
};

}  // namespace ulnet::tools

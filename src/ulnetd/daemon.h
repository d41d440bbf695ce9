// The daemon: the node, its control API, and the signals that reload and end it.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "admin/server/control_server.h"
#include "admin/server/node_slot.h"
#include "lnet/os/memory_reserve.h"
#include "ulnetd/apply.h"
#include "ulnetd/configuration.h"
#include "ulnetd/log.h"
#include "ulnetd/options.h"
#include "ulnetd/reload_requests.h"
#include "ulnetd/reports.h"
#include "ulnetd/signals.h"
#include "ulnetd/spare_memory.h"

namespace ulnet::tools {

class Daemon {
 public:
  /// `file`: the file from which `requested` was read, if any. The caller holds the lock of
  /// `socket_path` (instance.h). All references must outlive this.
  Daemon(const DaemonOptions& options, std::optional<std::string> file,
         const conf::Config& requested, std::string socket_path, Log& log, Signals& signals,
         node::MemoryReserve& reserve);

  /// Runs until a signal ends it; returns the exit code. Main thread.
  int run();

 private:
  Result<std::unique_ptr<node::Node>> start_node(const node::control::ConfigureOptions& asked);
  /// Waits while ended connections keep a port on which an NI must listen. False: a signal ends the
  /// daemon.
  bool wait_for_acceptor_port();
  bool start(const conf::Config& requested);
  bool open_control_api();
  /// The paths and ports of the control API, for the log.
  std::string control_addresses() const;
  void become_ready();
  void warn_about_ports(const conf::Config& config);
  /// `asked`: who requested the reload, for the log.
  node::control::Reloaded reload(const std::string& asked);
  tl::expected<Configuration, conf::Problems> read_again();
  void reconfigure(const conf::Config& requested, node::control::Reloaded& done);
  void read_and_apply(node::control::Reloaded& done);
  void reopen_log();
  void log_troubles();
  void take_settings(const conf::DaemonSettings& requested, node::control::Reloaded& done);
  // Each logs the line and adds it to the answer of the reload.
  void warn(node::control::Reloaded& done, const std::string& line);
  void error(node::control::Reloaded& done, int code, const std::string& line);
  void report(const Outcome& outcome, node::control::Reloaded& done);
  int drain(const Signals::Signal& asked);
  [[noreturn]] void end_at_once(int code);

  const DaemonOptions& options_;
  std::optional<std::string> file_;  // the file read last; main thread only
  const conf::Config requested_;
  conf::DaemonSettings settings_;  // those of the configuration read last; main thread only
  const std::string socket_path_;
  Log& log_;
  Signals& signals_;
  MemoryReport memory_;  // main thread only

  std::mutex mutex_;  // guards the next two, since threads of the control API start nodes too
  std::map<std::string, std::string> params_;
  bool skip_unsupported_;
  conf::Config applied_;  // the configuration that the node `applied_to_` has; main thread only
  std::weak_ptr<node::Node> applied_to_;
  bool ready_ = false;  // the node is ready and was reported so; main thread only
  node::control::NodeSlot slot_;
  ReloadRequests reloads_;
  RecoveryReport recovery_{std::chrono::steady_clock::now()};  // main thread only
  LateReport late_{std::chrono::steady_clock::now()};          // main thread only
  SpareMemory spare_{std::chrono::steady_clock::now()};        // main thread only
  std::unique_ptr<node::control::ControlServer> server_;
};

}  // namespace ulnet::tools

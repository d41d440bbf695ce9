// Where the daemon's node sits: there, or not (after `lnet unconfigure`), or on its way out.
// Handlers take the node from here and keep it for the time of their work.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "node/node.h"
#include "node/selftest_console.h"

namespace ulnet::node::control {

/// `lnet configure [--all] [--large]` (spec/cli-lnetctl.md 3.1).
struct ConfigureOptions {
  bool all = false;    ///< bring up what the module parameters say
  bool large = false;  ///< prefer the large NID of an interface that has both
  /// Module parameters as the node before this one had them: they outlive `lnet unconfigure`,
  /// as a module's do.
  std::map<std::string, std::string> params = {};
};

/// Any thread.
class NodeSlot {
 public:
  /// Makes a started node: with 0@lo only, or with what `options` ask for.
  using Start = std::function<Result<std::unique_ptr<Node>>(const ConfigureOptions& options)>;

  explicit NodeSlot(Start start) : start_(std::move(start)) {}

  /// Success, and nothing changes, when there is a node already. -ESHUTDOWN while draining.
  Result<void> configure(const ConfigureOptions& options);
  /// Stops and removes the node; success when there is none. Calls in flight end with the node's
  /// errors.
  Result<void> unconfigure(std::chrono::nanoseconds deadline);
  /// The node, or null when LNet is not configured.
  std::shared_ptr<Node> node() const;

  /// The node's selftest, started when it is first asked for; it stops with the node. -ENETDOWN
  /// when LNet is not configured, -ESHUTDOWN while draining, else LNet's error.
  Result<std::shared_ptr<SelftestConsole>> selftest();
  /// Stops the node and what runs on it; the node stays for those who look.
  void stop(std::chrono::nanoseconds deadline);

  /// The daemon is ending: no configuring any more, and /healthz says so. The node stays for those
  /// who look.
  void drain();
  bool draining() const;

 private:
  void stop_selftest(std::chrono::nanoseconds deadline);

  const Start start_;
  std::mutex changing_;                        // one configure or unconfigure at a time
  std::map<std::string, std::string> params_;  // as the last node had them; guarded by changing_
  std::shared_ptr<SelftestConsole> selftest_;  // guarded by changing_
  mutable std::mutex mutex_;                   // guards the rest; held only for a moment
  std::shared_ptr<Node> node_;
  bool draining_ = false;
};

}  // namespace ulnet::node::control

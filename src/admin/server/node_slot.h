// Holds the daemon's node; empty after `lnet unconfigure`. Handlers take the node from here and
// keep it as long as they work with it.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "admin/server/node_service.h"
#include "lnet/node/node.h"

namespace ulnet::node::control {

/// `lnet configure [--all] [--large]` (spec/cli-lnetctl.md 3.1).
struct ConfigureOptions {
  bool all = false;    ///< bring up the nets that the module parameters name
  bool large = false;  ///< prefer the large NID of an interface that has both
  /// The module parameters of the previous node. They outlive `lnet unconfigure`, as those of a
  /// kernel module do.
  std::map<std::string, std::string> params = {};
  /// The sequence number of the previous node's ping info, from which the new node goes on
  /// (spec/multirail.md 4.8); 0: there was no node.
  std::uint32_t ping_sequence = 0;
};

/// Any thread.
class NodeSlot {
 public:
  /// Makes and starts a node: with 0@lo only, or with the nets that `options` request.
  using Start = std::function<Result<std::unique_ptr<Node>>(const ConfigureOptions& options)>;

  NodeSlot(Start start, StartService start_selftest)
      : start_(std::move(start)), start_selftest_(std::move(start_selftest)) {}

  /// Starts a node. Does nothing and succeeds when a node exists already. Returns when the first
  /// checks of its gateways are over (node.h) or the node was removed again; node() returns the
  /// node during these checks. While draining it returns -ESHUTDOWN at once.
  Result<void> configure(const ConfigureOptions& options);
  /// Stops and removes the node; succeeds when no node exists. Calls in flight end with the node's
  /// errors.
  Result<void> unconfigure(std::chrono::nanoseconds deadline);
  /// Returns the node, or null when LNet is not configured.
  std::shared_ptr<Node> node() const;

  /// Returns the node's selftest. It starts on first use and stops with the node. -ENETDOWN: LNet
  /// is not configured; -ESHUTDOWN: the slot is draining; else the error of StartService.
  Result<std::shared_ptr<NodeService>> selftest();
  /// Stops the node and its selftest. node() still returns the node, so that a caller can read its
  /// state.
  void stop(std::chrono::nanoseconds deadline);

  /// Notes that the daemon is ending: configure() is refused, and /healthz says so. node() still
  /// returns the node.
  void drain();
  bool draining() const;

 private:
  /// Returns the started node; null when a node existed already.
  Result<std::shared_ptr<Node>> start(const ConfigureOptions& options);
  void stop_selftest(std::chrono::nanoseconds deadline);

  const Start start_;
  const StartService start_selftest_;
  std::mutex changing_;  // one configure or unconfigure at a time
  // the parameters of the last node; guarded by changing_
  std::map<std::string, std::string> params_;
  std::uint32_t ping_sequence_ = 0;        // that of the last node; guarded by changing_
  std::shared_ptr<NodeService> selftest_;  // guarded by changing_
  mutable std::mutex mutex_;               // guards the rest; held only for a moment
  std::shared_ptr<Node> node_;
  bool draining_ = false;
};

}  // namespace ulnet::node::control

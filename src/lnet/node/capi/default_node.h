// The process's default node behind the C interface, shared by all its users. Source:
// spec/core-semantics.md 2.1, 2.2.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "lnet/node/capi/event_queues.h"
#include "ulnet/node.hpp"

namespace ulnet::capi {

class DefaultNode {
 public:
  static DefaultNode& get();

  // Settings for the next start; null: back to the default. -EBUSY while the node is up. The call
  // refuses at once a value that can never be valid.
  Result<void> set_networks(const char* networks);
  Result<void> set_param(const std::string& name, const char* value);
  using Log = void (*)(void* context, int level, const char* line);
  Result<void> set_log(Log log, void* context);

  /// LNetNIInit(): returns the number of references before the call, or a negative errno.
  Result<int> init(Pid pid);
  void fini();

  /// The node; null when it is down, or belongs to the parent of a fork. Takes no lock.
  Node* node() const { return node_.load(std::memory_order_acquire); }
  EventQueues& queues() { return *queues_; }
  HandlerSinks& sinks() { return *sinks_; }

 private:
  DefaultNode();
  NodeOptions options_for(Pid pid) const;
  Result<void> may_change() const;
  /// In the child after fork(): forgets the parent's node without ending it, because its threads
  /// do not exist here.
  void abandon();
  /// Waits until no node is ending; returns with the lock held.
  std::unique_lock<std::mutex> settled();

  // Guards the rest, except node_ and what queues_ and sinks_ own. Not held while a node ends: the
  // end waits for handlers, and a handler may call fork(), which takes the lock.
  std::mutex mutex_;
  std::atomic<bool> ending_{false};  // written with the lock held
  int references_ = 0;
  std::optional<std::string> networks_;
  std::map<std::string, std::string> params_;
  Log log_ = nullptr;
  void* log_context_ = nullptr;
  std::unique_ptr<Node> owned_;
  std::atomic<Node*> node_{nullptr};
  std::unique_ptr<EventQueues> queues_ = std::make_unique<EventQueues>();
  std::unique_ptr<HandlerSinks> sinks_ = std::make_unique<HandlerSinks>();
};

}  // namespace ulnet::capi

// Queues messages that wait for a configuration or for the discovery of their peer. Source:
// spec/multirail.md 3.5, DESIGN.md 3.
#include "lnet/core/memory/path_waiters.h"

#include "lnet/base/assert.h"

namespace ulnet::core {

void PathWaiters::wait_for_config(Msg& msg, std::uint64_t generation) {
  msg.on(MsgEvent::kStale);
  msg.awaited_generation = generation;
  config_.push_back(msg);
}

void PathWaiters::wait_for_discovery(Msg& msg) {
  msg.on(MsgEvent::kUnknownPeer);
  discovery_[msg.target].push_back(msg);
}

void PathWaiters::leave(Msg& msg) {
  if (msg.state == MsgState::kConfigQueue) {
    config_.erase(config_.iterator_to(msg));
    return;
  }
  const auto queue = discovery_.find(msg.target);
  ULNET_ASSERT(queue != discovery_.end());
  queue->second.erase(queue->second.iterator_to(msg));
  if (queue->second.empty()) discovery_.erase(queue);
}

}  // namespace ulnet::core

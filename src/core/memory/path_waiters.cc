#include "core/memory/path_waiters.h"

#include "base/assert.h"

namespace ulnet::core {

void PathWaiters::wait_for_config(Msg& msg, std::uint64_t generation) {
  msg.on(MsgEvent::kStale);
  msg.awaited_generation = generation;
  config_.push_back(msg);
}

void PathWaiters::wait_for_card(Msg& msg) {
  msg.on(MsgEvent::kNoCard);
  card_[msg.header.dest_nid].push_back(msg);
}

void PathWaiters::leave(Msg& msg) {
  if (msg.state == MsgState::kConfigQueue) {
    config_.erase(config_.iterator_to(msg));
    return;
  }
  const auto queue = card_.find(msg.header.dest_nid);
  ULNET_ASSERT(queue != card_.end());
  queue->second.erase(queue->second.iterator_to(msg));
  if (queue->second.empty()) card_.erase(queue);
}

}  // namespace ulnet::core

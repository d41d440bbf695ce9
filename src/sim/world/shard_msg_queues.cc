#include "sim/world/shard_msg_queues.h"

#include <algorithm>

#include "sim/kernel/seeds.h"

namespace ulnet::sim {

void ShardMsgQueues::send(std::uint32_t from, std::uint32_t to, core::ShardMsg&& shard_msg) {
  std::unique_ptr<ShardMsgQueue>& msgs = pairs_[{from, to}];
  if (msgs == nullptr) msgs = std::make_unique<ShardMsgQueue>(from, to, due_);
  Instant when = queue_.now() + up_to(rng_, delay_);
  if (!msgs->items.empty()) when = std::max(when, msgs->items.back().when);
  msgs->items.push_back({when, std::move(shard_msg)});
  ++count_;
  queue_.by(msgs->items.front().when, *msgs);
}

core::ShardMsg ShardMsgQueues::take(ShardMsgQueue& msgs) {
  core::ShardMsg shard_msg = std::move(msgs.items.front().shard_msg);
  msgs.items.pop_front();
  --count_;
  if (!msgs.items.empty()) queue_.by(msgs.items.front().when, msgs);
  return shard_msg;
}

}  // namespace ulnet::sim

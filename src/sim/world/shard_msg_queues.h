// Messages between the shards of a simulated node. Each pair of shards has a queue whose messages
// arrive in order, each after a random delay, so that messages of different pairs overtake each
// other. Source: src/lnet/core/contract/shard_msg.h, DESIGN.md 3.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "lnet/base/rng.h"
#include "lnet/core/contract/shard_msg.h"
#include "sim/kernel/event_queue.h"

namespace ulnet::sim {

/// The inter-shard messages under way from one shard to another. Runs when the first of them
/// arrives.
struct ShardMsgQueue final : Task {
  ShardMsgQueue(std::uint32_t from_, std::uint32_t to_, std::function<void(ShardMsgQueue&)> due_)
      : from(from_), to(to_), due(std::move(due_)) {}
  void run() override { due(*this); }

  struct Item {
    Instant when{};
    core::ShardMsg shard_msg;
  };
  const std::uint32_t from, to;
  std::function<void(ShardMsgQueue&)> due;
  std::deque<Item> items;
};

class ShardMsgQueues {
 public:
  /// `due` is called for each message that arrives, and removes it with take().
  ShardMsgQueues(EventQueue& queue, Rng rng, Duration delay,
                 std::function<void(ShardMsgQueue&)> due)
      : queue_(queue), rng_(rng), delay_(delay), due_(std::move(due)) {}

  void send(std::uint32_t from, std::uint32_t to, core::ShardMsg&& shard_msg);
  /// Removes the first message, which is due, and schedules `msgs` for the next one.
  core::ShardMsg take(ShardMsgQueue& msgs);
  std::size_t under_way() const { return count_; }

 private:
  EventQueue& queue_;
  Rng rng_;
  const Duration delay_;
  const std::function<void(ShardMsgQueue&)> due_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::unique_ptr<ShardMsgQueue>> pairs_;
  std::size_t count_ = 0;
};

}  // namespace ulnet::sim

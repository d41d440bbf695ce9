// Messages between the shards of a simulated node. Each pair of shards has a queue whose messages
// arrive in order, each after a random delay, so that messages of different pairs overtake each
// other. Source: src/lnet/core/contract/letter.h, DESIGN.md 3.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "lnet/base/rng.h"
#include "lnet/core/contract/letter.h"
#include "sim/kernel/event_queue.h"

namespace ulnet::sim {

/// The inter-shard messages under way from one shard to another. Runs when the first of them
/// arrives.
struct Mail final : Task {
  Mail(std::uint32_t from_, std::uint32_t to_, std::function<void(Mail&)> due_)
      : from(from_), to(to_), due(std::move(due_)) {}
  void run() override { due(*this); }

  struct Item {
    Instant when{};
    core::Letter letter;
  };
  const std::uint32_t from, to;
  std::function<void(Mail&)> due;
  std::deque<Item> items;
};

class Mails {
 public:
  /// `due` is called for each message that arrives, and removes it with take().
  Mails(EventQueue& queue, Rng rng, Duration delay, std::function<void(Mail&)> due)
      : queue_(queue), rng_(rng), delay_(delay), due_(std::move(due)) {}

  void send(std::uint32_t from, std::uint32_t to, core::Letter&& letter);
  /// Removes the first message, which is due, and schedules `mail` for the next one.
  core::Letter take(Mail& mail);
  std::size_t under_way() const { return count_; }

 private:
  EventQueue& queue_;
  Rng rng_;
  const Duration delay_;
  const std::function<void(Mail&)> due_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::unique_ptr<Mail>> pairs_;
  std::size_t count_ = 0;
};

}  // namespace ulnet::sim

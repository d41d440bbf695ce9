// Credits: how many messages may be in flight, and the queue of those that wait. One gate per peer
// NI and one per NI. Source: spec/core-semantics.md 10.1, 10.2.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/canary.h"
#include "core/message.h"

namespace ulnet::core {

/// Invariants: credits = max - in flight - waiting. So `credits` never exceeds `max`, and -credits
/// messages wait when it is negative (more may be in flight only after `max` was lowered). They
/// leave in the order in which they came.
class Gate {
 public:
  Gate() = default;
  explicit Gate(std::int32_t max) : max_(max), credits_(max), min_(max) {}

  /// True: it has a credit. False: it waits in the queue.
  bool take(Msg& msg) {
    min_ = std::min(min_, --credits_);
    if (credits_ >= 0) return true;
    waiting_.push_back(msg);
    ++waiting_count_;
    return false;
  }
  /// Gives a credit back. The message that gets it at once, out of the queue, or null.
  Msg* give() {
    ++credits_;
    return wake();
  }
  /// A waiting message goes without having had a credit.
  void leave(Msg& msg) {
    waiting_.erase(waiting_.iterator_to(msg));
    --waiting_count_;
    ++credits_;
  }
  /// Another maximum; what is in flight stays in flight. Afterwards call wake() until null.
  void resize(std::int32_t max) {
    credits_ += max - max_;
    max_ = max;
    min_ = std::min(min_, credits_);
  }
  /// The oldest waiting message if fewer than `max` are in flight, out of the queue; else null.
  Msg* wake() {
    if (waiting_count_ == 0 || -credits_ >= waiting_count_) return nullptr;
    Msg& head = ULNET_CANARY(kLastComeFirstServed) ? waiting_.back() : waiting_.front();
    waiting_.erase(waiting_.iterator_to(head));
    --waiting_count_;
    return &head;
  }
  void reset_min() { min_ = credits_; }

  std::int32_t max() const { return max_; }
  std::int32_t credits() const { return credits_; }
  std::int32_t min() const { return min_; }
  std::int32_t waiting() const { return waiting_count_; }
  /// Those that wait, oldest first.
  const MsgQueue& queue() const { return waiting_; }

 private:
  std::int32_t max_ = 0;
  std::int32_t credits_ = 0;
  std::int32_t min_ = 0;
  std::int32_t waiting_count_ = 0;
  MsgQueue waiting_;
};

/// NI credits of one shard's share of `credits` (10.1).
constexpr std::int32_t credits_of_shard(std::int32_t credits, std::int32_t peer_credits,
                                        std::uint32_t shards) {
  if (shards <= 1) return credits;
  return std::min(std::max(credits / static_cast<std::int32_t>(shards), 8 * peer_credits), credits);
}

}  // namespace ulnet::core

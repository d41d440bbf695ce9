// Credits: a Gate limits how many messages may be in flight, and queues the others. Each peer NI
// has one, and each NI has one in each shard. Source: spec/core-semantics.md 10.1, 10.2.
#pragma once

#include <algorithm>
#include <cstdint>

#include "lnet/core/memory/message.h"

namespace ulnet::core {

/// Invariant: credits = max - in flight - waiting. So `credits` never exceeds `max`. When it is
/// negative, -credits messages wait; fewer wait after resize() has lowered `max` below the number
/// in flight. Waiting messages get credits in the order in which they came.
class Gate {
 public:
  Gate() = default;
  explicit Gate(std::int32_t max) : max_(max), credits_(max), min_(max) {}

  /// Takes a credit for `msg`. True: `msg` has a credit now. False: it waits in the queue.
  bool take(Msg& msg) {
    min_ = std::min(min_, --credits_);
    if (credits_ >= 0) return true;
    waiting_.push_back(msg);
    ++waiting_count_;
    return false;
  }
  /// Returns a credit. Removes the oldest waiting message from the queue and returns it: it has the
  /// credit now. Null: no message waits, or still too many are in flight.
  Msg* give() {
    ++credits_;
    return wake();
  }
  /// Removes a waiting message, which has no credit, from the queue.
  void leave(Msg& msg) {
    waiting_.erase(waiting_.iterator_to(msg));
    --waiting_count_;
    ++credits_;
  }
  /// Sets another maximum; messages in flight keep their credits. Then the caller has to call
  /// wake() until it returns null.
  void resize(std::int32_t max) {
    credits_ += max - max_;
    max_ = max;
    min_ = std::min(min_, credits_);
  }
  /// If fewer than `max` messages are in flight: gives the oldest waiting message a credit, removes
  /// it from the queue and returns it. Else null.
  Msg* wake() {
    if (waiting_count_ == 0 || -credits_ >= waiting_count_) return nullptr;
    Msg& head = waiting_.front();
    waiting_.erase(waiting_.iterator_to(head));
    --waiting_count_;
    return &head;
  }
  void reset_min() { min_ = credits_; }

  std::int32_t max() const { return max_; }
  std::int32_t credits() const { return credits_; }
  std::int32_t min() const { return min_; }
  std::int32_t waiting() const { return waiting_count_; }
  /// The waiting messages, oldest first.
  const MsgQueue& queue() const { return waiting_; }

 private:
  std::int32_t max_ = 0;
  std::int32_t credits_ = 0;
  std::int32_t min_ = 0;
  std::int32_t waiting_count_ = 0;
  MsgQueue waiting_;
};

/// Each shard's share of an NI's `credits` (10.1).
constexpr std::int32_t credits_of_shard(std::int32_t credits, std::int32_t peer_credits,
                                        std::uint32_t shards) {
  return std::min(std::max(credits / static_cast<std::int32_t>(shards), 8 * peer_credits), credits);
}

}  // namespace ulnet::core

// Messages from one shard to another, in the order in which they were written. The two vectors
// swap, so that in the steady state nothing is allocated. Writer and reader hold the lock only for
// a move or a swap, except when a peak makes the vector larger: then all waiting messages are moved
// under it. Source: DESIGN.md 3.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "lnet/core/contract/shard_msg.h"
#include "lnet/lnd/spin_lock.h"

namespace ulnet::node {

class Mailbox {
 public:
  /// A vector with room for at most this many messages keeps its memory. A larger vector gives it
  /// all back after kQuietTurns turns in a row in which it was less than a quarter full; a turn
  /// that finds no message counts as well.
  static constexpr std::size_t kKept = 64;
  static constexpr unsigned kQuietTurns = 64;

  /// Called under the run token of the sending shard.
  void put(core::ShardMsg&& shard_msg) {
    const std::lock_guard hold(lock_);
    put_.store(put_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    in_.push_back(std::move(shard_msg));
  }

  // The receiving shard calls these under its run token:
  /// The oldest message, valid until the next call; null: the mailbox is empty.
  const core::ShardMsg* take() {
    if (next_ == out_.size()) turn();
    return next_ == out_.size() ? nullptr : &out_[next_++];
  }
  /// The receiver has handled the message that it took last, and has counted what that caused
  /// (Hosts::idle() relies on it).
  void done() { done_.store(done_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }

  // Any thread: how many messages were ever put, and how many of them were handled.
  std::uint64_t count_put() const { return put_.load(std::memory_order_acquire); }
  std::uint64_t count_done() const { return done_.load(std::memory_order_acquire); }

  /// For tests: the number of messages for which the mailbox has room without an allocation.
  std::size_t capacity() const { return in_.capacity() + out_.capacity(); }

 private:
  /// The receiver has handled all messages of out_: takes those that came meanwhile.
  void turn() {
    next_ = 0;
    if (out_.capacity() > kKept)
      quiet_turns_ = 4 * out_.size() < out_.capacity() ? quiet_turns_ + 1 : 0;
    out_.clear();
    if (quiet_turns_ == kQuietTurns) {
      quiet_turns_ = 0;
      std::vector<core::ShardMsg>().swap(out_);
    }
    const std::lock_guard hold(lock_);
    in_.swap(out_);
  }

  lnd::SpinLock lock_;
  std::vector<core::ShardMsg> in_;
  std::atomic<std::uint64_t> put_{0};
  // Written by the receiver only:
  std::vector<core::ShardMsg> out_;
  std::size_t next_ = 0;
  unsigned quiet_turns_ = 0;
  std::atomic<std::uint64_t> done_{0};
};

}  // namespace ulnet::node

// Letters from one shard to another, in the order in which they were written. Both sides hold the
// lock for a few moves only, and the two vectors swap, so that in the steady state nothing is
// allocated. Source: DESIGN.md 3.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/contract/letter.h"
#include "lnd/spin_lock.h"

namespace ulnet::node {

class Mailbox {
 public:
  using Letter = std::shared_ptr<const core::Letter>;

  /// Called under the run token of the sending shard.
  void put(Letter&& letter) {
    const std::lock_guard hold(lock_);
    put_.store(put_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    in_.push_back(std::move(letter));
  }

  // Called under the run token of the receiving shard:
  /// The oldest letter; null: there is none.
  Letter take() {
    if (next_ == out_.size()) {
      next_ = 0;
      out_.clear();
      const std::lock_guard hold(lock_);
      in_.swap(out_);
    }
    return next_ == out_.size() ? nullptr : std::move(out_[next_++]);
  }
  /// The letter taken last has been handled, and what it caused is counted (Hosts::idle() relies
  /// on it).
  void done() { done_.store(done_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }

  // Any thread: how many letters were ever put, and how many of them were handled.
  std::uint64_t count_put() const { return put_.load(std::memory_order_acquire); }
  std::uint64_t count_done() const { return done_.load(std::memory_order_acquire); }

 private:
  lnd::SpinLock lock_;
  std::vector<Letter> in_;
  std::atomic<std::uint64_t> put_{0};
  // Written by the receiver only:
  std::vector<Letter> out_;
  std::size_t next_ = 0;
  std::atomic<std::uint64_t> done_{0};
};

}  // namespace ulnet::node

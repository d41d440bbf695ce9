// The right to poll the drivers in inline mode: one thread has it at a time, others may wait for
// it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>

#include "lnet/node/runtime/clock.h"

namespace ulnet::node {

class PollToken {
 public:
  bool try_take() { return !taken_.exchange(true, std::memory_order_seq_cst); }
  /// Waits for the token; false when it did not become free before `until`.
  bool take(Instant until) {
    if (try_take()) return true;
    std::unique_lock lock(mutex_);
    waiting_.fetch_add(1, std::memory_order_seq_cst);
    const bool mine = given_.wait_until(lock, to_steady(until), [&] { return try_take(); });
    waiting_.fetch_sub(1, std::memory_order_relaxed);
    return mine;
  }
  void give() {
    // Sequentially consistent with waiting_: either the waiter's try_take() succeeds, or this
    // thread sees the waiter's count.
    taken_.store(false, std::memory_order_seq_cst);
    if (waiting_.load(std::memory_order_seq_cst) == 0) return;
    const std::lock_guard lock(mutex_);
    given_.notify_one();
  }

 private:
  std::atomic<bool> taken_{false};
  std::atomic<unsigned> waiting_{0};
  std::mutex mutex_;  // for waiting only
  std::condition_variable given_;
};

}  // namespace ulnet::node

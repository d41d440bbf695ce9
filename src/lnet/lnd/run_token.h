// The lock under which a thread runs a driver's machines or steps a shard: one thread at a time.
// Locking it when it is free costs a third of a mutex's instructions. Unlike a mutex, the thread
// that holds it may call try_lock(), which then fails: deliver() may lead back to flush().
// Source: DESIGN.md 3.
#pragma once

#include <atomic>

#include "lnet/lnd/pause.h"

namespace ulnet::lnd {

class RunToken {
 public:
  /// Sequentially consistent with unlock(). So a thread that fails here may rely on the holder:
  /// after unlocking, the holder looks at everything that was published before this call.
  bool try_lock() { return !held_.exchange(true, std::memory_order_seq_cst); }
  void lock() {
    if (!try_lock()) wait();
  }
  void unlock() {
    held_.store(false, std::memory_order_seq_cst);
    if (waiting_.load(std::memory_order_seq_cst) != 0) held_.notify_all();
  }

 private:
  static constexpr unsigned kTriesBeforeSleep = 64;

  /// Not inlined: so a function that takes a free token keeps its registers.
  [[gnu::noinline]] void wait() {
    // A holder unlocks soon: going to sleep and being woken takes longer than most steps.
    for (unsigned tries = 0; tries < kTriesBeforeSleep; ++tries) {
      pause();
      if (!held_.load(std::memory_order_relaxed) && try_lock()) return;
    }
    waiting_.fetch_add(1, std::memory_order_seq_cst);
    while (!try_lock()) held_.wait(true);
    waiting_.fetch_sub(1, std::memory_order_relaxed);
  }

  std::atomic<bool> held_{false};
  std::atomic<int> waiting_{0};
};

}  // namespace ulnet::lnd

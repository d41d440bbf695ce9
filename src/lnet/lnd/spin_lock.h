// A lock for a few instructions and next to no contention: locking is one atomic operation,
// unlocking a plain store. A thread that keeps finding it locked yields its core, because the
// holder may have lost its own.
#pragma once

#include <atomic>
#include <thread>

namespace ulnet::lnd {

class SpinLock {
 public:
  void lock() {
    if (taken_.exchange(true, std::memory_order_acquire)) wait();
  }
  void unlock() { taken_.store(false, std::memory_order_release); }

 private:
  /// Not inlined: so a function that takes a free lock keeps its registers.
  [[gnu::noinline]] void wait() {
    for (unsigned tries = 1; taken_.exchange(true, std::memory_order_acquire); ++tries)
      if (tries >= kTriesBeforeYield) std::this_thread::yield();
  }

  static constexpr unsigned kTriesBeforeYield = 16;
  std::atomic<bool> taken_{false};
};

}  // namespace ulnet::lnd

// A lock for a few instructions that nearly nobody contends: taking it is one atomic operation,
// giving it back is a plain store. Who finds it taken lets others run: the holder may have lost its
// core.
#pragma once

#include <atomic>
#include <thread>

namespace ulnet::lnd {

class SpinLock {
 public:
  void lock() {
    for (unsigned tries = 0; taken_.exchange(true, std::memory_order_acquire); ++tries)
      if (tries >= kTriesBeforeYield) std::this_thread::yield();
  }
  void unlock() { taken_.store(false, std::memory_order_release); }

 private:
  static constexpr unsigned kTriesBeforeYield = 16;
  std::atomic<bool> taken_{false};
};

}  // namespace ulnet::lnd

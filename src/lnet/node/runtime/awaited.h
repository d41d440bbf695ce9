// A condition that threads wait for and another thread makes true. On a node in inline mode the
// waiting thread calls progress() meanwhile, because no other thread runs the node.
#pragma once

#include <condition_variable>
#include <mutex>

#include "lnet/node/runtime/clock.h"
#include "ulnet/lnet.hpp"

namespace ulnet::node {

class Awaited {
 public:
  /// Makes `change` under the lock and wakes the waiting threads, which evaluate their conditions
  /// again. Any thread.
  template <class Change>
  void bring(Change change) {
    const std::lock_guard lock(mutex_);
    change();
    changed_.notify_all();
  }
  /// Waits until `condition()`, evaluated under the lock, is true or `until` has passed; returns
  /// whether it was true. Not from a handler.
  template <class Condition>
  bool wait(Lnet& lnet, Condition condition, Instant until = kNever) {
    std::unique_lock lock(mutex_);
    while (!condition() && now() < until) {
      if (lnet.polled()) {
        lock.unlock();
        lnet.progress(kMoves);
        lock.lock();
      } else if (until == kNever) {
        changed_.wait(lock);
      } else {
        changed_.wait_until(lock, to_steady(until));
      }
    }
    return condition();
  }

 private:
  static constexpr Duration kMoves = std::chrono::milliseconds(1);
  std::mutex mutex_;
  std::condition_variable changed_;
};

}  // namespace ulnet::node

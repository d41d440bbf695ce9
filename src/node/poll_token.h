// Who polls the drivers in inline mode: one thread at a time, others may wait for their turn.
#pragma once

#include <condition_variable>
#include <mutex>
#include <utility>

#include "node/clock.h"

namespace ulnet::node {

class PollToken {
 public:
  bool try_take() {
    const std::lock_guard lock(mutex_);
    return !std::exchange(taken_, true);
  }
  /// False when it was not free until then.
  bool take(Instant until) {
    std::unique_lock lock(mutex_);
    ++waiting_;
    const bool free = given_.wait_until(lock, to_steady(until), [&] { return !taken_; });
    --waiting_;
    taken_ = taken_ || free;
    return free;
  }
  void give() {
    const std::lock_guard lock(mutex_);
    taken_ = false;
    if (waiting_ != 0) given_.notify_one();
  }

 private:
  std::mutex mutex_;  // guards the rest
  std::condition_variable given_;
  bool taken_ = false;
  unsigned waiting_ = 0;
};

}  // namespace ulnet::node

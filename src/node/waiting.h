// Threads that wait for something that shards say: the end of a waiting call, or that nothing is in
// flight on an NI any more. One per node; no shard is entered while it is told.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "core/ports.h"
#include "node/clock.h"

namespace ulnet::node {

/// A thread that waits for a Done; lives on that thread's stack.
struct Waiter {
  std::uint64_t ticket = 0;
  core::Done done;
  bool ended = false;  ///< guarded by the lock of Waiting
};

class Waiting {
 public:
  /// `shards`: so many have to say that an NI is drained before it is.
  explicit Waiting(std::uint32_t shards) : shards_(shards) {}

  void add(Waiter& waiter) {
    const std::lock_guard lock(mutex_);
    waiters_.push_back(&waiter);
  }
  /// Before a waiter whose Done has not come leaves the stack.
  void forget(Waiter& waiter) {
    const std::lock_guard lock(mutex_);
    std::erase(waiters_, &waiter);
  }
  /// Ends the waiter that has this ticket, if there still is one.
  void done(core::Done&& done) {
    const std::lock_guard lock(mutex_);
    for (Waiter*& waiter : waiters_) {
      if (waiter->ticket != done.ticket) continue;
      waiter->done = std::move(done);
      waiter->ended = true;
      waiter = waiters_.back();
      waiters_.pop_back();
      ended_.notify_all();
      return;
    }
  }
  /// A shard has nothing in flight on this NI any more.
  void drained(core::NiId ni) {
    const std::lock_guard lock(mutex_);
    if (++drained_[ni] == shards_) ended_.notify_all();
  }

  // Each returns when it came (true) or `until` passed. Not from a handler.
  bool wait_done(Waiter& waiter, Instant until) {
    return wait_until([&] { return waiter.ended; }, until);
  }
  /// Only for an NI that a snapshot or a shutdown removed; the answer is given once.
  bool wait_drained(core::NiId ni, Instant until) {
    return wait_until(
        [&] {
          const auto at = drained_.find(ni);
          if (at == drained_.end() || at->second < shards_) return false;
          drained_.erase(at);
          return true;
        },
        until);
  }

 private:
  template <class Condition>
  bool wait_until(Condition condition, Instant until) {
    std::unique_lock lock(mutex_);
    if (until != kNever) return ended_.wait_until(lock, to_steady(until), condition);
    ended_.wait(lock, condition);
    return true;
  }

  const std::uint32_t shards_;
  std::mutex mutex_;  // guards the rest
  std::condition_variable ended_;
  std::vector<Waiter*> waiters_;
  std::map<core::NiId, std::uint32_t> drained_;  // shards that said so
};

}  // namespace ulnet::node

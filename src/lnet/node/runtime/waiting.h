// Threads that wait for the end of a waiting call, or until nothing is in flight on an NI. One
// object per node. Threads that pass on the shards' reports hold no run token.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "lnet/core/contract/ports.h"
#include "lnet/node/runtime/clock.h"

namespace ulnet::node {

/// A thread that waits for a Done; it is on that thread's stack.
struct Waiter {
  std::uint64_t ticket = 0;
  core::Done done;
  bool ended = false;  ///< guarded by the lock of Waiting
};

class Waiting {
 public:
  /// An NI is drained when `shards` shards have reported it drained.
  explicit Waiting(std::uint32_t shards) : shards_(shards) {}

  void add(Waiter& waiter) {
    const std::lock_guard lock(mutex_);
    waiters_.push_back(&waiter);
  }
  /// Called before a waiter whose Done has not come leaves the stack.
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
  /// One shard reports that it has nothing in flight on this NI any more.
  void drained(core::NiId ni) {
    const std::lock_guard lock(mutex_);
    if (++drained_[ni] == shards_) ended_.notify_all();
  }

  // Both return true when the awaited report came, false when `until` has passed. Not from a
  // handler.
  bool wait_done(Waiter& waiter, Instant until) {
    return wait_until([&] { return waiter.ended; }, until);
  }
  /// Only for an NI that a snapshot or a shutdown has removed. Returns true once: it forgets the
  /// NI.
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
  std::map<core::NiId, std::uint32_t> drained_;  // how many shards have reported each NI drained
};

}  // namespace ulnet::node

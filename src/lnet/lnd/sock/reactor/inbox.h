// The queue in which other threads leave work for a reactor: commands, connections of its peers,
// and jobs. Its lock is held for a few moves only, never while a function is called. take() swaps
// vectors, so that in the steady state nothing is allocated.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "lnet/lnd/sock/engine/engine.h"
#include "lnet/lnd/sock/reactor/sockets.h"
#include "lnet/lnd/spin_lock.h"

namespace ulnet::lnd::sock {

/// A function for the reactor to run under its token; the thread that wants it waits until
/// `done`.
struct Job {
  std::function<void(Engine&)> run;
  bool done = false;  ///< guarded by Reactor::jobs_lock_
};
/// An accepted connection whose peer belongs to the reactor that receives this.
struct Handover {
  Arrival arrival;
  Descriptor socket;
};

class Inbox {
 public:
  /// Adds a Command, or a Send. `tag` names the peer that it is for; 0: the command must not wait.
  template <class Any>
  void put(Any&& command, std::uint64_t tag) {
    const std::lock_guard hold(lock_);
    const bool first = !pending_.load(std::memory_order_relaxed);
    if (first || tag_.load(std::memory_order_relaxed) != tag) mark(first ? tag : 0);
    commands_.emplace_back(std::forward<Any>(command));
    count_.store(static_cast<std::uint32_t>(commands_.size()), std::memory_order_relaxed);
    if (first) pending_.store(true, std::memory_order_seq_cst);
  }
  void put(Job& job) {
    const std::lock_guard hold(lock_);
    jobs_.push_back(&job);
    mark(0);
    pending_.store(true, std::memory_order_seq_cst);
  }
  void put(Handover&& handover) {
    const std::lock_guard hold(lock_);
    handovers_.push_back(std::move(handover));
    mark(0);
    pending_.store(true, std::memory_order_seq_cst);
  }

  bool pending() const { return pending_.load(std::memory_order_seq_cst); }
  /// The tag that all entries share (0: they do not share one), and the number of commands. Both
  /// are hints: other threads may change them at once.
  std::uint64_t tag() const { return tag_.load(std::memory_order_relaxed); }
  std::uint32_t count() const { return count_.load(std::memory_order_relaxed); }
  /// Swaps the content into empty vectors. Returns the tag that all commands share; 0: they do not
  /// share one.
  std::uint64_t take(std::vector<Command>& commands, std::vector<Job*>& jobs,
                     std::vector<Handover>& handovers) {
    const std::lock_guard hold(lock_);
    pending_.store(false, std::memory_order_seq_cst);
    commands.swap(commands_);
    jobs.swap(jobs_);
    handovers.swap(handovers_);
    return tag();
  }
  /// Takes the commands alone; jobs and handovers stay.
  void take_commands(std::vector<Command>& commands) {
    const std::lock_guard hold(lock_);
    pending_.store(!jobs_.empty() || !handovers_.empty(), std::memory_order_seq_cst);
    commands.swap(commands_);
  }

 private:
  void mark(std::uint64_t tag) { tag_.store(tag, std::memory_order_relaxed); }

  SpinLock lock_;
  std::vector<Command> commands_;
  std::vector<Job*> jobs_;
  std::vector<Handover> handovers_;
  std::atomic<std::uint64_t> tag_{0};
  std::atomic<std::uint32_t> count_{0};
  std::atomic<bool> pending_{false};
};

}  // namespace ulnet::lnd::sock

// The work that a thread has to do once it has released every run token: flush drivers, deliver
// inter-shard messages, run strands. Each thread has one OuterLoop. A call made inside a handler
// adds its work to the loop that runs the handler, so the stack never grows with the traffic.
// Source: DESIGN.md 3.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "lnet/base/assert.h"
#include "lnet/core/contract/actions.h"
#include "lnet/lnd/per_thread.h"
#include "lnet/node/runtime/clock.h"
#include "lnet/node/runtime/strands.h"

namespace ulnet::node {

/// An object that leaves work to a thread, for after the run token is released: Hosts, ShardHost.
class DeferredWork {
 public:
  /// The kinds of work, one bit each; each DeferredWork defines its own.
  using Kinds = std::uint32_t;

  virtual ~DeferredWork() = default;
  /// Does the work. The calling thread holds no run token.
  virtual void run_deferred(Kinds kinds) = 0;
  /// Takes work over from the calling thread, for a timekeeper to run: the run of `strand`, or
  /// `kinds` when `strand` is null. False: it cannot, or no longer can, and the calling thread
  /// still has to do the work.
  virtual bool take_over(Strand* strand, Kinds kinds) = 0;
};

class OuterLoop {
 public:
  /// The loop of the calling thread.
  static OuterLoop& current() { return lnd::per_thread<OuterLoop>(); }
  ~OuterLoop();

  void defer(DeferredWork& to, DeferredWork::Kinds kinds) {
    for (Deferred& d : deferred_)
      if (d.to == &to) return static_cast<void>(d.kinds |= kinds);
    deferred_.push_back({&to, kinds});
  }
  void defer_run(Strand& strand) {
    (last_ready_ != nullptr ? last_ready_->next_ready : first_ready_) = &strand;
    last_ready_ = &strand;
  }

  /// Does all deferred work, flushes first. Returns at once inside a handler or a flush: the loop
  /// that runs it does the work afterwards. An exception ends the program, because it would leave
  /// deferred work half done.
  void run() noexcept;
  /// Runs `fn` as a handler is run. The work that `fn` leaves is done before this returns; when
  /// this thread is inside a handler already, that handler's loop does it. Like a handler, `fn`
  /// must not throw.
  template <class Fn>
  void run_as_handler(Fn&& fn) noexcept {
    const bool outermost = !running_;
    running_ = true;
    fn();
    if (!outermost) return;
    running_ = false;
    run();
  }
  /// The time, read once per turn of the loop and once per batch of a driver: a reading costs as
  /// much as a lock, and the inputs of one batch may share an instant. The time is read anew if
  /// another thread has stepped the shard since: `last` is when the shard was last stepped.
  Instant batch_now(Instant last) {
    if (!clock_read_ || now_ < last) {
      now_ = node::now();
      put_since_reading_ = false;
    }
    clock_read_ = true;
    return now_;
  }
  /// Notes that a driver was given a PUT to send. LNet measures the time from then until the driver
  /// reports the end of the send. Both instants may fall into one batch, which shares one reading
  /// of the clock. So end_of_send() reads the clock again after a PUT.
  void put_sent() { put_since_reading_ = true; }
  /// Returns the time at which a driver reports that it has sent a message; `last`: as for
  /// batch_now().
  Instant end_of_send(Instant last) {
    if (put_since_reading_) clock_read_ = false;
    return batch_now(last);
  }
  /// A call of the public API by a user's thread, in which handlers may run. Nested calls count as
  /// one.
  class Call {
   public:
    Call() : loop_(current()) { ++loop_.calls_; }
    ~Call() {
      if (--loop_.calls_ == 0 && loop_.afterwards_) std::exchange(loop_.afterwards_, {})();
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

   private:
    OuterLoop& loop_;
  };
  /// Inside a handler: makes this thread call `fn` when its outermost Call has ended. False: it is
  /// in no Call, so it is one of a node's own threads.
  bool after_calls(std::function<void()> fn) {
    if (calls_ == 0) return false;
    if (!afterwards_) return afterwards_ = std::move(fn), true;
    afterwards_ = [first = std::move(afterwards_), then = std::move(fn)] {
      first();
      then();
    };
    return true;
  }

  /// True inside a handler or other work that the loop does: waiting is forbidden there.
  bool running() const { return running_; }

  /// Whether this thread holds a run token. If so, it must not take a second one, run a handler or
  /// flush a driver.
  bool inside() const { return inside_; }
  void go_inside() {
    ULNET_ASSERT(!inside_);
    inside_ = true;
  }
  void come_out() { inside_ = false; }

  /// The actions of the step that this thread is executing; empty between steps. They belong to
  /// the thread and not to the shard, so that their memory stays in the cache of this CPU.
  core::Actions& actions() { return actions_; }

  bool has_deferred() const { return !deferred_.empty() || first_ready_ != nullptr; }

 private:
  struct Deferred {
    DeferredWork* to = nullptr;
    DeferredWork::Kinds kinds = 0;
  };
  void run_deferred();
  void offload();
  void run_strands();

  bool running_ = false;
  bool inside_ = false;
  bool clock_read_ = false;         // now_ is still valid
  bool put_since_reading_ = false;  // whether a driver got a PUT after now_ was read
  unsigned calls_ = 0;              // Calls that this thread is in
  std::function<void()> afterwards_;
  Instant now_{};
  std::vector<Deferred> deferred_;     // one entry for each DeferredWork; nearly always one
  std::vector<Deferred> running_now_;  // swapped with deferred_, so that neither allocates
  core::Actions actions_;
  Strand* first_ready_ = nullptr;
  Strand* last_ready_ = nullptr;
};

}  // namespace ulnet::node

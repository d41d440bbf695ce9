// What a thread owes once it has left every run token: drivers to flush, strands to run. One
// OuterLoop per thread; calls made from inside a handler add to the loop that runs the handler, so
// the stack never grows with the traffic. Source: DESIGN.md 3.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "lnd/per_thread.h"
#include "node/clock.h"
#include "node/strands.h"

namespace ulnet::node {

/// Whoever asks a thread to do something for it after the token is released.
class Settler {
 public:
  /// What is owed to it, a bit each; the settler says which.
  using Debts = std::uint32_t;

  virtual ~Settler() = default;
  /// No token is held.
  virtual void settle(Debts debts) = 0;
  /// Takes over what a thread owes: a strand's run, or debts (strand null). False: it cannot (any
  /// more).
  virtual bool adopt(Strand* strand, Debts debts) = 0;
};

class OuterLoop {
 public:
  /// The calling thread's.
  static OuterLoop& current() { return lnd::per_thread<OuterLoop>(); }
  ~OuterLoop();

  void owe(Settler& to, Settler::Debts debts) {
    for (Debt& d : debts_)
      if (d.to == &to) return static_cast<void>(d.debts |= debts);
    debts_.push_back({&to, debts});
  }
  void owe_run(Strand& strand) {
    (last_ready_ != nullptr ? last_ready_->next_ready : first_ready_) = &strand;
    last_ready_ = &strand;
  }

  /// Settles everything owed, flushes first. Inside a handler (or a flush) it returns at once: the
  /// loop further out will.
  void run();
  /// Runs `fn` as handlers run: what it owes is settled before this returns, further out when this
  /// thread runs a handler already. As a handler `fn` must not throw.
  template <class Fn>
  void run_as_handler(Fn&& fn) noexcept {
    const bool outermost = !running_;
    running_ = true;
    fn();
    if (!outermost) return;
    running_ = false;
    run();
  }
  /// The clock, read once per turn of the loop and once per batch of a driver: a reading costs as
  /// much as a lock, and the inputs of one batch may share an instant.
  Instant batch_now() {
    if (!clock_read_) now_ = node::now();
    clock_read_ = true;
    return now_;
  }
  /// A call of a node's that a user's thread makes: handlers may run in it. Nested ones are one.
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
  /// Inside a handler: has `fn` called by this thread when the outermost Call that it is in has
  /// ended. False: it is in none, but one of a node's own threads.
  bool after_calls(std::function<void()> fn) {
    if (calls_ == 0) return false;
    if (!afterwards_) return afterwards_ = std::move(fn), true;
    afterwards_ = [first = std::move(afterwards_), then = std::move(fn)] {
      first();
      then();
    };
    return true;
  }

  /// True inside a handler or anything else that the loop runs: waiting is forbidden there.
  bool running() const { return running_; }

  /// This thread holds a run token: it may have no second one, run no handler, flush no driver.
  bool inside() const { return inside_; }
  void go_inside() {
    ULNET_ASSERT(!inside_);
    inside_ = true;
  }
  void come_out() { inside_ = false; }

  /// Of the step that this thread has a shard take: empty between steps. Not the shard's, so that
  /// its memory stays with the processor that uses it.
  core::Actions& actions() { return actions_; }

  bool owes() const { return !debts_.empty() || first_ready_ != nullptr; }

 private:
  struct Debt {
    Settler* to = nullptr;
    Settler::Debts debts = 0;
  };
  void settle_debts();
  void hand_over();
  void run_strands();

  bool running_ = false;
  bool inside_ = false;
  bool clock_read_ = false;  // now_ still counts
  unsigned calls_ = 0;       // that this thread is in
  std::function<void()> afterwards_;
  Instant now_{};
  std::vector<Debt> debts_;     // one entry per settler; nearly always one
  std::vector<Debt> settling_;  // swapped with debts_, so that neither allocates
  core::Actions actions_;
  Strand* first_ready_ = nullptr;
  Strand* last_ready_ = nullptr;
};

}  // namespace ulnet::node

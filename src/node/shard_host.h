// A shard and the threads that enter it: the only concurrent code of the message path. Whoever has
// an input takes the run token, lets the shard decide, enqueues what it decided (no system call),
// releases the token, and then settles: drivers are flushed, strands run. Because everything is
// enqueued under the token, two threads can swap neither the messages to one peer nor the events of
// one MD. Source: DESIGN.md 3.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "core/api.h"
#include "core/ports.h"
#include "core/shard.h"
#include "lnd/lnd.h"
#include "lnd/run_token.h"
#include "node/clock.h"
#include "node/outer_loop.h"
#include "node/strands.h"
#include "node/timekeeper.h"

namespace ulnet::node {

/// A thread that waits for a Done; lives on that thread's stack.
struct Waiter {
  std::uint64_t ticket = 0;
  core::Done done;
  bool ended = false;  ///< guarded by the host's waiting lock
};

class ShardHost final : public lnd::Inlet, private Settler {
 public:
  /// What the host reports sideways; called without the token.
  struct Hooks {
    void (*log)(void* context, const core::Note& note) = nullptr;
    void* context = nullptr;
  };

  /// `timekeeper` must outlive the host.
  ShardHost(core::Shard& shard, Timekeeper& timekeeper, Hooks hooks);
  ShardHost(const ShardHost&) = delete;
  ShardHost& operator=(const ShardHost&) = delete;

  /// Makes a driver known before its first NI starts; at most 32. It must outlive every input about
  /// it.
  unsigned add_driver(lnd::Lnd& driver);
  /// Commands for `ni` go to that driver from now on, for good: an NI's id is never reused.
  void bind_ni(core::NiId ni, unsigned driver);

  /// Runs `fn(shard, now, actions)` under the token; what it decided is on its way when this
  /// returns, and (outside handlers) flushed, the events it caused delivered. `fn` must not block.
  /// Any thread.
  template <class Fn>
  void enter(Fn&& fn) {
    OuterLoop& loop = OuterLoop::current();
    {
      const std::lock_guard token(token_);
      now_ = std::max(now_, loop.running() ? loop.batch_now() : now());
      fn(shard_, now_, actions_);
      hand_on(loop);
    }
    loop.run();
  }
  /// One input, as enter().
  void step(const core::Input& input) {
    enter([&](core::Shard& shard, Instant at, core::Actions& actions) {
      shard.step(at, input, actions);
    });
  }

  // lnd::Inlet. Handlers do not run inside deliver(): the thread that called in, or after_batch(),
  // settles.
  void deliver(const core::Input& input) override;
  void after_batch() override { OuterLoop::current().run(); }

  /// Runs an API call in one step; its results are in `call` when this returns.
  void call(core::ApiCall& call) { step(core::Input(core::Api{&call})); }
  /// The same for a waiting call: with status 0 its Done ends the waiter, which must stay until
  /// wait_done() said so or forget().
  void call(core::ApiCall& call, Waiter& waiter);

  /// Waits until the Done came (true) or `until` passed. Not from a handler.
  bool wait_done(Waiter& waiter, Instant until);
  /// Before a waiter whose Done has not come leaves the stack.
  void forget(Waiter& waiter);

  /// Which handlers run and which events wait; waiting is not for handlers.
  Strands& strands() { return strands_; }

  /// Waits until every message of the NI ended, or `until` passed (false). Only for an NI that a
  /// snapshot removed.
  bool wait_drained(core::NiId ni, Instant until);
  /// Steps a Tick when the shard's deadline has passed. True when it had.
  bool tick();
  /// The earliest thing that waits for time.
  Instant deadline() const { return armed_.load(std::memory_order_relaxed); }

 private:
  void settle(Drivers drivers, bool chores) override;
  bool adopt(Strand* strand, Drivers drivers, bool chores) override;
  /// Under the token: every action is enqueued where it goes.
  void hand_on(OuterLoop& loop);
  void hand_on(core::Action& action, OuterLoop& loop);
  void command(core::NiId ni, lnd::Command&& command, OuterLoop& loop);
  template <class Condition>
  bool wait_until(Condition condition, Instant until);
  void complete(core::Done&& done);
  void drained(core::NiId ni);
  void write_notes();

  Instant now_{};       // guarded by token_; never steps back, whichever thread enters
  core::Shard& shard_;  // guarded by token_
  Timekeeper& timekeeper_;
  const Hooks hooks_;
  lnd::RunToken token_;
  core::Actions actions_;                   // guarded by token_; empty outside of enter()
  std::vector<core::Note> notes_;           // guarded by token_
  std::vector<lnd::Lnd*> drivers_;          // constant while NIs run
  std::vector<std::uint8_t> driver_of_ni_;  // guarded by token_; by NiId
  std::atomic<Instant> armed_{kNever};      // written under token_
  Strands strands_{*this};

  std::mutex waiting_;  // guards the rest; taken inside token_, never the other way round
  std::condition_variable ended_;
  std::vector<Waiter*> waiters_;
  std::vector<core::NiId> drained_;
};

}  // namespace ulnet::node

// A shard and the threads that enter it: the only concurrent code of the message path. A thread
// that has an input takes the run token, lets the shard decide, enqueues the actions (no system
// call) and releases the token. Only then does it flush drivers, deliver letters and run strands.
// Because everything is enqueued under the token, threads cannot reorder the messages to one peer
// or the events of one MD. No thread holds the tokens of two shards. Source: DESIGN.md 3.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory_resource>
#include <mutex>
#include <span>
#include <vector>

#include "lnet/base/cache_line.h"
#include "lnet/core/contract/placement.h"
#include "lnet/core/contract/ports.h"
#include "lnet/core/flow/shard.h"
#include "lnet/lnd/lnd.h"
#include "lnet/lnd/run_token.h"
#include "lnet/node/runtime/clock.h"
#include "lnet/node/runtime/mailbox.h"
#include "lnet/node/runtime/outer_loop.h"
#include "lnet/node/runtime/strands.h"
#include "lnet/node/runtime/timekeeper.h"

namespace ulnet::node {

class Hosts;

class alignas(kCacheLinePair) ShardHost final : private DeferredWork {
 public:
  /// `index`: this shard's number in `hosts`. `hosts` and `timekeeper` must outlive this object.
  /// `own_thread`: the timekeeper's thread is this shard's alone and reads its letters; otherwise
  /// the thread that wrote a letter does.
  ShardHost(std::uint32_t index, Hosts& hosts, Timekeeper& timekeeper, bool own_thread);
  ShardHost(const ShardHost&) = delete;
  ShardHost& operator=(const ShardHost&) = delete;

  /// Commands for `ni` go to that driver from now on, for good: an NI's id is never reused.
  void bind_ni(core::NiId ni, unsigned driver);

  /// Runs `fn(shard, now, actions)` under the token. When this returns the actions are enqueued;
  /// outside handlers the drivers are flushed too, and the events delivered. `fn` must not block.
  /// Any thread.
  template <class Fn>
  void enter(Fn&& fn) {
    OuterLoop& loop = OuterLoop::current();
    within(loop, [&] {
      now_ = std::max(now_, loop.running() ? loop.batch_now(now_) : now());
      fn(shard_, now_, loop.actions());
      after_step(loop);
    });
    loop.run();
  }
  /// Steps the shard with one input, as enter() does.
  void step(const core::Input& input) {
    enter([&](core::Shard& shard, Instant at, core::Actions& actions) {
      shard.step(at, input, actions);
    });
  }
  /// The same for a driver: the calling thread's OuterLoop flushes and runs handlers later. Returns
  /// what lnd::Inlet::deliver() returns.
  bool deliver(const core::Input& input);

  /// Puts in a letter from shard `from`, whose token the calling thread holds. Has `loop` read it
  /// once that token is released.
  void post(std::uint32_t from, core::Letter&& letter, OuterLoop& loop);
  /// One per shard that may write to this one; none when the node has one shard.
  std::span<const Mailbox> mailboxes() const { return mailboxes_; }

  /// The strands of this shard's MDs. Handlers must not wait for a strand.
  Strands& strands() { return strands_; }

  /// For the timekeeper: steps a Tick if the shard's deadline has passed, arms the next one, and
  /// reads letters.
  void wake();

 private:
  /// Its kinds of work. kHousekeeping: log lines, ended waiting calls, drained NIs and the timer.
  /// kMail: letters to read.
  static constexpr Kinds kHousekeeping = 1, kMail = 2;

  class Token {
   public:
    Token(ShardHost& host, OuterLoop& loop) : host_(host), loop_(loop) {
      loop_.go_inside();
      host_.token_.lock();
    }
    Token(ShardHost& host, OuterLoop& loop, std::try_to_lock_t) : host_(host), loop_(loop) {
      loop_.go_inside();
      mine_ = host_.token_.try_lock();
    }
    ~Token() {
      if (mine_) host_.token_.unlock();
      loop_.come_out();
    }
    Token(const Token&) = delete;
    Token& operator=(const Token&) = delete;
    bool mine() const { return mine_; }

   private:
    ShardHost& host_;
    OuterLoop& loop_;
    bool mine_ = true;
  };
  /// Calls `fn` under the token. Then reads letters, because their writer may have found the
  /// token taken. It does so inside handlers too, which may go on for long. A step that an
  /// exception interrupts leaves a shard that nobody can use: it ends the program, whoever would
  /// catch it.
  template <class Fn>
  void within(OuterLoop& loop, Fn&& fn) noexcept {
    {
      const Token token(*this, loop);
      fn();
    }
    if (mail_.load(std::memory_order_seq_cst) != 0) take_mail(loop);
  }

  void run_deferred(Kinds kinds) override;
  bool take_over(Strand* strand, Kinds kinds) override;
  void tick();
  void take_mail(OuterLoop& loop);
  void do_housekeeping();
  /// The shard's deadline, as armed last.
  Instant deadline() const { return armed_.load(std::memory_order_relaxed); }
  // With the token held:
  void read_letters(OuterLoop& loop);
  /// Reads one letter of each sender of this bit; returns how many it read.
  unsigned read_letters_of(std::uint32_t bit, OuterLoop& loop);
  /// Enqueues the actions of a step, and sees to the shard's deadline. A deadline that is later
  /// than the armed one is found when that one has passed, so that most messages cause no wake-up.
  void after_step(OuterLoop& loop) {
    if (!loop.actions().empty()) hand_on(loop);
    if (shard_.next_deadline() < deadline()) arm(loop);
  }
  void arm(OuterLoop& loop);
  /// Enqueues every action where it goes.
  void hand_on(OuterLoop& loop);
  // For each action of each message: g++ left it a call of its own, 65 instructions a PUT.
  [[gnu::always_inline]] void hand_on(core::Action& action, OuterLoop& loop);
  void hand_on_other(core::Action& action, OuterLoop& loop);
  /// Submits a Send or another lnd::Command.
  template <class Command>
  void command(const Command& command, OuterLoop& loop);

  const std::uint32_t index_;
  Hosts& hosts_;
  Timekeeper& timekeeper_;
  const bool own_thread_;

  lnd::RunToken token_;
  Instant now_{};      // guarded by token_; never goes back, whichever thread enters
  core::Shard shard_;  // guarded by token_
  /// Guarded by token_. The header that is being delivered; null once its message is done with.
  const core::HeaderArrived* arriving_ = nullptr;
  std::vector<std::uint8_t> driver_of_ni_;  // guarded by token_; by NiId
  // Collected under token_; do_housekeeping() passes them on without it:
  std::vector<core::Note> notes_;
  std::vector<core::Done> dones_;
  std::vector<core::NiId> drained_;
  std::atomic<Instant> armed_{kNever};  // written under token_
  Strands strands_{*this};

  /// Which mailboxes have letters: one bit for all senders that are equal modulo kMailBits.
  /// Cleared under token_.
  static constexpr std::uint32_t kMailBits = 64;
  static constexpr std::uint64_t mail_bit(std::uint32_t sender) {
    return std::uint64_t{1} << sender % kMailBits;
  }
  std::atomic<std::uint64_t> mail_{0};
  std::pmr::vector<Mailbox> mailboxes_;  // by sender; constant
  std::uint32_t next_sender_ = 0;        // guarded by token_
};

}  // namespace ulnet::node

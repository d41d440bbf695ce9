// A shard and the threads that enter it: the only concurrent code of the message path. Whoever has
// an input takes the run token, lets the shard decide, enqueues what it decided (no system call),
// releases the token, and then settles: drivers are flushed, letters delivered, strands run.
// Because everything is enqueued under the token, two threads can swap neither the messages to one
// peer nor the events of one MD. Nobody holds the tokens of two shards. Source: DESIGN.md 3.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory_resource>
#include <mutex>
#include <span>
#include <vector>

#include "base/cache_line.h"
#include "core/placement.h"
#include "core/ports.h"
#include "core/shard.h"
#include "lnd/lnd.h"
#include "lnd/run_token.h"
#include "node/clock.h"
#include "node/mailbox.h"
#include "node/outer_loop.h"
#include "node/strands.h"
#include "node/timekeeper.h"

namespace ulnet::node {

class Hosts;

class alignas(kCacheLinePair) ShardHost final : private Settler {
 public:
  /// `index` among the shards of `hosts`, which is there longer, as `timekeeper` is. `own_thread`:
  /// that is this shard's alone and delivers its letters; else whoever writes them does.
  ShardHost(std::uint32_t index, Rng rng, Hosts& hosts, Timekeeper& timekeeper, bool own_thread);
  ShardHost(const ShardHost&) = delete;
  ShardHost& operator=(const ShardHost&) = delete;

  /// Commands for `ni` go to that driver from now on, for good: an NI's id is never reused.
  void bind_ni(core::NiId ni, unsigned driver);

  /// Runs `fn(shard, now, actions)` under the token; what it decided is on its way when this
  /// returns, and (outside handlers) flushed, the events it caused delivered. `fn` must not block.
  /// Any thread.
  template <class Fn>
  void enter(Fn&& fn) {
    OuterLoop& loop = OuterLoop::current();
    within(loop, [&] {
      now_ = std::max(now_, loop.running() ? loop.batch_now() : now());
      fn(shard_, now_, loop.actions());
      hand_on(loop);
    });
    loop.run();
  }
  /// One input, as enter().
  void step(const core::Input& input) {
    enter([&](core::Shard& shard, Instant at, core::Actions& actions) {
      shard.step(at, input, actions);
    });
  }
  /// The same for a driver: the calling thread's loop settles later.
  void deliver(const core::Input& input);

  /// A letter from that shard, whose token the calling thread holds; it owes its delivery.
  void post(std::uint32_t from, Mailbox::Letter&& letter, OuterLoop& loop);
  /// Of every shard that writes here; none: there is no other.
  std::span<const Mailbox> mailboxes() const { return mailboxes_; }

  /// Which handlers run and which events wait; waiting is not for handlers.
  Strands& strands() { return strands_; }

  /// For the timekeeper: steps a Tick when the shard's deadline has passed, and arms the next one;
  /// delivers letters.
  void wake();

 private:
  /// Debts: log lines, ends to be told of, a timer to be set; letters to be delivered.
  static constexpr Debts kChores = 1, kMail = 2;

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
  /// Calls `fn` under the token. Who leaves looks for letters: their writer may just have found the
  /// token taken. Also inside a handler, which may go on for long.
  template <class Fn>
  void within(OuterLoop& loop, Fn&& fn) {
    {
      const Token token(*this, loop);
      fn();
    }
    if (mail_.load(std::memory_order_seq_cst) != 0) take_mail(loop);
  }

  void settle(Debts debts) override;
  bool adopt(Strand* strand, Debts debts) override;
  void tick();
  void take_mail(OuterLoop& loop);
  void do_chores();
  /// The earliest thing that waits for time.
  Instant deadline() const { return armed_.load(std::memory_order_relaxed); }
  // Under the token
  void read_letters(OuterLoop& loop);
  /// One of each sender of this bit; how many there were.
  unsigned read_letters_of(std::uint32_t bit, OuterLoop& loop);
  /// Every action is enqueued where it goes.
  void hand_on(OuterLoop& loop);
  void hand_on(core::Action& action, OuterLoop& loop);
  void command(core::NiId ni, lnd::Command&& command, OuterLoop& loop);

  const std::uint32_t index_;
  Hosts& hosts_;
  Timekeeper& timekeeper_;
  const bool own_thread_;

  lnd::RunToken token_;
  Instant now_{};      // guarded by token_; never steps back, whichever thread enters
  core::Shard shard_;  // guarded by token_
  std::vector<std::uint8_t> driver_of_ni_;  // guarded by token_; by NiId
  // Guarded by token_, told of without it:
  std::vector<core::Note> notes_;
  std::vector<core::Done> dones_;
  std::vector<core::NiId> drained_;
  std::atomic<Instant> armed_{kNever};  // written under token_
  Strands strands_{*this};

  /// Whose mailboxes have letters, a bit for all senders that are equal modulo kMailBits; cleared
  /// under token_.
  static constexpr std::uint32_t kMailBits = 64;
  static constexpr std::uint64_t mail_bit(std::uint32_t sender) {
    return std::uint64_t{1} << sender % kMailBits;
  }
  std::atomic<std::uint64_t> mail_{0};
  std::pmr::vector<Mailbox> mailboxes_;  // by sender; constant
  std::uint32_t next_sender_ = 0;        // guarded by token_
};

}  // namespace ulnet::node

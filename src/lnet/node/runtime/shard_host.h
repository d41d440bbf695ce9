// A shard and the threads that enter it: the only concurrent code of the message path. A thread
// that has an input takes the run token, lets the shard decide, enqueues the actions (no system
// call) and releases the token. Only then does it flush drivers, deliver inter-shard messages and
// run strands. Because everything is enqueued under the token, threads cannot reorder the messages
// to one peer or the events of one MD. No thread holds the tokens of two shards. Source: DESIGN.md
// 3.
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
  /// `own_thread`: the timekeeper's thread serves this shard alone and reads the messages from
  /// other shards; otherwise the thread that wrote a message reads it.
  ShardHost(std::uint32_t index, Hosts& hosts, Timekeeper& timekeeper, bool own_thread);
  ShardHost(const ShardHost&) = delete;
  ShardHost& operator=(const ShardHost&) = delete;

  /// From now on commands for `ni` go to that driver, permanently: an NI's id is never reused.
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
  /// Steps the shard with an input of a driver. The calling thread's OuterLoop flushes and runs
  /// handlers later. Returns what lnd::Inlet::deliver() returns.
  bool deliver(const core::Input& input);

  /// Puts in a message from shard `from`, whose token the calling thread holds. `loop` reads the
  /// message once that token is released.
  void post(std::uint32_t from, core::ShardMsg&& shard_msg, OuterLoop& loop);
  /// One mailbox per shard that may write to this one; empty when the node has one shard.
  std::span<const Mailbox> mailboxes() const { return mailboxes_; }

  /// The strands of this shard's MDs. Handlers must not wait for a strand.
  Strands& strands() { return strands_; }

  /// For the timekeeper: steps a Tick if the shard's deadline has passed, arms the next one, and
  /// reads inter-shard messages.
  void wake();

 private:
  /// Kinds of deferred work. kHousekeeping: log lines, ended waiting calls, drained NIs and the
  /// timer. kShardMsgs: inter-shard messages to read.
  static constexpr Kinds kHousekeeping = 1, kShardMsgs = 2;

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
  /// Calls `fn` under the token. Then reads inter-shard messages, because their writer may have
  /// found the token taken. It reads them inside handlers too, which may run for long. If an
  /// exception interrupts a step, the shard is unusable, so the exception ends the program, even if
  /// a caller would catch it.
  template <class Fn>
  void within(OuterLoop& loop, Fn&& fn) noexcept {
    {
      const Token token(*this, loop);
      fn();
    }
    if (senders_.load(std::memory_order_seq_cst) != 0) read_mailboxes(loop);
  }

  void run_deferred(Kinds kinds) override;
  bool take_over(Strand* strand, Kinds kinds) override;
  void tick();
  void read_mailboxes(OuterLoop& loop);
  void do_housekeeping();
  /// The shard's deadline, as last armed.
  Instant deadline() const { return armed_.load(std::memory_order_relaxed); }
  // With the token held:
  void read_shard_msgs(OuterLoop& loop);
  /// Reads one message of each sender with this bit; returns how many it read.
  unsigned read_shard_msgs_of(std::uint32_t bit, OuterLoop& loop);
  /// Enqueues the actions of a step, and arms the shard's deadline if it is earlier than the armed
  /// one. A later deadline is found when the armed one has passed, so that most messages cause no
  /// wake-up.
  void after_step(OuterLoop& loop) {
    if (!loop.actions().empty()) hand_on(loop);
    if (shard_.next_deadline() < deadline()) arm(loop);
  }
  void arm(OuterLoop& loop);
  /// Enqueues every action at its destination.
  void hand_on(OuterLoop& loop);
  // Runs for each action of each message. Without the attribute g++ makes it a call, which costs 65
  // instructions a PUT.
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
  Instant now_{};      // guarded by token_; never goes back, even if another thread enters
  core::Shard shard_;  // guarded by token_
  /// Guarded by token_. The header that is being delivered; null once the core is done with its
  /// message.
  const core::HeaderArrived* arriving_ = nullptr;
  std::vector<std::uint8_t> driver_of_ni_;  // guarded by token_; by NiId
  // Collected under token_; do_housekeeping() passes them on without the token:
  std::vector<core::Note> notes_;
  std::vector<core::Done> dones_;
  std::vector<core::NiId> drained_;
  std::atomic<Instant> armed_{kNever};  // written under token_
  Strands strands_{*this};

  /// Which mailboxes have messages: one bit for all senders that are equal modulo kSenderBits.
  /// Cleared under token_.
  static constexpr std::uint32_t kSenderBits = 64;
  static constexpr std::uint64_t sender_bit(std::uint32_t sender) {
    return std::uint64_t{1} << sender % kSenderBits;
  }
  std::atomic<std::uint64_t> senders_{0};
  std::pmr::vector<Mailbox> mailboxes_;  // by sender; constant
  std::uint32_t next_sender_ = 0;        // guarded by token_
};

}  // namespace ulnet::node

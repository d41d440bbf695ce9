#include "lnet/node/runtime/shard_host.h"

#include <bit>
#include <cstring>
#include <utility>
#include <variant>

#include "lnet/base/assert.h"
#include "lnet/node/runtime/hosts.h"

namespace ulnet::node {
namespace {

constexpr std::uint8_t kNoDriver = 0xff;
/// How many inter-shard messages are read before the token is released for other threads.
constexpr unsigned kShardMsgsPerTurn = 64;

}  // namespace

ShardHost::ShardHost(std::uint32_t index, Hosts& hosts, Timekeeper& timekeeper, bool own_thread)
    : index_(index),
      hosts_(hosts),
      timekeeper_(timekeeper),
      own_thread_(own_thread),
      shard_(index, hosts.memory_of(index)),
      mailboxes_(hosts.count() == 1 ? 0 : hosts.count(), &hosts.memory_of(index)) {}

void ShardHost::bind_ni(core::NiId ni, unsigned driver) {
  enter([&](core::Shard&, Instant, core::Actions&) {
    if (driver_of_ni_.size() <= ni.value) driver_of_ni_.resize(ni.value + 1, kNoDriver);
    driver_of_ni_[ni.value] = static_cast<std::uint8_t>(driver);
  });
}

bool ShardHost::deliver(const core::Input& input) {
  OuterLoop& loop = OuterLoop::current();
  const auto* arrived = std::get_if<core::HeaderArrived>(&input);
  bool done = false;
  within(loop, [&] {
    const bool sent = std::holds_alternative<core::SendDone>(input);
    now_ = std::max(now_, sent ? loop.end_of_send(now_) : loop.batch_now(now_));
    shard_.step(now_, input, loop.actions());
    arriving_ = arrived;
    after_step(loop);
    done = arrived != std::exchange(arriving_, nullptr);
  });
  return done;
}

// ---- the actions of a step ----------------------------------------------------------------------

void ShardHost::arm(OuterLoop& loop) {
  armed_.store(shard_.next_deadline(), std::memory_order_relaxed);
  loop.defer(*this, kHousekeeping);
}

inline void ShardHost::hand_on(core::Action& action, OuterLoop& loop) {
  // The actions of a message come first, because nearly all actions are of these kinds.
  if (auto* post = std::get_if<core::Post>(&action)) {
    if (Strand* strand = strands_.append(*post)) loop.defer_run(*strand);
  } else if (auto* send = std::get_if<core::Send>(&action)) {
    if (send->header.type() == wire::MsgType::kPut) loop.put_sent();
    command(*send, loop);
  } else if (auto* drop = std::get_if<core::DropPayload>(&action)) {
    if (arriving_ != nullptr && drop->ni == arriving_->ni && drop->rx == arriving_->rx)
      arriving_ = nullptr;
    else
      command(*drop, loop);
  } else if (auto* copy = std::get_if<core::CopyPayload>(&action)) {
    if (!copy->to.empty()) std::memmove(copy->to.data(), copy->from.data(), copy->from.size());
  } else {
    hand_on_other(action, loop);
  }
}

void ShardHost::hand_on(OuterLoop& loop) {
  core::Actions& actions = loop.actions();
  for (core::Action& action : actions) hand_on(action, loop);
  actions.clear();
}

void ShardHost::hand_on_other(core::Action& action, OuterLoop& loop) {
  std::visit(
      [&](auto& a) {
        using A = std::decay_t<decltype(a)>;
        if constexpr (std::is_same_v<A, core::ToShard>) {
          hosts_.host(a.to).post(index_, std::move(*a.shard_msg), loop);
        } else if constexpr (std::is_same_v<A, core::CallDone>) {
          dones_.push_back(std::move(*a.done));
          loop.defer(*this, kHousekeeping);
        } else if constexpr (std::is_same_v<A, core::Drained>) {
          drained_.push_back(a.ni);
          loop.defer(*this, kHousekeeping);
        } else if constexpr (std::is_same_v<A, core::Note>) {
          notes_.push_back(a);
          loop.defer(*this, kHousekeeping);
        } else if constexpr (std::is_same_v<A, core::Applied>) {
          // Hosts::configure() returns after the step that applies a snapshot, so no thread waits
          // for this.
        } else if constexpr (std::is_same_v<A, core::AttachMemory>) {
          hosts_.attach_memory(a);
        } else if constexpr (std::is_same_v<A, core::DetachMemory>) {
          hosts_.detach_memory(a);
        } else if constexpr (!std::is_same_v<A, core::Post> &&
                             !std::is_same_v<A, core::CopyPayload>) {
          command(a, loop);
        }
      },
      action);
}

template <class Command>
void ShardHost::command(const Command& command, OuterLoop& loop) {
  const std::uint32_t ni = command.ni.value;
  ULNET_ASSERT(ni < driver_of_ni_.size() && driver_of_ni_[ni] != kNoDriver);
  hosts_.submit(driver_of_ni_[ni], command, loop);
}

// ---- inter-shard messages -----------------------------------------------------------------------

void ShardHost::post(std::uint32_t from, core::ShardMsg&& shard_msg, OuterLoop& loop) {
  mailboxes_[from].put(std::move(shard_msg));
  // If the bit is set already, the thread that clears it reads the mailbox afterwards.
  if ((senders_.load(std::memory_order_seq_cst) & sender_bit(from)) == 0)
    senders_.fetch_or(sender_bit(from), std::memory_order_seq_cst);
  loop.defer(*this, kShardMsgs);
}

void ShardHost::read_mailboxes(OuterLoop& loop) {
  {
    const Token token(*this, loop, std::try_to_lock);
    if (!token.mine()) return;  // the thread that holds the token looks again after it leaves
    read_shard_msgs(loop);
  }
  if (senders_.load(std::memory_order_seq_cst) != 0) loop.defer(*this, kShardMsgs);
}

void ShardHost::read_shard_msgs(OuterLoop& loop) {
  now_ = std::max(now_, loop.running() ? loop.batch_now(now_) : now());
  std::uint64_t senders = senders_.exchange(0, std::memory_order_seq_cst);
  for (unsigned budget = kShardMsgsPerTurn; senders != 0 && budget != 0;) {
    const std::uint32_t skipped = static_cast<std::uint32_t>(
        std::countr_zero(std::rotr(senders, static_cast<int>(next_sender_))));
    next_sender_ = (next_sender_ + skipped) % kSenderBits;
    const unsigned read = read_shard_msgs_of(next_sender_, loop);
    if (read == 0) senders &= ~sender_bit(next_sender_);
    budget -= std::min(budget, read);
  }
  next_sender_ = (next_sender_ + 1) % kSenderBits;
  if (senders != 0) senders_.fetch_or(senders, std::memory_order_seq_cst);
}

unsigned ShardHost::read_shard_msgs_of(std::uint32_t bit, OuterLoop& loop) {
  unsigned read = 0;
  for (std::uint32_t from = bit; from < mailboxes_.size(); from += kSenderBits) {
    const core::ShardMsg* shard_msg = mailboxes_[from].take();
    if (shard_msg == nullptr) continue;
    shard_.step(now_, core::Input(core::FromShard{from, shard_msg}), loop.actions());
    after_step(loop);
    mailboxes_[from].done();
    ++read;
  }
  return read;
}

// ---- work after the token is released -----------------------------------------------------------

void ShardHost::run_deferred(Kinds kinds) {
  const bool timekeeper_reads =
      own_thread_ && (kinds & kShardMsgs) != 0 && timekeeper_.arm(Instant{});
  if ((kinds & kShardMsgs) != 0 && !timekeeper_reads) read_mailboxes(OuterLoop::current());
  if (kinds & kHousekeeping) do_housekeeping();
}

bool ShardHost::take_over(Strand* strand, Kinds kinds) {
  return timekeeper_.take_over([this, strand, kinds] {
    OuterLoop& loop = OuterLoop::current();
    if (strand != nullptr) loop.defer_run(*strand);
    if (kinds != 0) loop.defer(*this, kinds);
  });
}

void ShardHost::do_housekeeping() {
  timekeeper_.arm(deadline());
  std::vector<core::Note> notes;
  std::vector<core::Done> dones;
  std::vector<core::NiId> drained;
  within(OuterLoop::current(), [&] {
    notes.swap(notes_);
    dones.swap(dones_);
    drained.swap(drained_);
  });
  // Notes come first, because a thread that waited for the end of a discovery asks for its last
  // steps at once.
  for (const core::Note& note : notes) hosts_.log(note);
  for (core::Done& done : dones) hosts_.waiting().done(std::move(done));
  for (const core::NiId ni : drained) hosts_.waiting().drained(ni);
}

void ShardHost::wake() {
  if (deadline() <= now()) return tick();
  timekeeper_.arm(deadline());
  OuterLoop& loop = OuterLoop::current();
  if (senders_.load(std::memory_order_seq_cst) != 0) read_mailboxes(loop);
  loop.run();
}

void ShardHost::tick() {
  enter([&](core::Shard& shard, Instant at, core::Actions& actions) {
    if (shard.next_deadline() <= at) shard.step(at, core::Input(core::Tick{}), actions);
    // The armed deadline has passed: hand_on() arms the next one.
    armed_.store(kNever, std::memory_order_relaxed);
  });
}

}  // namespace ulnet::node

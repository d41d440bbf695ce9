#include "node/shard_host.h"

#include <algorithm>
#include <variant>

namespace ulnet::node {
namespace {

constexpr std::uint8_t kNoDriver = 0xff;

}  // namespace

ShardHost::ShardHost(core::Shard& shard, Timekeeper& timekeeper, Hooks hooks)
    : shard_(shard), timekeeper_(timekeeper), hooks_(hooks) {}

unsigned ShardHost::add_driver(lnd::Lnd& driver) {
  ULNET_ASSERT(drivers_.size() < 32);
  drivers_.push_back(&driver);
  return static_cast<unsigned>(drivers_.size() - 1);
}

void ShardHost::bind_ni(core::NiId ni, unsigned driver) {
  const std::lock_guard token(token_);
  if (driver_of_ni_.size() <= ni.value) driver_of_ni_.resize(ni.value + 1, kNoDriver);
  driver_of_ni_[ni.value] = static_cast<std::uint8_t>(driver);
}

void ShardHost::deliver(const core::Input& input) {
  OuterLoop& loop = OuterLoop::current();
  const std::lock_guard token(token_);
  now_ = std::max(now_, loop.batch_now());
  shard_.step(now_, input, actions_);
  hand_on(loop);
}

void ShardHost::hand_on(OuterLoop& loop) {
  for (core::Action& action : actions_) hand_on(action, loop);
  actions_.clear();
  const Instant next = shard_.next_deadline();
  const Instant armed = armed_.load(std::memory_order_relaxed);
  if (next < armed) {  // a later one is found when the armed one has passed: no wake-up is owed per
                       // message
    armed_.store(next, std::memory_order_relaxed);
    loop.owe_chores(*this);
  }
}

void ShardHost::hand_on(core::Action& action, OuterLoop& loop) {
  std::visit(
      [&](auto& a) {
        using A = std::decay_t<decltype(a)>;
        if constexpr (std::is_same_v<A, core::Post>) {
          if (Strand* strand = strands_.append(std::move(a))) loop.owe_run(*strand);
        } else if constexpr (std::is_same_v<A, core::Done>) {
          complete(std::move(a));
        } else if constexpr (std::is_same_v<A, core::Drained>) {
          drained(a.ni);
        } else if constexpr (std::is_same_v<A, core::Applied>) {
          // The step that applies a snapshot has ended: whoever sent it knows.
        } else if constexpr (std::is_same_v<A, core::SendMail>) {
          ULNET_ASSERT(!"a letter in a node with one shard");
        } else if constexpr (std::is_same_v<A, core::Note>) {
          notes_.push_back(a);
          loop.owe_chores(*this);
        } else {
          command(a.ni, lnd::Command(std::move(a)), loop);
        }
      },
      action);
}

void ShardHost::command(core::NiId ni, lnd::Command&& command, OuterLoop& loop) {
  ULNET_ASSERT(ni.value < driver_of_ni_.size() && driver_of_ni_[ni.value] != kNoDriver);
  const unsigned driver = driver_of_ni_[ni.value];
  drivers_[driver]->submit(std::move(command));
  loop.owe_flush(*this, driver);
}

void ShardHost::settle(Drivers drivers, bool chores) {
  for (unsigned driver = 0; drivers != 0; ++driver, drivers >>= 1)
    if (drivers & 1) drivers_[driver]->flush();
  if (!chores) return;
  timekeeper_.arm(deadline());
  write_notes();
}

bool ShardHost::adopt(Strand* strand, Drivers drivers, bool chores) {
  return timekeeper_.adopt([this, strand, drivers, chores] {
    OuterLoop& loop = OuterLoop::current();
    if (strand != nullptr) loop.owe_run(*strand);
    if (drivers != 0 || chores) loop.owe(*this, drivers, chores);
  });
}

void ShardHost::write_notes() {
  std::vector<core::Note> notes;
  {
    const std::lock_guard token(token_);
    notes.swap(notes_);
  }
  if (hooks_.log == nullptr) return;
  for (const core::Note& note : notes) hooks_.log(hooks_.context, note);
}

bool ShardHost::tick() {
  bool due = false;
  enter([&](core::Shard& shard, Instant at, core::Actions& actions) {
    due = shard.next_deadline() <= at;
    if (due) shard.step(at, core::Input(core::Tick{}), actions);
    // What was armed has passed: hand_on() finds the next one.
    armed_.store(kNever, std::memory_order_relaxed);
  });
  return due;
}

void ShardHost::call(core::ApiCall& call, Waiter& waiter) {
  {
    const std::lock_guard lock(waiting_);
    waiters_.push_back(&waiter);
  }
  step(core::Input(core::Api{&call}));
  if (call.status != 0) forget(waiter);
}

void ShardHost::complete(core::Done&& done) {
  const std::lock_guard lock(waiting_);
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

template <class Condition>
bool ShardHost::wait_until(Condition condition, Instant until) {
  std::unique_lock lock(waiting_);
  if (until != kNever) return ended_.wait_until(lock, to_steady(until), condition);
  ended_.wait(lock, condition);
  return true;
}

bool ShardHost::wait_done(Waiter& waiter, Instant until) {
  return wait_until([&] { return waiter.ended; }, until);
}

void ShardHost::forget(Waiter& waiter) {
  const std::lock_guard lock(waiting_);
  std::erase(waiters_, &waiter);
}

void ShardHost::drained(core::NiId ni) {
  const std::lock_guard lock(waiting_);
  drained_.push_back(ni);
  ended_.notify_all();
}

bool ShardHost::wait_drained(core::NiId ni, Instant until) {
  return wait_until([&] { return std::erase(drained_, ni) != 0; }, until);
}

}  // namespace ulnet::node

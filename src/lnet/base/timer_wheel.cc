#include "lnet/base/timer_wheel.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "lnet/base/assert.h"

namespace ulnet {

// A timer is on the lowest level at which its tick and the position are in different slots: the
// level of the highest group of 6 bits in which the two numbers differ. So all timers of a lower
// level fire before those of a higher one, and the slots in use on a level are ahead of the
// position's slot. When the position reaches a slot of a higher level, that slot's timers move to
// lower levels, in order.

void Timer::cancel() {
  if (armed()) wheel_->remove(*this);
}

TimerWheel::~TimerWheel() {
  for (const auto& level : levels_) {
    if (level == nullptr) continue;
    for (Slot& slot : level->slots)
      while (slot.first != nullptr) remove(*slot.first);
  }
}

std::uint64_t TimerWheel::ticks_down(Instant instant) const {
  const std::int64_t ns = instant.time_since_epoch().count();
  return ns <= 0 ? 0 : static_cast<std::uint64_t>(ns) >> shift_;
}

std::uint64_t TimerWheel::ticks_up(Instant instant) const {
  const std::int64_t ns = instant.time_since_epoch().count();
  if (ns <= 0) return 0;
  const std::uint64_t span = std::uint64_t{1} << shift_;
  return (static_cast<std::uint64_t>(ns) + span - 1) >> shift_;
}

void TimerWheel::arm(Timer& timer, Instant deadline) {
  timer.cancel();
  if (deadline == kNever) return;
  timer.deadline_ = deadline;
  timer.tick_ = std::max(ticks_up(deadline), seen_ + 1);
  insert(timer);
  ++size_;
}

void TimerWheel::insert(Timer& timer) {
  ULNET_ASSERT(timer.tick_ >= position_);
  const std::uint64_t differs = timer.tick_ ^ position_;
  const unsigned level =
      differs == 0 ? 0 : (63U - static_cast<unsigned>(std::countl_zero(differs))) / kBits;
  const unsigned slot = timer.tick_ >> (level * kBits) & (kSlots - 1);
  if (levels_[level] == nullptr) levels_[level] = std::make_unique<Level>();
  Level& on = *levels_[level];
  Slot& in = on.slots[slot];
  timer.wheel_ = this;
  timer.level_ = static_cast<std::uint8_t>(level);
  timer.slot_ = static_cast<std::uint8_t>(slot);
  timer.prev_ = in.last;
  timer.next_ = nullptr;
  (in.last != nullptr ? in.last->next_ : in.first) = &timer;
  in.last = &timer;
  on.occupied |= std::uint64_t{1} << slot;
  occupied_levels_ |= 1U << level;
  first_ = std::min(first_, timer.tick_ >> (level * kBits) << (level * kBits));
}

// Called when the last timer has left the slot.
void TimerWheel::vacate(unsigned level, unsigned slot) {
  Level& on = *levels_[level];
  on.occupied &= ~(std::uint64_t{1} << slot);
  if (on.occupied == 0) occupied_levels_ &= ~(1U << level);
  const unsigned lowest = lowest_level();
  first_ = lowest == kLevels ? kNoTick : first_start(lowest);
}

void TimerWheel::remove(Timer& timer) {
  Level& on = *levels_[timer.level_];
  Slot& in = on.slots[timer.slot_];
  (timer.prev_ != nullptr ? timer.prev_->next_ : in.first) = timer.next_;
  (timer.next_ != nullptr ? timer.next_->prev_ : in.last) = timer.prev_;
  if (in.first == nullptr) vacate(timer.level_, timer.slot_);
  timer.wheel_ = nullptr;
  --size_;
}

Timer* TimerWheel::pop(Instant now) {
  seen_ = std::max(seen_, ticks_down(now));
  while (first_ <= seen_) {
    advance_to_first();
    const Level* lowest = levels_[0].get();
    const unsigned slot = position_ & (kSlots - 1);
    if (lowest == nullptr || (lowest->occupied >> slot & 1) == 0) continue;
    Timer* due = lowest->slots[slot].first;
    remove(*due);
    return due;
  }
  position_ = std::max(position_, seen_);
  return nullptr;
}

// The lowest level that has timers; kLevels if none has.
unsigned TimerWheel::lowest_level() const {
  if (occupied_levels_ == 0) return kLevels;
  return static_cast<unsigned>(std::countr_zero(occupied_levels_));
}

// The first tick of the first slot with timers, on a level that has timers.
std::uint64_t TimerWheel::first_start(unsigned level) const {
  const auto slot = static_cast<std::uint64_t>(std::countr_zero(levels_[level]->occupied));
  const unsigned below = level * kBits;
  const unsigned block = below + kBits;
  const std::uint64_t above = block >= 64 ? 0 : position_ >> block << block;
  return above | slot << below;
}

// Moves the position to the first slot with timers. If that slot is on a higher level, its timers
// move to lower levels.
void TimerWheel::advance_to_first() {
  position_ = std::max(position_, first_);
  const unsigned level = lowest_level();
  if (level == 0) return;
  Level& from = *levels_[level];
  const auto slot = static_cast<unsigned>(std::countr_zero(from.occupied));
  Timer* timer = std::exchange(from.slots[slot], Slot{}).first;
  vacate(level, slot);
  while (timer != nullptr) insert(*std::exchange(timer, timer->next_));
}

}  // namespace ulnet

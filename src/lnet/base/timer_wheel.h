// Many deadlines, of which most are cancelled: a hierarchical timer wheel, intrusive, with arm
// and cancel in O(1). It has no clock: the caller passes the time. Timers fire in the order of
// their deadlines (in ticks); those of one tick in the order in which they were armed.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

#include "lnet/base/time.h"

namespace ulnet {

class TimerWheel;

/// A timer, used as a base class or a member; it must not move. Destroying an armed timer cancels
/// it.
class Timer {
 public:
  Timer() = default;
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer() { cancel(); }

  bool armed() const { return wheel_ != nullptr; }
  /// The deadline given to arm(); kNever if it is not armed.
  Instant deadline() const { return armed() ? deadline_ : kNever; }
  /// Disarms the timer; does nothing if it is not armed.
  void cancel();

 private:
  friend class TimerWheel;
  TimerWheel* wheel_ = nullptr;
  Timer* prev_ = nullptr;
  Timer* next_ = nullptr;
  Instant deadline_{};
  std::uint64_t tick_ = 0;
  std::uint8_t level_ = 0;
  std::uint8_t slot_ = 0;
};

/// One thread at a time. A timer fires never before its deadline, and less than a tick after it.
/// If the deadline has passed when the timer is armed, it fires a tick later. Destroying a wheel
/// disarms its timers.
class TimerWheel {
 public:
  /// Ticks are 2^tick_shift nanoseconds; 20 is about a millisecond, 0 is exact.
  explicit TimerWheel(unsigned tick_shift = 20) : shift_(tick_shift) {}
  TimerWheel(const TimerWheel&) = delete;
  TimerWheel& operator=(const TimerWheel&) = delete;
  ~TimerWheel();

  /// Arms a timer; an armed one moves to the new deadline. kNever disarms it.
  void arm(Timer& timer, Instant deadline);
  /// Disarms and returns the next timer that is due; null if none is. Call it until it returns
  /// null. A timer that is armed meanwhile for `now` or earlier fires at a later `now`, so the
  /// calls end.
  Timer* pop(Instant now);
  /// When pop() should be called: never later than the first timer fires, and exact if that is
  /// within 64 ticks. kNever if the wheel is empty. It reads one number, because an owner calls it
  /// after each step.
  Instant next_deadline() const {
    if (first_ == kNoTick) return kNever;
    constexpr auto kLast = static_cast<std::uint64_t>(Duration::max().count());
    return Instant(Duration(static_cast<std::int64_t>(std::min(first_ << shift_, kLast))));
  }
  std::size_t size() const { return size_; }

 private:
  friend class Timer;
  static constexpr unsigned kBits = 6;
  static constexpr unsigned kSlots = 1U << kBits;
  static constexpr unsigned kLevels = (64 + kBits - 1) / kBits;
  static constexpr std::uint64_t kNoTick = ~std::uint64_t{0};
  struct Slot {
    Timer* first = nullptr;
    Timer* last = nullptr;
  };
  struct Level {
    std::uint64_t occupied = 0;  ///< one bit per slot
    std::array<Slot, kSlots> slots;
  };

  std::uint64_t ticks_up(Instant instant) const;
  std::uint64_t ticks_down(Instant instant) const;
  void insert(Timer& timer);
  void remove(Timer& timer);
  void advance_to_first();
  unsigned lowest_level() const;
  void vacate(unsigned level, unsigned slot);
  std::uint64_t first_start(unsigned level) const;

  unsigned shift_;
  std::uint64_t position_ = 0;     ///< all timers of earlier ticks have fired
  std::uint64_t seen_ = 0;         ///< the latest `now`, in ticks
  std::uint64_t first_ = kNoTick;  ///< the first tick of the first slot that has timers
  std::size_t size_ = 0;
  std::uint32_t occupied_levels_ = 0;                   ///< one bit per level that has timers
  std::array<std::unique_ptr<Level>, kLevels> levels_;  ///< each made when it is first used
};

}  // namespace ulnet

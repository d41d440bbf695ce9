// Deadlines, many and mostly cancelled: a hierarchical wheel with O(1) arm and cancel, intrusive,
// without a clock of its own. Order is deterministic: by deadline (in ticks), then by the order of
// arming.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "base/time.h"

namespace ulnet {

class TimerWheel;

/// A place in a wheel. Derive from it, or hold one; it must not move. Destroying an armed timer
/// cancels it.
class Timer {
 public:
  Timer() = default;
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer() { cancel(); }

  bool armed() const { return wheel_ != nullptr; }
  /// As given to arm(); kNever when not armed.
  Instant deadline() const { return armed() ? deadline_ : kNever; }
  /// Nothing when not armed.
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

/// One thread at a time. A timer fires never before its deadline and less than a tick after it;
/// deadlines that have passed when they are armed fire a tick later. A wheel that is destroyed
/// disarms its timers.
class TimerWheel {
 public:
  /// Ticks are 2^tick_shift nanoseconds; 20 is about a millisecond, 0 is exact.
  explicit TimerWheel(unsigned tick_shift = 20) : shift_(tick_shift) {}
  TimerWheel(const TimerWheel&) = delete;
  TimerWheel& operator=(const TimerWheel&) = delete;
  ~TimerWheel();

  /// Arms, or moves an armed timer. kNever disarms.
  void arm(Timer& timer, Instant deadline);
  /// The next timer whose time has come, disarmed; null when there is none left. Call until null;
  /// timers armed meanwhile for `now` or before wait for a later `now`, so the loop ends.
  Timer* pop(Instant now);
  /// When pop() is worth a call: never later than the earliest timer fires, exact within 64 ticks
  /// of it. kNever when empty.
  Instant next_deadline() const { return occupied_levels_ == 0 ? kNever : first_deadline(); }
  std::size_t size() const { return size_; }

 private:
  friend class Timer;
  static constexpr unsigned kBits = 6;
  static constexpr unsigned kSlots = 1U << kBits;
  static constexpr unsigned kLevels = (64 + kBits - 1) / kBits;
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
  bool advance_towards(std::uint64_t tick);
  Instant first_deadline() const;
  unsigned lowest_level() const;
  void vacate(unsigned level, unsigned slot);
  std::uint64_t first_start(unsigned level) const;

  unsigned shift_;
  std::uint64_t position_ = 0;  ///< everything before this tick has fired
  std::uint64_t seen_ = 0;      ///< the latest `now`, in ticks
  std::size_t size_ = 0;
  std::uint32_t occupied_levels_ = 0;                   ///< one bit per level
  std::array<std::unique_ptr<Level>, kLevels> levels_;  ///< made on first use
};

}  // namespace ulnet

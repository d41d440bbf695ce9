// How long a thread works without a pause: all that while, the others whom it serves wait. Handlers
// that it runs count as its work. Source: DESIGN.md 3.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>

#include "base/time.h"

namespace ulnet::lnd {

/// Of one thread since it began. A cycle is from waking up, or from finding something to do, until
/// the thread looks again for something to do.
struct Duty {
  std::uint64_t cycles = 0;
  std::uint64_t long_cycles = 0;  ///< of these, longer than the threshold was then
  Duration longest{};
  std::uint64_t sleeps = 0;  ///< times that it found nothing to do and waited to be woken
  bool operator==(const Duty&) const = default;
};
struct ThreadDuty {
  std::string thread;  ///< "tcp 0", "timekeeper"
  Duty duty;
};

class DutyMeter {
 public:
  // By the thread that is measured, with instants that it reads anyway, or rarely
  /// A cycle begins; one that has begun is given up.
  void begin(Instant at) {
    begun_ = at;
    running_ = true;
  }
  /// It ends; nothing when none has begun.
  void end(Instant at) {
    if (!running_) return;
    running_ = false;
    const Duration::rep length = std::max(at - begun_, Duration{}).count();
    add(cycles_, 1);
    if (length > threshold_.load(std::memory_order_relaxed)) add(long_cycles_, 1);
    if (length > longest_.load(std::memory_order_relaxed))
      longest_.store(length, std::memory_order_relaxed);
  }
  bool running() const { return running_; }
  /// It waits to be woken now.
  void sleep() { add(sleeps_, 1); }

  // Any thread
  void set_threshold(Duration threshold) {
    threshold_.store(threshold.count(), std::memory_order_relaxed);
  }
  Duty duty() const {
    return {cycles_.load(std::memory_order_relaxed), long_cycles_.load(std::memory_order_relaxed),
            Duration(longest_.load(std::memory_order_relaxed)),
            sleeps_.load(std::memory_order_relaxed)};
  }

 private:
  /// One thread writes: no need for an atomic addition.
  static void add(std::atomic<std::uint64_t>& to, std::uint64_t by) {
    to.store(to.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
  }

  bool running_ = false;
  Instant begun_{};
  std::atomic<std::uint64_t> cycles_{0}, long_cycles_{0}, sleeps_{0};
  std::atomic<Duration::rep> longest_{0}, threshold_{0};
};

}  // namespace ulnet::lnd

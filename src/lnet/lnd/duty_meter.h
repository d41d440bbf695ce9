// Measures how long a driver's thread works without looking for new work. Everything that the
// thread serves waits meanwhile. User handlers that the thread runs count as its work. Source:
// DESIGN.md 3.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>

#include "lnet/base/time.h"

namespace ulnet::lnd {

/// Figures of one thread since it began. A cycle begins when the thread wakes up or finds
/// something to do, and ends when it looks again for something to do.
struct Duty {
  std::uint64_t cycles = 0;
  std::uint64_t long_cycles = 0;  ///< cycles longer than the threshold at their time
  Duration longest{};             ///< the longest cycle
  std::uint64_t sleeps = 0;  ///< how often the thread found nothing to do and waited to be woken
  bool operator==(const Duty&) const = default;
};
struct ThreadDuty {
  std::string thread;  ///< "tcp 0", "timekeeper"
  Duty duty;
};

class DutyMeter {
 public:
  // Only the measured thread calls begin() to sleep(). It calls them with instants that it has read
  // for another purpose, or rarely.
  /// Begins a cycle. Discards an earlier cycle that has not ended.
  void begin(Instant at) {
    begun_ = at;
    running_ = true;
  }
  /// Ends the cycle. Does nothing if no cycle has begun.
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
  /// Counts that the thread is about to wait until it is woken.
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
  /// Adds to a figure. Only one thread writes it, so a plain load and store are enough.
  static void add(std::atomic<std::uint64_t>& to, std::uint64_t by) {
    to.store(to.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
  }

  bool running_ = false;
  Instant begun_{};
  std::atomic<std::uint64_t> cycles_{0}, long_cycles_{0}, sleeps_{0};
  std::atomic<Duration::rep> longest_{0}, threshold_{0};
};

}  // namespace ulnet::lnd

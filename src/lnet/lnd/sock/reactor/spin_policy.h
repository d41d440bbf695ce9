// Decides whether a thread that found nothing to do looks again at once (spins) or sleeps.
// Spinning saves the 30 us of being woken, but only pays while traffic flows and a core is free.
// Source: DESIGN.md 3.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "lnet/base/time.h"
#include "lnet/lnd/sock/engine/tunables.h"

namespace ulnet::lnd::sock {

class SpinPolicy {
 public:
  /// `cpus`: how many CPUs this thread may run on. If it is one, a peer that shares that CPU cannot
  /// send while this thread spins. So after a spin that found nothing, the thread does not spin for
  /// a while.
  void configure(Wait wait, Duration spin, unsigned cpus) {
    wait_ = wait;
    spin_ = spin;
    alone_ = cpus < 2;
  }
  /// Something moved: for the time `spin` it is worth looking again.
  void traffic(Instant now) {
    if (std::exchange(spinning_, false) && alone_) penalty_ = kPenaltyMin;
    until_ = now + spin_;
  }
  /// Whether the thread is to spin on; false: to sleep.
  bool spins(Instant now) {
    if (wait_ != Wait::kAdaptive) return wait_ == Wait::kSpin;
    if (now < until_ && now >= penalty_until_) return spinning_ = true;
    if (std::exchange(spinning_, false) && alone_) punish(now);
    return false;
  }

  /// True now and then while the thread spins: the caller then calls preempted(). The interval is
  /// short enough that a thread whose spins are mostly preempted spends hardly any time spinning.
  bool asks(Instant now) {
    if (now < ask_at_) return false;
    ask_at_ = now + kAskEvery;
    return true;
  }
  /// `count`: how often the scheduler has taken the core away from this thread. If it has grown,
  /// more threads want to run than there are cores. This thread may be waiting for one of them, and
  /// its spinning may keep that thread from running. So this thread stops spinning for a while.
  void preempted(std::uint64_t count, Instant now) {
    if (count == preemptions_) {
      penalty_ = std::max(penalty_ / 2, kPenaltyMin);
      return;
    }
    preemptions_ = count;
    punish(now);
  }

 private:
  /// Stops spinning for a while; the next pause is twice as long.
  void punish(Instant now) {
    penalty_until_ = now + penalty_;
    penalty_ = std::min(penalty_ * 2, kPenaltyMax);
  }

  static constexpr Duration kAskEvery = std::chrono::microseconds(100);
  static constexpr Duration kPenaltyMin = std::chrono::milliseconds(1);
  static constexpr Duration kPenaltyMax = std::chrono::milliseconds(200);

  Wait wait_ = Wait::kAdaptive;
  Duration spin_{};
  Instant until_{};
  Instant penalty_until_{};
  Duration penalty_ = kPenaltyMin;
  Instant ask_at_{};
  std::uint64_t preemptions_ = 0;
  bool alone_ = false;     ///< the thread may run on one CPU only
  bool spinning_ = false;  ///< the thread has been spinning since something last moved
};

}  // namespace ulnet::lnd::sock

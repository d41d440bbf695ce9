// Whether a thread that found nothing to do looks again at once or goes to sleep. Spinning saves
// the 30 us of a wake-up but only pays while traffic flows and a core is free for it. Source:
// DESIGN.md 3.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/time.h"
#include "lnd/sock/tunables.h"

namespace ulnet::lnd::sock {

class SpinPolicy {
 public:
  /// `cpus`: how many this thread may run on. On one, a peer that shares it could not send while
  /// this thread spins: there it goes on only as long as it finds something.
  void configure(Wait wait, Duration spin, unsigned cpus) {
    wait_ = wait;
    spin_ = spin;
    alone_ = cpus < 2;
  }
  /// Something moved: it is worth looking again for a while.
  void traffic(Instant now) {
    if (std::exchange(spinning_, false) && alone_) penalty_ = kPenaltyMin;
    until_ = now + spin_;
  }
  /// Spin on? Otherwise sleep.
  bool spins(Instant now) {
    if (wait_ != Wait::kAdaptive) return wait_ == Wait::kSpin;
    if (now < until_ && now >= penalty_until_) return spinning_ = true;
    if (std::exchange(spinning_, false) && alone_) punish(now);
    return false;
  }

  /// The scheduler's count of times that it took the core away from this thread, looked at now and
  /// then while spinning: when it grows, spinners outnumber cores, and spinning keeps the very
  /// thread from running that is waited for.
  void preempted(std::uint64_t count, Instant now) {
    if (count == preemptions_) {
      penalty_ = std::max(penalty_ / 2, kPenaltyMin);
      return;
    }
    preemptions_ = count;
    punish(now);
  }

 private:
  void punish(Instant now) {
    penalty_until_ = now + penalty_;
    penalty_ = std::min(penalty_ * 2, kPenaltyMax);
  }

  static constexpr Duration kPenaltyMin = std::chrono::milliseconds(1);
  static constexpr Duration kPenaltyMax = std::chrono::milliseconds(200);

  Wait wait_ = Wait::kAdaptive;
  Duration spin_{};
  Instant until_{};
  Instant penalty_until_{};
  Duration penalty_ = kPenaltyMin;
  std::uint64_t preemptions_ = 0;
  bool alone_ = false;
  bool spinning_ = false;  ///< since something last moved
};

}  // namespace ulnet::lnd::sock

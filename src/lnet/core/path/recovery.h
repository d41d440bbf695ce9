// Recovery of one NI, or peer NI, whose health is not full: when it is pinged next, and when the
// pings stop. It is pure; lnet/core/flow/recovery.h sends the pings. Source: spec/multirail.md 7.
#pragma once

#include <cstdint>

#include "lnet/base/life_cycle.h"
#include "lnet/base/time.h"

namespace ulnet::core {

enum class RecoveryPhase : std::uint8_t {
  kNone,
  kWaiting,  ///< until its next ping is due
  kPinging,  ///< a ping is out: no other is sent, even when its time has passed
  kCount
};
enum class RecoveryEvent : std::uint8_t { kUnwell, kPing, kPingEnded, kLeave, kCount };
/// The rows are in recovery.cc.
extern const LifeCycle<RecoveryPhase, RecoveryEvent> kRecoveryLife;
const char* to_string(RecoveryPhase phase);
const char* to_string(RecoveryEvent event);

struct Recovery {
  RecoveryPhase phase = RecoveryPhase::kNone;
  std::int32_t ping_count = 0;  ///< pings since a message was received
  /// When the next ping is due, in s of the clock; it keeps its last value after recovery.
  std::int64_t next_ping = 0;

  bool is_on() const { return phase != RecoveryPhase::kNone; }
  void on(RecoveryEvent event) { phase = kRecoveryLife.after(phase, event); }
};

/// It is not well any more, at `now`: the first ping is due with the next full second.
void begin_recovery(Recovery& recovery, Instant now);
/// The next ping is due at the next full second; the pauses after it grow anew.
void begin_pause(Recovery& recovery, Instant now);
/// A ping goes out at `now`. `max_interval`: the tunable, s.
void count_ping(Recovery& recovery, Instant now, std::int32_t max_interval);
/// When it has to be looked at again.
Instant due_of(const Recovery& recovery);

/// What is known of the NI or peer NI.
struct Standing {
  std::int32_t health = 0;
  /// When a message came from it last; kNever: that does not matter, because it is an NI of this
  /// node, or a peer NI of which only its peer has told.
  Instant last_heard = kNever;
};
/// Whether nothing was heard of it for longer than `limit` seconds; 0: there is no limit.
bool is_aged_out(const Standing& standing, Instant now, std::int32_t limit);

enum class RecoveryStep : std::uint8_t { kWait, kPing, kLeave };
/// What follows at `now`. It is recovered, or aged out when its next ping is due: kLeave.
RecoveryStep next_of(const Recovery& recovery, const Standing& standing, Instant now,
                     std::int32_t limit);

}  // namespace ulnet::core

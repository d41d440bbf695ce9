// Recovery of one NI, or peer NI, whose health is not full: when it is pinged next, and when the
// pings stop. It is pure; lnet/core/flow/recovery.h sends the pings. Source: spec/multirail.md 7.
#pragma once

#include <cstdint>

#include "lnet/base/life_cycle.h"
#include "lnet/base/time.h"

namespace ulnet::core {

enum class RecoveryPhase : std::uint8_t {
  kNone,
  kWaiting,  ///< the next ping is not due yet
  kPinging,  ///< a ping is under way: no other is sent, even when the next is due
  kCount
};
enum class RecoveryEvent : std::uint8_t { kUnwell, kPing, kPingEnded, kLeave, kCount };
/// The rows are in recovery.cc.
extern const LifeCycle<RecoveryPhase, RecoveryEvent> kRecoveryLifeCycle;
const char* to_string(RecoveryPhase phase);
const char* to_string(RecoveryEvent event);

struct Recovery {
  RecoveryPhase phase = RecoveryPhase::kNone;
  std::int32_t ping_count = 0;  ///< pings since a message was received
  /// When the next ping is due, in s of the clock; it keeps its last value after recovery.
  std::int64_t next_ping = 0;

  bool is_on() const { return phase != RecoveryPhase::kNone; }
  void on(RecoveryEvent event) { phase = kRecoveryLifeCycle.after(phase, event); }
};

/// Begins the recovery of an NI, or peer NI, whose health fell at `now`: the first ping is due at
/// the next full second.
void begin_recovery(Recovery& recovery, Instant now);
/// Makes the next ping due at the next full second, and lets the pauses after it grow from the
/// shortest one again.
void begin_pause(Recovery& recovery, Instant now);
/// Counts a ping that is sent at `now`, and sets when the next one is due. `max_interval`: the
/// tunable, s.
void count_ping(Recovery& recovery, Instant now, std::int32_t max_interval);
/// When next_of() is due again.
Instant due_of(const Recovery& recovery);

/// The current state of the NI or peer NI.
struct Standing {
  std::int32_t health = 0;
  /// When a message last came from it; kNever: not used, because it is an NI of this node, or a
  /// peer NI that is only known from ping info.
  Instant last_heard = kNever;
};
/// Whether no message came from the peer NI for longer than `limit` seconds; 0: no limit.
bool is_aged_out(const Standing& standing, Instant now, std::int32_t limit);

enum class RecoveryStep : std::uint8_t { kWait, kPing, kLeave };
/// The next step at `now`. kLeave: its health is full, or it is aged out when its next ping is due.
RecoveryStep next_of(const Recovery& recovery, const Standing& standing, Instant now,
                     std::int32_t limit);

}  // namespace ulnet::core

// The timers of a shard. They share one wheel, ShardState::timers; nothing else in a shard asks
// for time. Source: DESIGN.md 2.
#pragma once

#include <cstdint>

#include "base/timer_wheel.h"

namespace ulnet::core {

enum class TimerKind : std::uint8_t {
  kResponse,  ///< an Awaited: an ACK or a REPLY has to come by then
  kDelay,     ///< FaultHolds::timer: messages that fault rules hold go on
  kUserPing,  ///< a Portal0Md: a ping through the API has to end by then
  kRecovery,  ///< an InRecovery: an NI that is not well is pinged then
};

/// Derive from it what a timer is about; `kind` then tells which type to cast to.
struct ShardTimer : Timer {
  explicit ShardTimer(TimerKind kind_) : kind(kind_) {}
  const TimerKind kind;
};

}  // namespace ulnet::core

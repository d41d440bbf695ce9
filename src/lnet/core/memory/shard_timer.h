// The timers of a shard. They share one wheel, ShardState::timers; nothing else in a shard asks
// for time. Source: DESIGN.md 2.
#pragma once

#include <cstdint>

#include "lnet/base/timer_wheel.h"

namespace ulnet::core {

enum class TimerKind : std::uint8_t {
  kResponse,     ///< an Awaited: an ACK or a REPLY has to come by then
  kDelay,        ///< FaultHolds::timer: messages that fault rules hold go on
  kPing,         ///< a Portal0Md: a ping of the API, or of a router, has to end by then
  kRecovery,     ///< an InRecovery: an NI that is not well is pinged then
  kRouterCheck,  ///< a KnownGateway: it is checked then
  kRouting,      ///< the RouterState: routing has started, or stopped
  kIdlePeers,    ///< the PeerSweep: the next few peers are looked at
  kNetVisits,    ///< the NetVisits: a net of this router had no visit for too long
};

/// Derive from it what a timer is about; `kind` then tells which type to cast to.
struct ShardTimer : Timer {
  explicit ShardTimer(TimerKind kind_) : kind(kind_) {}
  const TimerKind kind;
};

}  // namespace ulnet::core

// The timers of a shard. They share one wheel, ShardState::timers; a shard has no other source of
// time-outs. Source: DESIGN.md 2.
#pragma once

#include <cstdint>

#include "lnet/base/timer_wheel.h"

namespace ulnet::core {

enum class TimerKind : std::uint8_t {
  kResponse,     ///< an Awaited: an ACK or a REPLY has to come by then
  kDelay,        ///< FaultHolds::timer: messages that fault rules delay are released
  kPing,         ///< a Portal0Md: a ping of the API, or of a router, has to end by then
  kRecovery,     ///< an InRecovery: an NI whose health is not full is pinged then
  kRouterCheck,  ///< a KnownGateway: it is checked then
  kRouting,      ///< the RouterState: routing has started, or stopped
  kIdlePeers,    ///< the PeerSweep: the next few peers are checked for being idle
  kNetVisits,    ///< the NetVisits: no node has pinged this router on a net for too long
};

/// Base of the objects that have a timer; `kind` says to which type to cast.
struct ShardTimer : Timer {
  explicit ShardTimer(TimerKind kind_) : kind(kind_) {}
  const TimerKind kind;
};

}  // namespace ulnet::core

// Whether this node routes, starts or stops routing. Each shard has a copy. Source:
// spec/multirail.md 9.1.
#pragma once

#include <array>

#include "lnet/base/life_cycle.h"
#include "lnet/core/contract/config.h"
#include "lnet/core/contract/route_show.h"
#include "lnet/core/memory/shard_timer.h"

namespace ulnet::core {

//              on                 time
//   disabled ------> starting ----------> enabled
//      ^                 |                   |
//      |  time           | off               | off
//      +------ stopping <+-------------------+
//
// on_at_once leads to enabled from every state. The rows are in routing_state.cc.
enum class RoutingEvent : std::uint8_t { kOn, kOnAtOnce, kOff, kTime, kCount };
extern const LifeCycle<RoutingState, RoutingEvent> kRoutingLifeCycle;

/// The timer fires when kStarting or kStopping ends.
struct RouterState : ShardTimer {
  RouterState() : ShardTimer(TimerKind::kRouting) {}

  RoutingState state = RoutingState::kDisabled;
  /// Until when no further Note about waiting messages is issued: for buffers of each size, and in
  /// the last element for the router credits of neighbours.
  std::array<Instant, 4> shortage_quiet_until{};

  bool forwards() const { return state != RoutingState::kDisabled; }
  void on(RoutingEvent event) { state = kRoutingLifeCycle.after(state, event); }
};

/// The time that peers need to notice that this node routes, or no longer routes (9.1).
constexpr Duration notice_time(const Globals& globals) {
  const std::int32_t interval = globals.alive_router_check_interval;
  return std::chrono::seconds((interval > 0 ? interval : 0) + globals.router_ping_timeout);
}

}  // namespace ulnet::core

// What a node shows of its routes, of their gateways, and of its own routing. Source:
// spec/cli-lnetctl.md 4.3, 4.4, spec/core-semantics.md 16, spec/multirail.md 9.1, 9.3.
#pragma once

#include <cstdint>

#include "lnet/core/contract/route_list.h"

namespace ulnet::core {

/// Why a route is down.
enum class RouteTrouble : std::uint8_t {
  kNone,       ///< it is up
  kSelf,       ///< the gateway is this node
  kNoLocalNi,  ///< this node has no NI on a net on which the gateway has a NID
  kUntried,  ///< the gateway has not answered yet, and is not used before (check_routers_before_use)
  kSilent,   ///< the gateway does not answer
  kNearDown,    ///< all NIDs of the gateway on nets of this node are down
  kNotRouting,  ///< the gateway tells that it does not route
  kFarDown,     ///< all NIDs of the gateway on the net of the route are down
  kLoop,        ///< what this router sends by the gateway comes back to it
  kFlag,        ///< no discovery: its driver, or an administrator, has said that it is down
};
/// In words, for people; "" for kNone.
const char* to_string(RouteTrouble trouble);

struct RouteRow {
  Route route;
  RouteTrouble trouble = RouteTrouble::kNone;
  bool multi_hop = false;  ///< the gateway has told no NID on the net of the route
  bool up() const { return trouble == RouteTrouble::kNone; }
};
struct GatewayRow {
  Nid gateway;                      ///< by which the routes name it
  std::uint32_t routes = 0;         ///< how many go by it
  bool alive = true;                ///< it answers
  bool all_up = true;               ///< ... and none of its NIDs is down
  std::int64_t last_answer_s = -1;  ///< s since it last answered a check; -1: it has not yet
};

/// spec/multirail.md 9.1. Messages are forwarded in all of them but kDisabled.
enum class RoutingState : std::uint8_t {
  kDisabled = 0,
  kEnabled = 1,
  kStopping = 2,  ///< peers have been told that it is off, and may not have noticed yet
  kStarting = 3,  ///< peers are told that it is on when its NIs had the time to be seen
  kCount
};
const char* to_string(RoutingState state);

/// A pool of router buffers of a shard.
struct PoolRow {
  std::uint32_t shard = 0;
  std::int32_t pages = 0;    ///< of 4096 bytes, each buffer
  std::int32_t buffers = 0;  ///< how many there may be
  std::int32_t credits = 0;  ///< how many are free; below 0: so many messages wait
  std::int32_t min = 0;      ///< the lowest `credits` so far
};

}  // namespace ulnet::core

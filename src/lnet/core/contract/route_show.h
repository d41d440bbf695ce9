// What a node shows of its routes, of their gateways, and of its own routing. Source:
// spec/cli-lnetctl.md 4.3, 4.4, spec/core-semantics.md 16, spec/multirail.md 9.1, 9.3.
#pragma once

#include <cstdint>

#include "lnet/core/contract/route_list.h"

namespace ulnet::core {

/// Why a route is down.
enum class RouteTrouble : std::uint8_t {
  kNone,        ///< it is up
  kSelf,        ///< the gateway is this node
  kNoLocalNi,   ///< this node has no NI on a net on which the gateway has a NID
  kUntried,     ///< the gateway has not answered yet (check_routers_before_use)
  kSilent,      ///< the gateway does not answer
  kNearDown,    ///< all NIDs of the gateway on nets of this node are down
  kNotRouting,  ///< the gateway advertises that it does not route
  kFarDown,     ///< all NIDs of the gateway on the net of the route are down
  kLoop,        ///< what this router sends by the gateway comes back to this router
  kFlag,        ///< no discovery: the driver or an administrator reported it down
};
/// The text that users read; "" for kNone.
const char* to_string(RouteTrouble trouble);

struct RouteRow {
  Route route;
  RouteTrouble trouble = RouteTrouble::kNone;
  bool multi_hop = false;  ///< the gateway has advertised no NID on the net of the route
  bool up() const { return trouble == RouteTrouble::kNone; }
};
struct GatewayRow {
  Nid gateway;                      ///< the NID that the routes name
  std::uint32_t routes = 0;         ///< the number of routes by it
  bool alive = true;                ///< it answers
  bool all_up = true;               ///< ... and none of its NIDs is down
  std::int64_t last_answer_s = -1;  ///< s since it last answered a check; -1: it has not yet
};

/// The states of routing (spec/multirail.md 9.1). The node forwards messages in every state except
/// kDisabled.
enum class RoutingState : std::uint8_t {
  kDisabled = 0,
  kEnabled = 1,
  kStopping = 2,  ///< advertised to peers as off, which some may not have noticed yet
  kStarting = 3,  ///< advertised to peers as on once they had time to see its NIs
  kCount
};
const char* to_string(RoutingState state);

/// A pool of router buffers of a shard.
struct PoolRow {
  std::uint32_t shard = 0;
  std::int32_t pages = 0;    ///< of 4096 bytes, of each buffer
  std::int32_t buffers = 0;  ///< the configured number
  std::int32_t credits = 0;  ///< free buffers; below 0: the number of waiting messages, negated
  std::int32_t min = 0;      ///< the lowest `credits` so far
};

}  // namespace ulnet::core

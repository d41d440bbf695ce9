// The selection of a route: by which gateway a message reaches a net that this node is not on, and
// by which of the gateway's NIDs. Source: spec/multirail.md 3.3, 9.3.
#pragma once

#include "lnet/core/path/route_table.h"
#include "lnet/core/path/select_steps.h"

namespace ulnet::core {

/// What a shard knows of routes and gateways.
struct RouteView {
  RouteTable& table;
  PeerTable& peers;
  const NodeConfig& config;
};

/// What the sender of a message wants of a route.
struct RouteWish {
  NetId net;                    ///< that it is to reach
  const Nid& destination;       ///< where it ends: a policy may prefer routers for that NID
  const LocalNi* by = nullptr;  ///< by this NI and no other; null: by any
  const Nid* except = nullptr;  ///< not by the router with this NID, from which it came; null: any
  std::int32_t memory_cpt = -1;
};

struct Way {
  RouteEntry* route = nullptr;  ///< null: none can be used
  LocalNi* ni = nullptr;
  Nid gateway;           ///< the gateway's NID
  Rail* rail = nullptr;  ///< the same, if the gateway has multi-rail
};

/// Whether the neighbour is the gateway that routes name by this NID: by that, or by another NID of
/// the same peer. The card of either NID may say so: one that has just come into use in this shard
/// has not got its card yet.
bool is_of_gateway(const PeerTable& peers, const Nid& gateway, const Nid& neighbour);

/// The best of the routes that are alive (9.3), whose gateways have a NID on a net of this node. It
/// takes one of the next two ways, which choose the same. `why`: as in select_steps.h.
Way best_way(const NiTable& nis, const RouteView& view, const RouteWish& wish, Explanation* why);

/// Looks at every route to the net. It can explain, and it can be used where a policy prefers
/// routers: who is preferred depends on the destination, so no order has that.
Way best_way_of_all(const NiTable& nis, const RouteView& view, RemoteNet& net,
                    const RouteWish& wish, Explanation* why);
/// Looks at the routes from the best on, and stops at the first that cannot be better than what it
/// has. The order takes a gateway for as good as its NIDs are in each of the terms. That is what a
/// gateway with one NID on the nets of this node is; so the first one is taken that the wish
/// allows. By which of several NIDs a message would go depends on it and on the NIs: then some more
/// are looked at, at worst all. No policy may prefer routers for the destination.
Way best_way_in_order(const NiTable& nis, const RouteView& view, RemoteNet& net,
                      const RouteWish& wish);

}  // namespace ulnet::core

// The selection of a route: the gateway by which a message reaches a remote net, and the gateway's
// NID. Source: spec/multirail.md 3.3, 9.3.
#pragma once

#include "lnet/core/path/route_table.h"
#include "lnet/core/path/select_steps.h"

namespace ulnet::core {

/// A shard's routes and gateways.
struct RouteView {
  RouteTable& table;
  PeerTable& peers;
  const NodeConfig& config;
};

/// The requirements of a message for its route.
struct RouteQuery {
  NetId net;                    ///< the net that it has to reach
  const Nid& destination;       ///< the final NID, for which a policy may prefer routers
  const LocalNi* by = nullptr;  ///< the NI that it has to use; null: any
  const Nid* except = nullptr;  ///< the router from which it came, not used; null: none
  std::int32_t memory_cpt = -1;
};

struct Way {
  RouteEntry* route = nullptr;  ///< null: no route can be used
  LocalNi* ni = nullptr;
  Nid gateway;           ///< the gateway's NID
  Rail* rail = nullptr;  ///< the gateway's rail, if it has multi-rail
};

/// Whether the neighbour is the gateway that routes name by this NID: it has that NID, or another
/// NID of the same peer. The peer entry of either NID may show that, because a NID that this shard
/// has just begun to use has no peer entry yet.
bool is_of_gateway(const PeerTable& peers, const Nid& gateway, const Nid& neighbour);

/// The best of the routes that are alive (9.3) and whose gateways have a NID on a net of this node.
/// It calls one of the next two functions, which make the same choice. `why`: as in select_steps.h.
Way best_way(const NiTable& nis, const RouteView& view, const RouteQuery& query, Explanation* why);

/// Compares every route to the net. This function can explain the choice, and handles policies that
/// prefer routers: such a preference depends on the destination, so the order cannot contain it.
Way best_way_of_all(const NiTable& nis, const RouteView& view, RemoteNet& net,
                    const RouteQuery& query, Explanation* why);
/// Walks the routes from the best on, and stops at the first that cannot be better than the best so
/// far. The order rates a gateway by the best value of its NIDs in each term. For a gateway with
/// one NID on the nets of this node this rating is exact, so the first route that meets the
/// requirements wins. For a gateway with several NIDs the NID used depends on the message and on
/// the NIs, so more routes are compared, at worst all. No policy may prefer routers for the
/// destination.
Way best_way_in_order(const NiTable& nis, const RouteView& view, RemoteNet& net,
                      const RouteQuery& query);

}  // namespace ulnet::core

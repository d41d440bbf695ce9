// The routes that a topology's nodes have unless its file lists them: for each net that a node is
// not on, the routers with the fewest hops on the way.
#pragma once

#include "tools/lab/topology/topology.h"

namespace ulnet::tools::lab {

/// Gives every node its routes, in place of those that it has. For each net that it is not on and
/// that can be reached through routers, these are all routers on its nets from which the fewest
/// hops lead there, with that number of hops. Hops are routers on the way, so a router that is on
/// the net itself is one. Of a router's rails the first on a net of the node is the gateway. The
/// routes are in the order of nets, then of gateways.
void give_automatic_routes(Topology& topology);

}  // namespace ulnet::tools::lab

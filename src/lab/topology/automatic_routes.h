// The routes that a topology's nodes get unless its file lists them: for each net that a node is
// not on, through the routers with the fewest hops to it.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "lab/topology/topology.h"
#include "ulnet/result.hpp"

namespace ulnet::tools::lab {

inline constexpr std::size_t kMaxRoutes = 1U << 20;  ///< the sum over all nodes

/// The number of routers on the path to a net.
class Hops {
 public:
  static constexpr std::uint32_t kNoWay = std::numeric_limits<std::uint32_t>::max();

  /// The topology must outlive this object.
  Hops(const Topology& topology, NetNumber to);
  /// Returns the hops from a net: 0 from the target net itself.
  std::uint32_t from_net(NetNumber net) const { return nets_[net]; }
  /// Returns the hops from the nearest net that the node is on; the node itself is not counted.
  std::uint32_t from_node(const Node& node) const;
  /// Returns the hops of a route through this gateway, including the gateway.
  std::uint32_t by_gateway(const Node& gateway) const;

 private:
  std::vector<std::uint32_t> nets_;
};

/// Returns the first rail of `gateway` on a net of `node`, to which `node` sends. Nothing: the
/// nodes share no net.
std::optional<std::uint32_t> gateway_rail(const Node& node, const Node& gateway);

/// Gives every node its routes, in place of those that it has. For each net that a node is not on
/// and can reach through routers, the routes use all routers on the node's nets from which the
/// fewest hops lead there, with that number of hops. Hops are the routers on the path, so a router
/// on the net itself is one hop. The gateway is the router's first rail on a net of the node. The
/// routes are in the order of nets, then of gateways. -E2BIG: more than kMaxRoutes, or more than
/// ulnetd accepts for one node.
Result<void> give_automatic_routes(Topology& topology);

}  // namespace ulnet::tools::lab

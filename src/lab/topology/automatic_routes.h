// The routes that a topology's nodes have unless its file lists them: for each net that a node is
// not on, the routers with the fewest hops on the way.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "lab/topology/topology.h"
#include "ulnet/result.hpp"

namespace ulnet::tools::lab {

inline constexpr std::size_t kMostRoutes = 1U << 20;  ///< of all nodes together

/// How many routers are on the way to a net.
class Hops {
 public:
  static constexpr std::uint32_t kNoWay = std::numeric_limits<std::uint32_t>::max();

  /// The topology must outlive it.
  Hops(const Topology& topology, NetNumber to);
  /// From a net: 0 for the net itself.
  std::uint32_t from_net(NetNumber net) const { return nets_[net]; }
  /// From any net that the node is on: its own are not counted.
  std::uint32_t from_node(const Node& node) const;
  /// Of a route by this gateway: the gateway is one of them.
  std::uint32_t by_gateway(const Node& gateway) const;

 private:
  std::vector<std::uint32_t> nets_;
};

/// The first rail of `gateway` on a net of `node`: the one to which the node sends. Nothing: they
/// share no net.
std::optional<std::uint32_t> gateway_rail(const Node& node, const Node& gateway);

/// Gives every node its routes, in place of those that it has. For each net that it is not on and
/// that can be reached through routers, these are all routers on its nets from which the fewest
/// hops lead there, with that number of hops. Hops are routers on the way, so a router that is on
/// the net itself is one. Of a router's rails the first on a net of the node is the gateway. The
/// routes are in the order of nets, then of gateways. -E2BIG: more than kMostRoutes, or than ulnetd
/// takes of one node.
Result<void> give_automatic_routes(Topology& topology);

}  // namespace ulnet::tools::lab

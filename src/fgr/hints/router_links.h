// What a job's writing puts on the links of its routers' nodes, in a torus. Source: docs/FGR.md,
// "Where a job's data go"; design document 004, section IV.A.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fgr/hints/hints.h"
#include "fgr/hints/node_map.h"

namespace ulnet::plan {

/// A place of the torus with routers of the job, and its links: two in each dimension.
struct RouterLinks {
  std::vector<std::size_t> routers;  ///< in ClientSystem::routers
  std::vector<std::uint16_t> place;  ///< its coordinates
  double share = 0;                  ///< of what the job writes, that its routers take
  /// The part of what the job writes that goes over each link, in either direction: upwards in the
  /// first dimension, downwards, upwards in the second one, and so on. What only passes through the
  /// place counts on two of them.
  std::vector<double> loads;
};

/// All nodes write equally much, and each router gets its share of it from each of them. A message
/// goes all the way in the first dimension, then in the second one, and so on; in each the shorter
/// way around, and upwards when both are as long. The routers are in the map (rank_nodes() says
/// when not), and the map is a torus. In the order of the routers. The cost grows with nodes times
/// places times hops.
std::vector<RouterLinks> links_of_routers(const ClientSystem& clients,
                                          const std::vector<RouterLoad>& loads, const NodeMap& map,
                                          const std::vector<RankedNode>& nodes);

}  // namespace ulnet::plan

// The load that a job's writing puts on the links of its routers' nodes, in a torus. Source:
// docs/FGR.md, "Where a job's data go"; design document 004, section IV.A.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fgr/hints/hints.h"
#include "fgr/hints/node_map.h"

namespace ulnet::plan {

/// A place of the torus with routers of the job, and its links: two in each dimension.
struct RouterLinks {
  std::vector<std::size_t> routers;  ///< indices in ClientSystem::routers
  std::vector<std::uint16_t> place;  ///< its coordinates
  double share = 0;                  ///< the part of the job's data that its routers take
  /// The part of the job's data that goes over each link, in either direction: upwards in the first
  /// dimension, downwards, upwards in the second one, and so on. Data that pass through the place
  /// count on two links.
  std::vector<double> loads;
};

/// Computes the load of each link if all nodes write equally much, and each router gets its share
/// from each of them. A message crosses the first dimension completely, then the second one, and so
/// on; in each dimension it takes the shorter direction, and upwards when both are equally long.
/// The map must be a torus that contains the routers (rank_nodes() reports missing ones). The
/// result is in the order of the routers. The time grows with nodes times places times hops.
std::vector<RouterLinks> links_of_routers(const ClientSystem& clients,
                                          const std::vector<RouterLoad>& loads, const NodeMap& map,
                                          const std::vector<RankedNode>& nodes);

}  // namespace ulnet::plan

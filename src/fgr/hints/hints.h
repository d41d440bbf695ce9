// The information about the place of an application's data: which groups and routers serve which
// OSTs, and which nodes are near those routers. Source: design document 004, section IV.A.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "fgr/hints/node_map.h"
#include "fgr/plan/plan.h"

namespace ulnet::plan {

struct HintQuery {
  std::size_t file_system = 0;      ///< index in Site::file_systems
  std::vector<std::uint32_t> osts;  ///< needs FileSystem::osts_per_oss
  /// host names; a query without OSTs and OSSs is about all OSTs and OSSs
  std::vector<std::string> osss;
};

struct OssHint {
  std::size_t server = 0;           ///< index in FileSystem::servers
  std::vector<std::uint32_t> osts;  ///< the requested OSTs; empty when osts_per_oss is not known
};
struct GroupHint {
  std::size_t group = 0;      ///< index in Plan::groups
  std::vector<OssHint> osss;  ///< in the order of the site
  /// The amount that the job moves through the group: the number of its OSTs, or of its OSSs when
  /// their OSTs are not known.
  double load = 0;
};

/// Returns the groups of the OSTs and OSSs in the query, in the order of the plan; or the mistake
/// in the query.
tl::expected<std::vector<GroupHint>, std::string> hints_of(const Plan& plan,
                                                           const HintQuery& query);

/// A router, by its index in ClientSystem::routers, and the part of the job's load that goes
/// through the router. The load of a group is spread evenly over its primary routers. The sum over
/// all routers is 1.
struct RouterLoad {
  std::size_t router = 0;
  double share = 0;
};
/// Returns the loads of one client system, in the order of its routers. Groups that it has no
/// routers to are left out.
std::vector<RouterLoad> loads_of(const Plan& plan, std::size_t client,
                                 const std::vector<GroupHint>& hints);

/// Returns the place of a router: that of its host name, else that of Router::physical.
std::optional<std::size_t> place_in(const NodeMap& map, const Router& router);

struct RankedNode {
  std::size_t node = 0;                     ///< index in NodeMap::names()
  double mean = 0;                          ///< hops to the routers, weighted by their shares
  std::uint32_t nearest = 0, farthest = 0;  ///< hops to one of them
};
struct Ranking {
  std::vector<RankedNode> nodes;  ///< the nearest first; equal ones in the order of the candidates
  std::size_t cut_off = 0;        ///< candidates from which some router cannot be reached
};
/// Ranks the candidates by their distance, and returns at most `count` of them; or returns the
/// routers that the map does not contain: "nid00750 (c0-0c0s5n0)".
tl::expected<Ranking, std::vector<std::string>> rank_nodes(
    const ClientSystem& clients, const std::vector<RouterLoad>& loads, const NodeMap& map,
    const std::vector<std::size_t>& candidates, std::size_t count);

/// Returns for each of these groups the candidates that have the shortest mean distance to its
/// primary routers. A candidate that is equally near to several groups goes to the first one. A
/// group without routers gets no candidates, and a group gets no candidate that cannot reach all of
/// its routers. The map must contain all routers.
std::vector<std::vector<std::size_t>> nodes_by_group(const Plan& plan, std::size_t client,
                                                     const std::vector<GroupHint>& hints,
                                                     const NodeMap& map,
                                                     const std::vector<std::size_t>& candidates);

}  // namespace ulnet::plan

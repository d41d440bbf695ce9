// What an application may know of where its data go: which groups and routers serve which OSTs, and
// which nodes are near those routers. Source: design document 004, section IV.A.
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

struct HintWish {
  std::size_t file_system = 0;      ///< in Site::file_systems
  std::vector<std::uint32_t> osts;  ///< needs FileSystem::osts_per_oss
  std::vector<std::string> osss;    ///< host names; with no OST and no OSS all are meant
};

struct OssHint {
  std::size_t server = 0;           ///< in FileSystem::servers
  std::vector<std::uint32_t> osts;  ///< those asked for; empty when osts_per_oss is not known
};
struct GroupHint {
  std::size_t group = 0;      ///< in Plan::groups
  std::vector<OssHint> osss;  ///< in the order of the site
  /// What the job moves through it: so many OSTs, or OSSs when their OSTs are not known.
  double load = 0;
};

/// The groups of those OSTs and OSSs, in the order of the plan; else what is wrong with the wish.
tl::expected<std::vector<GroupHint>, std::string> hints_of(const Plan& plan, const HintWish& wish);

/// A router, by its place in ClientSystem::routers, and the part of the job's load that goes
/// through it: a group's is spread evenly over its primary routers. The sum over all routers is 1.
struct RouterLoad {
  std::size_t router = 0;
  double share = 0;
};
/// Of one client system, in the order of its routers. Groups that it has no routers to count for
/// nothing.
std::vector<RouterLoad> loads_of(const Plan& plan, std::size_t client,
                                 const std::vector<GroupHint>& hints);

/// By its host name, else by Router::physical.
std::optional<std::size_t> place_in(const NodeMap& map, const Router& router);

struct RankedNode {
  std::size_t node = 0;                     ///< in NodeMap::names()
  double mean = 0;                          ///< hops to the routers, weighted by their shares
  std::uint32_t nearest = 0, farthest = 0;  ///< hops to one of them
};
struct Ranking {
  std::vector<RankedNode> nodes;  ///< the nearest first; equal ones in the order of the candidates
  std::size_t cut_off = 0;        ///< candidates from which some router cannot be reached
};
/// Else the routers that are not in the map: "nid00750 (c0-0c0s5n0)". At most `count` nodes.
tl::expected<Ranking, std::vector<std::string>> rank_nodes(
    const ClientSystem& clients, const std::vector<RouterLoad>& loads, const NodeMap& map,
    const std::vector<std::size_t>& candidates, std::size_t count);

/// For each of these groups the candidates that are nearest to its primary routers in the mean; of
/// equal groups the first one has them. A group without routers has none, and candidates without a
/// way to some of a group's routers are not its. All routers are in the map.
std::vector<std::vector<std::size_t>> nodes_by_group(const Plan& plan, std::size_t client,
                                                     const std::vector<GroupHint>& hints,
                                                     const NodeMap& map,
                                                     const std::vector<std::size_t>& candidates);

}  // namespace ulnet::plan

// The plan of a site: its LNet groups, each a net of its own, with the servers in it and the
// routers that lead to them. Source: design document 004, sections I.C, I.D and III.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "fgr/plan/rules.h"
#include "fgr/plan/site.h"

namespace ulnet::plan {

/// Routers of one client system for one group, by their indices in ClientSystem::routers.
struct GroupRouters {
  std::vector<std::size_t> primary;    ///< routes of hop count 1
  std::vector<std::size_t> secondary;  ///< routes of hop count 2

  const std::vector<std::size_t>& of(int hops) const { return hops == 1 ? primary : secondary; }
  bool has(int hops, std::size_t router) const {
    return std::ranges::find(of(hops), router) != of(hops).end();
  }
};
/// The hop counts that routes of a plan use.
inline constexpr int kHops[] = {1, 2};

struct Group {
  std::size_t file_system = 0;
  std::uint32_t suffix = 0;           ///< 0: MGS and MDS, or all; 2, 4, … left; 3, 5, … right
  NetId net;                          ///< FileSystem::base, and the suffix
  std::string at_switch;              ///< switch of its OSSs; empty for metadata, and when flat
  std::vector<std::size_t> servers;   ///< indices in FileSystem::servers
  std::vector<GroupRouters> routers;  ///< by client system
};

/// The fabric's information about a plan's hosts (fgr/plan/hosts_in_fabric.h).
struct SeenFabric {
  std::vector<SeenCable> cables;   ///< by host in the order of the site, then by adapter and port
  std::vector<Finding> unchecked;  ///< why some of the plan's cables are not known
};

struct Plan {
  Site site;
  std::vector<Group> groups;         ///< by file system, then by suffix
  std::optional<SeenFabric> fabric;  ///< nothing: the fabric is not known

  // Bandwidth matching, in gigabytes a second (bandwidth.cc).

  /// Returns the part of a router's rate that is for a file system to which it leads.
  double rate_of(std::size_t client, std::size_t router, std::size_t file_system) const;
  /// Returns the bandwidth of a group's primary routers.
  double carried_by(const Group& group, std::size_t client) const;
  /// Returns the bandwidth of a group's OSSs at peak, or the client system's share of it.
  double peak_of(const Group& group, std::size_t client) const;
  double surplus_of(const Group& group, std::size_t client) const {
    return carried_by(group, client) - peak_of(group, client);
  }
  /// Whether no group of the file system at the router's switch needs the router, which is for
  /// OSSs.
  bool is_spare(std::size_t client, std::size_t router, std::size_t file_system) const;
  /// Number of Group::servers, without the MGS and the MDS.
  std::size_t osss_of(const Group& group) const;
  /// Returns "home 004".
  std::string name_of(const Group& group) const;
};

/// Finding::where and Finding::subject when another owner has that net: "home, net among servers".
std::string place_of_net_among_servers(const FileSystem& system);

/// Returns the plan; or all problems that prevent a plan, at least one. The order is that of the
/// site: the same site gives the same plan.
tl::expected<Plan, std::vector<Finding>> make_plan(Site site);

}  // namespace ulnet::plan

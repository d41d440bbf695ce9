// A plan for its laboratory: the same hosts, groups and routes on nets of TCP, which is the only
// type that a laboratory has. The module parameters, checks and NIDs of the laboratory are made
// from this plan, as those of the site are made from the site's plan.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fgr/plan/plan.h"
#include "ulnet/result.hpp"

namespace ulnet::plan {

/// The longest name in a topology of ulnet-lab. Source: docs/LAB.md, "Topology files".
inline constexpr std::size_t kLongestLabName = 32;

struct LabPlan {
  /// Groups and nets among servers keep the numbers of the site's plan, except where nets of
  /// different types have the same number. Nets of clients get free numbers. Addresses are the
  /// site's. A router's NID on its clients' net is kept if it is an address; if it is a number,
  /// give_addresses() or the caller that starts the laboratory assigns an address.
  Plan plan;
  std::map<std::string, std::string> nodes;  ///< for routers and servers: the node of a host
  /// Names of nodes without their numbers, by client system. The nodes are "xe1", "xe2", …; the
  /// name is also their group.
  std::vector<std::string> clients;
  std::vector<std::string> router_groups;  ///< by client system
  std::vector<std::string> server_groups;  ///< by group of the plan
  std::vector<std::string> networks;       ///< by client system: the switch of its net
  /// The laboratory's name for each switch of the site; equal names stay equal.
  std::map<std::string, std::string> switches;
};
LabPlan lab_plan(const Plan& plan);

/// Assigns addresses to routers whose NIDs on their clients' net were numbers, and to `count`
/// clients of each system: the first ones that match the patterns of the system and are free.
/// Returns the clients' addresses by system. -ENOSPC, with a sentence for the user: a pattern
/// matches too few addresses.
Result<std::vector<std::vector<Address>>> give_addresses(LabPlan& lab, const Plan& site,
                                                         std::uint32_t clients_of_each);

}  // namespace ulnet::plan

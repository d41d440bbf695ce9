// A plan as its laboratory has it: the same hosts, groups and routes on nets of TCP, since a
// laboratory has no others. The module parameters, checks and NIDs of the laboratory come from it
// as those of the site come from the site's plan.
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
  /// Groups and nets among servers have the numbers of the site's plan, but for two that have the
  /// same on nets of several types; nets of clients have numbers that are left. Addresses are the
  /// site's, and so is a router's NID on its clients' net where that is an address; a number is no
  /// address, so give_addresses() or whoever starts the laboratory gives one.
  Plan plan;
  std::map<std::string, std::string> nodes;  ///< routers and servers: the node of a host
  /// By client system, the name without its number: nodes are "xe1", "xe2", …; also their group.
  std::vector<std::string> clients;
  std::vector<std::string> router_groups;  ///< by client system
  std::vector<std::string> server_groups;  ///< by group of the plan
  std::vector<std::string> networks;       ///< by client system: the switch of its net
  /// The same name for the same switch of the site.
  std::map<std::string, std::string> switches;
};
LabPlan lab_plan(const Plan& plan);

/// Routers whose NIDs on their clients' net were numbers, and so many clients of each system, get
/// the first addresses that match the patterns of their system and that nobody has. The clients'
/// addresses by system. -ENOSPC: a pattern matches too few, with a sentence for the user.
Result<std::vector<std::vector<Address>>> give_addresses(LabPlan& lab, const Plan& site,
                                                         std::uint32_t clients_of_each);

}  // namespace ulnet::plan

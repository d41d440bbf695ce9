// The site as a topology of ulnet-lab: the same groups, routers and routes on nets of TCP, and the
// rates of the kinds. Source: docs/LAB.md, "Topology files"; docs/FGR.md, "The plan's laboratory".
#pragma once

#include <cstdint>
#include <string>

#include "fgr/plan/plan.h"
#include "ulnet/result.hpp"

namespace ulnet::plan {

struct LabOptions {
  std::uint32_t clients_of_each = 2;  ///< nodes of each client system
  std::uint32_t scale = 0;            ///< rates are 1:scale of the site's; 0: lab_scale()
};

/// The smallest of 1, 2, 5, 10, 20, … at which all OSSs together, and each router, have at most
/// 200 MB/s: as much as one machine moves through routers of a laboratory.
std::uint32_t lab_scale(const Plan& plan);

/// YAML. Names and nets are those of lab_plan(). Routers and OSSs have the rates of their kinds, to
/// scale; a router's interfaces on the fabric share it. The switches of a file system are in a row,
/// since the plan does not know of their links, which have a rate where the site says one. Clients
/// of a system are a group, and so are its routers, and the servers of each group of the plan.
std::string lab_topology(const Plan& plan, const LabOptions& options);

/// The same whose nodes have the site's own addresses, and start from the module parameters that
/// the plan has for them. -ENOSPC as give_addresses().
Result<std::string> lab_topology_of_module_parameters(const Plan& plan, const LabOptions& options);

}  // namespace ulnet::plan

// The site as a topology of ulnet-lab: the same groups, routers and routes on nets of TCP, and the
// rates of the kinds. Source: docs/LAB.md, "Topology files"; docs/FGR.md, "The plan's laboratory".
#pragma once

#include <cstdint>
#include <string>

#include "fgr/plan/plan.h"
#include "ulnet/result.hpp"

namespace ulnet::plan {

struct LabOptions {
  std::uint32_t clients_of_each = 2;  ///< nodes per client system
  std::uint32_t scale = 0;            ///< rates are 1:scale of the site's; 0: lab_scale()
};

/// Returns the smallest of 1, 2, 5, 10, 20, … at which all OSSs together, and each router, have at
/// most 200 MB/s, which is what one machine can move through routers of a laboratory.
std::uint32_t lab_scale(const Plan& plan);

/// Returns the topology as YAML. Names and nets are those of lab_plan(). Routers and OSSs have the
/// scaled rates of their kinds; a router's interfaces on the fabric share its rate. The switches of
/// a file system are in a row, because the plan does not know the links between them; these links
/// have a rate if the site has one. The clients of a system are a group, and so are its routers,
/// and the servers of each group of the plan.
std::string lab_topology(const Plan& plan, const LabOptions& options);

/// Returns the topology whose nodes have the site's own addresses, and start with the plan's module
/// parameters. -ENOSPC as give_addresses().
Result<std::string> lab_topology_of_module_parameters(const Plan& plan, const LabOptions& options);

}  // namespace ulnet::plan

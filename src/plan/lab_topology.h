// The site as a topology of ulnet-lab: the same groups, routers and routes on nets of TCP. Source:
// docs/LAB.md, "Topology files".
#pragma once

#include <cstdint>
#include <string>

#include "plan/plan.h"

namespace ulnet::plan {

/// YAML. Each client system is one group of so many nodes; routers, servers and switches have their
/// own names, changed where a topology may not have them. Nets of groups and among servers have the
/// numbers that they have in the plan, or where several have it the next one that is free; those of
/// clients are tcp, tcp1, …, as far as no other has them. The switches of a file system are in a
/// row, since the plan does not know of their links.
std::string lab_topology(const Plan& plan, std::uint32_t clients_of_each);

}  // namespace ulnet::plan

// The site as a topology of ulnet-lab: the same groups, routers and routes on nets of TCP. Source:
// docs/LAB.md, "Topology files".
#pragma once

#include <cstdint>
#include <string>

#include "plan/plan.h"

namespace ulnet::plan {

/// YAML. Each client system is one group of so many nodes; routers, servers and switches have their
/// own names. Nets of clients are tcp, tcp1, …; a group's net has the number that it has in the
/// plan, and so has that among servers, unless clients have it. The switches of a file system are
/// in a row, since the plan does not know of their links.
std::string lab_topology(const Plan& plan, std::uint32_t clients_of_each);

}  // namespace ulnet::plan

// The topology of nodes that nobody has described: as their doors tell it. For `ulnet-lab view
// --door`, which shows daemons that run anywhere.
#pragma once

#include <vector>

#include "tools/lab/topology/topology.h"
#include "tools/lab/view/observation.h"

namespace ulnet::tools::lab {

/// Nodes with the nets and NIDs that they have, and the routes whose gateways are among them. Each
/// net has a switch of its own.
Topology seen_topology(const std::vector<ObservedNode>& nodes);

}  // namespace ulnet::tools::lab

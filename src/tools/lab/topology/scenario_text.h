// A topology as the beginning of a scenario file of ulnet-sim, so that the same laboratory runs
// in the simulator.
#pragma once

#include <string>

#include "tools/lab/topology/topology.h"

namespace ulnet::tools::lab {

/// The keys name, edge, links, switches, switch links, nodes and between, as
/// sim::read_scenario() takes them; callers append workload, faults and expect. All rails have
/// addresses (asserted). Names of nodes are those of the topology. A link between switches without
/// a rate has 1000GB/s. Parameters that the simulator does not have are left out, each with a
/// comment.
std::string scenario_text(const Topology& topology);

}  // namespace ulnet::tools::lab

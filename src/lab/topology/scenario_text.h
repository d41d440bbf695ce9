// A topology as the beginning of a scenario file of ulnet-sim, so that the same laboratory runs in
// the simulator.
#pragma once

#include <span>
#include <string>

#include "lab/topology/topology.h"

namespace ulnet::tools::lab {

/// Returns the keys name, edge, links, switches, switch links, nodes and between, as
/// sim::read_scenario() takes them; callers append workload, faults and expect. All rails must have
/// addresses (asserted). Nodes and named switches keep the topology's names. A rail with a rate or
/// a delay gets a switch of its own with the rail's name, as "client1:0", and a link joins it to
/// the rail's switch: so all users of the link share its rate in both directions. Links without a
/// rate have 1000GB/s. The simulator identifies an interface by its address: NIs that share an
/// interface get other addresses, after all given ones, and share the wire. The path between two
/// nodes has the losses of the first net that the nodes share. Parameters that the simulator does
/// not have are left out, each with a comment.
std::string scenario_text(const Topology& topology);

/// `["client1", "client2"]`, as `from` and `to` of a workload take it.
std::string scenario_names(const Topology& topology, std::span<const NodeNumber> nodes);

}  // namespace ulnet::tools::lab

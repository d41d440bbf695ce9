// A topology as the beginning of a scenario file of ulnet-sim, so that the same laboratory runs
// in the simulator.
#pragma once

#include <span>
#include <string>

#include "lab/topology/topology.h"

namespace ulnet::tools::lab {

/// The keys name, edge, links, switches, switch links, nodes and between, as
/// sim::read_scenario() takes them; callers append workload, faults and expect. All rails have
/// addresses (asserted). Names of nodes and of named switches are the topology's. A rail with a
/// rate or a delay hangs on a switch of its own with the rail's name, as "client1:0", which a link
/// joins to the rail's switch: so both directions share that rate among all who use it. Links
/// without a rate have 1000GB/s. The simulator knows an interface by its address: NIs that share
/// one get others, behind all that are given, and share the wire. Losses of a way are those of the
/// link between two nodes, on the first net that they share. Parameters that the simulator does not
/// have are left out, each with a comment.
std::string scenario_text(const Topology& topology);

/// `["client1", "client2"]`, as `from` and `to` of a workload take it.
std::string scenario_names(const Topology& topology, std::span<const NodeNumber> nodes);

}  // namespace ulnet::tools::lab

// Reads the machine's CPUs with hwloc, as the input from which CPU partitions are made. Source:
// spec/core-semantics.md 13, DESIGN.md 3.
#pragma once

#include <string>

#include "lnet/cpt/topology.h"
#include "ulnet/result.hpp"

namespace ulnet::node {

/// The CPUs that this process may run on (its affinity and its cgroup) with their cores, sockets
/// and NUMA nodes, and the distances between the nodes. A `synthetic` that is not empty describes
/// another machine in hwloc's notation, for example "pack:2 [numa] core:4 pu:2". -ENODEV: hwloc
/// fails or finds no usable CPU; -EINVAL: a bad description.
Result<cpt::Topology> cpu_topology(const std::string& synthetic = {});

}  // namespace ulnet::node

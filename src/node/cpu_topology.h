// The machine's CPUs as CPU partitions are made from them, read with hwloc. Source:
// spec/core-semantics.md 13, DESIGN.md 3.
#pragma once

#include <string>

#include "cpt/topology.h"
#include "ulnet/result.hpp"

namespace ulnet::node {

/// The CPUs that this process may run on (its affinity and its cgroup), their cores, sockets, NUMA
/// nodes and the distances between these. `synthetic`: of a machine described as hwloc does, for
/// example "pack:2 [numa] core:4 pu:2", instead. -ENODEV, or -EINVAL for a bad description.
Result<cpt::Topology> cpu_topology(const std::string& synthetic = {});

}  // namespace ulnet::node

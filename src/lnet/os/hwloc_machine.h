// Owners of what hwloc allocates (topologies and bitmaps), and how a topology is loaded. The files
// of this folder that ask hwloc about CPUs and memory use it.
#pragma once

#include <hwloc.h>

#include <memory>
#include <string>

#include "ulnet/result.hpp"

namespace ulnet::node {

struct FreeHwloc {
  void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
  void operator()(hwloc_bitmap_s* bitmap) const { hwloc_bitmap_free(bitmap); }
};
using HwlocMachine = std::unique_ptr<hwloc_topology, FreeHwloc>;
using HwlocSet = std::unique_ptr<hwloc_bitmap_s, FreeHwloc>;

/// Loads this machine, or the one that `synthetic` describes in hwloc's notation. -ENODEV: hwloc
/// does not work here; -EINVAL: a bad description.
inline Result<HwlocMachine> hwloc_machine(const std::string& synthetic = {}) {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return fail(-ENODEV, "hwloc does not start");
  HwlocMachine machine(raw);
  if (!synthetic.empty() && hwloc_topology_set_synthetic(raw, synthetic.c_str()) != 0)
    return fail(-EINVAL, "'" + synthetic + "' describes no machine");
  if (hwloc_topology_load(raw) != 0) return fail(-ENODEV, "the CPUs cannot be read (hwloc)");
  return machine;
}

}  // namespace ulnet::node

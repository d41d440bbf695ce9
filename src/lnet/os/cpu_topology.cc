#include "lnet/os/cpu_topology.h"

#include <hwloc.h>
#include <hwloc/distances.h>

#include <optional>
#include <utility>
#include <vector>

#include "lnet/os/hwloc_machine.h"

namespace ulnet::node {
namespace {

/// The CPUs that the process is bound to; all allowed CPUs when hwloc does not know.
HwlocSet allowed(hwloc_topology_t machine) {
  HwlocSet set(hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(machine)));
  const HwlocSet bound(hwloc_bitmap_alloc());
  const bool known = hwloc_topology_is_thissystem(machine) != 0 &&
                     hwloc_get_cpubind(machine, bound.get(), HWLOC_CPUBIND_PROCESS) == 0;
  if (known) hwloc_bitmap_and(set.get(), set.get(), bound.get());
  return set;
}

std::optional<std::uint32_t> above(hwloc_topology_t machine, hwloc_obj_t cpu,
                                   hwloc_obj_type_t type) {
  const hwloc_obj_t found = hwloc_get_ancestor_obj_by_type(machine, type, cpu);
  if (found == nullptr) return std::nullopt;
  return found->logical_index;
}

/// The NUMA node of a CPU: the smallest one that contains it. hwloc keeps NUMA nodes beside the
/// tree of cores, so the CPU's ancestors do not lead to it.
hwloc_obj_t node_of(hwloc_topology_t machine, std::uint32_t cpu) {
  hwloc_obj_t best = nullptr;
  for (hwloc_obj_t node = nullptr;
       (node = hwloc_get_next_obj_by_type(machine, HWLOC_OBJ_NUMANODE, node)) != nullptr;) {
    if (hwloc_bitmap_isset(node->cpuset, cpu) == 0) continue;
    if (best == nullptr || hwloc_bitmap_weight(node->cpuset) < hwloc_bitmap_weight(best->cpuset))
      best = node;
  }
  return best;
}

/// The distances between these nodes (which are the operating system's numbers), row by row; empty
/// when hwloc does not know all of them.
std::vector<std::uint32_t> distances(hwloc_topology_t machine,
                                     const std::vector<std::uint32_t>& nodes) {
  unsigned count = 1;
  hwloc_distances_s* matrix = nullptr;
  if (hwloc_distances_get_by_type(machine, HWLOC_OBJ_NUMANODE, &count, &matrix,
                                  HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0) != 0 ||
      count == 0)
    return {};
  std::vector<std::uint32_t> values;
  const auto place = [&](std::uint32_t node) -> std::optional<unsigned> {
    for (unsigned i = 0; i < matrix->nbobjs; ++i)
      if (matrix->objs[i] != nullptr && matrix->objs[i]->os_index == node) return i;
    return std::nullopt;
  };
  for (const std::uint32_t from : nodes)
    for (const std::uint32_t to : nodes)
      if (const auto i = place(from), j = place(to); i && j)
        values.push_back(static_cast<std::uint32_t>(matrix->values[*i * matrix->nbobjs + *j]));
  hwloc_distances_release(machine, matrix);
  if (values.size() != nodes.size() * nodes.size()) return {};
  return values;
}

}  // namespace

Result<cpt::Topology> cpu_topology(const std::string& synthetic) {
  const auto loaded = hwloc_machine(synthetic);
  if (!loaded) return tl::unexpected(loaded.error());
  const hwloc_topology_t machine = loaded->get();
  const HwlocSet ours = allowed(machine);
  std::vector<cpt::Cpu> cpus;
  for (hwloc_obj_t pu = nullptr;
       (pu = hwloc_get_next_obj_by_type(machine, HWLOC_OBJ_PU, pu)) != nullptr;) {
    if (hwloc_bitmap_isset(ours.get(), pu->os_index) == 0) continue;
    const hwloc_obj_t node = node_of(machine, pu->os_index);
    cpus.push_back({pu->os_index, above(machine, pu, HWLOC_OBJ_CORE).value_or(pu->logical_index),
                    above(machine, pu, HWLOC_OBJ_PACKAGE).value_or(0),
                    node == nullptr ? 0 : node->os_index});
  }
  if (cpus.empty()) return fail(-ENODEV, "hwloc finds no CPU that this process may use");
  auto topology = cpt::Topology::make(cpus);
  if (!topology) return topology;
  const std::vector<std::uint32_t> nodes(topology->nodes().begin(), topology->nodes().end());
  return cpt::Topology::make(std::move(cpus), distances(machine, nodes));
}

}  // namespace ulnet::node

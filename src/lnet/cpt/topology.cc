#include "lnet/cpt/topology.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "lnet/base/assert.h"

namespace ulnet::cpt {

Result<Topology> Topology::make(std::vector<Cpu> cpus, std::vector<std::uint32_t> distances) {
  Topology made;
  if (cpus.empty()) return fail(-EINVAL, "a machine without CPUs");
  std::sort(cpus.begin(), cpus.end(),
            [](const Cpu& a, const Cpu& b) { return a.number < b.number; });
  std::map<std::uint32_t, std::uint32_t> node_of_core;
  for (std::size_t i = 0; i < cpus.size(); ++i) {
    const Cpu& cpu = cpus[i];
    if (i > 0 && cpus[i - 1].number == cpu.number)
      return fail(-EINVAL, "CPU " + std::to_string(cpu.number) + " is there twice");
    if (node_of_core.try_emplace(cpu.core, cpu.node).first->second != cpu.node)
      return fail(-EINVAL, "core " + std::to_string(cpu.core) + " is on two NUMA nodes");
    made.nodes_.push_back(cpu.node);
  }
  std::sort(made.nodes_.begin(), made.nodes_.end());
  made.nodes_.erase(std::unique(made.nodes_.begin(), made.nodes_.end()), made.nodes_.end());
  const std::size_t nodes = made.nodes_.size();
  if (distances.empty()) {
    distances.assign(nodes * nodes, kOtherDistance);
    for (std::size_t i = 0; i < nodes; ++i) distances[i * nodes + i] = kOwnDistance;
  }
  if (distances.size() != nodes * nodes)
    return fail(-EINVAL, std::to_string(distances.size()) + " distances between " +
                             std::to_string(nodes) + " NUMA nodes");
  made.cpus_ = std::move(cpus);
  made.distances_ = std::move(distances);
  return made;
}

Topology Topology::without(const std::vector<std::uint32_t>& gone) const {
  Topology rest = *this;
  std::erase_if(rest.cpus_, [&](const Cpu& cpu) {
    return std::find(gone.begin(), gone.end(), cpu.number) != gone.end();
  });
  ULNET_ASSERT(!rest.cpus_.empty());
  std::erase_if(rest.nodes_, [&](std::uint32_t node) {
    return std::none_of(rest.cpus_.begin(), rest.cpus_.end(),
                        [&](const Cpu& cpu) { return cpu.node == node; });
  });
  rest.distances_.clear();
  for (const std::uint32_t from : rest.nodes_)
    for (const std::uint32_t to : rest.nodes_) rest.distances_.push_back(distance(from, to));
  return rest;
}

const Cpu* Topology::find(std::uint32_t number) const {
  const auto at = std::lower_bound(cpus_.begin(), cpus_.end(), number,
                                   [](const Cpu& cpu, std::uint32_t n) { return cpu.number < n; });
  return at != cpus_.end() && at->number == number ? &*at : nullptr;
}

bool Topology::has_node(std::uint32_t node) const {
  return std::binary_search(nodes_.begin(), nodes_.end(), node);
}

std::size_t Topology::place_of(std::uint32_t node) const {
  const auto at = std::lower_bound(nodes_.begin(), nodes_.end(), node);
  ULNET_ASSERT(at != nodes_.end() && *at == node);
  return static_cast<std::size_t>(at - nodes_.begin());
}

std::uint32_t Topology::distance(std::uint32_t node, std::uint32_t other) const {
  return distances_[place_of(node) * nodes_.size() + place_of(other)];
}

std::uint32_t Topology::largest_distance() const {
  return *std::max_element(distances_.begin(), distances_.end());
}

}  // namespace ulnet::cpt

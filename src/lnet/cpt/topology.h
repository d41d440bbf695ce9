// The CPUs of a machine and the NUMA distances between them, from which CPU partitions are made. A
// value: src/lnet/node reads it from hwloc, tests make their own. Source: spec/core-semantics.md
// 13, DESIGN.md 3.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ulnet/result.hpp"

namespace ulnet::cpt {

/// A CPU, that is, one hyperthread. All numbers are the operating system's.
struct Cpu {
  std::uint32_t number = 0;
  std::uint32_t core = 0;    ///< the same for the hyperthreads of a core; unique in the machine
  std::uint32_t socket = 0;  ///< unique in the machine
  std::uint32_t node = 0;    ///< NUMA node

  bool operator==(const Cpu&) const = default;
};

/// NUMA distances for a machine that does not report them: of a node to itself, and to others.
inline constexpr std::uint32_t kOwnDistance = 10, kOtherDistance = 20;

class Topology {
 public:
  /// `cpus`: the CPUs that are online and that this process may use, in any order. `distances`: the
  /// NUMA distances between the nodes of these CPUs, as a matrix row by row in the order of the
  /// nodes' numbers; empty: not known. -EINVAL: no CPU, a CPU twice, a core on two nodes, or a
  /// matrix of another size; the reason says which.
  static Result<Topology> make(std::vector<Cpu> cpus, std::vector<std::uint32_t> distances = {});

  /// The same machine without the CPUs with these numbers; at least one must be left (asserted).
  Topology without(const std::vector<std::uint32_t>& cpus) const;

  /// In ascending order of their numbers.
  std::span<const Cpu> cpus() const { return cpus_; }
  /// The CPU with this number; null if it is not online or this process may not use it.
  const Cpu* find(std::uint32_t number) const;
  /// The NUMA nodes that have CPUs, in ascending order.
  std::span<const std::uint32_t> nodes() const { return nodes_; }
  bool has_node(std::uint32_t node) const;
  /// The distance of two NUMA nodes; both must have CPUs (asserted).
  std::uint32_t distance(std::uint32_t node, std::uint32_t other) const;
  /// The largest NUMA distance in the machine.
  std::uint32_t largest_distance() const;

 private:
  std::size_t place_of(std::uint32_t node) const;

  std::vector<Cpu> cpus_;
  std::vector<std::uint32_t> nodes_;
  std::vector<std::uint32_t> distances_;
};

}  // namespace ulnet::cpt

// The CPUs of a machine and how far apart they are: what CPU partitions are made from. A value;
// src/node reads it from hwloc, tests make their own. Source: spec/core-semantics.md 13,
// DESIGN.md 3.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ulnet/result.hpp"

namespace ulnet::cpt {

/// A CPU that runs threads: one hyperthread. Numbers are the operating system's.
struct Cpu {
  std::uint32_t number = 0;
  std::uint32_t core = 0;    ///< hyperthreads of a core share it; unique in the machine
  std::uint32_t socket = 0;  ///< unique in the machine
  std::uint32_t node = 0;    ///< NUMA node

  bool operator==(const Cpu&) const = default;
};

/// What is said of NUMA distances where nobody knows them: 10 to itself, 20 to others.
inline constexpr std::uint32_t kOwnDistance = 10, kOtherDistance = 20;

class Topology {
 public:
  /// `cpus`: those online that this process may use, in any order. `distances`: between the NUMA
  /// nodes that have any of them, row by row in the order of their numbers; empty: not known.
  /// -EINVAL with the reason: no CPU, one twice, a core on two nodes, distances of another size.
  static Result<Topology> make(std::vector<Cpu> cpus, std::vector<std::uint32_t> distances = {});

  /// The same machine without these CPUs (by number); at least one is left (asserted).
  Topology without(const std::vector<std::uint32_t>& cpus) const;

  /// By number.
  std::span<const Cpu> cpus() const { return cpus_; }
  /// Null: not online, or not ours.
  const Cpu* find(std::uint32_t number) const;
  /// NUMA nodes that have CPUs, by number.
  std::span<const std::uint32_t> nodes() const { return nodes_; }
  bool has_node(std::uint32_t node) const;
  /// Between NUMA nodes that have CPUs (asserted).
  std::uint32_t distance(std::uint32_t node, std::uint32_t other) const;
  /// The largest of all.
  std::uint32_t largest_distance() const;

 private:
  std::size_t place_of(std::uint32_t node) const;

  std::vector<Cpu> cpus_;
  std::vector<std::uint32_t> nodes_;
  std::vector<std::uint32_t> distances_;
};

}  // namespace ulnet::cpt

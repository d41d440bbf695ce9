// CPU partitions (CPTs): disjoint sets of CPUs that LNet keeps its state, its threads and its
// memory in. A table covers all CPUs of the machine or some of them. A value, without threads;
// locks, binding and memory by partition are in src/node. Source: spec/core-semantics.md 13, the
// SMP node affinity design.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cpt/topology.h"
#include "ulnet/nid.hpp"

namespace ulnet::cpt {

/// A partition's number, or none in particular: the design's negative partition.
inline constexpr std::int32_t kAny = -1;

class Table {
 public:
  /// `count` empty partitions, at least 1 (asserted): to be filled by set_*().
  Table(Topology topology, std::uint32_t count);

  /// As the module parameters say: a pattern that is not empty wins; then `count` partitions; for
  /// 0 the default count. `warning`, if not null, gets a line when the count is unusual (13.1).
  static Result<Table> make(const Topology& topology, std::string_view pattern, std::uint32_t count,
                            std::string* warning = nullptr);
  /// All CPUs, evenly: hyperthreads of a core stay together, and cores of a socket and of a NUMA
  /// node as far as the number allows. -EINVAL: none, or more than there are CPUs.
  static Result<Table> by_number(const Topology& topology, std::uint32_t count);
  /// "0[0-3] 1[4-7]", "N", "N 0[0] 1[1,2]", "X[0,4]", "C[0]"; N, X and C may be combined. The
  /// error names the part at fault: -EINVAL syntax, or a CPU in two partitions; -EPERM a partition
  /// given twice; -ERANGE a partition, CPU or node that is not there; -ENODEV a partition without
  /// CPUs.
  static Result<Table> by_pattern(const Topology& topology, std::string_view pattern,
                                  std::uint32_t count = 0);

  // Filling. -ERANGE: no such partition, CPU or node; -EEXIST: the CPU is in another partition;
  // -ENOENT: it is not in this one. A set or node is added as a whole or not at all.
  Result<void> set_cpu(std::uint32_t cpt, std::uint32_t cpu);
  Result<void> unset_cpu(std::uint32_t cpt, std::uint32_t cpu);
  Result<void> set_cpus(std::uint32_t cpt, std::span<const std::uint32_t> cpus);
  Result<void> unset_cpus(std::uint32_t cpt, std::span<const std::uint32_t> cpus);
  Result<void> set_node(std::uint32_t cpt, std::uint32_t node);
  Result<void> unset_node(std::uint32_t cpt, std::uint32_t node);

  std::uint32_t count() const { return static_cast<std::uint32_t>(parts_.size()); }
  const Topology& topology() const { return topology_; }
  /// By number. kAny: all CPUs of the table.
  std::vector<std::uint32_t> cpus(std::int32_t cpt) const;
  /// NUMA nodes of its CPUs, by number. kAny: of all.
  std::vector<std::uint32_t> nodes(std::int32_t cpt) const;
  std::optional<std::uint32_t> cpt_of_cpu(std::uint32_t cpu) const;
  /// The partition that most of the node's CPUs are in (the lowest of several); none: no CPU of it
  /// is in the table.
  std::optional<std::uint32_t> cpt_of_node(std::uint32_t node) const;
  /// The partitions that have a CPU of the node, by number: where what is beside it works best.
  /// Empty: none or all of them, so that there is nothing to prefer (13.3).
  std::vector<std::uint32_t> cpts_of_node(std::uint32_t node) const;
  /// For a thread that runs on `cpu`: its partition. Outside the table: with `remap` always the
  /// same one for this CPU, else kAny.
  std::int32_t current(std::uint32_t cpu, bool remap) const;
  /// Between two partitions: the largest NUMA distance between their nodes. With kAny: the largest
  /// of all.
  std::uint32_t distance(std::int32_t a, std::int32_t b) const;
  /// One partition with every CPU of the machine: threads need no binding (13, DESIGN.md 3).
  bool no_affinity() const;
  /// Every partition has a CPU.
  bool complete() const;

  /// `cpu_partition_table`: a line per partition, "0\t: 0 1 2 3".
  std::string table_text() const;
  /// `cpu_partition_distance`: "0\t: 0:10 1:21".
  std::string distance_text() const;

 private:
  struct Part {
    std::vector<std::uint32_t> cpus;   // by number
    std::vector<std::uint32_t> nodes;  // by number
  };
  Result<void> check(std::uint32_t cpt) const;
  Result<std::vector<std::uint32_t>> cpus_of_node(std::uint32_t node) const;
  void renew_nodes(Part& part) const;

  Topology topology_;
  std::vector<Part> parts_;
};

/// The largest power of two whose square is at most the number of CPUs; 1 for up to 4 of them
/// (DESIGN.md 3).
std::uint32_t default_count(std::size_t cpus);

/// The partition of a NID among `count` (13.2): where its peer, and the messages to and from it,
/// belong.
std::uint32_t cpt_of_nid(const Nid& nid, std::uint32_t count);
/// ... of an NI that is bound to these partitions.
std::uint32_t cpt_of_nid(const Nid& nid, std::span<const std::uint32_t> bound);

}  // namespace ulnet::cpt

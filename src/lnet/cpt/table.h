// CPU partitions (CPTs): disjoint sets of CPUs; LNet keeps its state, threads and memory per
// partition. The partitions of a table together cover all CPUs of the machine, or some of them. A
// table is a value; src/lnet/node binds threads and memory to partitions. Source:
// spec/core-semantics.md 13, the SMP node affinity design.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lnet/cpt/topology.h"
#include "ulnet/nid.hpp"

namespace ulnet::cpt {

/// The partition number for "no particular partition": the design's negative partition.
inline constexpr std::int32_t kAny = -1;

class Table {
 public:
  /// A table of `count` empty partitions, at least 1 (asserted); set_*() fill them.
  Table(Topology topology, std::uint32_t count);

  /// Makes a table as the module parameters say: from `pattern`, if it is not empty; else `count`
  /// partitions, or the default count if that is 0. `warning`, if not null, gets a line if the
  /// count is unusual (13.1). Errors: those of by_number() and by_pattern().
  static Result<Table> make(const Topology& topology, std::string_view pattern, std::uint32_t count,
                            std::string* warning = nullptr);
  /// Divides all CPUs evenly into `count` partitions. Hyperthreads of a core stay together, and
  /// cores of a socket and of a NUMA node as far as the count allows. -EINVAL: 0, more than the
  /// number of CPUs, or more than limits::kMaxCpts.
  static Result<Table> by_number(const Topology& topology, std::uint32_t count);
  /// Makes a table from a pattern: "0[0-3] 1[4-7]", "N", "N 0[0] 1[1,2]", "X[0,4]", "C[0]"; N can
  /// be combined with X and C. `count`: the number of partitions, if the pattern lists none one by
  /// one; 0: the number of nodes with N, else the default count. The reason names the wrong part.
  /// -EINVAL: its syntax, or a CPU in two partitions. -EPERM: a partition is listed twice. -ERANGE:
  /// there is no such partition, CPU or node. -ENODEV: a partition has no CPU.
  static Result<Table> by_pattern(const Topology& topology, std::string_view pattern,
                                  std::uint32_t count = 0);

  // Filling. -ERANGE: no such partition, CPU or node. -EEXIST: the CPU is in another partition.
  // After an error nothing has changed.
  Result<void> set_cpu(std::uint32_t cpt, std::uint32_t cpu);
  Result<void> set_cpus(std::uint32_t cpt, std::span<const std::uint32_t> cpus);
  Result<void> set_node(std::uint32_t cpt, std::uint32_t node);

  std::uint32_t count() const { return static_cast<std::uint32_t>(parts_.size()); }
  const Topology& topology() const { return topology_; }
  /// The CPUs of a partition, in ascending order. kAny: all CPUs of the table.
  std::vector<std::uint32_t> cpus(std::int32_t cpt) const;
  /// The NUMA nodes of a partition's CPUs, in ascending order. kAny: those of all partitions.
  std::vector<std::uint32_t> nodes(std::int32_t cpt) const;
  /// The partition of the CPU; nothing if the CPU is in no partition.
  std::optional<std::uint32_t> cpt_of_cpu(std::uint32_t cpu) const;
  /// The partition that has the most of the node's CPUs, the first one of several. Nothing if the
  /// table has none of these CPUs.
  std::optional<std::uint32_t> cpt_of_node(std::uint32_t node) const;
  /// The partitions that have a CPU of the node, in ascending order: the best ones for a device at
  /// that node. Empty if no partition or every partition has one, because then no partition is
  /// better than another (13.3).
  std::vector<std::uint32_t> cpts_of_node(std::uint32_t node) const;
  /// The partition of a thread that runs on `cpu`. If that CPU is in no partition: with `remap`, a
  /// partition that is always the same for this CPU; else kAny.
  std::int32_t current(std::uint32_t cpu, bool remap) const;
  /// The distance of two partitions: the largest NUMA distance between their nodes. With kAny:
  /// the largest distance in the machine.
  std::uint32_t distance(std::int32_t a, std::int32_t b) const;
  /// True if there is one partition, with every CPU of the machine: then threads need no binding
  /// (13, DESIGN.md 3).
  bool no_affinity() const;
  /// True if every partition has a CPU.
  bool complete() const;

  /// The text of `cpu_partition_table`: a line per partition, "0\t: 0 1 2 3".
  std::string table_text() const;
  /// The text of `cpu_partition_distance`: a line per partition, "0\t: 0:10 1:21".
  std::string distance_text() const;

 private:
  struct Part {
    std::vector<std::uint32_t> cpus;   // in ascending order
    std::vector<std::uint32_t> nodes;  // in ascending order
  };
  Result<void> check(std::uint32_t cpt) const;
  Result<std::vector<std::uint32_t>> cpus_of_node(std::uint32_t node) const;
  void renew_nodes(Part& part) const;

  Topology topology_;
  std::vector<Part> parts_;
};

/// The default number of partitions on a machine with `cpus` CPUs: the largest power of two whose
/// square is at most `cpus`; 1 for up to 4 CPUs (DESIGN.md 3).
std::uint32_t default_count(std::size_t cpus);

/// The partition, one of `count`, to which a NID belongs (13.2): the state of its peer NI, and the
/// messages to and from it.
std::uint32_t cpt_of_nid(const Nid& nid, std::uint32_t count);
/// The same for a peer of an NI that is bound to the partitions `bound`: one of those.
std::uint32_t cpt_of_nid(const Nid& nid, std::span<const std::uint32_t> bound);

}  // namespace ulnet::cpt

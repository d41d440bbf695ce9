// The CPU partitions of a node: made from the machine and the module parameters when it starts,
// constant from then on. Source: spec/core-semantics.md 13.1, DESIGN.md 3.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lnet/cpt/table.h"
#include "lnet/os/cpu_binding.h"
#include "lnet/os/interfaces.h"
#include "lnet/os/memory_node.h"
#include "lnet/os/percpt_memory.h"
#include "ulnet/node.hpp"

namespace ulnet::node {

/// The machine as a node sees it; tests describe another machine.
struct MachineView {
  std::string synthetic;                               ///< the argument of cpu_topology()
  std::uint32_t (*current_cpu)() = node::current_cpu;  ///< returns the CPU of the calling thread
  std::unique_ptr<NodeMemory> (*memory)() = node_memory;
  std::string net_devices = machine::kNetDevices;
  std::optional<std::uint32_t> (*node_of_memory)(const void*) = node::node_of_memory;
};

class Partitions {
 public:
  /// Makes the partitions that the parameters cpu_pattern and cpu_npartitions request (0: the
  /// default count). The reason of an error names the part of the pattern, or the count, that does
  /// not fit the machine. -EINVAL in inline mode for more than one partition. `warning` gets a line
  /// when the count is unusual.
  static Result<Partitions> make(Mode mode, std::string_view pattern, std::uint32_t count,
                                 const MachineView& machine, std::string& warning);

  const cpt::Table& table() const { return table_; }
  const PercptMemory& memory() const { return memory_; }
  std::uint32_t count() const { return table_.count(); }
  /// The partition of the CPU that the calling thread is on. A CPU outside the table always has
  /// the same partition.
  std::uint32_t here() const {
    if (count() == 1) return 0;
    const std::uint32_t cpu = current_cpu_();
    return cpu < by_cpu_.size() ? by_cpu_[cpu]
                                : static_cast<std::uint32_t>(table_.current(cpu, true));
  }
  /// The partitions near a network device (spec/core-semantics.md 13.3).
  struct Beside {
    std::int32_t dev_cpt = cpt::kAny;  ///< the one with the most CPUs of its NUMA node
    std::vector<std::uint32_t> cpts;   ///< all that have CPUs of that node; empty: no preference
  };
  Beside beside(const std::string& device) const;
  /// The partition whose memory contains this byte: the one with the most CPUs of the page's NUMA
  /// node. kAny: not known. Makes a system call.
  std::int32_t cpt_of_memory(const void* byte) const;
  /// The distances between partitions, row by row (spec/core-semantics.md 13.4); empty if there is
  /// one partition or one NUMA node.
  const std::vector<std::uint32_t>& distances() const { return distances_; }
  /// Each partition has a thread of its own besides those of the drivers (dedicated mode).
  bool own_threads() const { return own_threads_; }

 private:
  Partitions(cpt::Table table, bool own_threads, const MachineView& machine);

  cpt::Table table_;
  PercptMemory memory_;
  bool own_threads_;
  std::uint32_t (*current_cpu_)();
  std::vector<std::uint32_t> by_cpu_;
  std::vector<std::uint32_t> distances_;
  std::string net_devices_;
  std::optional<std::uint32_t> (*node_of_memory_)(const void*);
};

}  // namespace ulnet::node

// Memory of CPU partitions: objects of a partition are allocated on its NUMA nodes, spread evenly
// if it has several. Ordinary memory is used if the machine has one node, if one partition covers
// the machine, or if the system does not let the process choose. Source: the SMP node affinity
// design, "NUMA allocators"; DESIGN.md 3.
#pragma once

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <span>
#include <vector>

#include "lnet/cpt/table.h"

namespace ulnet::node {

/// Allocates on NUMA nodes; a test describes other nodes. Any thread.
class NodeMemory {
 public:
  virtual ~NodeMemory() = default;
  /// Whole pages, on that node if the system allows it, else anywhere. Null: out of memory.
  virtual void* take(std::uint32_t node, std::size_t bytes) = 0;
  virtual void give(void* memory, std::size_t bytes) = 0;
  /// From now on new pages of the calling thread come from these nodes in turn, if the system
  /// allows it.
  virtual void spread_thread(std::span<const std::uint32_t> nodes) = 0;
};
/// This machine's, through hwloc; null: hwloc does not start.
std::unique_ptr<NodeMemory> node_memory();

/// Allocates from the nodes of one partition: each piece from the node that has given the fewest
/// bytes so far. A piece is whole pages, so this is for large objects that are made once. Any
/// thread.
class SpreadMemory final : public std::pmr::memory_resource {
 public:
  /// `nodes`: at least one. `memory` must outlive it.
  SpreadMemory(NodeMemory& memory, const std::vector<std::uint32_t>& nodes);

 private:
  struct Share {
    std::uint32_t node;
    std::size_t given = 0;
  };
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  NodeMemory& memory_;
  std::mutex lock_;
  std::vector<Share> shares_;  // guarded by lock_
};

class PercptMemory {
 public:
  /// Calls `memory` only if the partitions need it.
  explicit PercptMemory(const cpt::Table& table,
                        std::unique_ptr<NodeMemory> (*memory)() = node_memory);

  /// The memory of a partition; valid as long as this object.
  std::pmr::memory_resource& of(std::uint32_t cpt) const {
    return resources_.empty() ? *std::pmr::new_delete_resource() : *resources_[cpt];
  }
  /// Each thread of a partition calls this: memory that the thread touches first then comes from
  /// the partition's nodes too.
  void follow(std::uint32_t cpt) const;

 private:
  std::unique_ptr<NodeMemory> memory_;
  std::vector<std::vector<std::uint32_t>> nodes_;         // by partition
  std::vector<std::unique_ptr<SpreadMemory>> resources_;  // by partition; empty: ordinary memory
};

}  // namespace ulnet::node

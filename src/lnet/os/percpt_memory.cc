#include "lnet/os/percpt_memory.h"

#include <algorithm>
#include <new>
#include <utility>

#include "lnet/base/assert.h"
#include "lnet/os/hwloc_machine.h"

namespace ulnet::node {
namespace {

constexpr std::size_t kPage = 4096;  // the smallest page size of any machine

class HwlocMemory final : public NodeMemory {
 public:
  explicit HwlocMemory(HwlocMachine machine) : machine_(std::move(machine)) {}

  void* take(std::uint32_t node, std::size_t bytes) override {
    const hwloc_obj_t found = hwloc_get_numanode_obj_by_os_index(machine_.get(), node);
    if (found == nullptr) return hwloc_alloc(machine_.get(), bytes);
    return hwloc_alloc_membind(machine_.get(), bytes, found->nodeset, HWLOC_MEMBIND_BIND,
                               HWLOC_MEMBIND_BYNODESET);  // not STRICT: else from any node
  }
  void give(void* memory, std::size_t bytes) override { hwloc_free(machine_.get(), memory, bytes); }
  void spread_thread(std::span<const std::uint32_t> nodes) override {
    const HwlocSet set(hwloc_bitmap_alloc());
    for (const std::uint32_t node : nodes) hwloc_bitmap_set(set.get(), node);
    (void)hwloc_set_membind(machine_.get(), set.get(), HWLOC_MEMBIND_INTERLEAVE,
                            HWLOC_MEMBIND_THREAD | HWLOC_MEMBIND_BYNODESET);
  }

 private:
  const HwlocMachine machine_;  // only read, so threads may share it
};

}  // namespace

std::unique_ptr<NodeMemory> node_memory() {
  auto machine = hwloc_machine();
  return machine ? std::make_unique<HwlocMemory>(*std::move(machine)) : nullptr;
}

SpreadMemory::SpreadMemory(NodeMemory& memory, const std::vector<std::uint32_t>& nodes)
    : memory_(memory) {
  ULNET_ASSERT(!nodes.empty());
  for (const std::uint32_t node : nodes) shares_.push_back({node});
}

void* SpreadMemory::do_allocate(std::size_t bytes, std::size_t alignment) {
  ULNET_ASSERT(alignment <= kPage);
  const std::lock_guard hold(lock_);
  const auto least = std::min_element(shares_.begin(), shares_.end(),
                                      [](auto& a, auto& b) { return a.given < b.given; });
  void* const memory = memory_.take(least->node, bytes);
  if (memory == nullptr) throw std::bad_alloc();
  least->given += bytes;
  return memory;
}

void SpreadMemory::do_deallocate(void* memory, std::size_t bytes, std::size_t) {
  memory_.give(memory, bytes);
}

PercptMemory::PercptMemory(const cpt::Table& table, std::unique_ptr<NodeMemory> (*memory)()) {
  if (table.no_affinity() || table.topology().nodes().size() < 2) return;
  memory_ = memory();
  if (memory_ == nullptr) return;
  for (std::uint32_t cpt = 0; cpt < table.count(); ++cpt) {
    nodes_.push_back(table.nodes(static_cast<std::int32_t>(cpt)));
    resources_.push_back(std::make_unique<SpreadMemory>(*memory_, nodes_.back()));
  }
}

void PercptMemory::follow(std::uint32_t cpt) const {
  // With one node the kernel does this by itself, because the thread runs there.
  if (!nodes_.empty() && nodes_[cpt].size() > 1) memory_->spread_thread(nodes_[cpt]);
}

}  // namespace ulnet::node

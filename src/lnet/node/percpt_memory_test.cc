// Memory of CPU partitions on machines as hwloc describes them: the SMP node affinity design, "NUMA
// allocators".
#include "lnet/os/percpt_memory.h"

#include <gmock/gmock.h>

#include <map>
#include <thread>

#include "lnet/base/placed.h"
#include "lnet/node/node_fixture.h"
#include "lnet/os/cpu_topology.h"
#include "lnet/os/hwloc_machine.h"

namespace ulnet::node {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

/// Ordinary memory that records from which node each piece was requested.
class RecordingMemory final : public NodeMemory {
 public:
  void* take(std::uint32_t node, std::size_t bytes) override {
    const std::lock_guard hold(lock);
    if (full) return nullptr;
    taken[node] += bytes;
    live += bytes;
    return ::operator new (bytes, std::align_val_t{4096});
  }
  void give(void* memory, std::size_t bytes) override {
    const std::lock_guard hold(lock);
    live -= bytes;
    ::operator delete (memory, std::align_val_t{4096});
  }
  void spread_thread(std::span<const std::uint32_t> nodes) override {
    const std::lock_guard hold(lock);
    spread.push_back({nodes.begin(), nodes.end()});
  }

  std::mutex lock;
  std::map<std::uint32_t, std::size_t> taken;  // bytes, by node
  std::size_t live = 0;
  std::vector<std::vector<std::uint32_t>> spread;
  bool full = false;
};

cpt::Table table_of(const char* machine, const char* pattern) {
  return cpt::Table::by_pattern(cpu_topology(machine).value(), pattern).value();
}
std::unique_ptr<NodeMemory> nobody() {
  ADD_FAILURE() << "there is nothing to choose";
  return nullptr;
}

// 2 sockets x 4 NUMA nodes x 2 cores.
constexpr const char* kEightNodes = "pack:2 group:4 [numa] core:2 pu:1";

TEST(SpreadMemory, EveryNodeGivesAsMuchAsTheOthers) {
  RecordingMemory machine;
  SpreadMemory memory(machine, {0, 1, 2, 3});
  for (int i = 0; i < 8; ++i) memory.deallocate(memory.allocate(100), 100);
  EXPECT_THAT(machine.taken, ElementsAre(Pair(0, 200), Pair(1, 200), Pair(2, 200), Pair(3, 200)));
  EXPECT_EQ(machine.live, 0u);
}

TEST(SpreadMemory, EvenlyIsMeantInBytes) {
  RecordingMemory machine;
  SpreadMemory memory(machine, {2, 5});
  // One large, one small: if the memory took nodes in turn, all the large pieces would be on one
  // node.
  for (int i = 0; i < 10; ++i) {
    memory.deallocate(memory.allocate(10000), 10000);
    memory.deallocate(memory.allocate(100), 100);
  }
  EXPECT_LE(machine.taken[2], machine.taken[5] + 10000);
  EXPECT_LE(machine.taken[5], machine.taken[2] + 10000);
}

TEST(SpreadMemory, WithoutMemoryItThrows) {
  RecordingMemory machine;
  machine.full = true;
  SpreadMemory memory(machine, {0});
  EXPECT_THROW((void)memory.allocate(1), std::bad_alloc);
}

TEST(PercptMemory, PartitionMemoryIsOnItsNodesOnly) {
  static RecordingMemory* recording = nullptr;
  const PercptMemory memory(table_of(kEightNodes, "N 0[0,1,2] 1[3] 2[4-7]"), [] {
    auto made = std::make_unique<RecordingMemory>();
    recording = made.get();
    return std::unique_ptr<NodeMemory>(std::move(made));
  });
  const auto nodes_after_many = [&](std::uint32_t cpt) {
    recording->taken.clear();
    std::vector<Placed<std::array<char, 5000>>> objects;
    for (int i = 0; i < 12; ++i)
      objects.push_back(make_placed<std::array<char, 5000>>(memory.of(cpt)));
    std::vector<std::pair<std::uint32_t, std::size_t>> seen;
    for (const auto& [node, bytes] : recording->taken) seen.emplace_back(node, bytes / 5000);
    return seen;
  };
  EXPECT_THAT(nodes_after_many(0), ElementsAre(Pair(0, 4), Pair(1, 4), Pair(2, 4)));
  EXPECT_THAT(nodes_after_many(1), ElementsAre(Pair(3, 12)));
  EXPECT_THAT(nodes_after_many(2), ElementsAre(Pair(4, 3), Pair(5, 3), Pair(6, 3), Pair(7, 3)));
  EXPECT_EQ(recording->live, 0u);

  memory.follow(1);
  EXPECT_THAT(recording->spread, IsEmpty())
      << "the system allocates on this one node without advice";
  memory.follow(0);
  EXPECT_THAT(recording->spread, ElementsAre(ElementsAre(0, 1, 2)));
}

TEST(PercptMemory, OneNodeOrPartitionUsesOrdinaryMemory) {
  const auto* ordinary = std::pmr::new_delete_resource();
  EXPECT_EQ(&PercptMemory(table_of("core:4 pu:1", "0[0,1] 1[2,3]"), nobody).of(1), ordinary);
  const auto whole = cpt::Table::by_number(cpu_topology(kEightNodes).value(), 1).value();
  EXPECT_EQ(&PercptMemory(whole, nobody).of(0), ordinary);
  const PercptMemory without(table_of(kEightNodes, "N"), []() -> std::unique_ptr<NodeMemory> {
    return nullptr;  // hwloc does not start
  });
  EXPECT_EQ(&without.of(7), ordinary);
  without.follow(7);
}

TEST(PercptMemory, ANodesShardsAndReactorsAreOnTheNodesOfTheirPartitions) {
  static std::map<std::uint32_t, std::size_t> taken;
  static std::size_t left = 1;
  struct ReportingMemory final : NodeMemory {
    ~ReportingMemory() override {
      taken = inner.taken;
      left = inner.live;
    }
    void* take(std::uint32_t node, std::size_t bytes) override { return inner.take(node, bytes); }
    void give(void* memory, std::size_t bytes) override { inner.give(memory, bytes); }
    void spread_thread(std::span<const std::uint32_t> nodes) override {
      inner.spread_thread(nodes);
    }
    RecordingMemory inner;
  };
  NodeOptions options;
  options.params = {{"cpu_pattern", "N 0[0] 1[2]"}};
  MachineView machine{"pack:4 [numa] core:1 pu:1", [] { return 0U; }};
  machine.memory = []() -> std::unique_ptr<NodeMemory> {
    return std::make_unique<ReportingMemory>();
  };
  {
    const auto node = Node::start(options, machine);
    ASSERT_TRUE(node) << node.error().reason;
  }
  EXPECT_THAT(taken, ElementsAre(Pair(0, testing::Gt(128u << 10)), Pair(2, taken[0])))
      << "the buffers of a reactor, the reactor, the shard and its mailboxes; as much for each";
  EXPECT_EQ(left, 0u);
}

TEST(NodeMemory, PagesAreOnTheNodeThatWasAskedFor) {
  const auto memory = node_memory();
  const auto machine = hwloc_machine();
  ASSERT_TRUE(memory && machine);
  const auto* support = hwloc_topology_get_support(machine->get())->membind;
  if (support->alloc_membind == 0 || support->get_area_memlocation == 0)
    GTEST_SKIP() << "this system does not bind memory, or does not say where it is";
  constexpr std::size_t kBytes = 64 << 10;
  const HwlocSet where(hwloc_bitmap_alloc());
  for (hwloc_obj_t node = nullptr;
       (node = hwloc_get_next_obj_by_type(machine->get(), HWLOC_OBJ_NUMANODE, node)) != nullptr;) {
    auto* const bytes = static_cast<char*>(memory->take(node->os_index, kBytes));
    ASSERT_NE(bytes, nullptr);
    std::fill_n(bytes, kBytes, 'x');
    const int known = hwloc_get_area_memlocation(machine->get(), bytes, kBytes, where.get(),
                                                 HWLOC_MEMBIND_BYNODESET);
    const bool right = hwloc_bitmap_isequal(where.get(), node->nodeset) != 0;
    memory->give(bytes, kBytes);
    if (known != 0) GTEST_SKIP() << "the system does not say where pages are";
    EXPECT_TRUE(right) << "node " << node->os_index;
  }
  void* const elsewhere = memory->take(4711, kBytes);  // no such node: anywhere
  ASSERT_NE(elsewhere, nullptr);
  memory->give(elsewhere, kBytes);
}

TEST(NodeMemory, AThreadsPagesAreSpread) {
  const auto machine = hwloc_machine();
  const auto memory = node_memory();
  ASSERT_TRUE(memory && machine);
  if (hwloc_topology_get_support(machine->get())->membind->set_thisthread_membind == 0)
    GTEST_SKIP() << "this system does not bind the memory of threads";
  const hwloc_obj_t first = hwloc_get_next_obj_by_type(machine->get(), HWLOC_OBJ_NUMANODE, nullptr);
  const std::vector<std::uint32_t> nodes = {first->os_index};
  std::thread([&] {
    memory->spread_thread(nodes);
    const HwlocSet now(hwloc_bitmap_alloc());
    hwloc_membind_policy_t policy{};
    if (hwloc_get_membind(machine->get(), now.get(), &policy,
                          HWLOC_MEMBIND_THREAD | HWLOC_MEMBIND_BYNODESET) != 0)
      GTEST_SKIP() << "the system does not say how it is";
    EXPECT_EQ(policy, HWLOC_MEMBIND_INTERLEAVE);
    EXPECT_NE(hwloc_bitmap_isset(now.get(), nodes[0]), 0);
  }).join();
}

}  // namespace
}  // namespace ulnet::node

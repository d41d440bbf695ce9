// CPU partitions: spec/core-semantics.md 13, the SMP node affinity design.
#include "lnet/cpt/table.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "lnet/base/limits.h"

namespace ulnet::cpt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// CPUs numbered as Linux does: first hyperthreads of all cores first, then the second ones.
Topology machine(std::uint32_t sockets, std::uint32_t nodes, std::uint32_t cores,
                 std::uint32_t threads) {
  std::vector<Cpu> cpus;
  for (std::uint32_t t = 0; t < threads; ++t)
    for (std::uint32_t core = 0; core < sockets * nodes * cores; ++core)
      cpus.push_back(
          {t * sockets * nodes * cores + core, core, core / (nodes * cores), core / cores});
  return Topology::make(std::move(cpus)).value();
}
Topology flat(std::uint32_t cpus) { return machine(1, 1, cpus, 1); }

std::string shown(const Result<Table>& table) {
  if (!table) return std::to_string(table.error().code);
  std::string text;
  for (std::int32_t cpt = 0; cpt < static_cast<std::int32_t>(table->count()); ++cpt) {
    text += cpt == 0 ? "" : " |";
    for (const std::uint32_t cpu : table->cpus(cpt))
      text += (text.empty() ? "" : " ") + std::to_string(cpu);
  }
  return text;
}

TEST(CptTable, StartsEmptyAndIsFilledCpuByCpu) {
  Table table(machine(2, 1, 2, 1), 2);
  EXPECT_FALSE(table.complete());
  ASSERT_TRUE(table.set_cpu(0, 1));
  ASSERT_TRUE(table.set_node(1, 1));
  EXPECT_EQ(shown(table), "1 | 2 3");
  EXPECT_TRUE(table.complete());
  EXPECT_EQ(table.set_cpu(0, 2).error().code, -EEXIST);
  EXPECT_EQ(table.set_cpu(0, 9).error().code, -ERANGE);
  EXPECT_EQ(table.set_cpu(2, 0).error().code, -ERANGE);
  EXPECT_EQ(table.set_node(0, 7).error().code, -ERANGE);
  const std::vector<std::uint32_t> both{0, 2};
  EXPECT_EQ(table.set_cpus(0, both).error().code, -EEXIST);
  EXPECT_EQ(shown(table), "1 | 2 3") << "as a whole or not at all";
  EXPECT_THAT(table.nodes(0), ElementsAre(0));
  EXPECT_THAT(table.nodes(1), ElementsAre(1));
  EXPECT_THAT(table.cpus(kAny), ElementsAre(1, 2, 3));
}

TEST(CptTable, AThreadOutsideTheTableIsAnyOrAlwaysTheSame) {
  const Table table = Table::by_pattern(flat(8), "0[0-1] 1[4-5]").value();
  EXPECT_EQ(table.current(5, false), 1);
  EXPECT_EQ(table.current(5, true), 1);
  EXPECT_EQ(table.current(7, false), kAny);
  EXPECT_EQ(table.current(7, true), 1);
  EXPECT_EQ(table.current(2, true), 0);
  EXPECT_FALSE(table.no_affinity());
  EXPECT_FALSE(Table::by_number(flat(8), 2).value().no_affinity());
  EXPECT_TRUE(Table::by_number(flat(8), 1).value().no_affinity());
  EXPECT_FALSE(Table::by_pattern(flat(8), "0[0-6]").value().no_affinity());
}

TEST(CptTable, TheDefaultCountIsAPowerOfTwoWhoseSquareFits) {  // spec/core-semantics.md 13.1
  const std::pair<std::size_t, std::uint32_t> rows[] = {
      {1, 1},  {2, 1},  {4, 1},  {5, 2},   {8, 2},   {15, 2},   {16, 4},
      {32, 4}, {63, 4}, {64, 8}, {128, 8}, {255, 8}, {256, 16}, {1024, 32}};
  for (const auto& [cpus, count] : rows) EXPECT_EQ(default_count(cpus), count) << cpus;
}

struct Case {
  Topology topology;
  std::string pattern;
  std::uint32_t count;
  std::string partitions;  ///< "0 1 | 2 3", or the error
};

// At least 20 machines, each with a way to divide it into partitions.
TEST(CptTable, MachinesArePartitionedByTopology) {  // spec/core-semantics.md 13.1
  const Case cases[] = {
      // by number: hyperthreads of a core, then cores of a socket, stay together
      {flat(1), "", 0, "0"},
      {flat(4), "", 0, "0 1 2 3"},
      {flat(5), "", 0, "0 1 | 2 3 4"},
      {flat(8), "", 0, "0 1 2 3 | 4 5 6 7"},
      {flat(8), "", 3, "0 1 | 2 3 4 | 5 6 7"},
      {flat(8), "", 8, "0 | 1 | 2 | 3 | 4 | 5 | 6 | 7"},
      {flat(8), "", 9, "-22"},
      {machine(1, 1, 4, 2), "", 2, "0 1 4 5 | 2 3 6 7"},
      {machine(1, 1, 4, 2), "", 4, "0 4 | 1 5 | 2 6 | 3 7"},
      {machine(1, 1, 4, 2), "", 8, "0 | 4 | 1 | 5 | 2 | 6 | 3 | 7"},
      {machine(2, 1, 2, 2), "", 2, "0 1 4 5 | 2 3 6 7"},
      {machine(2, 1, 3, 1), "", 2, "0 1 2 | 3 4 5"},
      {machine(2, 1, 3, 1), "", 3, "0 1 | 2 3 | 4 5"},
      {machine(2, 2, 2, 1), "", 4, "0 1 | 2 3 | 4 5 | 6 7"},
      {machine(4, 1, 1, 2), "", 2, "0 1 4 5 | 2 3 6 7"},
      // a hybrid: two cores with two threads, two with one
      {Topology::make(
           {{0, 0, 0, 0}, {1, 0, 0, 0}, {2, 1, 0, 0}, {3, 1, 0, 0}, {4, 2, 0, 0}, {5, 3, 0, 0}})
           .value(),
       "", 2, "0 1 2 3 | 4 5"},
      // cores numbered alternately on the two nodes; holes in the numbers
      {Topology::make({{0, 0, 0, 0}, {2, 1, 0, 0}, {1, 2, 1, 1}, {3, 3, 1, 1}}).value(), "", 2,
       "0 2 | 1 3"},
      {Topology::make({{3, 0, 0, 0}, {17, 1, 0, 0}}).value(), "", 2, "3 | 17"},
      // NUMA nodes
      {machine(2, 1, 2, 1), "N", 0, "0 1 | 2 3"},
      {machine(2, 2, 1, 1), "N", 0, "0 | 1 | 2 | 3"},
      {flat(3), "N", 0, "0 1 2"},
      {machine(2, 2, 2, 1), "N", 2, "0 1 2 3 | 4 5 6 7"},
      {machine(2, 2, 1, 1), "N 0[0-1] 1[2,3]", 0, "0 1 | 2 3"},
      {machine(2, 2, 1, 1), "N 1[0] 0[3]", 7, "3 | 0"},
      // CPU by CPU; a pattern overrides a count, and may leave CPUs out
      {flat(8), "0[0-3] 1[4-7]", 0, "0 1 2 3 | 4 5 6 7"},
      {flat(8), " 0[0,4]1[1,5] 2[2,6]\t3[3,7] ", 2, "0 4 | 1 5 | 2 6 | 3 7"},
      {flat(8), "1[0-6/3] 0[7]", 0, "7 | 0 3 6"},
      // excluded
      {flat(8), "X[0,4]", 0, "1 2 3 | 5 6 7"},
      {flat(8), "X[0]", 1, "1 2 3 4 5 6 7"},
      {machine(2, 1, 3, 1), "N X[5]", 0, "0 1 2 | 3 4"},
      {machine(2, 1, 3, 2), "N C[0]", 0, "1 2 7 8 | 4 5 10 11"},
      {machine(2, 1, 3, 1), "C[0] X[5]", 2, "1 | 2 4"},
      {machine(2, 1, 1, 1), "N X[0]", 0, "1"},
      // unusual ones: four threads per core, three nodes, sockets of five, two sockets on one node
      {machine(1, 1, 2, 4), "", 0, "0 2 4 6 | 1 3 5 7"},
      {machine(1, 3, 1, 2), "", 2, "0 3 | 1 2 4 5"},
      {machine(3, 1, 2, 1), "N", 0, "0 1 | 2 3 | 4 5"},
      {machine(2, 1, 5, 1), "", 0, "0 1 2 3 4 | 5 6 7 8 9"},
      {machine(2, 1, 5, 1), "", 4, "0 1 | 2 3 4 | 5 6 | 7 8 9"},
      {Topology::make({{0, 0, 0, 0}, {1, 1, 0, 0}, {2, 2, 1, 0}, {3, 3, 1, 0}, {4, 4, 1, 0}})
           .value(),
       "N", 0, "0 1 2 3 4"},
      // the only CPU that this process may use is not the first one
      {Topology::make({{7, 3, 1, 1}}).value(), "", 0, "7"},
      {Topology::make({{7, 3, 1, 1}}).value(), "N", 0, "7"},
      {Topology::make({{7, 3, 1, 1}}).value(), "0[0]", 0, "-34"},
      // every other hyperthread offline
      {Topology::make({{0, 0, 0, 0}, {2, 1, 0, 0}, {4, 2, 1, 1}, {6, 3, 1, 1}, {8, 4, 2, 2}})
           .value(),
       "", 0, "0 2 | 4 6 8"},
      // nodes 0 and 8; those between have memory only, or nothing
      {Topology::make({{0, 0, 0, 0}, {1, 0, 0, 0}, {64, 1, 1, 8}, {65, 1, 1, 8}}).value(), "N", 0,
       "0 1 | 64 65"},
      {Topology::make({{0, 0, 0, 0}, {1, 0, 0, 0}, {64, 1, 1, 8}, {65, 1, 1, 8}}).value(),
       "N 0[8] 1[0]", 0, "64 65 | 0 1"},
      {Topology::make({{0, 0, 0, 0}, {1, 0, 0, 0}, {64, 1, 1, 8}, {65, 1, 1, 8}}).value(),
       "N 0[0] 1[4]", 0, "-34"},
      // a lopsided machine: one CPU on the first node, four on the second
      {Topology::make({{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 1, 1}, {3, 3, 1, 1}, {4, 4, 1, 1}})
           .value(),
       "N", 0, "0 | 1 2 3 4"},
      {Topology::make({{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 1, 1}, {3, 3, 1, 1}, {4, 4, 1, 1}})
           .value(),
       "", 2, "0 1 | 2 3 4"},
  };
  std::set<std::string> machines;
  for (const Case& c : cases) {
    EXPECT_EQ(shown(Table::make(c.topology, c.pattern, c.count)), c.partitions)
        << c.pattern << " " << c.count;
    std::string cpus;
    for (const Cpu& cpu : c.topology.cpus())
      cpus += fmt::format("{} {} {} {},", cpu.number, cpu.core, cpu.socket, cpu.node);
    machines.insert(cpus);
  }
  EXPECT_GE(machines.size(), 20U);
}

TEST(CptTable, TwoSocketsOfFourNodesOfSixteenCoresOfTwoThreads) {  // spec/core-semantics.md 13.1
  const Topology big = machine(2, 4, 16, 2);
  // 256 CPUs: 16 partitions, each with both threads of half a node's cores
  const Table usual = Table::make(big, "", 0).value();
  ASSERT_EQ(usual.count(), 16U);
  for (std::uint32_t cpt = 0; cpt < 16; ++cpt) {
    std::vector<std::uint32_t> cpus;
    for (const std::uint32_t thread : {0U, 128U})
      for (std::uint32_t core = 0; core < 8; ++core) cpus.push_back(thread + cpt * 8 + core);
    EXPECT_EQ(usual.cpus(static_cast<std::int32_t>(cpt)), cpus);
    EXPECT_THAT(usual.nodes(static_cast<std::int32_t>(cpt)), ElementsAre(cpt / 2));
  }
  EXPECT_EQ(Table::make(big, "N", 0).value().count(), 8U);
  EXPECT_EQ(Table::make(big, "N 0[0-3] 1[4-7]", 0).value().cpus(1).size(), 128U);
  // without each node's first core, which other programs use
  EXPECT_EQ(Table::make(big, "N C[0]", 0).value().cpus(kAny).size(), 240U);
  EXPECT_EQ(Table::make(big, "", 3).value().cpus(0).size(), 84U);
}

TEST(CptTable, APatternThatIsWrongNamesThePartAtFault) {  // spec/core-semantics.md 13.1
  const Topology eight = machine(2, 1, 4, 1);
  const std::tuple<const char*, int, const char*> rows[] = {
      {"0[0-3", -EINVAL, "'0[0-3'"},
      {"0", -EINVAL, "'0'"},
      {"0[] 1[2]", -EINVAL, "'0[]'"},
      {"0[3-1]", -EINVAL, "backwards"},
      {"0[a]", -EINVAL, "'0[a]'"},
      {"Z[0]", -EINVAL, "'Z[0]'"},
      {"[0]", -EINVAL, "'[0]'"},
      {"0[0] N", -EINVAL, "N comes first"},
      {"N N", -EINVAL, "N comes first"},
      {"X[0] 0[1]", -EINVAL, "'X[0]'"},
      {"0[0-3] 1[3-7]", -EINVAL, "CPU 3 is in partition 0 already"},
      {"0[0-3] 0[4-7]", -EPERM, "partition 0 is given twice"},
      {"0[0-3] 2[4-7]", -ERANGE, "'2[4-7]'"},
      {"0[0-3] 1[4-8]", -ERANGE, "CPU 8"},
      {"N 0[0] 1[2]", -ERANGE, "node 2"},
      {"0[0-4000000000]", -ERANGE, "'0[0-4000000000]'"},
      {"X[9]", -ERANGE, "there is no CPU 9"},
      {"C[4]", -ERANGE, "there is no core 4"},
      {"X[0-7]", -ENODEV, "no CPU is left"},
  };
  for (const auto& [pattern, code, words] : rows) {
    const auto table = Table::make(eight, pattern, 0);
    ASSERT_FALSE(table) << pattern;
    EXPECT_EQ(table.error().code, code) << pattern << ": " << table.error().reason;
    EXPECT_THAT(table.error().reason, HasSubstr(words));
  }
}

TEST(CptTable, ManyPartitionsAreWorthAWarning) {
  std::string warning;
  ASSERT_TRUE(Table::make(flat(16), "", 16, &warning));
  EXPECT_EQ(warning, "");
  ASSERT_TRUE(Table::make(flat(8), "", 8, &warning));
  EXPECT_EQ(warning, "");
  ASSERT_TRUE(Table::make(flat(15), "", 9, &warning));
  EXPECT_THAT(warning, HasSubstr("9 CPU partitions on 15 CPUs are many: 2 would be usual"));
}

TEST(CptTable, DistanceIsTheLargestBetweenTheirNodes) {  // spec/core-semantics.md 13.4, 16
  std::vector<Cpu> cpus;
  for (std::uint32_t i = 0; i < 4; ++i) cpus.push_back({i, i, i / 2, i});
  const Topology four = Topology::make(cpus, {10, 12, 21, 31,  //
                                              12, 10, 22, 32,  //
                                              21, 22, 10, 12,  //
                                              31, 32, 12, 10})
                            .value();
  const Table table = Table::by_pattern(four, "0[0-1] 1[2] 2[3]").value();
  EXPECT_EQ(table.distance(0, 0), 12U) << "two nodes of one partition";
  EXPECT_EQ(table.distance(0, 1), 22U);
  EXPECT_EQ(table.distance(1, 2), 12U);
  EXPECT_EQ(table.distance(1, 1), 10U);
  EXPECT_EQ(table.distance(kAny, 1), 32U);
  EXPECT_EQ(table.distance(1, kAny), 32U);
  EXPECT_EQ(table.cpt_of_node(3), 2U);
  EXPECT_EQ(table.cpt_of_node(1), 0U);
  EXPECT_EQ(table.cpt_of_node(7), std::nullopt);
  EXPECT_EQ(table.table_text(), "0\t: 0 1\n1\t: 2\n2\t: 3\n");
  EXPECT_EQ(table.distance_text(),
            "0\t: 0:12 1:22 2:32\n1\t: 0:22 1:10 2:12\n2\t: 0:32 1:12 2:10\n");
  EXPECT_EQ(Table::by_pattern(four, "0[0]").value().cpt_of_node(2), std::nullopt);
}

TEST(CptTable, ANodeBelongsToThePartitionWithMostOfIt) {  // spec/core-semantics.md 13.4
  const Table table = Table::by_pattern(flat(5), "0[0] 1[1-2] 2[3-4]").value();
  EXPECT_EQ(table.cpt_of_node(0), 1U);
}

// spec/core-semantics.md 13.3
TEST(CptTable, ANodesPartitionsAreThoseWithACpuOfIt) {
  const Topology four = Topology::make({{0, 0, 0, 0}, {1, 1, 0, 0}, {2, 2, 1, 1}, {3, 3, 1, 2}})
                            .value();  // CPUs 0 and 1 on node 0
  const auto cpts = [&](const char* pattern, std::uint32_t node) {
    return Table::by_pattern(four, pattern).value().cpts_of_node(node);
  };
  using List = std::vector<std::uint32_t>;
  EXPECT_EQ(cpts("0[0,2] 1[1] 2[3]", 0), (List{0, 1}));
  EXPECT_EQ(cpts("0[0,2] 1[1] 2[3]", 1), (List{0}));
  EXPECT_EQ(cpts("0[0,2] 1[1] 2[3]", 2), (List{2}));
  EXPECT_EQ(cpts("0[0,2] 1[1]", 2), List{}) << "none";
  EXPECT_EQ(cpts("0[0,2] 1[1,3]", 0), List{}) << "all";
  EXPECT_EQ(cpts("0[0,2] 1[1]", 7), List{}) << "no such node";
}

TEST(CptTable, ImpossibleMachinesAreRefused) {
  EXPECT_EQ(Topology::make({}).error().code, -EINVAL);
  EXPECT_EQ(Topology::make({{0, 0, 0, 0}, {0, 1, 0, 0}}).error().code, -EINVAL);
  EXPECT_EQ(Topology::make({{0, 0, 0, 0}, {1, 0, 0, 1}}).error().code, -EINVAL);
  EXPECT_EQ(Topology::make({{0, 0, 0, 0}}, {10, 20}).error().code, -EINVAL);
}

TEST(CptOfNid, SmallNidsAreTheSumOfTheirBytes) {  // spec/core-semantics.md 13.2
  const NetId tcp{NetType::kTcp, 0};
  EXPECT_EQ(cpt_of_nid(Nid::small(tcp, 0x0a000001), 1), 0U);
  EXPECT_EQ(cpt_of_nid(Nid::small(tcp, 0x0a000001), 4), (2 + 10 + 1) % 4U);
  EXPECT_EQ(cpt_of_nid(Nid::small(tcp, 0x0a000002), 4), (2 + 10 + 2) % 4U);
  EXPECT_EQ(cpt_of_nid(Nid::small({NetType::kTcp, 0x0102}, 0xc0a8010a), 7),
            (2 + 1 + 2 + 0xc0 + 0xa8 + 1 + 0x0a) % 7U);
  const std::vector<std::uint32_t> bound{5, 9};
  EXPECT_EQ(cpt_of_nid(Nid::small(tcp, 0x0a000001), bound), bound[(2 + 10 + 1) % 2]);
}

TEST(CptOfNid, LargeOnesSpread) {  // spec/core-semantics.md 13.2
  std::vector<unsigned> hits(8);
  for (std::uint8_t i = 0; i < 200; ++i) {
    std::array<std::uint8_t, 16> address{0x20, 1, 0xd, 0xb8};
    address[15] = i;
    ++hits[cpt_of_nid(Nid::large({NetType::kTcp, 0}, address), 8)];
  }
  for (const unsigned n : hits) EXPECT_GT(n, 10U);
}

RC_GTEST_PROP(CptTableProperty, PartsAreDisjointCoverAllAndDifferByOneCore, ()) {
  const auto sockets = *rc::gen::inRange<std::uint32_t>(1, 4);
  const auto nodes = *rc::gen::inRange<std::uint32_t>(1, 4);
  const auto cores = *rc::gen::inRange<std::uint32_t>(1, 9);
  const auto threads = *rc::gen::inRange<std::uint32_t>(1, 3);
  const Topology topology = machine(sockets, nodes, cores, threads);
  const auto all = static_cast<std::uint32_t>(topology.cpus().size());
  const auto count = *rc::gen::inRange<std::uint32_t>(1, std::min(all, limits::kMaxCpts) + 1);
  const Table table = Table::by_number(topology, count).value();
  std::set<std::uint32_t> seen;
  std::size_t least = all, most = 0;
  for (std::int32_t cpt = 0; cpt < static_cast<std::int32_t>(count); ++cpt) {
    const auto cpus = table.cpus(cpt);
    for (const std::uint32_t cpu : cpus) {
      RC_ASSERT(seen.insert(cpu).second);
      RC_ASSERT(table.cpt_of_cpu(cpu) == static_cast<std::uint32_t>(cpt));
    }
    least = std::min(least, cpus.size());
    most = std::max(most, cpus.size());
  }
  RC_ASSERT(seen.size() == all);
  RC_ASSERT(least > 0U);
  RC_ASSERT(most - least <= threads);
}

}  // namespace
}  // namespace ulnet::cpt

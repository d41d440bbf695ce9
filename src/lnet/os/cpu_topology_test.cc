// Machines as hwloc describes them: spec/core-semantics.md 13.1, 13.4.
#include "lnet/os/cpu_topology.h"

#include <gmock/gmock.h>
#include <sched.h>

#include "lnet/cpt/table.h"

namespace ulnet::node {
namespace {

std::string partitions(const std::string& machine, const std::string& pattern,
                       std::uint32_t count = 0) {
  const auto topology = cpu_topology(machine);
  if (!topology) return topology.error().reason;
  const auto table = cpt::Table::make(*topology, pattern, count);
  return table ? table->table_text() : table.error().reason;
}

TEST(CpuTopology, ThisMachinesCpusAreThoseThatWeMayUse) {
  const auto topology = cpu_topology();
  ASSERT_TRUE(topology) << topology.error().reason;
  cpu_set_t set;
  CPU_ZERO(&set);
  ASSERT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
  EXPECT_EQ(topology->cpus().size(), static_cast<std::size_t>(CPU_COUNT(&set)));
  for (const cpt::Cpu& cpu : topology->cpus()) EXPECT_TRUE(CPU_ISSET(cpu.number, &set));
}

TEST(CpuTopology, ABigMachineIsPartitionedByItsTopology) {
  // 2 sockets x 4 NUMA nodes x 16 cores x 2 threads: 256 CPUs, hyperthreads side by side.
  const std::string big = "pack:2 group:4 [numa] core:16 pu:2";
  const auto topology = cpu_topology(big);
  ASSERT_TRUE(topology) << topology.error().reason;
  ASSERT_EQ(topology->cpus().size(), 256U);
  EXPECT_EQ(topology->nodes().size(), 8U);
  EXPECT_EQ(topology->find(1)->core, topology->find(0)->core);
  EXPECT_NE(topology->find(2)->core, topology->find(0)->core);
  EXPECT_NE(topology->find(128)->socket, topology->find(127)->socket);
  const auto table = cpt::Table::make(*topology, "", 0);
  ASSERT_EQ(table->count(), 16U);
  EXPECT_EQ(table->cpus(0).front(), 0U);
  EXPECT_EQ(table->cpus(0).back(), 15U);
  EXPECT_EQ(cpt::Table::make(*topology, "N", 0)->count(), 8U);
  EXPECT_EQ(cpt::Table::make(*topology, "N", 0)->cpus(1).front(), 32U);
}

TEST(CpuTopology, OddMachines) {  // spec/core-semantics.md 13.1
  EXPECT_EQ(partitions("pu:1", ""), "0\t: 0\n");
  EXPECT_EQ(partitions("pu:1", "N"), "0\t: 0\n");
  EXPECT_EQ(partitions("pu:1(indexes=5)", ""), "0\t: 5\n");
  EXPECT_EQ(partitions("core:2 pu:4", ""), "0\t: 0 1 2 3\n1\t: 4 5 6 7\n");
  EXPECT_EQ(partitions("pack:2 core:5 pu:1", "", 2), "0\t: 0 1 2 3 4\n1\t: 5 6 7 8 9\n");
  // gaps in the numbers
  EXPECT_EQ(partitions("core:4 pu:1(indexes=0,2,8,10)", "", 2), "0\t: 0 2\n1\t: 8 10\n");
  EXPECT_THAT(partitions("core:4 pu:1(indexes=0,2,8,10)", "0[0-2]"),
              testing::HasSubstr("'0[0-2]': CPU 1 is not online"));
  // two nodes that contain the same CPUs, as on machines with a node of faster memory
  EXPECT_EQ(partitions("pack:2 [numa] [numa] core:2 pu:1", "N"), "0\t: 0 1\n1\t: 2 3\n");
  // one node for both sockets
  EXPECT_EQ(partitions("[numa] pack:2 core:2 pu:1", "N"), "0\t: 0 1 2 3\n");
  EXPECT_EQ(partitions("[numa] pack:2 core:2 pu:1", "", 2), "0\t: 0 1\n1\t: 2 3\n");
  EXPECT_EQ(partitions("core:3 pu:2", "", 3), "0\t: 0 1\n1\t: 2 3\n2\t: 4 5\n");
  EXPECT_EQ(partitions("pack:3 [numa] core:1 pu:1", "N"), "0\t: 0\n1\t: 1\n2\t: 2\n");
  EXPECT_EQ(partitions("pack:2 [numa] core:3 pu:1", "", 2), "0\t: 0 1 2\n1\t: 3 4 5\n");
  // CPUs numbered in turn: the even ones are on the first socket
  EXPECT_EQ(partitions("pack:2 [numa(indexes=0,1)] core:2 pu:1(indexes=0,2,1,3)", "N"),
            "0\t: 0 2\n1\t: 1 3\n");
  EXPECT_THAT(partitions("nonsense", ""), testing::HasSubstr("describes no machine"));
}

}  // namespace
}  // namespace ulnet::node

#include "lnet/os/cpu_binding.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <thread>

#include "lnet/os/cpu_topology.h"

namespace ulnet::node {
namespace {

std::vector<std::uint32_t> allowed() {
  cpu_set_t set;
  CPU_ZERO(&set);
  EXPECT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
  std::vector<std::uint32_t> cpus;
  for (std::uint32_t cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  return cpus;
}

template <class Body>
void in_a_thread(Body body) {
  std::thread(body).join();
}

TEST(CpuBinding, AThreadStaysOnItsPartition) {
  const cpt::Topology topology = cpu_topology().value();
  const auto parts = static_cast<std::uint32_t>(topology.cpus().size());
  if (parts < 2) GTEST_SKIP() << "one CPU: nothing to choose";
  const cpt::Table table = cpt::Table::by_number(topology, parts).value();
  in_a_thread([&] {
    for (std::int32_t cpt = 0; cpt < static_cast<std::int32_t>(parts); ++cpt) {
      ASSERT_TRUE(bind_thread(table, cpt));
      EXPECT_EQ(allowed(), table.cpus(cpt));
      EXPECT_EQ(table.current(current_cpu(), false), cpt);
    }
    ASSERT_TRUE(bind_thread(table, cpt::kAny));
    EXPECT_EQ(allowed(), table.cpus(cpt::kAny));
  });
}

TEST(CpuBinding, OnePartitionBindsNoThread) {
  const cpt::Topology topology = cpu_topology().value();
  const cpt::Table table = cpt::Table::by_number(topology, 1).value();
  in_a_thread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(topology.cpus().front().number, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    ASSERT_TRUE(bind_thread(table, 0));
    EXPECT_EQ(allowed().size(), 1U);
  });
}

TEST(CpuBinding, RefusalsOfTheSystemAreReported) {
  const cpt::Table elsewhere =
      cpt::Table::by_pattern(cpt::Topology::make({{5000, 0, 0, 0}, {5001, 1, 0, 0}}).value(),
                             "0[5000] 1[5001]")
          .value();
  in_a_thread([&] {
    const auto before = allowed();
    const auto bound = bind_thread(elsewhere, 1);
    ASSERT_FALSE(bound);
    EXPECT_LT(bound.error().code, 0);
    EXPECT_NE(bound.error().reason.find("partition 1"), std::string::npos);
    EXPECT_EQ(allowed(), before);
  });
}

}  // namespace
}  // namespace ulnet::node

#include "lnet/os/machine_memory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "lnet/base/temp_folder_fixture.h"

namespace ulnet::node {
namespace {

class MachineMemory : public testing::Test {
 protected:
  void write(const std::string& file, const std::string& text) {
    const std::filesystem::path path = folder_ + "/" + file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }

  const TempFolder temp_;
  const std::string folder_ = temp_.path();
  MemorySources from_{folder_ + "/proc", folder_ + "/cgroup", false};
};

TEST_F(MachineMemory, IsTheMachinesWithoutAGroupLimit) {
  write("proc/meminfo", "Bogus\nMemTotal:       2048 kB\nMemFree:  5 kB\n");
  write("proc/self/cgroup", "0::/\n");
  write("cgroup/memory.max", "max\n");
  EXPECT_EQ(machine_memory(from_), 2048U * 1024);
  EXPECT_EQ(memory_budget_bytes(0, from_), 512U * 1024);
  EXPECT_EQ(memory_budget_bytes(3, from_), 3U << 20);
}

TEST_F(MachineMemory, IsTheLeastThatTheGroupsAllow) {
  write("proc/meminfo", "MemTotal: 2048 kB\n");
  write("proc/self/cgroup", "0::/outer/inner\n");
  write("cgroup/outer/memory.max", "1000\n");
  write("cgroup/outer/inner/memory.max", "1500\n");
  EXPECT_EQ(machine_memory(from_), 1000U);
}

TEST_F(MachineMemory, IsTheLimitOfAGroupOfVersionOne) {
  write("proc/meminfo", "MemTotal: 2048 kB\n");
  write("proc/self/cgroup", "8:cpu,cpuacct:/x\n7:memory:/docker/1\n");
  write("cgroup/memory/docker/1/memory.limit_in_bytes", "7000\n");
  EXPECT_EQ(machine_memory(from_), 7000U);
}

TEST_F(MachineMemory, IsAGibibyteWhereNothingCanBeRead) {
  EXPECT_EQ(machine_memory(from_), 1U << 30);
}

TEST_F(MachineMemory, ThisMachineHasSome) { EXPECT_GT(machine_memory(), 1U << 20); }

}  // namespace
}  // namespace ulnet::node

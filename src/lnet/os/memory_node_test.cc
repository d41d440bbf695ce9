// The system that runs the test has a node 0 at least.
#include "lnet/os/memory_node.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>

namespace ulnet::node {
namespace {

TEST(MemoryNode, APageThatWasWrittenIsSomewhere) {
  char here[64];
  std::memset(here, 1, sizeof here);
  const auto node = node_of_memory(here + 7);
  if (!node) GTEST_SKIP() << "the system does not say where pages are";
  EXPECT_LT(*node, 4096U);
  EXPECT_EQ(node_of_memory(here), node) << "the system reports the node; nothing guesses it";
}

TEST(MemoryNode, APageThatWasNotWrittenIsNowhereAndStaysSo) {
  void* const fresh =
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(fresh, MAP_FAILED);
  EXPECT_EQ(node_of_memory(fresh), std::nullopt);
  EXPECT_EQ(node_of_memory(fresh), std::nullopt) << "the query has not allocated the page";
  munmap(fresh, 4096);
}

TEST(MemoryNode, AnAddressThatIsNotMappedIsNoError) {
  EXPECT_EQ(node_of_memory(nullptr), std::nullopt);
}

}  // namespace
}  // namespace ulnet::node

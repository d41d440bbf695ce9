// The swarm that the canaries are shown to, without a bug: nobody says a word. Source: DESIGN.md 6.
#include <gtest/gtest.h>

#include "silence.h"

namespace ulnet::sim {
namespace {

TEST(Swarm, IsCleanWithoutACanary) {
  std::uint64_t operations = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const SwarmRun run = run_swarm(seed);
    ASSERT_TRUE(run.ended && !run.violation) << run.words;
    operations += run.operations;
  }
  EXPECT_GT(operations, 50'000U);
}

TEST(Swarm, IsCleanOverTcp) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const SwarmRun run = run_swarm(seed, EdgeKind::kSock);
    ASSERT_TRUE(run.ended && !run.violation) << run.words;
  }
}

TEST(Swarm, IsCleanWhileAStreamIsSilent) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const SwarmRun run = run_silence(seed);
    ASSERT_TRUE(run.ended && !run.violation) << run.words;
  }
}

TEST(Swarm, OneSeedIsOneHistory) {
  EXPECT_EQ(run_swarm(3).digest, run_swarm(3).digest);
  EXPECT_NE(run_swarm(3).digest, run_swarm(4).digest);
}

}  // namespace
}  // namespace ulnet::sim

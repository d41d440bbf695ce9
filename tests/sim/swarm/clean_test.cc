// The swarm of planted/planted_test.cc without a planted bug: no checker reports anything. Source:
// DESIGN.md 6.
#include <gtest/gtest.h>

#include <algorithm>

#include "sim/scenario/draw.h"
#include "sim/scenario/run.h"

namespace ulnet::sim {
namespace {

TEST(Swarm, IsCleanWithoutAPlantedBug) {
  std::uint64_t sound = 0, ruled = 0, lazy = 0, delivered = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Scenario scenario = draw_scenario(seed);
    const Report report = sim::Run(scenario).go();
    ASSERT_TRUE(report.good()) << "seed " << seed << ": " << report.checker << ": " << report.what;
    sound += scenario.nothing_fails;
    ruled += std::ranges::any_of(scenario.acts,
                                 [](const Act& act) { return act.what == Act::What::kRule; });
    lazy += report.marks.at("held for a lazy portal");
    delivered += report.delivered;
  }
  EXPECT_GT(sound, 20U);
  EXPECT_GT(ruled, 30U);
  EXPECT_GT(lazy, 1'000U);
  EXPECT_GT(delivered, 50'000U);
}

/// Seeds far from 1 that found a real bug by chance.
TEST(Swarm, IsCleanWhereSomethingWasFound) {
  for (const std::uint64_t seed :
       {820001894ULL,  // a counted buffer was not used (portal_owner.cc)
        // A parked message had been searched for with an older peer entry (portal_owner.cc).
        2545ULL,
        11656ULL,  // the checker of credits knew a place that a message had left (credit_queues)
        // A peer that restarted pushed a number that it had pushed before (discovery.cc).
        15212ULL}) {
    const Scenario scenario = draw_scenario(seed);
    const Report report = sim::Run(scenario).go();
    EXPECT_TRUE(report.good()) << "seed " << seed << ": " << report.checker << ": " << report.what;
  }
}

}  // namespace
}  // namespace ulnet::sim

#include "sim/load/random_load.h"

#include <gtest/gtest.h>

#include "sim/world/world.h"

namespace ulnet::sim {
namespace {

using std::chrono::seconds;

TEST(RandomLoad, DoesEverythingAndEnds) {
  World world(1);
  for (unsigned i = 1; i <= 3; ++i)
    world.add_node({.nis = {{.nid = Nid::small({NetType::kTcp, 0}, 0x0a000000U + i)}}});
  auto& load = world.add<RandomLoad>("load", RandomLoadSetup{.operations = 2000});
  world.run_for(seconds(2));
  ASSERT_TRUE(load.done());
  EXPECT_EQ(world.exercised().acts["load random"], 2000U);
  for (std::size_t type = 1; type < world.exercised().events.size(); ++type)
    EXPECT_GT(world.exercised().events[type], 20U) << "of event type " << type;
  world.wind_down();
  ASSERT_TRUE(world.run_until_quiet().reached()) << world.explain();
  const std::size_t mds = world.node(0).leftovers().mds;
  load.take_back(world);
  EXPECT_LT(world.node(0).leftovers().mds, mds);
}

TEST(RandomLoad, UnpolledQueuesHoldTheFirstEvents) {
  World world(3);
  for (unsigned i = 1; i <= 3; ++i)
    world.add_node({.nis = {{.nid = Nid::small({NetType::kTcp, 0}, 0x0a000000U + i)}}});
  auto& load = world.add<RandomLoad>("load", RandomLoadSetup{.operations = 2000, .unpolled = true});
  world.run_for(seconds(2));
  ASSERT_TRUE(load.done());
  EXPECT_GT(world.exercised().acts["load queue full"], 20U);
  world.node(0).crash();
  world.wind_down();
  ASSERT_TRUE(world.run_until_quiet().reached()) << world.explain();
  load.take_back(world);
  EXPECT_FALSE(world.violation());
}

/// A node that is paused when the load ends clears its lazy portal when it resumes.
TEST(RandomLoad, LeavesNothingWaitingAtAPausedNode) {
  World world(2);
  for (unsigned i = 1; i <= 2; ++i)
    world.add_node({.nis = {{.nid = Nid::small({NetType::kTcp, 0}, 0x0a000000U + i)}}});
  world.add<RandomLoad>("load", RandomLoadSetup{});
  world.run_for(seconds(1));
  world.node(0).pause();
  world.wind_down();
  world.node(0).resume();
  EXPECT_TRUE(world.run_until_quiet({.time = seconds(600)}).reached()) << world.explain();
}

}  // namespace
}  // namespace ulnet::sim

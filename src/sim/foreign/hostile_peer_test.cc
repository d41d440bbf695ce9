// A hostile peer troubles a node for a while: the node refuses or drops and counts everything,
// and the traffic of other nodes is not disturbed.
#include "sim/foreign/hostile_peer.h"

#include <gtest/gtest.h>

#include "sim/load/faults.h"
#include "sim/load/loads.h"
#include "sim/world/world.h"

namespace ulnet::sim {
namespace {

using core::DropReason;
using lnd::sock::Count;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr NetId kTcp{NetType::kTcp, 0}, kTcp1{NetType::kTcp, 1};

NodeSetup some_node(std::uint32_t host) {
  NodeSetup setup;
  setup.nis = {{.nid = Nid::small(kTcp, 0x0a000000U + host)},
               {.nid = Nid::small(kTcp1, 0x0a010000U + host)}};
  setup.driver = DriverKind::kSock;
  return setup;
}

struct Troubled : testing::Test {
  Troubled() {
    for (std::uint32_t host = 1; host <= 3; ++host) world.add_node(some_node(host));
  }
  void trouble(unsigned hostiles, Duration time) {
    for (unsigned i = 0; i < hostiles; ++i)
      world.add_actor(make_fault(FaultKind::kNonsense,
                                 {.every = milliseconds(100), .lasts = seconds(7)},
                                 "stranger" + std::to_string(i)));
    VerifiedLoad& load = world.add<VerifiedLoad>("load", LoadSetup{.think = milliseconds(100)});
    ASSERT_TRUE(world.run_for(time).reached()) << world.explain();
    world.wind_down();
    ASSERT_TRUE(world.run_until_quiet().reached()) << world.explain();
    load.take_back(world);
    EXPECT_GT(load.counts().arrived, 1000U);
    EXPECT_EQ(load.counts().failed, 0U);
  }
  std::uint64_t counted(Count what) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < world.size(); ++i)
      sum += world.node(i).sock_counts()[static_cast<std::size_t>(what)];
    return sum;
  }

  World world{1};
};

TEST_F(Troubled, ANodeRefusesAndCountsAndEverythingElseGoesOn) {
  trouble(20, seconds(60));
  for (const Count what :
       {Count::kRefusedUnprivileged, Count::kRefusedBadRequest, Count::kRefusedNotMyNid,
        Count::kRefusedBadHello, Count::kRefusedVersion, Count::kRefusedSilent,
        Count::kRefusedHungUp, Count::kRefusedDuplicate, Count::kRefusedStale,
        Count::kDialOtherVersion, Count::kDialWrongPeer, Count::kDialBadHello,
        Count::kClosedMidMessage, Count::kClosedBadFrame, Count::kClosedBadHeader,
        Count::kClosedBadChecksum, Count::kClosedBadCookie, Count::kClosedRejected})
    EXPECT_GT(counted(what), 0U) << to_string(what);
  const auto drops = world.drops();
  for (const DropReason why :
       {DropReason::kNotThisNi, DropReason::kOtherNet, DropReason::kRoutingOff,
        DropReason::kBadSource, DropReason::kPortalRange, DropReason::kNoMatch,
        DropReason::kOldIncarnation, DropReason::kAckNoMd, DropReason::kReplyNoMd})
    EXPECT_GT(drops[static_cast<std::size_t>(why)], 0U) << to_string(why);
}

TEST(HostilePeer, AffectsOnlyTcpNodes) {
  World world(1);
  NodeSetup setup = some_node(1);
  setup.nis[1].driver = DriverKind::kPipe;
  const SimNode& node = world.add_node(setup);
  EXPECT_TRUE(HostilePeer::can_trouble(node, 0));
  EXPECT_FALSE(HostilePeer::can_trouble(node, 1));
  EXPECT_FALSE(HostilePeer::can_trouble(node, 2));
}

TEST(HostilePeer, IsTheSameForOneSeed) {
  const auto digest = [](std::uint64_t seed) {
    World world(1);
    const SimNode& node = world.add_node(some_node(1));
    HostilePeer hostile(world, node, 0, Rng(seed));
    for (int i = 0; i < 20; ++i) hostile.attack();
    EXPECT_TRUE(world.run_for(seconds(10)).reached());
    return world.digest();
  };
  EXPECT_EQ(digest(5), digest(5));
  EXPECT_NE(digest(5), digest(6));
}

}  // namespace
}  // namespace ulnet::sim

// Random worlds of six nodes with all loads, all faults and all checkers, over each driver. All
// operations of the loads end, and leave nothing behind.
#include <gtest/gtest.h>

#include <map>

#include "sim/checkers/all.h"
#include "sim/load/faults.h"
#include "sim/load/loads.h"
#include "sim/world/world.h"

namespace ulnet::sim {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr unsigned kNodes = 6;

/// A world whose setup also follows from its seed.
struct Swarm {
  Swarm(std::uint64_t seed, DriverKind driver) : world(seed, options(seed)) {
    add_all_checkers(world);
    Rng rng = world.rng("swarm");
    for (unsigned i = 1; i <= kNodes; ++i) {
      NodeSetup setup;
      setup.driver = driver;
      setup.nis = {{.nid = Nid::small({NetType::kTcp, 0}, 0x0a000000U + i)}};
      setup.nis[0].conns_per_peer = static_cast<std::int32_t>(1 + rng.below(3));
      if (rng.below(3) == 0)
        setup.handler_delay = microseconds(static_cast<std::int64_t>(rng.below(2000)));
      setup.sock.zc_request = static_cast<std::int32_t>(rng.below(2));
      world.add_node(std::move(setup));
    }
    before = world.node(0).leftovers();
    load = &world.add<VerifiedLoad>("load", LoadSetup{.at_once = 3, .think = milliseconds(4)});
    for (const FaultKind kind : kFaultKinds)
      world.add_actor(make_fault(kind, {.every = milliseconds(30), .lasts = milliseconds(30)}));
  }

  static WorldOptions options(std::uint64_t seed) {
    Rng rng(seed);
    WorldOptions made;
    made.link.delay = microseconds(static_cast<std::int64_t>(1 + rng.below(300)));
    made.link.jitter = microseconds(static_cast<std::int64_t>(rng.below(300)));
    if (rng.below(2) == 0) made.link.bytes_per_second = 100'000'000 + rng.below(4'000'000'000);
    made.streams.window = 4096U << rng.below(7);
    made.streams.piece = 512U << rng.below(8);
    made.check_all_every = 1000;
    return made;
  }

  void run() {
    ASSERT_EQ(world.run_for(milliseconds(100)).outcome, Outcome::kReached) << world.explain();
    world.wind_down();
    ASSERT_TRUE(world.run_until_quiet().reached()) << world.explain();
    load->take_back(world);
    ASSERT_TRUE(world.run_until_quiet().reached()) << world.explain();
    EXPECT_EQ(load->under_way(), 0U);
    for (unsigned i = 0; i < kNodes; ++i) {
      EXPECT_EQ(world.node(i).leftovers(), before) << world.explain() << " node " << i;
      world.node(i).shutdown();
    }
    ASSERT_TRUE(world.run_until_quiet().reached()) << world.explain();
    for (unsigned i = 0; i < kNodes; ++i) {
      EXPECT_EQ(world.node(i).state(), SimNode::State::kStopped) << world.explain();
      EXPECT_EQ(world.node(i).leftovers(), Leftovers{}) << world.explain() << " node " << i;
    }
  }

  World world;
  VerifiedLoad* load = nullptr;
  Leftovers before;
};

class SwarmOver : public testing::TestWithParam<DriverKind> {};
INSTANTIATE_TEST_SUITE_P(Drivers, SwarmOver, testing::Values(DriverKind::kPipe, DriverKind::kSock),
                         [](const auto& driver) { return std::string(to_string(driver.param)); });

TEST_P(SwarmOver, TwoHundredSeedsEndWell) {
  std::map<std::string, std::uint64_t> acts;
  std::array<std::uint64_t, core::kDropReasons> drops{};
  for (std::uint64_t seed = 1; seed <= 200 && !HasFailure(); ++seed) {
    Swarm swarm(seed, GetParam());
    swarm.run();
    for (const auto& [what, count] : swarm.world.exercised().acts) acts[what] += count;
    const auto dropped = swarm.world.drops();
    for (std::size_t i = 0; i < drops.size(); ++i) drops[i] += dropped[i];
  }
  for (const FaultKind kind : kFaultKinds) {
    const bool of_streams = kind == FaultKind::kReset || kind == FaultKind::kHalfOpen ||
                            kind == FaultKind::kStall || kind == FaultKind::kNonsense ||
                            kind == FaultKind::kTakeOver || kind == FaultKind::kLies;
    if (of_streams && GetParam() == DriverKind::kPipe) continue;
    // These nodes have one NI, or two on one net.
    if (kind == FaultKind::kNiDel || kind == FaultKind::kNetDel) continue;
    EXPECT_GT(acts[std::string("fault ") + to_string(kind)], 100U) << to_string(kind);
  }
  EXPECT_GT(acts["load failed"], 100U);
}

std::uint64_t digest(std::uint64_t seed, DriverKind driver) {
  Swarm swarm(seed, driver);
  swarm.run();
  return swarm.world.digest();
}

TEST_P(SwarmOver, TheSameSeedHasTheSameDigestTwiceInARow) {
  EXPECT_EQ(digest(7, GetParam()), digest(7, GetParam()));
  EXPECT_NE(digest(7, GetParam()), digest(8, GetParam()));
}

}  // namespace
}  // namespace ulnet::sim

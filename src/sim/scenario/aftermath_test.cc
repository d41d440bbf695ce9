// PUTs between all nodes at the end of a run.
#include "sim/scenario/aftermath.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ulnet::sim {
namespace {

using std::chrono::hours;
using testing::AnyOf;

Nid tcp(std::uint32_t host) { return Nid::small({NetType::kTcp, 0}, 0x0a000000U + host); }

struct Aftermath : ::testing::Test {
  Aftermath() {
    for (std::uint32_t i = 1; i <= 3; ++i) {
      NodeSetup setup;
      setup.nis.push_back({.nid = tcp(i)});
      setup.globals.transaction_timeout = 5;
      scenario.nodes.push_back(setup);
    }
  }
  /// The number of MDs, also LNet's own.
  static std::size_t mds_in(const World& world) {
    std::size_t mds = 0;
    for (std::size_t i = 0; i < world.size(); ++i) mds += world.node(i).leftovers().mds;
    return mds;
  }
  /// The failed pairs at the end; `cut`: nothing passes from the first node to the second.
  std::string end_of(bool cut) {
    World world(1);
    for (const NodeSetup& setup : scenario.nodes) world.add_node(setup);
    if (cut) world.wire().cut(world.node(0).place(), world.node(1).place(), true);
    return end_of(world);
  }
  std::string end_of(World& world) {
    const std::size_t before = mds_in(world);
    EachOther each_other(world, scenario);
    while (each_other.try_again()) {
      ++rounds;
      const auto done = [&](const World&) { return each_other.done(); };
      EXPECT_TRUE(world.run_until(done, {.time = hours(1)}).reached()) << world.explain();
    }
    EXPECT_EQ(mds_in(world), before);
    return each_other.unreached();
  }
  Scenario scenario;
  int rounds = 0;
};

TEST_F(Aftermath, EachNodeReachesTheOthers) {
  EXPECT_EQ(end_of(false), "");
  EXPECT_EQ(rounds, 1);
}

TEST_F(Aftermath, ANodeThatIsNotReachedIsNamed) {
  EXPECT_THAT(end_of(true), AnyOf("n0 sends 9 PUTs to 10.0.0.2@tcp, and none is acknowledged",
                                  "n1 sends 9 PUTs to 10.0.0.1@tcp, and none is acknowledged"));
}

TEST_F(Aftermath, LiesExcuseAndNisThatComeAndGoDoNot) {
  Act act;
  act.what = Act::What::kFault;
  for (const FaultKind kind : {FaultKind::kNiAdd, FaultKind::kNiDel, FaultKind::kNetDel}) {
    act.fault = kind;
    scenario.acts = {act};
    EXPECT_THAT(end_of(true), testing::HasSubstr("and none is acknowledged")) << to_string(kind);
  }
  scenario.acts[0].fault = FaultKind::kLies;
  EXPECT_EQ(end_of(true), "");
}

/// For each pair of NIs n0 remembers n1's incarnation that has ended. n1 has 1 s for a message, and
/// does not send it again.
TEST_F(Aftermath, ANodeThatHasRestartedMayBeRefusedOnceByEachPairOfNis) {  // wire-socklnd.md 8
  scenario.nodes.resize(2);
  for (NodeSetup& node : scenario.nodes) node.driver = DriverKind::kSock;
  for (std::uint32_t host = 10; host < 19; ++host)
    scenario.nodes[0].nis.push_back({.nid = tcp(host)});
  for (std::uint32_t host = 20; host < 28; ++host)
    scenario.nodes[1].nis.push_back({.nid = tcp(host)});
  scenario.nodes[1].globals.health_sensitivity = 0;
  World world(1);
  for (const NodeSetup& setup : scenario.nodes) world.add_node(setup);
  LoadSpec puts;
  puts.from = {0};
  puts.to = {1};
  puts.count = 400;
  const Traffic& before = world.add<Traffic>("before", puts, Portal{5});
  const auto done = [&](const World&) { return before.done(); };
  ASSERT_TRUE(world.run_until(done, {.time = hours(1)}).reached()) << world.explain();
  world.node(1).crash(true);
  world.node(1).start();
  world.run_for(hours(1));
  EXPECT_EQ(end_of(world), "");
  EXPECT_GT(rounds, 8);
}

/// There are two routers between two nets. The target's way back differs from the way of the PUT.
TEST_F(Aftermath, ATargetThatTakesNoAsymmetricRouteIsNotJudged) {  // spec/multirail.md 9.6
  const auto tcp1 = [](std::uint32_t host) {
    return Nid::small({NetType::kTcp, 1}, 0x0a010000U + host);
  };
  NodeSetup& target = scenario.nodes[1];
  target.nis[0].nid = tcp1(2);
  const auto by = [](const Nid& gateway, NetId net) {
    auto list = std::make_shared<core::RouteList>();
    EXPECT_TRUE(list->add({net, gateway}, 0));
    return list;
  };
  scenario.nodes[0].routes = by(tcp(8), tcp1(0).net());
  target.routes = by(tcp1(9), tcp(0).net());
  scenario.nodes.pop_back();
  for (const std::uint32_t host : {8U, 9U}) {
    NodeSetup router;
    router.nis = {{.nid = tcp(host)}, {.nid = tcp1(host)}};
    router.routing.on = router.routing.at_once = true;
    scenario.nodes.push_back(router);
  }
  EXPECT_EQ(end_of(false), "");
  EXPECT_NE(rounds, 0);
  target.globals.drop_asym_route = 1;
  EXPECT_EQ(end_of(false), "");
}

TEST_F(Aftermath, LinksThatLoseMessagesAreNotJudged) {
  scenario.link.loss_ppm = 10;
  EXPECT_EQ(end_of(true), "");
  EXPECT_EQ(rounds, 0);
}

}  // namespace
}  // namespace ulnet::sim

// Cases of the upstream suite about running routers that involve time (spec/upstream-tests.md G):
// routes that follow the results of checks, messages that a router delays, routing that is turned
// off and on under load. The name of each test contains its case number. All checkers watch. Cases
// without time run live, in tests/lnet/live/upstream_routing_test.py. spec/multirail.md 9.
#include <functional>

#include "routed_world.h"
#include "upstream.h"

namespace ulnet::sim {
namespace {

using core::Health;

const Nid kNear = rail(1), kFar = rail(2, 1, 1), kOther = rail(3, 1, 1);
const Nid kSecondOfNear = rail(1, 1);
const Nid kAtNear = rail(9), kAtFar = rail(9, 1, 1);  ///< the router's

class UpstreamRouting : public RoutedWorld {
 protected:
  /// The suite's intervals.
  UpstreamRouting() {
    globals.alive_router_check_interval = 5;
    globals.router_ping_timeout = 5;
  }
  /// When the far side of a router is gone, that is known after these times: nothing has come to
  /// the router there, a ping of the router has failed, and, unless the router reports it, a check
  /// and its answer have passed.
  static constexpr Duration kNoticed = seconds(5 + 5 + 5 + 5 + 1);

  Person at(SimNode& node) { return {given.world, node}; }
  SimNode& near_node() { return node("near", {kNear}, {{kSecond, kAtNear}}); }
  SimNode& far_node() { return node("far", {kFar}, {{kFirst, kAtFar}}); }
  SimNode& router_node() { return node("router", {kAtNear, kAtFar}, {}, true); }
  bool is_up(SimNode& node) { return does(at(node), core::call::ShowRoutes{}).routes.at(0).up(); }
  bool within(Duration time, const std::function<bool()>& condition) {
    return given.world.run_until([&](World&) { return condition(); }, {.time = time}).reached();
  }
  /// The condition is true now, and at each second of this time.
  bool stays(Duration time, const std::function<bool()>& condition) {
    for (Duration passed{}; condition(); passed += seconds(1)) {
      if (passed >= time) return true;
      given.runs_for(seconds(1));
    }
    return false;
  }
  void shuts_down(SimNode& node) {
    node.shutdown();
    EXPECT_TRUE(within(seconds(30), [&] { return node.state() == SimNode::State::kStopped; }));
  }
  std::uint64_t dropped_gets(SimNode& router, const Nid& to) {
    return peer_ni_of(at(router), to).traffic.dropped.get;
  }
  /// How often its driver has lost the last connection of an NI to a peer.
  static std::uint64_t downs(const SimNode& node) {
    return node.sock_counts()[static_cast<std::size_t>(lnd::sock::Count::kPeersDown)];
  }
  /// No message was dropped, according to the statistics of the node and its peers.
  void expect_no_drops(SimNode& node) {
    const core::call::Show shown = does(at(node), core::call::Show{});
    for (const core::call::NiRow& ni : shown.nis)
      EXPECT_EQ(ni.stats.traffic.dropped.sum(), 0U) << node.name() << " " << ni.nid.to_string();
    for (const core::PeerShow& peer : shown.peers)
      for (const core::PeerNiShow& ni : peer.nis)
        EXPECT_EQ(ni.traffic.dropped.sum(), 0U) << node.name() << " " << ni.nid.to_string();
  }

  void routes_follow() {
    SimNode& near = near_node();
    SimNode& router = router_node();
    SimNode& far = far_node();
    given.runs_for(seconds(6));
    EXPECT_TRUE(is_up(near));
    EXPECT_TRUE(is_up(far));
    EXPECT_EQ(pinged(at(near), kFar), 0);
    EXPECT_EQ(pinged(at(far), kNear), 0);
    shuts_down(near);
    EXPECT_TRUE(within(kNoticed, [&] { return !is_up(far); }));
    EXPECT_FALSE(ni_of(at(router), kAtNear).up);
    EXPECT_TRUE(ni_of(at(router), kAtFar).up);
    EXPECT_LT(pinged(at(far), kNear), 0);
    near.start();
    EXPECT_TRUE(within(seconds(6), [&] { return is_up(far); })) << "a check of near, or of far";
    EXPECT_EQ(pinged(at(far), kNear), 0);
  }
  /// The number of 50 pings to the first, unhealthy NID of a node that the router has sent to the
  /// second NID.
  std::uint64_t redirected(SimNode& near) {
    const Nid second = rail(2, 2, 1);
    SimNode& router = router_node();
    node("far", {kFar, second}, {{kFirst, kAtFar}});
    given.runs_for(seconds(6));
    EXPECT_EQ(pinged(at(near), kFar), 0);
    const std::vector<Nid> both{kFar, second};
    EXPECT_TRUE(within(seconds(5), [&] { return nids_of(at(router), kFar) == both; }));
    does(at(router), core::call::SetPeerNiHealth{kFar, 0});
    const std::uint64_t before = peer_ni_of(at(router), second).traffic.sent.sum();
    for (int i = 0; i < 50; ++i) EXPECT_EQ(pinged(at(near), kFar), 0);
    return peer_ni_of(at(router), second).traffic.sent.sum() - before;
  }
  /// avoid_asym_router_failure is off.
  void stays_up() {
    SimNode& near = near_node();
    SimNode& router = router_node();
    SimNode& far = far_node();
    given.runs_for(seconds(6));
    EXPECT_EQ(pinged(at(far), kNear), 0);
    shuts_down(near);
    EXPECT_TRUE(stays(seconds(60), [&] { return is_up(far); }));
    EXPECT_FALSE(ni_of(at(router), kAtNear).up);
    EXPECT_LT(pinged(at(far), kNear), 0);
  }
};

// spec/upstream-tests.md 222
TEST_P(UpstreamRouting, 222RoutesFollowWhatTheRouterAdvertises) { routes_follow(); }

TEST_P(UpstreamRouting, 223AlsoWithoutDiscovery) {  // spec/upstream-tests.md 223
  globals.discovery = 0;
  routes_follow();
}

TEST_P(UpstreamRouting, 224WithoutTheFarSideARouteMayBeUp) {  // spec/upstream-tests.md 224
  globals.avoid_asym_router_failure = false;
  stays_up();
}

TEST_P(UpstreamRouting, 225AlsoWithoutDiscovery) {  // spec/upstream-tests.md 225
  globals.avoid_asym_router_failure = false;
  globals.discovery = 0;
  stays_up();
}

TEST_P(UpstreamRouting, 236ARouterSeesWhichNidOfAClientIsDown) {  // spec/upstream-tests.md 236
  const Nid second = rail(1, 2, 2);
  SimNode& near = node("near", {kNear, second}, {{kSecond, kAtNear}});
  SimNode& router = node("router", {kAtNear, kAtFar, rail(9, 2, 2)}, {}, true);
  const auto seen = [&](const Nid& nid) { return std::string(peer_ni_of(at(router), nid).state); };
  given.runs_for(seconds(6));
  EXPECT_EQ(seen(kNear), "up");
  EXPECT_EQ(seen(second), "up");
  lets_gets_fail(at(near), Health::kLocalError, kNear);  // so that it does not recover by itself
  does(at(near), core::call::SetNiHealth{kNear, 0});
  EXPECT_TRUE(within(seconds(6), [&] { return seen(kNear) == "down"; }));
  EXPECT_TRUE(stays(seconds(20), [&] { return seen(kNear) == "down" && seen(second) == "up"; }));
  takes_away(at(near));
  does(at(near), core::call::SetNiHealth{kNear, 1000});
  EXPECT_TRUE(within(seconds(6), [&] { return seen(kNear) == "up"; }));
  EXPECT_EQ(seen(second), "up");
}

TEST_P(UpstreamRouting, 237ARouterSendsToTheNidThatIsWell) {  // spec/upstream-tests.md 237
  EXPECT_GE(redirected(near_node()), 50U);
}

TEST_P(UpstreamRouting, 238NotForASenderWithoutMultiRail) {  // spec/upstream-tests.md 238
  globals.discovery = 0;
  SimNode& near = near_node();
  globals.discovery = 1;
  EXPECT_LT(redirected(near), 50U);
}

/// Counts how many pings have succeeded and failed.
struct Ended final : PingSink {
  void on_ping(std::uint64_t, int status, const PingReply&) override {
    ++(status == 0 ? well : failed);
  }
  int well = 0, failed = 0;
};

TEST_P(UpstreamRouting, 256ARouterThatIsSlowDropsNothing) {  // spec/upstream-tests.md 256
  globals.transaction_timeout = 60;
  SimNode& near = near_node();
  globals.transaction_timeout = 5;
  SimNode& router = router_node();
  far_node();
  given.runs_for(seconds(6));
  EXPECT_EQ(pinged(at(near), kFar), 0);
  core::FaultRule slow = rule_on(core::kFaultGet, kNear, kFar);
  slow.kind = core::FaultRule::Kind::kDelay;
  slow.latency = 12;
  puts_in(at(router), slow);
  const std::int32_t credits = peer_ni_of(at(router), kFar).max_ni_tx_credits;
  Ended pings;
  const PingRequest request{.target = {kFar, Pid::lustre()}, .timeout = seconds(60)};
  for (int i = 0; i < credits + 1; ++i) EXPECT_TRUE(near.start_ping(request, pings));
  given.runs_for(seconds(10));
  EXPECT_EQ(pings.well, 0) << "the router holds them up";
  EXPECT_TRUE(within(seconds(50), [&] { return pings.well + pings.failed == credits + 1; }));
  EXPECT_EQ(pings.failed, 0);
  EXPECT_EQ(dropped_gets(router, kNear) + dropped_gets(router, kFar), 0U);
  EXPECT_EQ(counted(router).drop_count, 0U);
}

class UpstreamTwoRouters : public UpstreamRouting {
 protected:
  UpstreamTwoRouters()
      : near(node("near", {kNear}, {{kSecond, rail(8)}, {kSecond, rail(9)}})),
        far(node("far", {kFar}, {{kFirst, rail(8, 1, 1)}, {kFirst, rail(9, 1, 1)}})),
        one(node("one", {rail(8), rail(8, 1, 1)}, {}, true)),
        two(node("two", {rail(9), rail(9, 1, 1)}, {}, true)),
        target(far) {
    given.runs_for(seconds(6));
  }
  std::vector<SimNode*> all() { return {&near, &far, &one, &two}; }
  void all_complete(Users& users) {
    users.begin_no_more();
    EXPECT_TRUE(within(seconds(60), [&] { return users.under_way() == 0; }));
    EXPECT_GT(users.account.completed, 100U);
    EXPECT_EQ(users.account.completed, users.account.begun);
  }
  bool carries(SimNode& router, Duration time) {
    const std::uint64_t before = counted(router).route_count;
    given.runs_for(time);
    return counted(router).route_count > before + 50;
  }

  SimNode &near, &far, &one, &two;
  Target target;
};

TEST_P(UpstreamTwoRouters, 228HealthThatIsSetCostsNoOperation) {  // spec/upstream-tests.md 228
  Users users(near, far.id(), Op::kPutAck, 12);
  EXPECT_TRUE(carries(one, seconds(1)));
  EXPECT_TRUE(carries(two, seconds(1)));
  for (SimNode* node : all())
    for (const core::PeerShow& peer : does(at(*node), core::call::Show{}).peers)
      for (const core::PeerNiShow& ni : peer.nis)
        does(at(*node), core::call::SetPeerNiHealth{ni.nid, 500});
  given.runs_for(seconds(2));
  all_complete(users);
}

TEST_P(UpstreamTwoRouters, 257RoutingGoesOffAndOnUnderLoad) {  // spec/upstream-tests.md 257
  Users users(near, far.id(), Op::kGet, 12);
  EXPECT_TRUE(carries(one, seconds(2)));
  one.configure(core::Routing{});
  given.runs_for(seconds(12));
  EXPECT_EQ(does(at(one), core::call::ShowRouting{}).state, core::RoutingState::kDisabled);
  EXPECT_FALSE(carries(one, seconds(2)));
  expect_no_drops(one);
  one.configure(core::Routing{.on = true});
  given.runs_for(seconds(12));
  EXPECT_TRUE(carries(one, seconds(2)));
  all_complete(users);
  for (SimNode* node : all()) expect_no_drops(*node);
}

INSTANTIATE_TEST_SUITE_P(Shapes, UpstreamRouting, kShapes, name_of);
INSTANTIATE_TEST_SUITE_P(Shapes, UpstreamTwoRouters, kShapes, name_of);

/// Cases with connections that are lost.
class UpstreamConnections : public UpstreamRouting {};

// spec/upstream-tests.md 227
TEST_P(UpstreamConnections, 227ARouterCountsWhatItDropsForANodeThatIsGone) {
  globals.discovery = 0;
  globals.health_sensitivity = 0;
  globals.transaction_timeout = 10;
  SimNode& near = near_node();
  SimNode& router = router_node();
  far_node();
  SimNode& other = node("other", {kOther}, {{kFirst, kAtFar}});
  given.runs_for(seconds(6));
  EXPECT_EQ(pinged(at(near), kOther), 0);
  shuts_down(other);
  given.runs_for(seconds(1));
  for (int i = 0; i < 2; ++i) EXPECT_LT(pinged(at(near), kOther), 0);
  EXPECT_EQ(dropped_gets(router, kOther), 2U);
  EXPECT_EQ(dropped_gets(router, kFar), 0U);
  EXPECT_EQ(pinged(at(near), kFar), 0);
}

TEST_P(UpstreamConnections, 550OneOfTwoNisCannotSendToTheGateway) {  // spec/upstream-tests.md 550
  globals.discovery = 0;
  SimNode& near = node("near", {kNear, kSecondOfNear}, {{kSecond, kAtNear}});
  SimNode& router = router_node();
  far_node();
  given.runs_for(seconds(6));
  EXPECT_EQ(pinged(at(near), kAtNear, kSecondOfNear), 0);
  lets_gets_fail(at(near), Health::kLocalError, kSecondOfNear);
  EXPECT_EQ(pinged(at(near), kAtNear, kSecondOfNear), -EIO);
  EXPECT_TRUE(stays(seconds(60), [&] { return is_up(near); }));
  router.crash();
  EXPECT_TRUE(within(seconds(11), [&] { return !is_up(near); }));
}

TEST_P(UpstreamConnections, 550OneOfTwoNisLosesTheGateway) {  // spec/upstream-tests.md 550
  globals.discovery = 0;
  globals.health_sensitivity = 0;
  SimNode& near = node("near", {kNear, kSecondOfNear}, {{kSecond, kAtNear}});
  SimNode& router = router_node();
  far_node();
  given.runs_for(seconds(6));
  EXPECT_EQ(pinged(at(near), kAtNear, kNear), 0);
  EXPECT_EQ(pinged(at(near), kAtNear, kSecondOfNear), 0);
  const std::uint64_t lost = downs(near);
  std::vector<Handle> sockets;
  given.world.streams().between(near.place(1), router.place(0), sockets);
  for (const Handle socket : sockets) given.world.streams().reset(socket);
  EXPECT_TRUE(stays(seconds(60), [&] { return is_up(near); }));
  EXPECT_GT(downs(near), lost) << "the second NI has lost its connections";
  EXPECT_EQ(pinged(at(near), kFar), 0);
  router.crash();
  EXPECT_TRUE(within(seconds(11), [&] { return !is_up(near); }));
}

INSTANTIATE_TEST_SUITE_P(Shapes, UpstreamConnections,
                         ::testing::Values(Shape{DriverKind::kSock, 1},
                                           Shape{DriverKind::kSock, 3}),
                         name_of);

}  // namespace
}  // namespace ulnet::sim

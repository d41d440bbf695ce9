#include "sim/scenario/admin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lnet/core/flow/step.h"
#include "sim/scenario/reader.h"
#include "sim/world/world.h"

namespace ulnet::sim {
namespace {

using ::testing::HasSubstr;

/// A node on tcp with a route to tcp1 by the router r, and changes as in a scenario file.
struct Administered {
  explicit Administered(const std::string& changes)
      : scenario(
            *read_scenario("edge: pipe\n"
                           "nodes:\n"
                           "    - name: a\n"
                           "      nids: 10.0.0.1@tcp\n"
                           "      routes: [{net: tcp1, gateway: 10.0.0.9@tcp, hops: 2}]\n"
                           "    - {name: r, nids: [10.0.0.9@tcp, 10.1.0.9@tcp1], routing: yes}\n"
                           "faults:\n" +
                           changes)) {
    for (const NodeSetup& node : scenario.nodes) world.add_node(node);
  }
  SimNode& a() { return world.node(0); }
  SimNode& r() { return world.node(1); }
  TakeBack carry_out(std::size_t act) {
    const NodeNumber node = scenario.acts[act].node;
    return sim::carry_out(world.node(node), scenario.acts[act].change, scenario.nodes[node], rng);
  }

  const Scenario scenario;
  World world{1};
  Rng rng{1};
};

TEST(Admin, ASettingIsTakenBack) {
  Administered w(
      "    - {what: setting, at: 1s, node: a, name: retry_count, value: 0}\n"
      "    - {what: setting, at: 1s, node: a, name: transaction_timeout, value: 1}\n");
  EXPECT_EQ(w.carry_out(1), nullptr) << "a time-out has to be more than the retry count";
  const TakeBack back = w.carry_out(0);
  ASSERT_NE(back, nullptr);
  EXPECT_EQ(w.a().config()->globals.retry_count, 0);
  EXPECT_EQ(w.carry_out(0), nullptr) << "it is 0 already";
  EXPECT_TRUE(back(w.a()));
  EXPECT_EQ(w.a().config()->globals.retry_count, 2);
}

TEST(Admin, OverlappingSettingsReturnToTheScenarios) {
  Administered w(
      "    - {what: setting, at: 1s, node: a, name: recovery_limit, value: 5}\n"
      "    - {what: setting, at: 2s, node: a, name: recovery_limit, value: 20}\n"
      "    - {what: setting, at: 3s, node: a, name: transaction_timeout, value: 600}\n"
      "    - {what: setting, at: 4s, node: a, name: retry_count, value: 500}\n");
  const TakeBack first = w.carry_out(0), second = w.carry_out(1);
  EXPECT_TRUE(first(w.a()) && second(w.a()));
  EXPECT_EQ(w.a().config()->globals.recovery_limit, core::Globals{}.recovery_limit);
  const TakeBack timeout = w.carry_out(2), retries = w.carry_out(3);
  EXPECT_FALSE(timeout(w.a())) << "a time-out has to be more than the retry count";
  EXPECT_TRUE(retries(w.a()) && timeout(w.a()));
  EXPECT_EQ(w.a().config()->globals, core::Globals{});
}

// spec/multirail.md 5.1: the retry count stays 0.
TEST(Admin, WithoutHealthThereAreNoRetriesAfterwardsEither) {
  Administered w("    - {what: setting, at: 1s, node: a, name: health_sensitivity, value: 0}\n");
  EXPECT_TRUE(w.carry_out(0)(w.a()));
  EXPECT_EQ(w.a().config()->globals.health_sensitivity, 100);
  EXPECT_EQ(w.a().config()->globals.retry_count, 0);
}

// spec/multirail.md 5.1: nothing else raises the health then.
TEST(Admin, WithoutHealthAnAdministratorSetsItBack) {
  Administered w(
      "    - {what: health, at: 1s, node: a, value: 600}\n"
      "    - {what: setting, at: 1s, node: a, name: health_sensitivity, value: 0}\n");
  const auto health = [&] { return w.a().shard_state()->nis.find(w.a().nid())->health; };
  EXPECT_TRUE(w.carry_out(0)(w.a()));
  EXPECT_EQ(health(), 600) << "recovery raises it";
  ASSERT_NE(w.carry_out(1), nullptr);
  EXPECT_TRUE(w.carry_out(0)(w.a()));
  EXPECT_EQ(health(), 1000);
}

TEST(Admin, HealthIsNotSetBackAtANodeThatHasEnded) {
  Administered w(
      "    - {what: health, at: 1s, node: a, nid: 10.0.0.9@tcp, of peer: yes, value: 1}\n"
      "    - {what: setting, at: 1s, node: a, name: health_sensitivity, value: 0}\n");
  ASSERT_TRUE(w.a().discover(w.r().nid(), false));
  const TakeBack back = w.carry_out(0);
  ASSERT_NE(back, nullptr);
  ASSERT_NE(w.carry_out(1), nullptr);
  w.a().shutdown();
  EXPECT_TRUE(w.world.run_until_quiet().reached());
  EXPECT_TRUE(back(w.a()));
  EXPECT_EQ(w.a().shard_state()->peers.find(w.r().nid())->health, 1);
}

TEST(Admin, HealthIsSet) {
  Administered w(
      "    - {what: health, at: 1s, node: a, value: 600}\n"
      "    - {what: health, at: 1s, node: a, nid: 10.0.0.9@tcp, of peer: yes, value: 1}\n");
  EXPECT_NE(w.carry_out(0), nullptr);
  EXPECT_EQ(w.a().shard_state()->nis.find(w.a().nid())->health, 600);
  ASSERT_TRUE(w.a().discover(w.r().nid(), false));
  EXPECT_NE(w.carry_out(1), nullptr);
  EXPECT_EQ(w.a().shard_state()->peers.find(w.r().nid())->health, 1);
}

TEST(Admin, APolicyIsDeletedOrGetsThePriorityOfBefore) {
  Administered w(
      "    - {what: policy, at: 1s, node: a, src: 10.0.0.1@tcp, priority: 3}\n"
      "    - {what: policy, at: 1s, node: a, src: 10.0.0.1@tcp, priority: 5}\n"
      "    - {what: policy, at: 1s, node: a, dst: tcp, rte: 10.0.0.9@tcp, idx: 0}\n");
  const auto& rules = [&]() -> const auto& { return w.a().config()->udsp->entries(); };
  const TakeBack first = w.carry_out(0), second = w.carry_out(1), third = w.carry_out(2);
  ASSERT_EQ(rules().size(), 2U);
  EXPECT_TRUE(rules()[0].rule.rte.has_value());
  EXPECT_EQ(rules()[1].rule.priority, 5U);
  EXPECT_TRUE(second(w.a()));
  EXPECT_EQ(rules()[1].rule.priority, 3U);
  EXPECT_TRUE(third(w.a()) && first(w.a()));
  EXPECT_TRUE(rules().empty());
}

TEST(Admin, ARouteThatIsDeletedComesAgainAsItWas) {
  Administered w(
      "    - {what: route-del, at: 1s, node: a, net: tcp1, gateway: 10.0.0.9@tcp}\n"
      "    - {what: route-add, at: 1s, node: a, net: tcp, gateway: 10.0.0.9@tcp}\n"
      "    - {what: route-add, at: 1s, node: a, net: tcp2, gateway: 10.0.0.9@tcp, priority: 1}\n");
  const core::RouteList& before = *w.a().setup().routes;
  EXPECT_EQ(w.carry_out(1), nullptr) << "the node is on that net";
  const TakeBack back = w.carry_out(0), gone = w.carry_out(2);
  ASSERT_TRUE(back != nullptr && gone != nullptr);
  EXPECT_EQ(w.a().config()->routes->nets().begin()->first.to_string(), "tcp2");
  EXPECT_EQ(w.carry_out(0), nullptr) << "the entry does not exist any more";
  EXPECT_TRUE(back(w.a()) && gone(w.a()));
  EXPECT_EQ(w.a().config()->routes->nets(), before.nets());
}

TEST(Admin, ARouteThatIsDeletedAndAddedOtherwiseIsInTheEndAsItWas) {
  Administered w(
      "    - {what: route-del, at: 1s, node: a, net: tcp1, gateway: 10.0.0.9@tcp}\n"
      "    - {what: route-add, at: 2s, node: a, net: tcp1, gateway: 10.0.0.9@tcp, priority: 1}\n");
  const core::RouteList before = *w.a().setup().routes;
  const TakeBack deleted = w.carry_out(0), added = w.carry_out(1);
  ASSERT_TRUE(deleted != nullptr && added != nullptr);
  EXPECT_TRUE(deleted(w.a()) && added(w.a()));
  EXPECT_EQ(w.a().setup().routes->nets(), before.nets());
}

TEST(Admin, ARouteComesAgainWhenTheNetOfItsGatewayDoes) {
  Administered w("    - {what: route-del, at: 1s, node: a, net: tcp1, gateway: 10.0.0.9@tcp}\n");
  const core::RouteList before = *w.a().setup().routes;
  const TakeBack back = w.carry_out(0);
  ASSERT_NE(back, nullptr);
  const NiSetup ni = w.a().setup().nis.front();
  w.a().remove_ni(ni.nid);
  EXPECT_FALSE(back(w.a()));
  w.world.run_for(std::chrono::seconds(1));
  ASSERT_TRUE(w.a().add_ni(ni).has_value());
  EXPECT_TRUE(back(w.a()));
  EXPECT_EQ(w.a().setup().routes->nets(), before.nets());
}

// spec/multirail.md 9.1
TEST(Admin, RoutingComesBackWhenItHasStopped) {
  Administered w("    - {what: routing, at: 1s, node: r, on: no}\n");
  w.world.run_for(std::chrono::seconds(1));
  const TakeBack back = w.carry_out(0);
  ASSERT_NE(back, nullptr);
  EXPECT_EQ(w.r().shard_state()->router.state, core::RoutingState::kStopping);
  EXPECT_FALSE(back(w.r()));
  w.world.run_for(std::chrono::seconds(111));
  EXPECT_EQ(w.r().shard_state()->router.state, core::RoutingState::kDisabled);
  EXPECT_TRUE(w.r().has_routed());
  EXPECT_TRUE(back(w.r()));
  EXPECT_EQ(w.r().shard_state()->router.state, core::RoutingState::kStarting);
}

TEST(Admin, RoutingThatWasTurnedOffAndOnIsInTheEndAsItWas) {
  Administered w(
      "    - {what: routing, at: 1s, node: r, on: no}\n"
      "    - {what: routing, at: 2s, node: r, on: yes}\n");
  const TakeBack first = w.carry_out(0);
  w.world.run_for(std::chrono::seconds(112));
  const TakeBack second = w.carry_out(1);
  ASSERT_NE(second, nullptr);
  EXPECT_TRUE(first(w.r()));
  EXPECT_TRUE(second(w.r()));
  EXPECT_TRUE(w.r().setup().routing.on) << "the second was not the one that turned it off";
}

TEST(Admin, APeerIsConfiguredAndDeleted) {
  Administered w(
      "    - {what: peer-add, at: 1s, node: r, primary: 10.0.0.1@tcp, nids: 10.1.0.1@tcp1,\n"
      "       locked: yes}\n");
  const TakeBack back = w.carry_out(0);
  ASSERT_NE(back, nullptr);
  const core::Directory& directory = w.r().shard_state()->directory;
  ASSERT_NE(directory.find(w.a().nid()), nullptr);
  EXPECT_EQ(directory.find(w.a().nid())->state,
            core::kPeerConfigured | core::kPeerMultiRail | core::kPeerLockPrimary);
  EXPECT_EQ(directory.find(w.a().nid())->nids().size(), 2U);
  w.r().pause();
  EXPECT_FALSE(back(w.r()));
  w.r().resume();
  EXPECT_TRUE(back(w.r()));
  EXPECT_EQ(directory.find(w.a().nid()), nullptr);
}

// spec/multirail.md 2.2
TEST(Admin, APeerIsDeletedOnceNoMessageNamesIt) {
  Administered w("    - {what: peer-add, at: 1s, node: r, primary: 10.0.0.1@tcp}\n");
  const TakeBack back = w.carry_out(0);
  ASSERT_NE(back, nullptr);
  const core::Directory& directory = w.r().shard_state()->directory;
  PingRequest request;
  request.target = w.a().id();
  struct Ended final : PingSink {
    void on_ping(std::uint64_t, int, const PingReply&) override {}
  } sink;
  ASSERT_TRUE(w.r().start_ping(request, sink));
  EXPECT_FALSE(back(w.r()));
  EXPECT_NE(directory.find(w.a().nid()), nullptr);
  w.world.run_for(std::chrono::seconds(1));
  EXPECT_TRUE(back(w.r()));
  EXPECT_EQ(directory.find(w.a().nid()), nullptr);
}

TEST(Admin, RoutesByAPeerThatIsDeletedAreDeletedAndAddedAgain) {
  Administered w("    - {what: peer-add, at: 1s, node: a, primary: 10.0.0.9@tcp}\n");
  const core::RouteList before = *w.a().setup().routes;
  ASSERT_EQ(before.size(), 1U);
  const TakeBack back = w.carry_out(0);
  ASSERT_NE(back, nullptr);
  EXPECT_FALSE(back(w.a()));
  EXPECT_EQ(w.a().setup().routes->size(), 0U);
  w.world.run_for(std::chrono::seconds(1));
  EXPECT_TRUE(back(w.a()));
  EXPECT_EQ(w.a().setup().routes->nets(), before.nets());
}

TEST(Admin, APeerOfANodeThatHasEndedIsNotDeleted) {
  Administered w("    - {what: peer-add, at: 1s, node: r, primary: 10.0.0.1@tcp}\n");
  const TakeBack back = w.carry_out(0);
  ASSERT_NE(back, nullptr);
  w.r().shutdown();
  w.world.run_for(std::chrono::seconds(10));
  ASSERT_EQ(w.r().state(), SimNode::State::kStopped);
  const std::uint64_t digest = w.world.digest();
  EXPECT_TRUE(back(w.r()));
  EXPECT_EQ(w.world.digest(), digest) << "nothing is asked of it";
}

TEST(ReadScenario, RefusesChangesThatNoAdministratorCanMake) {
  const auto reason = [](const std::string& change) {
    const auto read =
        read_scenario("nodes:\n    - {name: n, nids: 10.0.0.1@tcp}\nfaults:\n    - {" + change +
                      ", at: 1s, node: n}\n");
    return read ? std::string() : read.error().front().reason;
  };
  EXPECT_THAT(reason("what: setting, name: colour, value: 1"), HasSubstr("unknown setting"));
  EXPECT_THAT(reason("what: setting, name: discovery, value: 3"), HasSubstr("from 0 to 2"));
  EXPECT_THAT(reason("what: setting, name: discovery"), HasSubstr("without 'value'"));
  EXPECT_THAT(reason("what: policy, src: tcp, rte: 10.0.0.2@tcp"), HasSubstr("cannot be combined"));
  EXPECT_THAT(reason("what: policy, dst: 10.0.0.300@tcp"), HasSubstr("failed to parse dst"));
  EXPECT_THAT(reason("what: route-add, net: tcp1"), HasSubstr("without 'gateway'"));
  EXPECT_THAT(reason("what: route-del, net: tcp1, gateway: 10.0.0.9@tcp, hops: 1"),
              HasSubstr("unknown key 'hops'"));
  EXPECT_THAT(reason("what: routing"), HasSubstr("without 'on'"));
  EXPECT_THAT(reason("what: peer-add, primary: me"), HasSubstr("is not a NID"));
  EXPECT_EQ(reason("what: peer-add, primary: 10.0.0.2@tcp, nids: [10.0.1.2@tcp]"), "");
}

}  // namespace
}  // namespace ulnet::sim

#include "ulnetd/apply.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "admin/server/fake_node_fixture.h"

namespace ulnet::tools {
namespace {

using node::control::FakeNode;
using node::control::nid_of;
using node::control::recorded_state;
using testing::ElementsAre;
using testing::IsEmpty;

conf::NiItem ni(const char* interface) {
  conf::NiItem item;
  item.interface = interface;
  return item;
}

conf::Config config_of(std::vector<conf::NiItem> nis) {
  conf::Config config;
  if (!nis.empty()) config.nets = {{.net = NetId::parse("tcp").value(), .nis = std::move(nis)}};
  return config;
}

TEST(Apply, AtStartAllIsNew) {
  FakeNode node;
  conf::Config requested = config_of({ni("eth0"), ni("eth1")});
  requested.globals["retry_count"] = 3;
  const Outcome outcome = apply(node, {}, requested);
  EXPECT_THAT(node.recorded(), ElementsAre("together {", "net_add tcp eth0", "net_add tcp eth1",
                                           "set_global retry_count 3", "}"));
  EXPECT_EQ(outcome.now, requested);
  EXPECT_EQ(outcome.changes, 3U);
  EXPECT_THAT(outcome.settings, ElementsAre("global retry_count = 3"));
}

TEST(Apply, LaterOnlyDifferencesAreApplied) {
  FakeNode node;
  node.shows = recorded_state();
  conf::NiItem more = ni("eth0");
  more.lnd_tunables["conns_per_peer"] = 4;
  conf::Config requested = config_of({more, ni("eth2")});
  requested.params["accept_timeout"] = "9";
  const Outcome outcome = apply(node, config_of({ni("eth0"), ni("eth1")}), requested);
  EXPECT_THAT(node.recorded(),
              ElementsAre("together {", "set_param accept_timeout 9", "net_del tcp eth1",
                          "net_add tcp eth2", "ni_set 10.99.0.3@tcp conns_per_peer 4", "}"));
  EXPECT_THAT(outcome.failures, IsEmpty());
  // A second call has nothing to do.
  EXPECT_EQ(apply(node, outcome.now, requested).changes, 0U);
}

// A text routes= that nodes of a site share: which of its routes are for this node depends on the
// nets of this node (spec/cli-lnetctl.md 9.2).
TEST(Apply, SharedRoutesFollowANetThatComesLater) {
  const auto node = node::Node::start_trial({}).value();
  const auto shared = [](const char* net, const char* gateway) {
    conf::RouteItem route;
    route.net = NetId::parse(net).value();
    route.gateway = Nid::parse(gateway).value();
    route.shared = true;
    return route;
  };
  conf::Config one = config_of({ni("10.7.7.7")});
  one.routes = {shared("tcp1", "10.7.7.8@tcp"), shared("tcp2", "10.9.9.1@tcp1")};
  const Outcome before = apply(*node, {}, one);
  EXPECT_THAT(before.failures, IsEmpty());
  conf::Config both = one;
  both.nets.push_back({.net = NetId::parse("tcp1").value(), .nis = {ni("10.9.9.9")}});
  EXPECT_THAT(apply(*node, before.now, both).failures, IsEmpty());
  const auto routes = routes_of(*node).routes;
  ASSERT_EQ(routes.size(), 1U);
  EXPECT_EQ(routes[0].route.gateway, Nid::parse("10.9.9.1@tcp1").value());
}

// transaction_timeout has to be above retry_count after each change.
TEST(Apply, TheTimeoutGrowsBeforeTheRetries) {
  FakeNode node;
  conf::Config requested;
  requested.globals = {{"retry_count", 200}, {"transaction_timeout", 300}};
  EXPECT_EQ(apply(node, {}, requested).failures.size(), 0U);
  EXPECT_THAT(node.recorded(), ElementsAre("together {", "set_global transaction_timeout 300",
                                           "set_global retry_count 200", "}"));
}

TEST(Apply, PeersAreThoseOfTheFile) {  // spec/cli-lnetctl.md 5.2
  FakeNode node;
  const auto peer = [](const char* primary, std::vector<Nid> nids) {
    return conf::PeerItem{nid_of(primary), std::move(nids)};
  };
  conf::Config requested;
  requested.peers = {peer("10.0.0.2@tcp", {nid_of("10.0.1.2@tcp1")}), peer("10.0.0.3@tcp", {})};
  const Outcome first = apply(node, {}, requested);
  conf::Config other;
  other.peers = {peer("10.0.0.3@tcp", {nid_of("10.0.1.3@tcp1")})};
  const Outcome second = apply(node, first.now, other);
  EXPECT_THAT(node.recorded(),
              ElementsAre("together {", "peer_add 10.0.0.2@tcp 10.0.1.2@tcp1",
                          "peer_add 10.0.0.3@tcp", "}", "together {", "peer_del 10.0.0.2@tcp force",
                          "peer_add 10.0.0.3@tcp 10.0.1.3@tcp1", "}"));
  EXPECT_EQ(second.now, other);
  // A failed change is tried again.
  node.next = fail(-EBUSY, "messages are under way");
  const Outcome failed = apply(node, second.now, {});
  EXPECT_THAT(failed.failures, testing::SizeIs(1));
  EXPECT_EQ(failed.now, other);
  node.next = fail(-ENOENT, "the route does not exist");
  EXPECT_THAT(apply(node, failed.now, {}).failures, IsEmpty())
      << "an administrator deleted it meanwhile";
}

TEST(Apply, SelectionPoliciesAreThoseOfTheFile) {  // spec/cli-lnetctl.md 5.2
  using core::udsp::parse_rule;
  FakeNode node;
  const auto list = [&] {
    std::vector<core::udsp::Rule> rules;
    for (const auto& entry : node.shows.udsp->entries()) rules.push_back(entry.rule);
    return rules;
  };
  const auto by_hand = parse_rule({.src = "tcp9", .priority = 1}).value();
  const auto rule = [](const char* net) { return parse_rule({.src = net, .priority = 2}).value(); };
  ASSERT_TRUE(node.change(conf::change::AddPolicy{by_hand}));
  conf::Config requested = config_of({ni("eth0")});
  EXPECT_THAT(apply(node, {}, requested).failures, IsEmpty());
  EXPECT_THAT(list(), ElementsAre(by_hand)) << "the file says nothing of them";
  requested.udsp = {rule("tcp1"), rule("tcp2")};
  const Outcome outcome = apply(node, config_of({ni("eth0")}), requested);
  EXPECT_EQ(list(), requested.udsp);
  EXPECT_EQ(outcome.changes, 1U);
  EXPECT_THAT(outcome.settings, ElementsAre("selection policies = 2"));
  EXPECT_EQ(apply(node, outcome.now, requested).changes, 0U);
  node.next = fail(-ESHUTDOWN, "the node is stopped");
  const Outcome failed = apply(node, requested, config_of({ni("eth0")}));
  EXPECT_EQ(failed.failures.size(), 1U);
  EXPECT_EQ(failed.now.udsp, requested.udsp) << "so that the next call tries again";
}

TEST(Apply, FailuresAreRetriedNextTime) {
  FakeNode node;
  node.next = fail(-ENETDOWN, "cannot add LNet NI");
  const conf::Config requested = config_of({ni("eth0")});
  const Outcome failed = apply(node, {}, requested);
  ASSERT_EQ(failed.failures.size(), 1U);
  EXPECT_EQ(failed.failures[0].what(), "adding tcp(eth0)");
  EXPECT_EQ(failed.failures[0].error.code, -ENETDOWN);
  EXPECT_EQ(failed.failures[0].error.reason, "cannot add LNet NI");
  EXPECT_EQ(failed.failures[0].ni->ni.interface, "eth0");
  node.next = {};
  EXPECT_EQ(apply(node, failed.now, requested).changes, 1U);
}

TEST(Apply, RemovingAMissingNiIsNoFailure) {
  FakeNode node;
  node.next = fail(-ENODEV, "cannot del LNet NI");
  const Outcome outcome = apply(node, config_of({ni("eth0")}), {});
  EXPECT_THAT(outcome.failures, IsEmpty());
  EXPECT_EQ(outcome.now, conf::Config{});
}

TEST(Apply, AnNiAsConfiguredIsNeitherAChangeNorAFailure) {
  FakeNode node;
  node.shows = recorded_state();
  conf::NiItem same = ni("eth0");
  same.tunables = {.peer_timeout = -1, .peer_credits = 8, .credits = 256};
  same.lnd_tunables = {{"conns_per_peer", 1}, {"tos", -1}};
  same.cpts = {0};
  conf::Config requested = config_of({same, ni("eth1")});
  requested.globals["retry_count"] = 2;
  const Outcome outcome = apply(node, {}, requested);
  EXPECT_THAT(outcome.failures, IsEmpty());
  EXPECT_EQ(outcome.now, requested);
  EXPECT_THAT(node.recorded(), ElementsAre("net_add tcp eth1"));
  EXPECT_EQ(summary(outcome), "1 change, 0 failures");
}

TEST(Apply, AnNiWithOtherTunablesGetsTheConfiguredOnes) {
  FakeNode node;
  node.shows = recorded_state();
  conf::NiItem more = ni("eth0");
  more.lnd_tunables["conns_per_peer"] = 4;
  EXPECT_EQ(summary(apply(node, {}, config_of({more}))), "1 change, 0 failures");
  EXPECT_THAT(node.recorded(), ElementsAre("ni_set 10.99.0.3@tcp conns_per_peer 4"));
  more.tunables.credits = 64;
  EXPECT_EQ(summary(apply(node, {}, config_of({more}))), "1 change, 0 failures");
  EXPECT_THAT(node.recorded(), ElementsAre("ni_set 10.99.0.3@tcp conns_per_peer 4", "together {",
                                           "nid_del 10.99.0.3@tcp", "net_add tcp eth0", "}"));
}

// The file names an NI by its NID that it named by its device before.
TEST(Apply, AnNiThatGetsAnotherNameIsDeletedAndAddedAgain) {
  FakeNode node;
  node.shows = recorded_state();
  conf::NiItem by_nid;
  by_nid.nid = nid_of("10.99.0.3@tcp");
  const Outcome outcome = apply(node, config_of({ni("eth0")}), config_of({by_nid}));
  EXPECT_THAT(node.recorded(),
              ElementsAre("together {", "net_del tcp eth0", "net_add tcp 10.99.0.3@tcp", "}"));
  EXPECT_THAT(outcome.failures, IsEmpty());
  EXPECT_EQ(outcome.now, config_of({by_nid}));
}

TEST(Apply, AnotherNiWithTheSameNidIsAFailure) {
  FakeNode node;
  node.next = fail(-EEXIST, "cannot add LNet NI");
  const Outcome outcome = apply(node, {}, config_of({ni("eth0")}));
  EXPECT_EQ(summary(outcome), "0 changes, 1 failure");
  EXPECT_EQ(outcome.now, conf::Config{});
}

TEST(Apply, StartOnlyParametersArePostponedOnce) {
  FakeNode node;
  node.next = fail(-EBUSY, "counts at start");
  conf::Config requested;
  requested.params["accept_port"] = "9000";
  const Outcome outcome = apply(node, {}, requested);
  EXPECT_THAT(outcome.postponed, ElementsAre("accept_port"));
  EXPECT_THAT(outcome.failures, IsEmpty());
  EXPECT_THAT(apply(node, outcome.now, requested).postponed, IsEmpty());
}

}  // namespace
}  // namespace ulnet::tools

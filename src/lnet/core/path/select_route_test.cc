// Route selection on tables made by hand. spec/multirail.md 3.3, 9.3.
#include "lnet/core/path/select_route.h"

#include <gmock/gmock.h>

#include <map>

#include "lnet/core/flow/pipe_fixture.h"
#include "lnet/core/path/select.h"
#include "lnet/core/udsp/udsp_fixture.h"

namespace ulnet::core::test {
namespace {

constexpr NetId kFar{NetType::kTcp, 7};

/// This node has an NI on tcp and one on tcp1. Routers on these nets lead to tcp7.
struct RouteTables {
  RouteTables() {
    config = config_of({tcp(1), tcp(1, 1)}, 0xa);
    nis.apply(*config);
  }
  void route(const Nid& gateway, std::int32_t hops = kHopsUndefined, std::uint32_t priority = 0,
             NetId net = kFar) {
    auto next = std::make_shared<RouteList>(*list);
    EXPECT_TRUE(next->add({net, gateway, hops, priority}, next->size()));
    list = next;
    table.apply(list, true, peers);
  }
  /// Gives the peer entry of a gateway with these NIDs to its first NID only.
  void give_peer_entry_to_first(const std::vector<Nid>& nids) {
    peers.set_peer_entry(peers.use(nids[0]),
                         std::make_shared<const PeerEntry>(PeerEntry{nids, true}));
  }
  void rails_of_gateway(std::vector<Nid> nids) {
    const auto peer_entry = std::make_shared<const PeerEntry>(PeerEntry{nids, true});
    for (const Nid& nid : nids) peers.set_peer_entry(peers.use(nid), peer_entry);
  }
  Choice choose(const Nid& source = Nid::any(), Explanation* why = nullptr) {
    const RouteView view{table, peers, *config};
    SendIntent intent{target, Pid::lustre(), source, peers.find(target), nullptr, true};
    intent.routes = &view;
    intent.came_from = came_from.is_any() ? nullptr : &came_from;
    intent.back_to = back_to.is_any() ? nullptr : &back_to;
    const Choice choice = select(nis, intent, why);
    take_turn(nis, choice, &view);
    return choice;
  }
  std::map<Nid, int> chosen(int messages) {
    std::map<Nid, int> counts;
    for (int i = 0; i < messages; ++i) ++counts[choose().hop.nid];
    return counts;
  }
  PeerNid& peer(const Nid& nid) { return peers.use(nid); }

  std::shared_ptr<NodeConfig> config;
  NiTable nis;
  PeerTable peers;
  std::shared_ptr<const RouteList> list = RouteList::none();
  RouteTable table;
  Nid target = tcp(5, 7), came_from = Nid::any(), back_to = Nid::any();
};

using Counts = std::map<Nid, int>;

// spec/multirail.md 3.3.4, 3.3.6
TEST(SelectRoute, TheHeaderNamesTheFinalNidAndTheDriverTheGateway) {
  RouteTables t;
  t.route(tcp(9, 1));
  const Choice choice = t.choose();
  EXPECT_EQ(choice.status, 0);
  EXPECT_EQ(choice.hop.nid, tcp(9, 1));
  EXPECT_EQ(choice.destination, tcp(5, 7));
  EXPECT_EQ(choice.ni->nid(), tcp(1, 1)) << "the NI of the gateway's net";
}

// spec/multirail.md 3.3.5; spec/observed-routing.md 1.1
TEST(SelectRoute, EqualRoutesTakeStrictTurns) {
  RouteTables t;
  t.route(tcp(8));
  t.route(tcp(9));
  EXPECT_EQ(t.chosen(20), (Counts{{tcp(8), 10}, {tcp(9), 10}}));
}

// spec/multirail.md 3.3.2; spec/observed-routing.md 1.6
TEST(SelectRoute, PriorityComesBeforeHops) {
  RouteTables t;
  t.route(tcp(8), 1, 1);
  t.route(tcp(9), 5, 0);
  EXPECT_EQ(t.chosen(20), (Counts{{tcp(9), 20}}));
}

TEST(SelectRoute, FewerHopsWinAndUndefinedCountsAsOne) {  // spec/multirail.md 3.3.2
  RouteTables t;
  t.route(tcp(7), 2);
  t.route(tcp(8), kHopsUndefined);
  t.route(tcp(9), 1);
  EXPECT_EQ(t.chosen(20), (Counts{{tcp(8), 10}, {tcp(9), 10}}));
}

TEST(SelectRoute, GatewayHealthQueueAndCreditsComeNext) {  // spec/multirail.md 3.3.2
  RouteTables t;
  t.route(tcp(7));
  t.route(tcp(8));
  t.route(tcp(9));
  t.peer(tcp(8)).health = 900;
  t.peers.use_ni(tcp(7), 8).queued_bytes = 1000;
  EXPECT_EQ(t.chosen(4), (Counts{{tcp(9), 4}})) << "well, and nothing is queued";
  t.peers.use_ni(tcp(9), 8).queued_bytes = 2000;
  EXPECT_EQ(t.chosen(4), (Counts{{tcp(7), 4}}));
  t.peers.find_ni(tcp(9))->queued_bytes = 1000;
  t.peers.find_ni(tcp(9))->tx = Gate(4);
  EXPECT_EQ(t.chosen(4), (Counts{{tcp(7), 4}})) << "more credits";
}

TEST(SelectRoute, ARouterPolicyComesFirst) {  // spec/multirail.md 10.1, 10.3
  RouteTables t;
  t.route(tcp(8), 1, 0);
  t.route(tcp(9), 9, 9);
  udsp::RuleList rules;
  ASSERT_TRUE(rules.add(udsp::rule_of({.dst = "10.0.0.[1-9]@tcp7", .rte = "10.0.0.9@tcp"})));
  t.config->udsp = std::make_shared<const udsp::RuleList>(rules);
  EXPECT_EQ(t.chosen(4), (Counts{{tcp(9), 4}}));
}

TEST(SelectRoute, ADeadRouteIsNotTaken) {  // spec/multirail.md 9.3.1
  RouteTables t;
  t.route(tcp(8));
  t.route(tcp(9));
  t.table.take({.gateway = tcp(8), .usable = false});
  EXPECT_EQ(t.chosen(4), (Counts{{tcp(9), 4}}));
  t.table.take({.gateway = tcp(9), .lost = {kFar}});
  EXPECT_EQ(t.choose().status, -EHOSTUNREACH) << "its NIDs on that net are down";
  t.route(tcp(9), 1, 0, {NetType::kTcp, 6});
  t.target = tcp(5, 6);
  EXPECT_EQ(t.choose().hop.nid, tcp(9)) << "the other net is reached, and the peer entry was kept";
}

TEST(SelectRoute, AnUnreachableGatewayIsSkipped) {
  RouteTables t;
  t.route(tcp(9, 3));
  EXPECT_EQ(t.choose().status, -EHOSTUNREACH);
  t.route(tcp(8));
  EXPECT_EQ(t.choose().hop.nid, tcp(8));
}

TEST(SelectRoute, AGatewayThatOnlyAFailedNiReachesIsTakenLast) {  // spec/multirail.md 3.3.2
  for (const std::uint8_t more : {0, 40}) {
    RouteTables t;
    t.route(tcp(9), 1, 0);
    t.route(tcp(8, 1), 5, 1);
    for (std::uint8_t i = 0; i < more; ++i) t.route(tcp(100 + i), 1, 0);
    EXPECT_EQ(t.choose().hop.nid, tcp(9));
    t.nis.find(tcp(1))->fatal = true;
    for (int i = 0; i < 3; ++i) EXPECT_EQ(t.choose().hop.nid, tcp(8, 1));
    t.table.take({.gateway = tcp(8, 1), .usable = false});
    EXPECT_EQ(t.choose().ni->nid(), tcp(1)) << "there is no other one";
  }
}

// 3.1: "if no local net works: 3.3". Far nets that only a failed NI reaches come last.
TEST(SelectRoute, APeerIsReachedByARouterWhereNoNiOnItsNetWorks) {
  RouteTables t;
  const std::vector<Nid> nids{tcp(5), tcp(5, 7)};
  const auto peer_entry = std::make_shared<const PeerEntry>(PeerEntry{nids, true});
  for (const Nid& nid : nids) t.peers.set_peer_entry(t.peers.use(nid), peer_entry);
  t.route(tcp(9, 1));
  const RouteView view{t.table, t.peers, *t.config};
  SendIntent intent{nids[0], Pid::lustre(), Nid::any(), t.peers.find(nids[0])};
  intent.rails = &t.peers.rails_of(*t.peers.find(nids[0]), *t.config);
  intent.routes = &view;
  EXPECT_EQ(select(t.nis, intent).hop.nid, tcp(5));
  t.nis.find(tcp(1))->fatal = true;
  EXPECT_EQ(select(t.nis, intent).hop.nid, tcp(9, 1));
  EXPECT_EQ(select(t.nis, intent).destination, tcp(5, 7));
  t.nis.find(tcp(1, 1))->fatal = true;
  EXPECT_EQ(select(t.nis, intent).hop.nid, tcp(5)) << "a router is no better";
}

TEST(SelectRoute, AGatewayWithSeveralRailsIsReachedByAnyOfThem) {  // spec/multirail.md 3.3.3
  RouteTables t;
  t.rails_of_gateway({tcp(9), tcp(9, 1), tcp(9, 7)});
  t.route(tcp(9));
  EXPECT_EQ(t.chosen(10), (Counts{{tcp(9), 5}, {tcp(9, 1), 5}}));
  t.peer(tcp(9)).health = 500;
  EXPECT_EQ(t.chosen(10), (Counts{{tcp(9, 1), 10}}));
}

TEST(SelectRoute, AFarPeerIsReachedOnTheNetsThatHaveRoutes) {  // spec/multirail.md 3.3.1
  RouteTables t;
  constexpr NetId kFar2{NetType::kTcp, 8};
  t.rails_of_gateway({tcp(5, 7), tcp(5, 8), tcp(5, 9)});  // the peer's NIDs: no route reaches tcp9
  t.route(tcp(9));
  t.route(tcp(9), 1, 0, kFar2);
  const RouteView view{t.table, t.peers, *t.config};
  std::map<Nid, int> counts;
  const auto send = [&](int messages) {
    counts.clear();
    for (int i = 0; i < messages; ++i) {
      SendIntent intent{t.target, Pid::lustre(), Nid::any(), t.peers.find(t.target), nullptr, true};
      intent.routes = &view;
      intent.rails = &t.peers.rails_of(*t.peers.find(t.target), *t.config);
      const Choice choice = select(t.nis, intent, nullptr);
      take_turn(t.nis, choice, &view);
      EXPECT_EQ(choice.hop.nid, tcp(9));
      ++counts[choice.destination];
    }
    return counts;
  };
  EXPECT_EQ(send(10), (Counts{{tcp(5, 7), 5}, {tcp(5, 8), 5}}));
  t.peer(tcp(5, 7)).health = 500;
  EXPECT_EQ(send(10), (Counts{{tcp(5, 8), 10}}));
  t.peer(tcp(5, 8)).health = 400;
  EXPECT_EQ(send(10), (Counts{{tcp(5, 7), 10}}));
}

// spec/multirail.md 3.1
TEST(SelectRoute, AGivenSourceReachesTheGatewaysOfItsNetOnly) {  // 3.1: source given, remote
  RouteTables t;
  t.route(tcp(8));
  t.route(tcp(9, 1));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(t.choose(tcp(1, 1)).hop.nid, tcp(9, 1));
  EXPECT_EQ(t.choose(tcp(1, 1)).ni->nid(), tcp(1, 1));
}

TEST(SelectRoute, MessagesDoNotReturnToTheirSender) {
  RouteTables t;
  t.rails_of_gateway({tcp(9), tcp(9, 1)});
  t.route(tcp(9));
  t.came_from = tcp(9, 1);
  EXPECT_EQ(t.choose().status, -EHOSTUNREACH) << "the same router, by its other NID";
  t.route(tcp(8));
  EXPECT_EQ(t.choose().hop.nid, tcp(8));
}

TEST(SelectRoute, NothingGoesBackByANidWithoutAPeerEntry) {  // spec/multirail.md 9.7
  for (const int others : {0, 40}) {
    RouteTables t;
    t.give_peer_entry_to_first({tcp(9), tcp(9, 1)});
    t.route(tcp(9));
    t.came_from = tcp(9, 1);
    for (int i = 0; i < others; ++i) t.route(tcp(static_cast<std::uint8_t>(100 + i)), 2);
    const Choice choice = t.choose();
    EXPECT_EQ(choice.status, others == 0 ? -EHOSTUNREACH : 0);
    EXPECT_NE(choice.hop.nid, tcp(9));
    EXPECT_NE(choice.hop.nid, tcp(9, 1));
  }
}

// 3.1: response, remote. The source is given as long as the NI that received the request works.
TEST(SelectRoute, AnAnswerGoesBackByItsRouterFromAnyShard) {  // spec/multirail.md 3.1
  RouteTables t;
  t.route(tcp(8));
  t.route(tcp(9));
  t.route(tcp(9, 1));
  t.back_to = tcp(9);
  for (const Nid& source : {tcp(1), Nid::any()})
    for (int i = 0; i < 4; ++i) EXPECT_EQ(t.choose(source).hop.nid, tcp(9));
  EXPECT_EQ(t.choose().ni->nid(), tcp(1));
}

TEST(SelectRoute, AnAnswerWhoseRouterCannotBeReachedGoesByAnother) {  // spec/multirail.md 3.1
  RouteTables t;
  t.rails_of_gateway({tcp(9), tcp(8)});
  t.route(tcp(9));
  t.back_to = tcp(9);
  t.nis.find(tcp(1))->fatal = true;
  for (int i = 0; i < 4; ++i) EXPECT_EQ(t.choose().hop.nid, tcp(9)) << "there is no other one";
  t.route(tcp(7, 1));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(t.choose().hop.nid, tcp(7, 1));
}

TEST(SelectRoute, AnAnswerGoesBackByANidWithoutAPeerEntry) {  // spec/multirail.md 3.1
  RouteTables t;
  t.give_peer_entry_to_first({tcp(9), tcp(9, 1)});
  t.route(tcp(8, 1));
  t.route(tcp(9));
  t.back_to = tcp(9, 1);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(t.choose(tcp(1, 1)).hop.nid, tcp(9, 1));
}

TEST(SelectRoute, ManyEqualRoutesTakeStrictTurnsInTheOrderOfTheList) {
  RouteTables t;
  for (std::uint8_t i = 0; i < 40; ++i) t.route(tcp(100 + i));
  for (int round = 0; round < 3; ++round)
    for (std::uint8_t i = 0; i < 40; ++i) ASSERT_EQ(t.choose().hop.nid, tcp(100 + i)) << round;
}

TEST(SelectRoute, ARouteIsUsedAgainWhenItsGatewayRecovers) {
  RouteTables t;
  for (std::uint8_t i = 0; i < 40; ++i) t.route(tcp(100 + i));
  PeerNi& busy = t.peers.use_ni(tcp(105), 8);
  PeerNid& ill = t.peer(tcp(107));
  const auto change = [&](std::int64_t queued, std::int32_t health, bool usable) {
    busy.queued_bytes = queued;
    t.peers.changed(*busy.known);
    ill.health = health;
    t.peers.changed(ill);
    t.table.take({.gateway = tcp(109), .usable = usable});
  };
  change(1000, 900, false);
  Counts counts = t.chosen(74);
  EXPECT_EQ(counts.size(), 37U) << "the others, twice each";
  for (const std::uint8_t host : {105, 107, 109}) EXPECT_FALSE(counts.contains(tcp(host)));
  change(0, kHealthMax, true);
  EXPECT_EQ(t.chosen(3), (Counts{{tcp(105), 1}, {tcp(107), 1}, {tcp(109), 1}})) << "they waited";
}

TEST(SelectRoute, AGivenSourceTakesRoutesOfItsNet) {
  RouteTables t;
  for (std::uint8_t i = 0; i < 20; ++i) t.route(tcp(100 + i, i % 2));
  for (std::uint8_t i = 1; i < 20; i += 2) ASSERT_EQ(t.choose(tcp(1, 1)).hop.nid, tcp(100 + i, 1));
}

TEST(SelectRoute, TheExplanationNamesEachRouteAndWhyItLost) {
  RouteTables t;
  t.route(tcp(8), 2);
  t.route(tcp(9), 1);
  Explanation why;
  EXPECT_EQ(t.choose(Nid::any(), &why).hop.nid, tcp(9));
  ASSERT_EQ(why.candidates.size(), 2U);
  EXPECT_EQ(why.candidates[0].kind, Candidate::Kind::kRoute);
  EXPECT_EQ(why.candidates[0].nid, tcp(8));
  EXPECT_STREQ(to_string(why.candidates[0].lost_by), "more hops");
  EXPECT_TRUE(why.candidates[1].chosen);
}

}  // namespace
}  // namespace ulnet::core::test

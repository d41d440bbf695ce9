#include "lnet/core/flow/router_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lnet/core/flow/checked_fixture.h"
#include "lnet/core/flow/fault_fixture.h"

namespace ulnet::core::test {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// spec/multirail.md 3.3.7, 4.4.4, 9.2, 9.4
TEST(RouterCheck, AGatewayIsDiscoveredWhenItsRouteIsAdded) {
  Checked p;
  EXPECT_EQ(p.trouble(), RouteTrouble::kNone);
  EXPECT_FALSE(p.route(p.a).multi_hop);
  EXPECT_EQ(p.gateway().last_answer_s, 0);
  EXPECT_TRUE(p.gateway().all_up);
  constexpr std::uint32_t kUsual = kPeerMultiRail | kPeerDiscovered | kPeerNidsUpToDate;
  EXPECT_EQ(p.peer_state(p.a, tcp(3)), kUsual | kPeerRouterEnabled | kPeerRouterDiscovered);
  EXPECT_NE(p.peer_state(p.r, tcp(1)) & kPeerDiscovered, 0U) << "a has pushed";
  EXPECT_TRUE(p.used());
}

/// The number of notes about discoveries.
std::size_t discovery_notes(const End& end) {
  return static_cast<std::size_t>(std::ranges::count_if(end.notes, [](const Note& note) {
    return note.about == Note::About::kDiscovery || note.about == Note::About::kDiscovered;
  }));
}

TEST(RouterCheck, ChecksThatFindNothingNewAreNotReported) {  // 9.4, recording r05
  Checked p;
  EXPECT_GE(discovery_notes(p.a), 3U) << "the first check: info, push, discovered";
  p.a.notes.clear();
  p.r.notes.clear();
  const std::uint64_t before = p.counted(p.a).send_count;
  p.tick_for(seconds(310));
  EXPECT_EQ(p.counted(p.a).send_count - before, 10U)
      << "one GET and one PUT for each of five checks";
  EXPECT_EQ(discovery_notes(p.a), 0U);
  EXPECT_EQ(discovery_notes(p.r), 0U);
  p.r.config->nis.push_back({.id = {9}, .nid = tcp(33)});
  p.configure(p.r);
  EXPECT_EQ(discovery_notes(p.r), 6U) << "to a and to b: push, its end, discovered";
  EXPECT_EQ(discovery_notes(p.a), 2U) << "its info, discovered";
  p.a.notes.clear();
  p.set(p.a, &Globals::transaction_timeout, 20);
  p.call(p.a, call::Discover{tcp(3), true, 7});
  EXPECT_EQ(discovery_notes(p.a), 5U) << "a command's discovery is noted, even when nothing is new";
}

/// The router gets an NI while a's push, which repeats after each check, is under way.
TEST(RouterCheck, NewsIsReportedThoughAPushRepeats) {
  Checked p;
  p.a.hold_sends = true;
  p.tick_for(seconds(61));
  ASSERT_EQ(p.a.sends.size(), 1U) << "the GET of the check";
  p.release_sends(p.a);
  ASSERT_EQ(p.a.sends.size(), 1U) << "the push";
  p.a.notes.clear();
  p.r.config->nis.push_back({.id = {9}, .nid = tcp(33)});
  p.configure(p.r);
  EXPECT_EQ(discovery_notes(p.a), 1U) << "its info";
}

TEST(RouterCheck, ADeadGatewayIsKnownAfterAnIntervalAndAPing) {  // spec/multirail.md 9.3.1, 9.4
  Checked p;
  p.r_dies();
  p.tick_for(seconds(59));
  EXPECT_EQ(p.trouble(), RouteTrouble::kNone);
  p.tick_for(seconds(53));
  EXPECT_EQ(p.trouble(), RouteTrouble::kSilent);
  EXPECT_FALSE(p.used());
  EXPECT_FALSE(p.gateway().alive);
}

TEST(RouterCheck, AnOpenCheckDoesNotBlockTheNext) {  // spec/multirail.md 9.4
  Checked p;
  p.set(p.a, &Globals::alive_router_check_interval, 10);
  p.tick_for(seconds(60));
  p.r_dies();
  p.tick_for(seconds(40));
  std::size_t answers = 0;
  for (const Send& send : p.r.sends)
    answers += send.header.type() == wire::MsgType::kReply && send.hop.nid == tcp(1) ? 1 : 0;
  EXPECT_GE(answers, 4U) << "r was asked every 10 s, though no answer came";
}

TEST(RouterCheck, AGatewayThatIsBackIsUsedWithinOneInterval) {  // spec/multirail.md 9.4
  Checked p;
  p.r_dies();
  p.tick_for(seconds(112));
  ASSERT_EQ(p.trouble(), RouteTrouble::kSilent);
  p.r_returns();
  p.tick_for(seconds(60));
  EXPECT_EQ(p.trouble(), RouteTrouble::kNone);
  EXPECT_TRUE(p.used());
  EXPECT_TRUE(p.gateway().alive);
}

TEST(RouterCheck, AnEarlierAnswerDoesNotCount) {  // spec/multirail.md 9.4
  Checked p;
  p.set(p.a, &Globals::alive_router_check_interval, 10);
  p.set(p.a, &Globals::router_ping_timeout, 15);
  p.tick_for(seconds(11));
  p.r_dies();
  p.tick_for(seconds(12));
  ASSERT_FALSE(p.r.sends.empty()) << "the answer to a check";
  p.r_returns();
  p.tick_for(seconds(20));
  EXPECT_EQ(p.trouble(), RouteTrouble::kNone) << "a later check was answered";
}

TEST(RouterCheck, ARouterThatStopsReportsItAtOnce) {  // spec/multirail.md 4.4.4, 9.1, 9.3.2
  Checked p;
  p.r.config->routing.on = false;
  p.configure(p.r);
  EXPECT_EQ(p.trouble(), RouteTrouble::kNotRouting);
  EXPECT_FALSE(p.used());
  EXPECT_EQ(p.call(p.r, call::ShowRouting{}).state, RoutingState::kStopping);
  p.tick_for(seconds(111));
  EXPECT_EQ(p.call(p.r, call::ShowRouting{}).state, RoutingState::kDisabled);
}

// spec/multirail.md 9.1
TEST(RouterCheck, ARouterThatStartsAdvertisesRoutingAfterAllCouldSeeItsNis) {
  Checked p;
  p.turn_off();
  const std::uint32_t sequence = p.show(p.r).ping_sequence;
  p.r.config->routing = {.on = true};
  p.configure(p.r);
  EXPECT_EQ(p.call(p.r, call::ShowRouting{}).state, RoutingState::kStarting);
  EXPECT_EQ(p.trouble(), RouteTrouble::kNotRouting);
  p.tick_for(seconds(111));
  EXPECT_EQ(p.call(p.r, call::ShowRouting{}).state, RoutingState::kEnabled);
  EXPECT_EQ(p.trouble(), RouteTrouble::kNone) << "it was pushed, not waited for";
  EXPECT_EQ(p.show(p.r).ping_sequence, sequence);
}

TEST(RouterCheck, AFarNetThatIsDownTakesItsRouteDown) {  // spec/multirail.md 9.3.3; rule 3
  Checked p;
  p.r.config->nis[2].up = false;
  p.configure(p.r);
  EXPECT_EQ(p.trouble(), RouteTrouble::kFarDown);
  EXPECT_FALSE(p.used());
  EXPECT_TRUE(p.gateway().alive);
  EXPECT_FALSE(p.gateway().all_up);
  p.a.config->globals.avoid_asym_router_failure = false;
  p.configure(p.a);
  EXPECT_EQ(p.trouble(), RouteTrouble::kNone) << "at once";
  p.a.config->globals.avoid_asym_router_failure = true;
  p.configure(p.a);
  EXPECT_EQ(p.trouble(), RouteTrouble::kFarDown);
}

// Production nodes show this: route_add_show.txt, route_samples_gateway_killed.txt.
TEST(RouterCheck, EveryNodeShowsWhichNidsOfItsGatewaysAreUp) {  // spec/multirail.md 8
  Checked p;
  const auto state = [&](const Nid& nid) {
    for (const PeerShow& peer : p.show(p.a).peers)
      for (const PeerNiShow& ni : peer.nis)
        if (ni.nid == nid) return std::string(ni.state);
    return std::string("none");
  };
  EXPECT_EQ(state(tcp(3)), "up");
  EXPECT_EQ(state(tcp(3, 1)), "up");
  p.call(p.a, call::Discover{tcp(2, 1), false, 1});
  EXPECT_EQ(state(tcp(2, 1)), "NA") << "no gateway, and a does not route";
  p.r.config->nis[2].up = false;
  p.configure(p.r);
  EXPECT_EQ(state(tcp(3)), "up");
  EXPECT_EQ(state(tcp(3, 1)), "down");
  p.r.config->nis[2].up = true;
  p.configure(p.r);
  EXPECT_EQ(state(tcp(3, 1)), "up");
  p.r_dies();
  p.loses(p.a, kTcp, tcp(3));
  EXPECT_EQ(state(tcp(3)), "down");
  EXPECT_EQ(state(tcp(3, 1)), "down");
  p.a.config->routes = RouteList::none();
  p.configure(p.a);
  EXPECT_EQ(state(tcp(3)), "NA") << "a gateway no more";
}

TEST(RouterCheck, ARouteOfSeveralHopsIsJudgedByItsGatewayAlone) {  // spec/multirail.md 9.3.3
  Checked p;
  const NetId beyond{NetType::kTcp, 7};
  p.Routed::route(p.a, beyond, tcp(3));
  p.tick(kMoment);
  const auto routes = p.call(p.a, call::ShowRoutes{}).routes;
  ASSERT_EQ(routes.size(), 2U);
  EXPECT_TRUE(routes[1].multi_hop);
  EXPECT_TRUE(routes[1].up());
  p.r.config->nis[2].up = false;
  p.configure(p.r);
  EXPECT_TRUE(p.call(p.a, call::ShowRoutes{}).routes[1].up());
}

TEST(RouterCheck, WithoutDiscoveryFlagsDecide) {  // spec/multirail.md 8, 9.3.2; rule 2
  Checked p;
  p.set(p.a, &Globals::discovery, 0);
  p.r.config->routing.on = false;
  p.configure(p.r);
  p.tick_for(seconds(65));
  EXPECT_EQ(p.trouble(), RouteTrouble::kNone) << "as in production, it is not seen";
  p.loses(p.a, kTcp, tcp(3));
  p.r_dies();
  EXPECT_EQ(p.trouble(), RouteTrouble::kSilent);
  p.tick_for(seconds(60));
  p.r_returns();
  p.tick_for(seconds(60));
  EXPECT_EQ(p.trouble(), RouteTrouble::kNone);
}

// spec/multirail.md 9.3.2; spec/upstream-tests.md 223; rule 3
TEST(RouterCheck, WithoutDiscoveryAFarNetThatIsDownIsLearntFromChecks) {
  Checked p;
  p.far_goes_down_without_discovery();
  EXPECT_EQ(p.trouble(), RouteTrouble::kFarDown);
  EXPECT_FALSE(p.used());
  p.a.config->globals.avoid_asym_router_failure = false;
  p.configure(p.a);
  EXPECT_EQ(p.trouble(), RouteTrouble::kNone) << "at once";
  EXPECT_TRUE(p.used());
  p.a.config->globals.avoid_asym_router_failure = true;
  p.configure(p.a);
  EXPECT_EQ(p.trouble(), RouteTrouble::kFarDown);
  p.r.config->nis[2].up = true;
  p.configure(p.r);
  p.tick_for(seconds(65));
  EXPECT_EQ(p.trouble(), RouteTrouble::kNone);
  EXPECT_TRUE(p.used());
}

TEST(RouterCheck, WithoutDiscoveryANewRouteByAKnownGatewayIsJudgedAtOnce) {
  Checked p;
  p.set(p.a, &Globals::discovery, 0);
  p.a.config->routes = RouteList::none();
  p.Routed::route(p.a, {NetType::kTcp, 7}, tcp(3));
  p.r.config->nis[2].up = false;
  p.configure(p.r);
  p.tick_for(seconds(65));
  p.Routed::route(p.a, kFar, tcp(3));
  p.tick(kMoment);
  for (const RouteRow& row : p.call(p.a, call::ShowRoutes{}).routes)
    EXPECT_EQ(row.trouble, row.route.net == kFar ? RouteTrouble::kFarDown : RouteTrouble::kNone);
}

TEST(RouterCheck, WithoutDiscoveryAndChecksNobodyReportsTheFarNetUpAgain) {
  Checked p;
  p.far_goes_down_without_discovery();
  ASSERT_EQ(p.trouble(), RouteTrouble::kFarDown);
  p.set(p.a, &Globals::alive_router_check_interval, 0);
  EXPECT_EQ(p.trouble(), RouteTrouble::kNone) << "it must not be down for ever";
  EXPECT_TRUE(p.used());
}

TEST(RouterCheck, WithoutDiscoveryMessagesOfTheGatewayDoNotCount) {
  Checked p;
  p.far_goes_down_without_discovery();
  ASSERT_EQ(p.trouble(), RouteTrouble::kFarDown);
  const GatewayEntry& entry = p.a.shards.at(0)->observe().routes.gateway(tcp(3))->entry;
  EXPECT_FALSE(entry.misses(kNear)) << "otherwise each of them would cost an inter-shard message";
  EXPECT_TRUE(entry.misses(kFar));
}

// spec/core-semantics.md 8.9; spec/multirail.md 9.3.2
TEST(RouterCheck, WithoutDiscoveryAMessageFromTheFarNetSaysThatItIsUp) {
  Checked p;
  p.far_goes_down_without_discovery();
  ASSERT_EQ(p.trouble(), RouteTrouble::kFarDown);
  p.arrive(p.a, get_from(tcp(3)), tcp(3));
  EXPECT_EQ(p.trouble(), RouteTrouble::kFarDown)
      << "the gateway's own messages do not show that it forwards";
  p.arrive(p.a, get_from(tcp(2, 1)), tcp(3));
  EXPECT_EQ(p.trouble(), RouteTrouble::kNone);
}

TEST(RouterCheck, BeforeUseAGatewayHasToAnswer) {  // spec/multirail.md 9.4
  Checked p;
  p.r_dies();
  p.a.config->routing.check_before_use = true;
  p.a.config->routes = RouteList::none();
  p.configure(p.a);
  p.Routed::route(p.a, kFar, tcp(3));
  EXPECT_EQ(p.trouble(), RouteTrouble::kUntried);
  EXPECT_FALSE(p.used());
  p.tick_for(seconds(1));
  EXPECT_EQ(p.trouble(), RouteTrouble::kUntried);
  p.r_returns();
  p.tick_for(seconds(61));
  EXPECT_EQ(p.trouble(), RouteTrouble::kNone);
}

TEST(RouterCheck, BeforeUseASilentGatewayIsWaitedForOnce) {
  Checked p;
  p.r_dies();
  p.a.config->routing.check_before_use = true;
  p.a.config->routes = RouteList::none();
  p.configure(p.a);
  p.Routed::route(p.a, kFar, tcp(3));
  const auto pings = [&] {
    std::uint64_t sent = 0;
    for (const PeerShow& peer : p.show(p.a).peers)
      for (const PeerNiShow& ni : peer.nis) sent += ni.traffic.sent.get;
    return sent;
  };
  p.tick(kMoment);
  const std::uint64_t before = pings();
  for (int second = 0; second < 52; ++second) {
    p.arrive(p.a, get_from(tcp(3)), tcp(3));
    p.tick(seconds(1));
  }
  EXPECT_LE(pings(), before + 2) << "no message has it asked again";
  EXPECT_NE(p.trouble(), RouteTrouble::kUntried) << "the time for its answer is over";
  p.arrive(p.a, get_from(tcp(3)), tcp(3));
  EXPECT_EQ(p.trouble(), RouteTrouble::kNone);
}

TEST(RouterCheck, ADeadGatewayIsWarnedOfOnce) {
  Checked p;
  p.r_dies();
  p.tick_for(seconds(112));
  ASSERT_EQ(p.trouble(), RouteTrouble::kSilent);
  std::vector<std::string> warnings;
  for (const Note& note : p.a.notes)
    if (note.level == Note::Level::kWarning) warnings.push_back(to_string(note));
  EXPECT_THAT(warnings, ElementsAre(to_string(RouteTrouble::kSilent)));
}

TEST(RouterCheck, AMessageThroughADeadGatewayBringsItBack) {  // core-semantics.md 8.9
  Checked p;
  p.r_dies();
  p.tick_for(seconds(112));
  ASSERT_EQ(p.trouble(), RouteTrouble::kSilent);
  p.arrive(p.a, get_from(tcp(2, 1)), tcp(3));
  EXPECT_EQ(p.trouble(), RouteTrouble::kNone);
}

TEST(RouterCheck, RoutesThatCannotBeUsedSayWhy) {
  Checked p;
  p.Routed::route(p.a, {NetType::kTcp, 7}, tcp(9, 6));
  p.Routed::route(p.a, {NetType::kTcp, 8}, tcp(1));
  p.tick(kMoment);
  const auto routes = p.call(p.a, call::ShowRoutes{}).routes;
  ASSERT_EQ(routes.size(), 3U);
  EXPECT_EQ(routes[1].trouble, RouteTrouble::kNoLocalNi);
  EXPECT_EQ(routes[2].trouble, RouteTrouble::kSelf);
  EXPECT_TRUE(routes[2].multi_hop) << "as production shows it";
  EXPECT_THAT(p.a.notes, ::testing::Not(IsEmpty()));
}

TEST(RouterCheck, AGatewayIsNotDeletedWhileRoutesGoByIt) {  // spec/multirail.md 2.2
  Checked p;
  int status = 0;
  p.call(p.a, call::PeerDel{tcp(3)}, &status);
  EXPECT_EQ(status, -EBUSY);
  p.a.config->routes = RouteList::none();
  p.configure(p.a);
  p.call(p.a, call::PeerDel{tcp(3)}, &status);
  EXPECT_EQ(status, 0);
}

TEST(RouterCheck, TheHealthOfAGatewayIsFullWithItsFirstMessage) {  // spec/multirail.md 5.2
  Checked p;
  p.call(p.a, call::SetPeerNiHealth{tcp(3), 400});
  p.tick_for(seconds(61));
  for (const PeerShow& peer : p.show(p.a).peers)
    for (const PeerNiShow& ni : peer.nis)
      if (ni.nid == tcp(3)) {
        EXPECT_EQ(ni.health_value, 1000);
      }
}

/// One of the gateway's two NIDs cannot be reached. Checks go to both in turn, so each answer makes
/// the gateway alive and each failure makes it dead. (A simulated world had 500 pings a second.)
TEST(RouterCheck, AGatewayWithALostNidIsCheckedAtIntervals) {
  Checked p;
  p.add_second_ni(p.r, tcp(33));
  FaultRule rule = error_rule(Health::kRemoteError);
  rule.destination = FaultNids::parse(tcp(33).to_string()).value();
  p.call(p.a, call::FaultAdd{settled(rule).value()});
  const std::uint64_t before = p.counted(p.a).send_count;
  std::size_t down = 0;
  for (Duration passed{}; passed < seconds(125); passed += std::chrono::milliseconds(2)) {
    p.tick(std::chrono::milliseconds(2));
    down += p.trouble() == RouteTrouble::kNone ? 0 : 1;
  }
  EXPECT_EQ(p.call(p.a, call::FaultShow{}).rows.at(0).hits, 2U) << "two checks";
  EXPECT_LE(p.counted(p.a).send_count - before, 6U);
  EXPECT_LE(down, 2U) << "the NID that is left is asked at once";
}

/// Checks fail by chance, which makes the gateway dead, and messages come from it, which make it
/// alive. Both cause checks out of turn.
TEST(RouterCheck, ExtraChecksComeAtMostOnceASecond) {
  Checked p;
  p.call(p.a, call::FaultAdd{settled(error_rule(Health::kRemoteError)).value()});
  p.tick_for(seconds(61));
  auto source = bytes(8);
  const auto pings = [&] { return p.call(p.a, call::FaultShow{}).rows.at(0).matched.get; };
  const std::uint64_t before = pings();
  for (int i = 0; i < 5000; ++i) {
    p.tick(std::chrono::milliseconds(2));
    p.put(p.b, p.bind(p.b, source, nullptr, 1), tcp(1));
  }
  EXPECT_LE(pings() - before, 22U) << "in ten seconds, with those of recovery";
}

TEST(RouterCheck, WithoutAnIntervalThereAreNoChecks) {  // spec/multirail.md 3.3.7
  Checked p;
  p.set(p.a, &Globals::alive_router_check_interval, 0);
  p.tick_for(seconds(130));
  p.r_dies();
  p.r.sends.clear();
  p.tick_for(seconds(300), seconds(10));
  for (const Send& send : p.r.sends)
    EXPECT_FALSE(send.hop.nid == tcp(1) && send.header.type() == wire::MsgType::kReply);
}

TEST(Distance, ThroughARouterItIsItsHopsAndOne) {  // core-semantics.md 2.4
  Checked p;
  const NetId beyond{NetType::kTcp, 7};
  p.Routed::route(p.a, beyond, tcp(3), 4);
  p.Routed::route(p.a, beyond, tcp(4), 3);
  p.Routed::route(p.a, beyond, tcp(5, 6), 1);
  const auto to = [&](const Nid& nid) { return p.call(p.a, call::Dist{nid}).distance; };
  EXPECT_EQ(to(tcp(2, 1)).hops, 2) << "hops that nobody has said count as one";
  EXPECT_EQ(to(tcp(2, 1)).source, tcp(1));
  EXPECT_EQ(to(tcp(2, 1)).order, 2 + p.a.config->nis.size()) << "behind those of all NIs";
  EXPECT_EQ(to(tcp(2, 7)).hops, 4) << "no NI of this node is on the net of the gateway with 1 hop";
  int status = 0;
  p.call(p.a, call::Dist{tcp(2, 9)}, &status);
  EXPECT_EQ(status, -EHOSTUNREACH);
}

}  // namespace ulnet::core::test

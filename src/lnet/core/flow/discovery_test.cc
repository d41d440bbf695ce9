// Discovery between two nodes, with the states and errors that production nodes show. The recorded
// texts are discovery_on_off, discovery_race and discovery_disabled. Source: spec/multirail.md 4,
// spec/observed.md 2.
#include "lnet/core/flow/discovery.h"

#include <gmock/gmock.h>

#include "lnet/core/flow/discovery_fixture.h"

namespace ulnet::core::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const Nid kG1 = tcp(1), kG1b = tcp(1, 1), kG6 = tcp(6);

/// Node 6 (a) with one NI, and node 1 (b) with two.
struct OnOff : Discoverers {
  OnOff() : Discoverers({kG6}, {kG1, kG1b}) {}
};

TEST(DiscoveryText, AllFormsOfOneNodeAreOnePeer) {  // spec/multirail.md 4.7; spec/observed.md 2.3
  OnOff p;
  for (const Nid& nid : {kG1, kG1b})
    for (const bool force : {false, true}) {
      const DiscoverResult found = p.discover(p.a, nid, force);
      EXPECT_EQ(found.status, 0);
      EXPECT_EQ(found.primary, kG1);
      EXPECT_TRUE(found.multi_rail);
      EXPECT_THAT(found.nids, ElementsAre(kG1, kG1b));
    }
  EXPECT_EQ(p.state(p.a, kG1), 273U);
  EXPECT_EQ(p.state(p.b, kG6), 273U);
}

// spec/multirail.md 4.4.6, 4.7; spec/observed.md 2.6
TEST(DiscoveryText, ThisNodeItselfCanBeDiscovered) {
  OnOff p;
  for (const Nid& nid : {Nid::loopback(), kG6}) {
    const DiscoverResult found = p.discover(p.a, nid);
    EXPECT_EQ(found.status, 0);
    EXPECT_EQ(found.primary, kG6);
    EXPECT_TRUE(found.multi_rail);
    EXPECT_THAT(found.nids, ElementsAre(kG6));
  }
  EXPECT_EQ(p.state(p.a, kG6), 273U);
  EXPECT_THAT(p.nids(p.a, kG6), ElementsAre(kG6, Nid::loopback()));
  EXPECT_THAT(p.nids(p.a, Nid::loopback()), ElementsAre(kG6, Nid::loopback()));
  const auto by_loopback = p.call(p.a, call::Show{.peer = Nid::loopback()}).peers;
  ASSERT_EQ(by_loopback.size(), 1U);
  EXPECT_EQ(by_loopback[0].primary, kG6);
}

// spec/multirail.md 4.4.6
TEST(DiscoveryText, ThisNodeByAnOwnNidHasThatAndTheOthers) {  // observed: discovery_race
  OnOff p;
  EXPECT_THAT(p.discover(p.b, kG1b).nids, ElementsAre(kG1, kG1b));
  EXPECT_EQ(p.state(p.b, kG1), 273U);
  EXPECT_THAT(p.nids(p.b, kG1), ElementsAre(kG1, kG1b)) << "nobody has asked for 0@lo";
}

TEST(DiscoveryText, PingingThisNodeMakesAPeerWithoutMultiRail) {  // observed: the first peer show
  OnOff p;
  p.call(p.a, call::Ping{{process(kG6), {}}, 1});
  EXPECT_EQ(p.state(p.a, kG6), 0U);
  EXPECT_THAT(p.nids(p.a, kG6), ElementsAre(kG6));
}

TEST(DiscoveryText, ThisNodeFollowsItsOwnNis) {  // spec/multirail.md 4.4.6
  OnOff p;
  p.discover(p.a, Nid::loopback());
  p.add_ni(p.a, tcp(6, 1));
  EXPECT_THAT(p.nids(p.a, kG6), ElementsAre(kG6, tcp(6, 1), Nid::loopback()));
  p.del_ni(p.a, kG6);
  EXPECT_THAT(p.nids(p.a, tcp(6, 1)), ElementsAre(tcp(6, 1), Nid::loopback()));
  EXPECT_EQ(p.state(p.a, tcp(6, 1)), 273U);
  EXPECT_THAT(p.discover(p.a, tcp(6, 1), true).nids, ElementsAre(tcp(6, 1)));
  EXPECT_EQ(p.state(p.a, tcp(6, 1)), 273U) << "nothing is pushed to oneself";
}

TEST(DiscoveryText, WhoAsksForANidThatThisNodeGetsGetsItsInfo) {
  OnOff p;
  p.discover(p.a, kG6);
  p.a.hold_sends = true;
  const auto asked = p.begin_discover(p.a, tcp(9));
  ASSERT_FALSE(p.finished(p.a, asked)) << "nobody answers";
  p.add_ni(p.a, tcp(9));
  const auto found = p.finished(p.a, asked);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->status, 0);
  EXPECT_THAT(found->nids, ElementsAre(kG6, tcp(9)));
}

TEST(DiscoveryText, ANidThatThisNodeHadIsNoPeer) {  // spec/upstream-tests.md 525
  OnOff p;
  p.add_ni(p.a, tcp(6, 1));
  p.call(p.a, call::Ping{{process(kG6), {}}, 1});
  p.discover(p.a, kG6);
  p.del_ni(p.a, kG6);
  EXPECT_EQ(p.state(p.a, kG6), 1U);
  EXPECT_THAT(p.nids(p.a, tcp(6, 1)), ElementsAre(tcp(6, 1)));
}

/// Both nodes know each other and themselves. Then node 6 turns discovery off.
struct TurnedOff : OnOff {
  TurnedOff() {
    discover(a, kG1);
    discover(a, Nid::loopback());
    set_discovery(a, 0);
  }
};

// spec/multirail.md 4.4.2, 4.8; spec/observed.md 2.3
TEST(DiscoveryText, KnownNidsStayUntilTheNextUse) {
  TurnedOff p;
  EXPECT_EQ(p.state(p.a, kG1), 273U);
  EXPECT_EQ(p.state(p.a, kG6), 275U) << "this node itself";
  EXPECT_EQ(p.state(p.b, kG6), 1U) << "the push has dropped the entry there";
}

// spec/multirail.md 4.2.1, 4.4.2; spec/observed.md 2.3
TEST(DiscoveryText, APeerThatWasDiscoveredIsDeletedWhenItIsUsed) {
  TurnedOff p;
  EXPECT_EQ(p.discover(p.a, kG1).status, -ENOENT);
  EXPECT_EQ(p.state(p.a, kG1), 1U);
  EXPECT_EQ(p.state(p.a, kG1b), 1U);
  EXPECT_EQ(p.state(p.a, kG6), 275U);
  p.call(p.a, call::Ping{{process(kG1), {}}, 1});
  EXPECT_EQ(p.state(p.a, kG1), 0U) << "made anew";
  EXPECT_THAT(p.nids(p.a, kG1), ElementsAre(kG1));
  const DiscoverResult again = p.discover(p.a, kG1);
  EXPECT_EQ(again.status, 0) << "-ENOENT is given once";
  EXPECT_FALSE(again.multi_rail);
  EXPECT_THAT(again.nids, ElementsAre(kG1));
  EXPECT_EQ(p.state(p.a, kG1), 274U);
  p.set_discovery(p.a, 1);
  EXPECT_EQ(p.state(p.a, kG6), 275U) << "until it is discovered again";
  EXPECT_THAT(p.discover(p.a, kG1).nids, ElementsAre(kG1, kG1b));
  EXPECT_EQ(p.state(p.a, kG1), 273U);
}

// spec/multirail.md 4.8
TEST(DiscoveryText, ANodeHasTurnedDiscoveryOff) {  // observed 2.3: 274, 16658
  TurnedOff p;
  const auto discover = [&](bool force) {
    const DiscoverResult found = p.discover(p.b, kG6, force);
    EXPECT_EQ(found.status, 0);
    EXPECT_FALSE(found.multi_rail);
    EXPECT_THAT(found.nids, ElementsAre(kG6));
    return p.state(p.b, kG6);
  };
  EXPECT_EQ(discover(false), 274U);
  EXPECT_EQ(discover(true), 16658U);
  p.call(p.b, call::PeerDel{kG6});
  EXPECT_EQ(discover(false), 274U);
  p.set_discovery(p.a, 1);
  EXPECT_EQ(p.discover(p.a, kG1).status, 0);
  EXPECT_EQ(p.state(p.b, kG6), 274U) << "nothing was pushed, for nothing is owed";
  EXPECT_TRUE(p.discover(p.b, kG6, true).multi_rail);
  EXPECT_EQ(p.state(p.b, kG6), 273U);
  EXPECT_EQ(p.state(p.a, kG1), 273U);
}

// spec/multirail.md 4.2.1; spec/wire-lnet.md 6.6
TEST(DiscoveryText, MessagesThatWaitForAPeerThatIsDeletedGoToTheNewOne) {
  TurnedOff p;
  p.call(p.a, call::PeerDel{kG1});
  auto memory = bytes(8);
  Recorder events;
  p.set_discovery(p.a, 1);
  p.discover(p.a, kG1);
  p.a.config->globals.discovery = 0;
  p.configure(p.a);
  p.input(p.a, PeerDown{kTcp, {kG1, Pid::lustre()}, true});
  for (std::uint32_t shard = 0; shard < p.a.shards.size(); ++shard) {
    p.a.caller = shard;
    p.put(p.a, p.bind(p.a, memory, &events), kG1b);
  }
  EXPECT_EQ(events.events.size(), p.a.shards.size());
}

// spec/multirail.md 4.1
TEST(DiscoveryText, WithDiscoveryOffOnBothSides) {  // discovery_disabled, recording 12
  Discoverers p({kG1, kG1b}, {tcp(2), tcp(2, 1)});
  p.set_discovery(p.a, 0);
  p.set_discovery(p.b, 0);
  const DiscoverResult found = p.discover(p.a, tcp(2));
  EXPECT_EQ(found.status, 0);
  EXPECT_FALSE(found.multi_rail);
  EXPECT_THAT(found.nids, ElementsAre(tcp(2)));
  EXPECT_EQ(p.state(p.a, tcp(2)), 274U);
  EXPECT_EQ(p.state(p.b, kG1), 0U) << "nothing was pushed";
}

// spec/multirail.md 4.5; spec/observed.md 2.8; discovery_race
TEST(DiscoveryText, BothSidesAtOnce) {
  for (const bool by_the_other_nid : {false, true}) {
    Discoverers p({kG1, kG1b}, {tcp(2), tcp(2, 1)});
    p.a.hold_sends = p.b.hold_sends = true;
    const auto one = p.begin_discover(p.a, by_the_other_nid ? tcp(2, 1) : tcp(2), by_the_other_nid);
    const auto other = p.begin_discover(p.b, by_the_other_nid ? kG1b : kG1);
    for (int i = 0; i < 20; ++i) {
      p.release_sends(p.a);
      p.release_sends(p.b);
    }
    for (const auto& [end, ticket, nid] :
         {std::tuple{&p.a, one, tcp(2)}, std::tuple{&p.b, other, kG1}}) {
      const auto found = Discoverers::finished(*end, ticket);
      ASSERT_TRUE(found);
      EXPECT_EQ(found->status, 0);
      EXPECT_EQ(found->primary, nid);
      EXPECT_EQ(found->nids.size(), 2U);
      EXPECT_EQ(p.state(*end, nid), 273U);
      EXPECT_EQ(p.show(*end).peers.size(), 1U);
    }
  }
}

// spec/multirail.md 4.7; spec/wire-lnet.md 6.6
TEST(DiscoveryRace, SeveralNidsOfOneNodeAtOnceBecomeOnePeerAndOnePush) {  // design 001, case 2
  Discoverers p({kG1, kG1b}, {tcp(2), tcp(2, 1)});
  p.a.hold_sends = true;
  const auto one = p.begin_discover(p.a, tcp(2)), other = p.begin_discover(p.a, tcp(2, 1));
  EXPECT_EQ(messages_of(p.a, wire::MsgType::kGet), 2U);
  std::size_t pushes = 0;
  for (int i = 0; i < 10; ++i) {
    pushes += messages_of(p.a, wire::MsgType::kPut);
    p.release_sends(p.a);
  }
  EXPECT_EQ(pushes, 1U);
  for (const std::uint64_t ticket : {one, other}) {
    const auto found = Discoverers::finished(p.a, ticket);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->status, 0);
    EXPECT_THAT(found->nids, ElementsAre(tcp(2), tcp(2, 1)));
  }
  EXPECT_EQ(p.show(p.a).peers.size(), 1U);
  EXPECT_EQ(p.show(p.b).peers.size(), 1U);
}

TEST(DiscoveryRace, AnNiThatIsRemovedInTheMiddle) {  // design 001, case 4
  Discoverers p({kG1, kG1b}, {tcp(2), tcp(2, 1)});
  p.discover(p.a, tcp(2));
  p.a.hold_sends = true;
  const auto ticket = p.begin_discover(p.a, tcp(2), true);
  p.del_ni(p.b, tcp(2, 1));  // b pushes that it no longer has this NI
  for (int i = 0; i < 10; ++i) p.release_sends(p.a);
  const auto found = Discoverers::finished(p.a, ticket);
  ASSERT_TRUE(found);
  // The ping may have been on its way to the removed NI. Then there is no other NI to try.
  EXPECT_TRUE(found->status == 0 || found->status == -EHOSTUNREACH) << found->status;
  EXPECT_THAT(p.nids(p.a, tcp(2)), ElementsAre(tcp(2))) << "what b has pushed is known";
  p.a.hold_sends = false;
  EXPECT_EQ(p.discover(p.a, tcp(2)).status, 0);
  EXPECT_EQ(p.state(p.a, tcp(2)), 273U);
}

// spec/multirail.md 4.7
TEST(DiscoveryCall, ANidThatItsNodeHasLost) {  // observed 2.4: -2, then unreachable, then two peers
  Discoverers p({kG1, kG1b}, {tcp(2), tcp(2, 1)});
  p.discover(p.a, tcp(2));
  p.b.hold_sends = true;  // b cannot report that it has lost the NID
  p.del_ni(p.b, tcp(2));
  p.b.sends.clear();
  p.b.hold_sends = false;
  p.input(p.a, PeerDown{{3}, {tcp(2, 1), Pid::lustre()}, true});
  EXPECT_EQ(p.discover(p.a, tcp(2)).status, -ENOENT);
  EXPECT_EQ(p.discover(p.a, tcp(2), true).status, -EHOSTUNREACH) << "the driver's error";
  EXPECT_EQ(p.state(p.a, tcp(2, 1)), 273U);
  EXPECT_THAT(p.nids(p.a, tcp(2, 1)), ElementsAre(tcp(2, 1)));
  EXPECT_EQ(p.state(p.a, tcp(2)), 24608U);
}

TEST(DiscoveryCall, EndsWithWhatIsWrong) {  // spec/multirail.md 4.7; spec/observed.md 2.6
  Discoverers p({kG1}, {tcp(2)});
  EXPECT_EQ(p.discover(p.a, tcp(9)).status, -EHOSTUNREACH) << "the driver's error, as recorded";
  EXPECT_EQ(p.state(p.a, tcp(9)), 8224U);
  EXPECT_EQ(p.discover(p.a, tcp(9, 3)).status, -EHOSTUNREACH) << "no route";
  p.a.hold_sends = true;
  const auto ticket = p.begin_discover(p.a, tcp(2));
  for (const Send& send : std::vector<Send>(p.a.sends)) p.finish_send(p.a, send, 0);
  p.tick(std::chrono::seconds(151));
  const auto silent = Discoverers::finished(p.a, ticket);
  ASSERT_TRUE(silent);
  EXPECT_EQ(silent->status, -ETIMEDOUT);
}

// spec/multirail.md 4.7
TEST(DiscoveryCall, APeerThatIsKnownIsPingedAndNotPushedTo) {  // recording r09
  OnOff p;
  p.discover(p.a, kG1);
  p.a.hold_sends = true;
  p.begin_discover(p.a, kG1);
  ASSERT_EQ(p.a.sends.size(), 1U);
  EXPECT_EQ(p.a.sends[0].header.type(), wire::MsgType::kGet);
  EXPECT_EQ(std::get<wire::GetPart>(p.a.sends[0].header.part).sink_length, 272U);
  p.release_sends(p.a);
  EXPECT_EQ(messages_of(p.a, wire::MsgType::kPut), 0U);
}

// spec/multirail.md 4.3; spec/wire-lnet.md 6.1
TEST(DiscoveryCall, TheBufferFitsTheLargestInfoSeen) {
  std::vector<Nid> many;
  for (std::uint16_t i = 0; i < 30; ++i) many.push_back(tcp(2, i));
  Discoverers p({kG1}, many);
  p.discover(p.a, tcp(2));
  p.a.hold_sends = true;
  p.begin_discover(p.a, tcp(2));
  ASSERT_EQ(p.a.sends.size(), 1U);
  EXPECT_EQ(std::get<wire::GetPart>(p.a.sends[0].header.part).sink_length, 16U + 16 * 31);
}

TEST(DiscoveryPush, ChangesArePushedToPeersThatKnowThisNode) {  // spec/multirail.md 2.1, 4.5, 4.8
  OnOff p;
  p.discover(p.a, kG1);
  const std::uint32_t before = p.entry(p.a, kG1)->sequence;
  p.add_ni(p.b, tcp(1, 2));
  EXPECT_THAT(p.nids(p.a, kG1), ElementsAre(kG1, kG1b, tcp(1, 2)));
  EXPECT_EQ(p.entry(p.a, kG1)->sequence, before + 1);
  p.del_ni(p.b, kG1b);
  EXPECT_THAT(p.nids(p.a, kG1), ElementsAre(kG1, tcp(1, 2)));
  EXPECT_EQ(p.entry(p.a, kG1)->sequence, before + 2);
  p.input(p.b, NiState{p.b.config->nis.back().id, NiLink::kFailed});
  p.settle();
  EXPECT_EQ(p.entry(p.a, kG1)->sequence, before + 2) << "a status has the number of before";
  EXPECT_THAT(p.down(p.a, kG1), ElementsAre(tcp(1, 2)));
  EXPECT_EQ(p.state(p.a, kG1), 273U);
  EXPECT_EQ(p.state(p.b, kG6), 273U);
}

TEST(DiscoveryPush, AnNiOfThePeerThatGoesDownCostsHealthAtOnce) {  // spec/multirail.md 4.4.6
  Discoverers p({kG1, kG1b}, {tcp(2), tcp(2, 1)});
  p.discover(p.a, tcp(2));
  const auto health = [&] {
    const PeerShow shown = p.peer(p.a, tcp(2)).value_or(PeerShow{});
    for (const PeerNiShow& ni : shown.nis)
      if (ni.nid == tcp(2, 1)) return ni.health_value;
    return -1;
  };
  p.call(p.a, call::Ping{{process(tcp(2, 1)), {}}, 1});
  EXPECT_EQ(health(), 1000);
  p.input(p.b, NiState{{3}, NiLink::kFailed});
  p.settle();
  EXPECT_EQ(health(), 900);
  p.discover(p.a, tcp(2), true);
  EXPECT_EQ(health(), 900) << "the failure was reported before";
  p.input(p.b, NiState{{3}, NiLink::kUp});
  p.settle();
  EXPECT_EQ(health(), 900) << "an NI that is up again does not get full health at once";
}

TEST(DiscoveryPush, AFailedOneIsOwedUntilItIsTaken) {  // spec/multirail.md 4.2.4, 4.5
  OnOff p;
  p.discover(p.a, kG1);
  p.a.send_status = -ECONNRESET;
  p.add_ni(p.a, tcp(6, 1));
  EXPECT_EQ(p.state(p.a, kG1), 273U | kPeerForcePush | kPeerRediscover);
  EXPECT_THAT(p.nids(p.b, kG6), ElementsAre(kG6));
  p.a.send_status = 0;
  EXPECT_EQ(p.discover(p.a, kG1).status, 0);
  EXPECT_THAT(p.nids(p.b, kG6), ElementsAre(kG6, tcp(6, 1)));
  EXPECT_EQ(p.state(p.a, kG1), 273U);
}

/// The NID from which the peer's info came may be gone, and the peer's push about that lost.
TEST(DiscoveryPush, AfterAFailedOneTheNextTakesAnyRail) {  // multirail 4.5
  OnOff p;
  p.discover(p.a, kG1);
  const Nid remote_nid = p.entry(p.a, kG1)->remote;
  EXPECT_THAT(p.nids(p.a, kG1), testing::Contains(remote_nid));
  p.a.send_status = -ECONNRESET;
  p.add_ni(p.a, tcp(6, 1));
  EXPECT_EQ(p.entry(p.a, kG1)->remote, Nid::any());
  p.a.send_status = 0;
  EXPECT_EQ(p.discover(p.a, kG1).status, 0);
  EXPECT_THAT(p.nids(p.b, kG6), ElementsAre(kG6, tcp(6, 1)));
}

}  // namespace
}  // namespace ulnet::core::test

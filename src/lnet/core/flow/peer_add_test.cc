// `peer add` and the peers that services declare: each row of spec/multirail.md 2.2 as a scenario,
// with the errors of spec/observed.md 3. Source: spec/multirail.md 1.1, 2.2, spec/core-semantics.md
// 15.
#include "lnet/core/flow/peer_add.h"

#include "lnet/core/flow/peers_fixture.h"

namespace ulnet::core::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// ---- the primary NID

TEST(PeerAdd, AnUnknownPeerIsCreated) {  // spec/multirail.md 1.1, 2.2
  Peers p;
  EXPECT_EQ(p.add(tcp(50), {tcp(51), tcp(50, 1)}), 0);
  EXPECT_THAT(p.peers(), ElementsAre(Nids{tcp(50), tcp(51), tcp(50, 1)}));
  EXPECT_EQ(p.state(tcp(51)), kConfiguredMr);
  EXPECT_EQ(p.add_locked(tcp(60)), 0);
  EXPECT_EQ(p.state(tcp(60)), kLockedConfigured);
  EXPECT_EQ(p.add_non_mr(tcp(70)), 0);
  EXPECT_EQ(p.state(tcp(70)), kPeerConfigured);
  for (const Nid& nid : {tcp(50), tcp(51), tcp(50, 1), tcp(60), tcp(70)})
    EXPECT_TRUE(p.all_entries_match(nid)) << nid.to_string();
}

TEST(PeerAdd, TheSameAgainChangesNothing) {  // spec/multirail.md 2.2
  Peers p;
  p.add(tcp(50), {tcp(51)});
  const PeerEntryRef peer_entry = p.directory().peer_entry_of(tcp(50));
  EXPECT_EQ(p.add(tcp(50)), 0);
  EXPECT_EQ(p.add(tcp(50), {tcp(51), tcp(50)}), 0);
  EXPECT_EQ(p.directory().peer_entry_of(tcp(50)), peer_entry);
  EXPECT_EQ(p.add_locked(tcp(50)), 0);
  EXPECT_EQ(p.state(tcp(50)), kConfiguredMr) << "it stays unlocked";
  p.add_locked(tcp(60));
  EXPECT_EQ(p.add(tcp(60)), 0);
  EXPECT_EQ(p.state(tcp(60)), kLockedConfigured) << "it stays locked";
}

TEST(PeerAdd, MultiRailIsAsItWasConfigured) {  // spec/multirail.md 2.2
  Peers p;
  p.add(tcp(50));
  p.add_non_mr(tcp(60));
  EXPECT_EQ(p.add_non_mr(tcp(50)), -EPERM);
  EXPECT_EQ(p.add_non_mr(tcp(50), {tcp(51)}), -EPERM);
  EXPECT_EQ(p.add(tcp(60)), -EPERM);
  EXPECT_EQ(p.add_non_mr(tcp(60)), 0);
  EXPECT_THAT(p.peers(), ElementsAre(Nids{tcp(50)}, Nids{tcp(60)}));
}

TEST(PeerAdd, APeerWithoutMultiRailHasOneNidOnEachNet) {  // spec/multirail.md 2.2
  Peers p;
  EXPECT_EQ(p.add_non_mr(tcp(60), {tcp(61)}), -ENOTUNIQ);
  EXPECT_THAT(p.peers(), IsEmpty());
  EXPECT_EQ(p.add_non_mr(tcp(60), {tcp(60, 1)}), 0);
  EXPECT_EQ(p.add_non_mr(tcp(60), {tcp(61, 1)}), -ENOTUNIQ);
  EXPECT_EQ(p.add_non_mr(tcp(60), {tcp(60, 1)}), 0) << "it is there already";
  EXPECT_THAT(p.peers(), ElementsAre(Nids{tcp(60), tcp(60, 1)}));
}

TEST(PeerAdd, ANidOfAConfiguredPeerIsNoPeerOfItsOwn) {  // spec/multirail.md 2.2
  Peers p;
  p.add(tcp(50), {tcp(51)});
  EXPECT_EQ(p.add(tcp(51)), -EEXIST);
  EXPECT_EQ(p.add(tcp(51), {tcp(52)}), -EEXIST);
  EXPECT_THAT(p.peers(), ElementsAre(Nids{tcp(50), tcp(51)}));
}

TEST(PeerAdd, ATrafficPeerIsReplaced) {  // spec/multirail.md 2.2
  Peers p;
  p.advertise({tcp(22), tcp(23), tcp(24)});
  EXPECT_EQ(p.add(tcp(23), {tcp(25)}), 0);
  EXPECT_THAT(p.peers(), ElementsAre(Nids{tcp(23), tcp(25)})) << "other NIDs are forgotten";
  EXPECT_EQ(p.state(tcp(23)), kConfiguredMr);
  EXPECT_EQ(p.directory().find(tcp(22)), nullptr);
  for (const Nid& nid : {tcp(22), tcp(23), tcp(24), tcp(25)})
    EXPECT_TRUE(p.all_entries_match(nid)) << nid.to_string();
}

TEST(PeerAdd, AFailedPeerMayBeConfigured) {  // the captured peer_errors: 8224, then 9
  Peers p;
  p.a.send_status = -EHOSTUNREACH;
  p.call(p.a, call::Discover{tcp(33), false, 1});
  EXPECT_EQ(p.state(tcp(33)), kPeerRediscover | kPeerForcePing);
  EXPECT_EQ(p.add(tcp(33), {tcp(33, 7)}), 0);
  EXPECT_EQ(p.state(tcp(33)), kConfiguredMr);
  p.call(p.a, call::Discover{tcp(33), false, 2});
  EXPECT_EQ(p.state(tcp(33)), kConfiguredMr | kPeerForcePing | kPeerRediscover);
  EXPECT_EQ(p.del(tcp(33)), 0);
  EXPECT_THAT(p.peers(), IsEmpty());
}

TEST(PeerAdd, APeerThatAServiceHasLockedIsNotReplaced) {  // spec/multirail.md 2.2
  Peers p;
  p.declare({tcp(50), tcp(51)});
  EXPECT_EQ(p.add(tcp(50)), -EEXIST);
  EXPECT_EQ(p.add(tcp(51)), -EALREADY);
  EXPECT_EQ(p.state(tcp(50)), kLockedMr);
  EXPECT_THAT(p.peers(), ElementsAre(Nids{tcp(50), tcp(51)}));
}

TEST(PeerAdd, NidsThatCannotBePrimaryAreRefused) {  // spec/multirail.md 2.2, spec/observed.md 3
  Peers p;
  EXPECT_EQ(p.add(Nid::any()), -EINVAL);
  EXPECT_EQ(p.add(Nid::loopback()), 0);
  EXPECT_THAT(p.peers(), IsEmpty()) << "nothing is done";
  EXPECT_EQ(p.add(tcp(1)), 0) << "this node's own NID";
  EXPECT_THAT(p.peers(), ElementsAre(Nids{tcp(1)}));
  p.call(p.a, call::Shutdown{});
  EXPECT_EQ(p.add(tcp(50)), -ESHUTDOWN);
}

// ---- further NIDs

TEST(PeerAdd, NidsJoinAPeerThatIsConfigured) {  // spec/multirail.md 2.2
  Peers p;
  p.add(tcp(50));
  EXPECT_EQ(p.add(tcp(50), {tcp(51)}), 0);
  EXPECT_EQ(p.add(tcp(50), {tcp(52), tcp(51), tcp(53)}), 0);
  EXPECT_THAT(p.peers(), ElementsAre(Nids{tcp(50), tcp(51), tcp(52), tcp(53)}));
}

TEST(PeerAdd, OnlyToAPeerThatIsThere) {  // spec/multirail.md 2.2
  Peers p;
  const auto join = [&](const Nid& primary) {
    return p.say(call::PeerAdd{.primary = primary, .nids = {tcp(59)}, .only_add = true});
  };
  EXPECT_EQ(join(tcp(50)), -ENOENT);
  p.hear(tcp(50));
  EXPECT_EQ(join(tcp(50)), -ENOENT) << "it is not configured";
  p.add(tcp(50), {tcp(51)});
  EXPECT_EQ(join(tcp(51)), -ENODEV);
  EXPECT_EQ(join(tcp(50)), 0);
  EXPECT_THAT(p.peers(), ElementsAre(Nids{tcp(50), tcp(51), tcp(59)}));
}

TEST(PeerAdd, OneRefusedNidRefusesTheCall) {  // spec/multirail.md 2.2, spec/observed.md 3
  Peers p;
  p.add(tcp(50), {tcp(51)});
  EXPECT_EQ(p.add(tcp(70), {tcp(71), tcp(50)}), -EEXIST) << "the primary NID of another one";
  EXPECT_EQ(p.add(tcp(70), {tcp(71), tcp(51)}), -EEXIST) << "a NID of another one";
  EXPECT_EQ(p.add(tcp(70), {tcp(71), tcp(1)}), -EINVAL) << "one of this node's own";
  EXPECT_EQ(p.add(tcp(70), {tcp(71), Nid::any()}), -EINVAL);
  EXPECT_EQ(p.add(tcp(70), {tcp(71), Nid::loopback()}), -EINVAL);
  EXPECT_EQ(p.add(tcp(50), {tcp(52), tcp(1)}), -EINVAL);
  EXPECT_THAT(p.peers(), ElementsAre(Nids{tcp(50), tcp(51)}));
}

TEST(PeerAdd, AtMost128NidsCanBeAdded) {  // spec/multirail.md 2.2
  Peers p;
  Nids many;
  for (std::uint16_t net = 1; net <= 129; ++net) many.push_back(tcp(51, net));
  EXPECT_EQ(p.add(tcp(50), many), -E2BIG);
  EXPECT_THAT(p.peers(), IsEmpty());
  many.pop_back();
  EXPECT_EQ(p.add(tcp(50), many), 0);
  EXPECT_EQ(p.nids_of(tcp(50)).size(), 129U);
}

TEST(PeerAdd, ThePrimaryNidOfAPeerOfTrafficIsTakenWithItsPeer) {  // spec/multirail.md 2.2
  Peers p;
  p.advertise({tcp(22), tcp(23)});
  EXPECT_EQ(p.add(tcp(50), {tcp(22)}), 0);
  EXPECT_THAT(p.peers(), ElementsAre(Nids{tcp(50), tcp(22)}));
  EXPECT_EQ(p.directory().find(tcp(23)), nullptr);
  EXPECT_TRUE(p.all_entries_match(tcp(22)) && p.all_entries_match(tcp(23)));
}

TEST(PeerAdd, AnotherNidOfAPeerOfTrafficMoves) {  // spec/multirail.md 2.2
  Peers p;
  p.advertise({tcp(22), tcp(23)});
  p.declare({tcp(32), tcp(33)});
  EXPECT_EQ(p.add(tcp(50), {tcp(23), tcp(33)}), 0);
  EXPECT_THAT(p.peers(),
              ElementsAre(Nids{tcp(22)}, Nids{tcp(32)}, Nids{tcp(50), tcp(23), tcp(33)}));
  EXPECT_EQ(p.state(tcp(32)), kLockedMr);
}

TEST(PeerAdd, TheOlderOfTwoLocksGivesThePrimaryNid) {  // spec/multirail.md 2.2
  Peers p;
  EXPECT_EQ(p.ask_primary(tcp(31)), tcp(31)) << "a service got this answer";
  EXPECT_EQ(p.add_locked(tcp(50), {tcp(31)}), 0);
  EXPECT_THAT(p.peers(), ElementsAre(Nids{tcp(31), tcp(50)}));
  EXPECT_EQ(p.state(tcp(50)), kLockedConfigured);
  p.ask_primary(tcp(32));
  EXPECT_EQ(p.add(tcp(31), {tcp(32)}), 0);
  EXPECT_THAT(p.peers(), ElementsAre(Nids{tcp(31), tcp(50), tcp(32)})) << "locked later";
  p.ask_primary(tcp(33));
  EXPECT_EQ(p.add(tcp(60)), 0);
  EXPECT_EQ(p.add(tcp(60), {tcp(33)}), 0);
  EXPECT_EQ(p.nids_of(tcp(60)), (Nids{tcp(33), tcp(60)})) << "that one was not locked";
  EXPECT_EQ(p.state(tcp(60)), kLockedConfigured);
}

TEST(PeerAdd, ALockedPrimaryNidWithOthersStaysAndBothAreMarked) {  // spec/multirail.md 1.1, 2.2
  Peers p;
  p.declare({tcp(31), tcp(32)});
  EXPECT_EQ(p.add(tcp(50), {tcp(51), tcp(31)}), 0);
  EXPECT_THAT(p.peers(), ElementsAre(Nids{tcp(31), tcp(32)}, Nids{tcp(50), tcp(51)}));
  EXPECT_EQ(p.state(tcp(31)), kLockedMr | kPeerBadConfig);
  EXPECT_EQ(p.state(tcp(50)), kConfiguredMr | kPeerBadConfig);
  EXPECT_EQ(p.noted("BAD_CONFIG"), 1U);
  EXPECT_EQ(p.a.notes.back().level, Note::Level::kError);
}

// ---- messages under way

TEST(PeerAdd, ReplacingAPeerEndsItsMessages) {
  Peers p;
  auto memory = bytes(16);
  Recorder events;
  p.a.hold_sends = true;
  p.put(p.a, p.bind(p.a, memory, &events), tcp(2));
  EXPECT_EQ(p.add(tcp(2), {tcp(3)}), 0);
  p.release_sends(p.a);
  EXPECT_EQ(events.types(), std::vector{EventType::kSend});
  EXPECT_EQ(events.events[0].status, 0);
  EXPECT_THAT(p.peers(), ElementsAre(Nids{tcp(2), tcp(3)}));
}

TEST(PeerAdd, WaitersMoveToTheReplacingPeersDiscovery) {
  Peers p({tcp(1)}, {tcp(20)});
  auto memory = bytes(16);
  Recorder events;
  p.a.hold_sends = true;
  p.put(p.a, p.bind(p.a, memory, &events), tcp(20));
  p.call(p.a, call::Discover{tcp(20), false, 7});
  EXPECT_EQ(p.add(tcp(20)), 0);
  ASSERT_EQ(p.a.dones.size(), 1U);
  EXPECT_EQ(p.a.dones[0].status, -ENOENT) << "that peer was deleted";
  p.a.hold_sends = false;
  p.release_sends(p.a);
  EXPECT_EQ(events.types(), std::vector{EventType::kSend});
  EXPECT_EQ(p.state(tcp(20)), kConfiguredMr | kFound);
}

// ---- del and set

// spec/multirail.md 2.2; spec/upstream-tests.md 26
TEST(PeerDelLocked, ThePrimaryNidStaysWithoutForce) {
  Peers p;
  p.add_locked(tcp(60), {tcp(61)});
  EXPECT_EQ(p.del(tcp(60)), 0);
  EXPECT_THAT(p.peers(), ElementsAre(Nids{tcp(60)}));
  EXPECT_EQ(p.state(tcp(60)), kLockedConfigured);
  EXPECT_EQ(p.del(tcp(60), {tcp(60)}), 0) << "named by its NID";
  EXPECT_THAT(p.peers(), ElementsAre(Nids{tcp(60)}));
  EXPECT_TRUE(p.all_entries_match(tcp(60)) && p.all_entries_match(tcp(61)));
  EXPECT_EQ(p.del(tcp(60), {}, true), 0);
  EXPECT_THAT(p.peers(), IsEmpty());
}

TEST(PeerDelLocked, ItIsDiscoveredAgainBeforeItsNextMessage) {  // spec/multirail.md 2.2
  Peers p;
  p.declare({tcp(2), tcp(2, 1)});
  p.call(p.a, call::Discover{tcp(2), false, 1});
  EXPECT_EQ(p.state(tcp(2)), kLockedMr | kFound);
  EXPECT_EQ(p.del(tcp(2)), 0);
  EXPECT_EQ(p.state(tcp(2)), kLockedMr);
  auto memory = bytes(16);
  Recorder events;
  p.a.hold_sends = true;
  p.put(p.a, p.bind(p.a, memory, &events), tcp(2));
  ASSERT_EQ(p.a.sends.size(), 1U);
  EXPECT_TRUE(std::holds_alternative<wire::GetPart>(p.a.sends[0].header.part)) << "the ping";
  p.a.hold_sends = false;
  p.release_sends(p.a);
  EXPECT_EQ(events.types(), std::vector{EventType::kSend});
  EXPECT_EQ(p.state(tcp(2)), kLockedMr | kFound);
}

TEST(PeerDelLocked, OtherNidsGoAsOfAnyPeer) {  // spec/multirail.md 2.2
  Peers p;
  p.add_locked(tcp(60), {tcp(61), tcp(62)});
  EXPECT_EQ(p.del(tcp(60), {tcp(62)}), 0);
  EXPECT_EQ(p.del(tcp(60), {tcp(99)}), -ENOENT);
  EXPECT_EQ(p.del(tcp(61)), -ENODEV);
  EXPECT_THAT(p.peers(), ElementsAre(Nids{tcp(60), tcp(61)}));
}

// spec/cli-lnetctl.md 3.9; spec/multirail.md 1.1; spec/upstream-tests.md 304
TEST(PeerSet, TheStateIsWrittenForDebugging) {
  Peers p;
  p.add_locked(tcp(60), {tcp(61)});
  EXPECT_EQ(p.set_state(tcp(61), 1048577), 0);
  EXPECT_EQ(p.state(tcp(60)), kLockedMr);
  EXPECT_EQ(p.set_state(tcp(60), 0), 0);
  EXPECT_FALSE(p.show(p.a).peers.at(0).multi_rail);
  EXPECT_FALSE(p.directory().peer_entry_of(tcp(61))->multi_rail);
  EXPECT_TRUE(p.all_entries_match(tcp(60)) && p.all_entries_match(tcp(61)));
  EXPECT_EQ(p.set_state(tcp(99), 0), -ENOENT);
  EXPECT_EQ(p.set_state(tcp(60), 1U << 22), -EINVAL);
}

TEST(PeerSet, TheHealthOfOneOrAll) {  // spec/cli-lnetctl.md 3.9, spec/observed.md 3
  Peers p;
  const auto health_of = [&](const Nid& nid) {
    for (const PeerShow& peer : p.show(p.a).peers)
      for (const PeerNiShow& ni : peer.nis)
        if (ni.nid == nid) return ni.health_value;
    return -1;
  };
  p.add(tcp(50), {tcp(51)});
  p.add_non_mr(tcp(60));
  p.hear(tcp(3));
  EXPECT_EQ(p.say(call::SetPeerNiHealth{tcp(51), 700}), 0) << "before its first message";
  EXPECT_EQ(health_of(tcp(51)), 700);
  EXPECT_EQ(health_of(tcp(50)), 1000);
  EXPECT_EQ(p.say(call::SetPeerNiHealth{tcp(99), 700}), -ENOENT);
  EXPECT_EQ(p.say(call::SetPeersHealth{900}), 0);
  for (const Nid& nid : {tcp(50), tcp(51), tcp(60), tcp(3)})
    EXPECT_EQ(health_of(nid), 900) << nid.to_string();
  for (const std::int32_t wrong : {-1, 1001, 5000})
    EXPECT_EQ(p.say(call::SetPeersHealth{wrong}), -EINVAL);
  EXPECT_EQ(health_of(tcp(50)), 900);
}

// ---- services

TEST(DeclarePeer, IsMultiRailAndLocked) {  // spec/core-semantics.md 15
  Peers p;
  EXPECT_EQ(p.declare({tcp(50), tcp(51), tcp(50)}), 0);
  EXPECT_THAT(p.peers(), ElementsAre(Nids{tcp(50), tcp(51)}));
  EXPECT_EQ(p.state(tcp(50)), kLockedMr);
  EXPECT_EQ(p.declare({tcp(50), tcp(52)}), 0) << "once more, with more NIDs";
  EXPECT_THAT(p.peers(), ElementsAre(Nids{tcp(50), tcp(51), tcp(52)}));
  EXPECT_EQ(p.declare({tcp(51), tcp(50)}), -EALREADY) << "its primary NID is locked";
  EXPECT_TRUE(p.all_entries_match(tcp(50)) && p.all_entries_match(tcp(52)));
}

TEST(DeclarePeer, WithoutLocksThePrimaryNidMayChange) {  // spec/core-semantics.md 15
  Peers p;
  p.a.config->globals.lock_prim_nid = false;
  p.configure(p.a);
  EXPECT_EQ(p.declare({tcp(50), tcp(51)}), 0);
  EXPECT_EQ(p.state(tcp(50)), kPeerMultiRail);
  EXPECT_EQ(p.declare({tcp(51), tcp(50)}), 0);
  EXPECT_THAT(p.peers(), ElementsAre(Nids{tcp(51), tcp(50)}));
}

// spec/core-semantics.md 15; spec/upstream-tests.md 40
TEST(DeclarePeer, APeerOfTrafficGoesByTheDeclaredNid) {
  Peers p;
  p.advertise({tcp(22), tcp(23)});
  EXPECT_EQ(p.declare({tcp(23), tcp(24)}), 0);
  EXPECT_THAT(p.peers(), ElementsAre(Nids{tcp(23), tcp(22), tcp(24)}));
  EXPECT_EQ(p.state(tcp(22)) & kLockedMr, kLockedMr);
}

TEST(DeclarePeer, AConfiguredPeerIsKept) {  // spec/core-semantics.md 15
  Peers p;
  p.add(tcp(50), {tcp(51)});
  EXPECT_EQ(p.declare({tcp(51), tcp(50)}), 0) << "it says nothing new";
  EXPECT_EQ(p.declare({tcp(50), tcp(52)}), -EEXIST);
  EXPECT_EQ(p.declare({tcp(60), tcp(51)}), -EEXIST);
  EXPECT_THAT(p.peers(), ElementsAre(Nids{tcp(50), tcp(51)}));
  EXPECT_EQ(p.state(tcp(50)), kConfiguredMr);
}

TEST(DeclarePeer, BadNidsCannotBeDeclared) {  // spec/core-semantics.md 15
  Peers p;
  EXPECT_EQ(p.declare({}), -EINVAL);
  for (const Nid& wrong : {Nid::any(), Nid::loopback(), tcp(1)}) {
    EXPECT_EQ(p.declare({wrong}), -EINVAL) << wrong.to_string();
    EXPECT_EQ(p.declare({tcp(50), wrong}), -EINVAL) << wrong.to_string();
  }
  EXPECT_EQ(p.declare(Nids(4097, tcp(50))), -E2BIG);
  EXPECT_THAT(p.peers(), IsEmpty());
  p.call(p.a, call::Shutdown{});
  EXPECT_EQ(p.declare({tcp(50)}), -ESHUTDOWN);
}

}  // namespace
}  // namespace ulnet::core::test

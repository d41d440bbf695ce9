// Discovery of peers that are configured or locked, and nets that are removed with their peers.
// Source: spec/multirail.md 2.1, 2.2, 4.4, 4.6.
#include "lnet/core/flow/configured_peer.h"

#include "lnet/core/flow/peers_fixture.h"

namespace ulnet::core::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// b has two NIDs, on two nets.
struct PeersOfTwoRails : Peers {
  PeersOfTwoRails() : Peers({tcp(1), tcp(1, 1)}, {tcp(2), tcp(2, 1)}) {}
  /// The status with which the call ends.
  int discover(const Nid& nid, bool force = false) {
    call(a, call::Discover{nid, force, 1});
    const int status = a.dones.at(0).status;
    a.dones.clear();
    return status;
  }
  std::vector<EventType> put_to(const Nid& nid) {
    Recorder events;
    auto memory = bytes(16);
    put(a, bind(a, memory, &events), nid);
    return events.types();
  }
};

TEST(ConfiguredPeer, IsDiscoveredAsConfigured) {  // spec/multirail.md 1.1, 4.4.3
  PeersOfTwoRails p;
  p.add(tcp(2, 1), {tcp(2)});
  EXPECT_EQ(p.discover(tcp(2)), 0);
  EXPECT_THAT(p.nids_of(tcp(2)), ElementsAre(tcp(2, 1), tcp(2))) << "in the configured order";
  EXPECT_EQ(p.state(tcp(2)), kConfiguredMr | kFound);
  EXPECT_EQ(p.noted("configured"), 0U);
}

TEST(ConfiguredPeer, ContradictingNidsAreRejectedAndMessagesGo) {  // spec/multirail.md 2.2
  PeersOfTwoRails p;
  p.add(tcp(2), {tcp(7)});
  EXPECT_EQ(p.discover(tcp(2)), -EPERM);
  EXPECT_THAT(p.nids_of(tcp(2)), ElementsAre(tcp(2), tcp(7)));
  EXPECT_GE(p.noted("advertises other NIDs"), 1U);
  EXPECT_EQ(p.put_to(tcp(2)), std::vector{EventType::kSend});
  EXPECT_EQ(p.add(tcp(2), {tcp(2, 1)}), 0);
  EXPECT_EQ(p.del(tcp(2), {tcp(7)}), 0);
  EXPECT_EQ(p.discover(tcp(2), true), 0) << "now it is as it advertises";
}

TEST(ConfiguredPeer, NidsOfAnotherPeerAreNotTaken) {  // spec/multirail.md 4.4.6
  PeersOfTwoRails p;
  p.add(tcp(7), {tcp(2, 1)});
  EXPECT_EQ(p.discover(tcp(2)), 0);
  EXPECT_THAT(p.nids_of(tcp(2)), ElementsAre(tcp(2)));
  EXPECT_THAT(p.nids_of(tcp(7)), ElementsAre(tcp(7), tcp(2, 1)));
  EXPECT_GE(p.noted("claims a NID"), 1U);
}

// spec/multirail.md 2.2, 4.4: in a simulated world this node pinged the configured peer for ever.
TEST(ConfiguredPeer, IsNotAskedAgainAndAgainBecauseItsPrimaryNidIsAnotherPeers) {
  PeersOfTwoRails p;
  p.add(tcp(2, 1));
  EXPECT_EQ(p.discover(tcp(2)), 0);
  EXPECT_EQ(p.discover(tcp(2, 1)), -EPERM) << "it advertises a NID that is not configured";
  EXPECT_THAT(p.nids_of(tcp(2, 1)), ElementsAre(tcp(2, 1)));
  EXPECT_THAT(p.nids_of(tcp(2)), ElementsAre(tcp(2)));
  EXPECT_EQ(p.put_to(tcp(2, 1)), std::vector{EventType::kSend});
}

// spec/multirail.md 2.2, 4.4: a NID of this peer that is not configured does not move either.
TEST(ConfiguredPeer, DoesNotTakeANidThatItsNodeAdvertises) {
  PeersOfTwoRails p;
  p.add(tcp(2));
  EXPECT_EQ(p.discover(tcp(2)), -EPERM);
  EXPECT_EQ(p.discover(tcp(2, 1)), 0);
  EXPECT_THAT(p.nids_of(tcp(2, 1)), ElementsAre(tcp(2, 1)));
  EXPECT_THAT(p.nids_of(tcp(2)), ElementsAre(tcp(2)));
  EXPECT_EQ(p.put_to(tcp(2, 1)), std::vector{EventType::kSend});
}

// spec/multirail.md 2.2: in a simulated world this node pinged the other peer at each check of a
// gateway.
TEST(ConfiguredPeer, AdvertisesTheNidOfAPeerThatIsNotPingedForIt) {
  PeersOfTwoRails p;
  p.add(tcp(2));
  EXPECT_EQ(p.discover(tcp(2)), -EPERM);
  EXPECT_EQ(p.discover(tcp(2, 1)), 0);
  const std::size_t before = p.noted("ping sent");
  EXPECT_EQ(p.discover(tcp(2)), -EPERM);
  EXPECT_EQ(p.noted("ping sent"), before + 1) << "that of the call";
}

// spec/multirail.md 2.2, 4.4: in a simulated world the other NIDs formed two peers, and each lacked
// a NID.
TEST(ConfiguredPeer, TheOtherNidsOfItsNodeAreOnePeer) {
  Peers p({tcp(1)}, {tcp(2), tcp(3), tcp(4)});
  p.add(tcp(2));
  for (const Nid& nid : {tcp(3), tcp(4)}) p.call(p.a, call::Discover{nid, false, 1});
  EXPECT_THAT(p.peers(), ElementsAre(Nids{tcp(2)}, Nids{tcp(3), tcp(4)}));
}

TEST(ConfiguredPeer, WithoutMultiRailItStaysSo) {  // spec/multirail.md 4.4.3, 4.6
  PeersOfTwoRails p;
  p.add_non_mr(tcp(2));
  EXPECT_EQ(p.discover(tcp(2)), -EPERM) << "it advertises two NIDs";
  EXPECT_EQ(p.state(tcp(2)), kPeerConfigured | kFound);
  EXPECT_GE(p.noted("without multi-rail, which it has"), 1U);
  p.a.notes.clear();
  p.advertise({tcp(2), tcp(3)});
  EXPECT_THAT(p.a.notes, IsEmpty()) << "its pushes are not looked at";
  EXPECT_THAT(p.nids_of(tcp(2)), ElementsAre(tcp(2)));
}

TEST(ConfiguredPeer, WithMultiRailWhichItDoesNotOffer) {  // spec/multirail.md 4.4.3
  PeersOfTwoRails p;
  p.b.config->globals.discovery = 0;
  p.configure(p.b);
  p.add(tcp(2), {tcp(2, 1)});
  EXPECT_EQ(p.discover(tcp(2)), 0);
  EXPECT_EQ(p.state(tcp(2)), kConfiguredMr | kFound | kPeerNoDiscovery);
  EXPECT_GE(p.noted("which it does not offer"), 1U);
  EXPECT_TRUE(p.directory().peer_entry_of(tcp(2))->multi_rail);
}

TEST(ConfiguredPeer,
     AForcedDiscoveryOfAStalePeerLogsTheReason) {  // the design document's forced rediscovery
  PeersOfTwoRails p;
  EXPECT_EQ(p.discover(tcp(2), true), 0);
  EXPECT_EQ(p.noted("suspected"), 0U) << "discovery is on, and finds out";
  p.a.config->globals.discovery = 0;
  p.configure(p.a);
  p.discover(tcp(2), true);
  EXPECT_EQ(p.noted("discovery is off"), 1U);
  p.add(tcp(2), {tcp(2, 1)});
  p.discover(tcp(2), true);
  EXPECT_EQ(p.noted("its configuration may be wrong"), 1U);
  p.discover(tcp(2));
  EXPECT_EQ(p.noted("its configuration may be wrong"), 1U) << "an ordinary one";
}

// spec/multirail.md 1.1, 4.4; spec/upstream-tests.md 304
TEST(LockedPeer, KeepsItsPrimaryNidAndGetsTheOthers) {
  PeersOfTwoRails p;
  EXPECT_EQ(p.add_locked(tcp(2, 1)), 0);
  EXPECT_EQ(p.state(tcp(2, 1)), kLockedConfigured);
  EXPECT_EQ(p.set_state(tcp(2, 1), 1048577), 0);
  EXPECT_EQ(p.discover(tcp(2)), 0);
  EXPECT_THAT(p.peers(), ElementsAre(Nids{tcp(2, 1), tcp(2)}));
  EXPECT_EQ(p.state(tcp(2)), 1048849U);
}

TEST(LockedPeer, NidsNotAdvertisedGoExceptItsPrimaryNid) {  // spec/multirail.md 1, 4.4
  PeersOfTwoRails p;
  p.declare({tcp(2), tcp(8), tcp(9)});
  EXPECT_EQ(p.discover(tcp(2)), 0);
  EXPECT_THAT(p.peers(), ElementsAre(Nids{tcp(2), tcp(2, 1)}));
  p.advertise({tcp(2, 1)});
  EXPECT_THAT(p.peers(), ElementsAre(Nids{tcp(2), tcp(2, 1)})) << "not advertised, and kept";
}

TEST(LockedPeer, IsFoundByAnUndeclaredNid) {  // spec/multirail.md 4.4.6; spec/upstream-tests.md 40
  PeersOfTwoRails p;
  p.declare({tcp(2)});
  p.hear(tcp(2, 1));
  EXPECT_EQ(p.peers().size(), 2U);
  EXPECT_EQ(p.discover(tcp(2, 1)), 0);
  EXPECT_THAT(p.peers(), ElementsAre(Nids{tcp(2), tcp(2, 1)}));
  EXPECT_EQ(p.ask_primary(tcp(2, 1)), tcp(2));
}

// ---- nets

void remove_net(Pipe& p, std::uint16_t net) {
  std::erase_if(p.a.config->nis, [&](const NiConfig& ni) {
    return ni.nid.net() == NetId{NetType::kTcp, net};
  });
  p.configure(p.a);
}

TEST(NetGoes, PeersThatAreReachedByAnotherNetStay) {  // spec/multirail.md 2.1
  PeersOfTwoRails p;
  p.discover(tcp(2));
  p.hear(tcp(5));
  p.hear(tcp(6, 1));
  p.add(tcp(7), {tcp(8)});
  remove_net(p, 0);
  EXPECT_THAT(p.peers(), ElementsAre(Nids{tcp(2, 1), tcp(2)}, Nids{tcp(6, 1)}));
  for (const Nid& nid : {tcp(2), tcp(2, 1), tcp(5), tcp(6, 1), tcp(7), tcp(8)})
    EXPECT_TRUE(p.all_entries_match(nid)) << nid.to_string();
  EXPECT_EQ(p.put_to(tcp(2, 1)), std::vector{EventType::kSend});
}

TEST(NetGoes, ALockedPrimaryNidStays) {  // spec/multirail.md 2.1
  PeersOfTwoRails p;
  p.declare({tcp(2), tcp(2, 1)});
  p.discover(tcp(2));
  remove_net(p, 0);
  EXPECT_THAT(p.nids_of(tcp(2, 1)), ElementsAre(tcp(2), tcp(2, 1)));
  EXPECT_EQ(p.put_to(tcp(2)), std::vector{EventType::kSend}) << "by the other net";
}

TEST(NetGoes, RemovingOneOfTwoNisKeepsThePeers) {  // spec/multirail.md 2.1
  Peers p({tcp(1), tcp(11)});
  p.hear(tcp(5));
  p.a.config->nis.pop_back();
  p.configure(p.a);
  EXPECT_THAT(p.peers(), ElementsAre(Nids{tcp(5)}));
}

TEST(NetGoes, MessagesThatWaitForItsDiscoveryEnd) {  // spec/multirail.md 2.1
  Peers p({tcp(1), tcp(1, 1)}, {tcp(20)});
  Recorder events;
  auto memory = bytes(16);
  p.a.hold_sends = true;
  p.put(p.a, p.bind(p.a, memory, &events), tcp(20));
  p.call(p.a, call::Discover{tcp(20), false, 1});
  EXPECT_THAT(events.events, IsEmpty());
  remove_net(p, 0);
  ASSERT_EQ(events.events.size(), 1U);
  EXPECT_NE(events.events[0].status, 0);
  ASSERT_EQ(p.a.dones.size(), 1U);
  EXPECT_NE(p.a.dones[0].status, 0);
}

}  // namespace
}  // namespace ulnet::core::test

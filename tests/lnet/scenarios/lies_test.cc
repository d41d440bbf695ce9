// Peers that report false information about themselves: bob's table of peers stays true, only the
// information about the liar changes, and alice does not notice. spec/multirail.md 4.4, 4.6.
#include "cluster.h"
#include "sim/foreign/lying_peer.h"

namespace ulnet::sim {
namespace {

using Lie = LyingPeer::Lie;

const Nid kLiar = rail(9, 9), kLiar2 = rail(9, 10);

struct Liar : ::testing::Test {
  Liar() {
    alice.posts({.bytes = 1 << 20});
    bob.posts({.bytes = 1 << 20});
    all_arrive(given, alice, bob.id(), 2);
    all_arrive(given, bob, alice.id(), 2);
  }
  void expect_that_alice_is_known() {
    EXPECT_EQ(nids_of(bob, kAlice), (std::vector{kAlice, kAlice2}));
    EXPECT_EQ(nids_of(alice, kBob), (std::vector{kBob, kBob2}));
    all_arrive(given, alice, bob.id(), 4);
    all_arrive(given, bob, alice.id(), 4);
  }

  Cluster given;
  Person alice = given.person("alice", {kAlice, kAlice2});
  Person bob = given.person("bob", {kBob, kBob2}, {.retry_count = 1, .transaction_timeout = 5});
};
std::string name_of_lie(const ::testing::TestParamInfo<Lie>& lie) {
  static constexpr const char* kNames[] = {"Garbage",      "Stale",  "Huge", "Endless",
                                           "SomebodyElse", "Nobody", "Cut",  "Forged"};
  return kNames[static_cast<std::size_t>(lie.param)];
}

struct SingleLie : Liar, ::testing::WithParamInterface<Lie> {};
INSTANTIATE_TEST_SUITE_P(Lies, SingleLie,
                         ::testing::Values(Lie::kGarbage, Lie::kStale, Lie::kHuge, Lie::kEndless,
                                           Lie::kSomebodyElse, Lie::kNobody, Lie::kCut,
                                           Lie::kForged),
                         name_of_lie);

TEST_P(SingleLie, TheTableOfPeersStaysTrue) {  // spec/multirail.md 4.4.1
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    LyingPeer liar(given.world, bob.node, 0, Rng(seed));
    liar.send_lie(GetParam());
    given.runs_for(seconds(30));
    given.comes_to_rest();
    const core::Peer* peer = peer_of(bob, liar.node().nid());
    if (peer != nullptr) {
      EXPECT_LE(peer->nids().size(), 4096U);
      const core::Peer* owner = peer_of(bob, kBob);
      EXPECT_TRUE(owner == nullptr || owner->nids().size() == 1) << "bob's NID is no other node's";
    }
    // A ping that never ends is bounded: each answer makes the next buffer larger, up to 1 MiB.
    EXPECT_LE(liar.node().heard_of(wire::MsgType::kGet, 0), 8U);
    EXPECT_LE(liar.node().heard_of(wire::MsgType::kPut, 0), 8U);
  }
  expect_that_alice_is_known();
}

// An info with a lower number than the known one was overtaken, or comes from a new incarnation of
// the peer: the node does not apply it, and pings the peer.
TEST_F(Liar, AStalePushIsNotBelievedButAskedAbout) {
  ForeignNode eve(given.world, {kLiar, kLiar2}, ForeignNode::uprev());
  eve.info.sequence = 7;
  eve.push(kLiar, kBob, eve.info);
  given.runs_for(seconds(1));
  EXPECT_EQ(eve.heard_of(wire::MsgType::kGet, 0), 0U);
  wire::PingInfo older = eve.info;
  older.sequence = 1;
  older.legacy.pop_back();
  eve.push(kLiar, kBob, older);
  given.runs_for(seconds(1));
  EXPECT_EQ(nids_of(bob, kLiar), (std::vector{kLiar, kLiar2}));
  EXPECT_EQ(peer_of(bob, kLiar)->sequence, 7U);
  EXPECT_EQ(eve.heard_of(wire::MsgType::kGet, 0), 1U);
}

// A push from eve that names only another node's NIDs is not applied: the NID that it comes from is
// not among them.
TEST_F(Liar, APushForAnotherNodeIsNotBelieved) {  // spec/multirail.md 4.4.6
  ForeignNode eve(given.world, {kLiar}, ForeignNode::uprev());
  wire::PingInfo alices = eve.info;
  alices.legacy = {{kAlice, wire::NiStatus::kUp}};
  alices.sequence = 100;
  eve.push(kLiar, kBob, alices);
  given.runs_for(seconds(1));
  expect_that_alice_is_known();
}

// Two peers claim one NID: it belongs to the peer that reported last, and never to both. When the
// other peer is pinged, the NID belongs to that one again.
TEST_F(Liar, ANidThatTwoPeersClaimIsOnePeers) {
  ForeignNode eve(given.world, {kLiar}, ForeignNode::uprev());
  wire::PingInfo greedy = eve.info;
  greedy.legacy.push_back({kAlice2, wire::NiStatus::kUp});
  eve.push(kLiar, kBob, greedy);
  given.runs_for(seconds(1));
  EXPECT_EQ(nids_of(bob, kAlice2), (std::vector{kLiar, kAlice2}));
  EXPECT_EQ(nids_of(bob, kAlice), std::vector{kAlice});

  asks_for(bob, kAlice);
  given.runs_for(seconds(1));
  EXPECT_EQ(nids_of(bob, kLiar), std::vector{kLiar});
  expect_that_alice_is_known();
}

}  // namespace
}  // namespace ulnet::sim

// The edge cases of the Multi-Rail design: the meaning of "in use" when a peer NI, an NI or a net
// is removed, and nodes with inconsistent configurations. docs/REMOVING.md has the table.
// spec/multirail.md 2.1, 2.2.
#include "cluster.h"

namespace ulnet::sim {
namespace {

const Nid kAliceFar = rail(1, 4, 1), kBobFar = rail(2, 5, 1);

int deletes(Person& from, const Nid& nid) {
  core::ApiCall del{core::call::PeerDel{nid}};
  from.node.call(del);
  return del.status;
}

/// Alice's second NI cannot send: messages that are given to it stay with its driver.
struct InUse : ::testing::Test {
  InUse() {
    bob.posts({.bytes = 1 << 20});
    all_arrive(given, alice, bob.id(), 4);
    for (const std::size_t bobs : {0, 1})
      given.world.wire().clog(alice.node.place(1), bob.node.place(bobs), true);
    for (int i = 0; i < 4; ++i)
      puts.push_back(&alice.puts({.to = bob.id(), .ack = AckRequest::kAck}));
    given.runs_for(milliseconds(10));
  }
  void flows_again() {
    for (const std::size_t bobs : {0, 1}) given.world.wire().clog(far, bob.node.place(bobs), false);
    given.comes_to_rest();
  }
  void expect_that_all_have_ended() const {
    for (const Lent* put : puts) EXPECT_TRUE(put->events.back().unlinked) << put->reported();
  }
  std::size_t nis_of(const Person& who) const { return who.state().nis.configured().size(); }

  Cluster given;
  Person alice = given.person("alice", {kAlice, kAlice2});
  Person bob = given.person("bob", {kBob, kBob2});
  Place far = alice.node.place(1);
  std::vector<Lent*> puts;
};

// 1. A peer NI is in use while a message to it waits for a credit, is with the driver, or awaits
// its answer. Only the first two keep it: `peer del` returns -EBUSY until they have ended.
TEST_F(InUse, APeerNiIsInUseAsLongAsAMessageToItHasNotEnded) {
  std::vector<Lent*> more;
  for (int i = 0; i < 20; ++i)
    more.push_back(&alice.puts({.to = bob.id(), .ack = AckRequest::kAck}));
  EXPECT_EQ(deletes(alice, kBob), -EBUSY);
  flows_again();
  EXPECT_EQ(deletes(alice, kBob), 0);
  EXPECT_EQ(peer_of(alice, kBob2), nullptr);
}

// 2. An NI is in use while its driver has one of its messages. Removing it does not fail and does
// not wait: no new message takes it, the old ones end, and then its driver stops. An ACK that comes
// later for the NID reaches no NI: its PUT ends at its deadline.
TEST_F(InUse, AnNiThatIsInUseDrains) {
  alice.node.remove_ni(kAlice2);
  EXPECT_EQ(nis_of(alice), 2U);  // 0@lo and the first NI
  flows_again();
  expect_that_all_have_ended();
  all_arrive(given, alice, bob.id(), 4);
  EXPECT_EQ(nids_of(bob, kAlice), std::vector{kAlice});
  EXPECT_TRUE(alice.node.add_ni({.nid = kAlice2}).has_value());
  given.comes_to_rest();
  EXPECT_EQ(nids_of(bob, kAlice), (std::vector{kAlice, kAlice2}));
}

// 3. A net is in use while one of its NIs is. It is deleted with its last NI.
TEST_F(InUse, ANetGoesWithItsLastNi) {
  EXPECT_TRUE(alice.node.add_ni({.nid = kAliceFar}).has_value());
  EXPECT_TRUE(bob.node.add_ni({.nid = kBobFar}).has_value());
  given.runs_for(seconds(1));
  alice.node.remove_ni(kAlice2);
  alice.node.remove_ni(kAlice);
  flows_again();
  EXPECT_EQ(alice.state().nis.find(kAlice.net()), nullptr);
  EXPECT_EQ(nids_of(alice, kBobFar).front(), kBobFar) << "it goes by the NID that is reached";
  EXPECT_EQ(nids_of(alice, kBobFar).size(), 3U) << "and keeps the others";
  all_arrive(given, alice, bob.id(), 2);  // over the net that is left
}

// ---- inconsistent configurations

struct Inconsistent : ::testing::Test {
  Cluster given;
};

TEST_F(Inconsistent, DiscoveryOffOnOneSideMakesBothUseSingleNids) {
  Person alice = given.person("alice", {kAlice, kAlice2});
  Person bob = given.person("bob", {kBob, kBob2}, {.discovery = 0});
  bob.posts({.bytes = 1 << 20});
  alice.posts({.bytes = 1 << 20});
  all_arrive(given, alice, bob.id(), 4);
  all_arrive(given, bob, alice.id(), 4);
  EXPECT_FALSE(peer_of(alice, kBob)->has(core::kPeerMultiRail));
  EXPECT_FALSE(peer_of(bob, kAlice)->has(core::kPeerMultiRail));
  EXPECT_EQ(puts_to(alice, kBob2), 0U);
  EXPECT_EQ(puts_to(bob, kAlice2), 0U);
}

TEST_F(Inconsistent, WithoutANetInCommonThereIsNoRoute) {
  Person alice = given.person("alice", {kAlice});
  Person bob = given.person("bob", {kBobFar});
  Lent& put = alice.puts({.to = bob.id(), .ack = AckRequest::kAck});
  given.comes_to_rest();
  EXPECT_TRUE(put.status == -EHOSTUNREACH || put.events.at(0).status == -EHOSTUNREACH)
      << put.status << " " << put.reported();
}

TEST_F(Inconsistent, ANetThatOneSideLacksIsKnownAndNotUsed) {
  Person alice = given.person("alice", {kAlice});
  Person bob = given.person("bob", {kBob, kBobFar});
  bob.posts({.bytes = 1 << 20});
  all_arrive(given, alice, bob.id(), 4);
  EXPECT_EQ(nids_of(alice, kBob), (std::vector{kBob, kBobFar}));
  EXPECT_EQ(puts_to(alice, kBobFar), 0U);
}

TEST_F(Inconsistent, APeerThatDropsPushesCannotBeSentTo) {
  Behaviour deaf = ForeignNode::uprev();
  deaf.takes_pushes = false;
  ForeignNode bob(given.world, {kBob}, deaf);
  Person alice = given.person("alice", {kAlice}, {.retry_count = 1, .transaction_timeout = 5});
  Lent& put = alice.puts({.to = {kBob, Pid::lustre()}, .ack = AckRequest::kAck});
  given.comes_to_rest();
  EXPECT_TRUE(put.events.at(0).status == -ETIMEDOUT || put.events.at(0).status == -ECANCELED)
      << put.reported();
  EXPECT_TRUE(peer_of(alice, kBob)->has(core::kPeerRediscover));
  EXPECT_EQ(bob.heard_of(wire::MsgType::kPut, 5), 0U);
}

TEST_F(Inconsistent, CreditsAndTimeOutsNeedNotBeTheSame) {
  Person alice = given.person("alice", {kAlice}, {.retry_count = 3, .transaction_timeout = 10});
  NodeSetup setup;
  setup.name = "bob";
  setup.driver = DriverKind::kSock;
  setup.nis = {{.nid = kBob, .tunables = {.peer_credits = 1, .credits = 1}, .conns_per_peer = 4}};
  Person bob(given.world, given.world.add_node(std::move(setup)));
  bob.posts({.bytes = 1 << 20});
  alice.posts({.bytes = 1 << 20});
  all_arrive(given, alice, bob.id(), 4);
  all_arrive(given, bob, alice.id(), 4);
}

}  // namespace
}  // namespace ulnet::sim

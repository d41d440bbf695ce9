// A node's NIs are each on a net of their own, and one of them fails: from then on its net is not
// used. spec/multirail.md 3.2.A.3.
#include "cluster.h"

namespace ulnet::sim {
namespace {

const Nid kOwn = rail(1), kOwnToo = rail(1, 1, 1), kBobs = rail(2), kBobsToo = rail(2, 1, 1);

struct FailedNet : ::testing::Test {
  FailedNet() {
    bob.posts({.bytes = 32 << 20});
    all_arrive(given, alice, bob.id(), 4);
  }
  std::uint64_t puts_by(const Nid& nid) const {
    return alice.state().nis.find(nid)->traffic.sent.put;
  }
  /// Sends ten PUTs with ACK, one after the other.
  void sends_ten() {
    for (int i = 0; i < 10; ++i) {
      Lent& put = alice.puts({.to = bob.id(), .ack = AckRequest::kAck});
      given.runs_for(milliseconds(500));
      EXPECT_EQ(put.reported(), "SEND, ACK (last)") << i;
    }
  }
  Cluster given;
  Person alice = given.person("alice", {kOwn, kOwnToo});
  Person bob = given.person("bob", {kBobs, kBobsToo});
};

TEST_F(FailedNet, IsNotUsedUntilItsNiIsWellAgain) {
  alice.node.set_link(0, false);
  given.runs_for(seconds(1));
  const std::uint64_t before = puts_by(kOwn);
  sends_ten();
  EXPECT_EQ(puts_by(kOwn), before);
  alice.node.set_link(0, true);
  sends_ten();
  EXPECT_GE(puts_by(kOwn), before + 4) << "in turn, from now on";
}

// The socket already has bytes of the first of them.
TEST_F(FailedNet, WaitingMessagesUseTheOtherNet) {
  given.world.wire().clog(alice.node.place(0), bob.node.place(0), true);
  std::vector<Lent*> puts;
  for (int i = 0; i < 40; ++i)
    puts.push_back(&alice.puts({.to = bob.id(), .bytes = 1 << 18, .ack = AckRequest::kAck}));
  given.runs_for(seconds(3));
  const auto acked = [&] { return how_many(puts, "SEND, ACK (last)"); };
  EXPECT_EQ(acked(), 20U) << "those of the other net";
  alice.node.set_link(0, false);
  given.runs_for(seconds(3));
  EXPECT_GE(acked(), 36U);
  given.world.wire().clog(alice.node.place(0), bob.node.place(0), false);
  alice.node.set_link(0, true);
  given.comes_to_rest();
}

// The same for answers, although they go to the NID that asked as long as that NID's net works.
TEST_F(FailedNet, WaitingAnswersUseTheOtherNet) {
  const Lent& read =
      alice.posts({.portal = {9}, .options = kOpGet | kManageRemote, .bytes = 1 << 18});
  given.world.wire().clog(alice.node.place(0), bob.node.place(0), true);
  std::vector<Lent*> gets;
  for (int i = 0; i < 40; ++i)
    gets.push_back(&bob.gets({.to = alice.id(), .bytes = 1 << 18, .portal = {9}}));
  given.runs_for(seconds(3));
  const auto answered = [&] { return how_many(gets, "SEND, REPLY (last)"); };
  EXPECT_EQ(answered(), 20U) << "those of the other net";
  alice.node.set_link(0, false);
  given.runs_for(seconds(3));
  EXPECT_GE(answered(), 30U);
  for (const Event& event : read.events)  // of the GET, however its answer left: 5
    EXPECT_EQ(event.target.nid == kOwn, event.source == kBobs) << event.source.to_string();
  given.world.wire().clog(alice.node.place(0), bob.node.place(0), false);
  alice.node.set_link(0, true);
  given.comes_to_rest();
}

}  // namespace
}  // namespace ulnet::sim

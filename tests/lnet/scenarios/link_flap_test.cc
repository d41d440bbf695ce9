// The link of an NI is cut for ten seconds, at this node or where it cannot see that, under load.
// No message waits longer than a second once the link is whole. spec/wire-socklnd.md 10.
#include "cluster.h"

namespace ulnet::sim {
namespace {

constexpr Duration kPause = milliseconds(20);  // between two PUTs

/// Alice sends to Bob by two rails; the parameter is the net of the second.
struct LinkFlap : ::testing::TestWithParam<std::uint16_t> {
  LinkFlap() {
    bob.posts({.bytes = 64 << 20});
    all_arrive(given, alice, bob.id(), 6);
  }
  std::uint64_t puts_by_first_rail() const {
    return alice.state().nis.find(rail(1))->traffic.sent.put;
  }
  void sends_for(Duration time) {
    for (Duration gone{}; gone < time; gone += kPause) {
      puts.push_back(&alice.puts({.to = bob.id(), .bytes = 64 << 10, .ack = AckRequest::kAck}));
      given.runs_for(kPause);
    }
  }
  std::size_t acked() const { return how_many(puts, "SEND, ACK (last)"); }
  void cut(bool begins) {
    for (const std::size_t to : {0, 1}) {
      given.world.wire().cut(alice.node.place(0), bob.node.place(to), begins);
      given.world.wire().cut(bob.node.place(to), alice.node.place(0), begins);
    }
  }

  Cluster given;
  Person alice = given.person("alice", {rail(1), rail(1, 1, GetParam())});
  Person bob = given.person("bob", {rail(2), rail(2, 1, GetParam())});
  std::vector<Lent*> puts;
};

TEST_P(LinkFlap, AnNiIsUsedWithinASecondAfterItsLinkIsUpAgain) {
  sends_for(seconds(1));
  alice.node.set_link(0, false);
  const std::uint64_t before = puts_by_first_rail();
  const std::size_t then = puts.size();
  sends_for(seconds(10));
  EXPECT_LE(puts_by_first_rail(), before + 1);
  EXPECT_GE(acked(), puts.size() - 2) << "all but the partly written ones go by the other rail";
  alice.node.set_link(0, true);
  sends_for(seconds(1));
  EXPECT_GE(puts_by_first_rail(), before + 5);
  const std::size_t begun = puts.size();
  given.comes_to_rest();
  EXPECT_GE(acked(), begun - 2) << "those since the link is up again too";
  EXPECT_GT(begun, then + 500);
}

TEST_P(LinkFlap, TheOtherNodesNiIsUsedWithinASecondToo) {
  sends_for(seconds(1));
  bob.node.set_link(0, false);
  sends_for(seconds(10));
  bob.node.set_link(0, true);
  given.runs_for(seconds(1));
  const std::uint64_t before = puts_by_first_rail();
  sends_for(seconds(1));
  EXPECT_GE(puts_by_first_rail(), before + 5);
  given.comes_to_rest();
}

// Neither node sees that the link is cut. TCP retransmits the waiting data each second.
TEST_P(LinkFlap, MessagesArriveASecondAfterARemoteCutEnds) {
  sends_for(seconds(1));
  cut(true);
  sends_for(seconds(10));
  EXPECT_LT(acked(), puts.size());
  cut(false);
  given.runs_for(milliseconds(1100));
  EXPECT_EQ(acked(), puts.size());
  given.comes_to_rest();
}

// The resumed node learns of both changes at once, and the link is up (seed 1323).
TEST_P(LinkFlap, ALinkThatIsBackBeforeItsPausedNodeGoesOnIsUp) {
  alice.node.pause();
  alice.node.set_link(0, false);
  given.runs_for(milliseconds(4));
  alice.node.set_link(0, true);
  alice.node.resume();
  given.runs_for(seconds(1));
  const std::uint64_t before = puts_by_first_rail();
  sends_for(seconds(1));
  EXPECT_GE(puts_by_first_rail(), before + 5);
  given.comes_to_rest();
}

INSTANTIATE_TEST_SUITE_P(OneNetAndTwo, LinkFlap, ::testing::Values(0, 1),
                         [](const auto& param) { return param.param == 0 ? "OneNet" : "TwoNets"; });

}  // namespace
}  // namespace ulnet::sim

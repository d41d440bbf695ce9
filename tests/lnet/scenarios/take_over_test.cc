// Stories for spec/observed.md 8: a hostile peer takes over a node's NID towards another node, and
// the node that owns the NID gets it back. With the real TCP driver on virtual streams.
#include "lnet/lnd/sock/engine/engine.h"
#include "sim/foreign/spoofing_peer.h"
#include "story.h"

namespace ulnet::sim {
namespace {

using lnd::sock::Count;

struct TakeOverStory : ::testing::Test {
  TakeOverStory() {
    given.bob.posts({.bits = {1}});
    given.alice.posts({.bits = {1}});
    // Opens connections between the two.
    given.alice.puts({.to = given.bob.id(), .bits = {1}});
    given.runs_for(seconds(1));
    spoofer.take_over();
    given.runs_for(seconds(1));
  }
  static Given over_tcp() {
    Given given;
    given.driver = DriverKind::kSock;
    given.globals.transaction_timeout = 31;  // makes the driver's time-out 10 s
    return given;
  }
  std::uint64_t counted(const Person& at, Count what) {
    return at.node.sock_counts()[static_cast<std::size_t>(what)];
  }

  Story given{over_tcp()};
  SpoofingPeer spoofer{given.world, given.alice.node.nid(0), given.bob.node.nid(0),
                       *Nid::parse("10.98.0.66@tcp")};
};

TEST_F(TakeOverStory, ATakeOverLastsForAMessage) {  // spec/wire-socklnd.md 8
  ASSERT_GT(spoofer.holds(), 0U);
  EXPECT_EQ(counted(given.alice, Count::kTakenOver), 1U);
  // The first message goes to the spoofer; meanwhile alice's driver dials bob's own address.
  const Lent& lost = given.alice.puts({.to = given.bob.id(), .bits = {1}});
  given.runs_for(seconds(2));
  EXPECT_EQ(lost.reported(), "SEND (last)");
  EXPECT_EQ(spoofer.holds(), 0U);
  EXPECT_EQ(counted(given.alice, Count::kTakeOverEnded), 1U);
  const Lent& safe = given.alice.puts({.to = given.bob.id(), .ack = AckRequest::kAck, .bits = {1}});
  given.comes_to_rest();
  EXPECT_EQ(safe.reported(), "SEND, ACK (last)");
}

TEST_F(TakeOverStory, MessagesOfTheTrueNodeEndATakeOver) {
  const Lent& put = given.bob.puts({.to = given.alice.id(), .ack = AckRequest::kAck, .bits = {1}});
  given.comes_to_rest();
  EXPECT_EQ(put.reported(), "SEND, ACK (last)");
  EXPECT_EQ(spoofer.holds(), 0U);
}

TEST_F(TakeOverStory, ATakeOverEndsWhenTheTrueNodeIsReachable) {
  given.cut(given.alice, given.bob);
  given.cut(given.bob, given.alice);
  given.alice.puts({.to = given.bob.id(), .bits = {1}});
  given.runs_for(seconds(20));
  EXPECT_GT(spoofer.holds(), 0U);
  given.cut(given.alice, given.bob, false);
  given.cut(given.bob, given.alice, false);
  for (int minute = 0; minute < 2; ++minute) {  // longer than the longest pause between two dials
    given.alice.puts({.to = given.bob.id(), .bits = {1}});
    given.runs_for(seconds(60));
  }
  EXPECT_EQ(spoofer.holds(), 0U);
  EXPECT_EQ(counted(given.alice, Count::kTakeOverEnded), 1U);
  given.comes_to_rest();
}

}  // namespace
}  // namespace ulnet::sim

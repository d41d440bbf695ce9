// One story for each invariant of spec/core-semantics.md 18. The checkers watch them in every
// story and every swarm.
#include "story.h"

namespace ulnet::sim {
namespace {

using core::DropReason;

TEST(InvariantStory, TheLastEventIsTheLast) {  // spec/core-semantics.md 4.6, 18.1
  Story given;
  Lent& target = given.bob.posts({.threshold = 3});
  for (int i = 0; i < 5; ++i) given.alice.puts({.to = given.bob.id()});
  given.comes_to_rest();
  EXPECT_EQ(target.reported(), "PUT, PUT, PUT (last)");
}

TEST(InvariantStory, AnAckEventComesOnlyOnRequest) {  // spec/core-semantics.md 18.4
  Story given;
  given.bob.posts();
  Lent& with = given.alice.puts({.to = given.bob.id(), .ack = AckRequest::kAck});
  Lent& without = given.alice.puts({.to = given.bob.id()});
  given.comes_to_rest();
  EXPECT_EQ(with.reported(), "SEND, ACK (last)");
  EXPECT_EQ(without.reported(), "SEND (last)");
}

TEST(InvariantStory, AGetIsASendAndAReply) {  // spec/core-semantics.md 18.5
  Story given;
  given.bob.posts({.options = kOpGet});
  Lent& get = given.alice.gets({.to = given.bob.id()});
  given.comes_to_rest();
  EXPECT_EQ(get.reported(), "SEND, REPLY (last)");
}

TEST(InvariantStory, SentEqualsReceivedPlusDropped) {  // spec/core-semantics.md 18.12
  Story given;
  given.bob.posts({.threshold = 7});
  for (int i = 0; i < 10; ++i) given.alice.puts({.to = given.bob.id()});
  given.comes_to_rest();
  const Counters sent = given.alice.node.counters(), got = given.bob.node.counters();
  EXPECT_EQ(sent.send_count, 10U);
  EXPECT_EQ(got.recv_count, 7U);
  EXPECT_EQ(got.drop_count, 3U);
  EXPECT_EQ(sent.send_length, got.recv_length + got.drop_length);
}

TEST(InvariantStory, CreditsEqualTheLimitMinusTheQueue) {  // spec/core-semantics.md 18.13
  Story given({.tunables = {.peer_credits = 2}});
  given.world.wire().set_model({.delay = seconds(1), .bytes_per_second = 10'000});
  given.bob.posts();
  for (int i = 0; i < 5; ++i) given.alice.puts({.to = given.bob.id()});
  const core::PeerNi* peer = given.alice.state().peers.find_ni(given.bob.node.nid());
  ASSERT_NE(peer, nullptr);
  EXPECT_EQ(peer->tx.credits(), -3);
  EXPECT_EQ(peer->tx.waiting(), 3);
  given.comes_to_rest();
  EXPECT_EQ(peer->tx.credits(), 2);
}

TEST(InvariantStory, TheRingEndsWhenNoFullMessageFits) {  // spec/core-semantics.md 18.7
  Story given;
  Lent& ring = given.bob.posts({.options = kOpPut | kMaxSize, .bytes = 199, .max_size = 100});
  given.alice.puts({.to = given.bob.id(), .bytes = 99});
  given.runs_for(seconds(1));
  EXPECT_EQ(ring.reported(), "PUT");  // there is room for exactly one more
  given.alice.puts({.to = given.bob.id(), .bytes = 1});
  given.comes_to_rest();
  EXPECT_EQ(ring.reported(), "PUT, PUT (last)");
}

TEST(InvariantStory, RemovingAnInterfaceEndsItsWaitingMessages) {  // spec/core-semantics.md 18.15
  Story given;
  ASSERT_TRUE(given.bob.node.set_lazy_portal({5}).has_value());
  given.alice.puts({.to = given.bob.id()});
  given.runs_for(seconds(1));
  given.bob.node.remove_ni(given.bob.node.nid());
  given.comes_to_rest();
  EXPECT_EQ(given.bob.dropped(DropReason::kNiRemoved), 1U);
}

TEST(InvariantStory, RemovingAnInterfaceFailsItsSends) {  // spec/core-semantics.md 18.15
  Story given({.tunables = {.credits = 1}});
  given.world.wire().set_model({.delay = seconds(1), .bytes_per_second = 100});
  Lent& under_way = given.alice.puts({.to = given.bob.id()});
  Lent& waiting = given.alice.puts({.to = given.bob.id()});
  given.alice.node.remove_ni(given.alice.node.nid());
  given.comes_to_rest();
  EXPECT_EQ(waiting.reported(), "SEND -108 (last)");
  EXPECT_EQ(under_way.events.size(), 1U);
}

TEST(InvariantStory, AShutdownEndsWaitingMessages) {
  Story given;
  ASSERT_TRUE(given.bob.node.set_lazy_portal({5}).has_value());
  given.alice.puts({.to = given.bob.id()});
  Lent& target = given.bob.posts({.bits = {1}});
  given.runs_for(seconds(1));
  given.bob.node.shutdown();
  given.comes_to_rest();
  EXPECT_EQ(given.bob.node.state(), SimNode::State::kStopped);
  EXPECT_EQ(given.bob.dropped(DropReason::kShutdown), 1U);
  EXPECT_EQ(given.bob.node.leftovers(), (Leftovers{.mds = 1, .mes = 1}));
  EXPECT_EQ(given.bob.unlinks(target), 0);
}

}  // namespace
}  // namespace ulnet::sim

// Stories for spec/core-semantics.md 7, 8: portals, lazy or not, and the handling of a message that
// arrives.
#include "story.h"

namespace ulnet::sim {
namespace {

using core::DropReason;

TEST(PortalStory, LazyCanBeSetAndCleared) {  // spec/core-semantics.md 7.1
  Story given;
  SimNode& bob = given.bob.node;
  EXPECT_EQ(Person::errno_of(bob.set_lazy_portal({64})), -EINVAL);
  EXPECT_EQ(Person::errno_of(bob.clear_lazy_portal({64})), -EINVAL);
  EXPECT_TRUE(bob.set_lazy_portal({5}) && bob.set_lazy_portal({5}));
  EXPECT_TRUE(bob.clear_lazy_portal({5}) && bob.clear_lazy_portal({5}));
}

TEST(PortalStory, APutWaitsOnALazyPortalUntilABufferComes) {  // spec/core-semantics.md 7.1
  Story given;
  ASSERT_TRUE(given.bob.node.set_lazy_portal({5}).has_value());
  Lent& put = given.alice.puts({.to = given.bob.id(), .ack = AckRequest::kAck});
  given.runs_for(seconds(1));
  EXPECT_EQ(put.reported(), "SEND");
  Lent& target = given.bob.posts();
  given.comes_to_rest();
  EXPECT_EQ(target.reported(), "PUT");
  EXPECT_EQ(target.filled_with('p'), 100U);
  EXPECT_EQ(put.reported(), "SEND, ACK (last)");
}

TEST(PortalStory, WaitingMessagesAreServedInArrivalOrder) {  // spec/core-semantics.md 4.3, 18.10
  Story given;
  ASSERT_TRUE(given.bob.node.set_lazy_portal({5}).has_value());
  for (char c = 'a'; c < 'f'; ++c) given.alice.puts({.to = given.bob.id(), .bytes = 1, .byte = c});
  given.runs_for(seconds(1));
  Lent& two = given.bob.posts({.threshold = 2});
  Lent& rest = given.bob.posts();
  given.comes_to_rest();
  EXPECT_EQ(two.reported(), "PUT, PUT (last)");
  EXPECT_EQ(std::string(two.memory.data(), 2) + std::string(rest.memory.data(), 3), "abcde");
}

TEST(PortalStory, ABufferThatDoesNotFitLeavesThemWaiting) {  // spec/core-semantics.md 4.3
  Story given;
  ASSERT_TRUE(given.bob.node.set_lazy_portal({5}).has_value());
  given.alice.puts({.to = given.bob.id(), .bits = {1}});
  given.alice.puts({.to = given.bob.id(), .bits = {2}});
  given.runs_for(seconds(1));
  Lent& second = given.bob.posts({.bits = {2}});
  given.runs_for(seconds(1));
  EXPECT_EQ(second.reported(), "PUT");
  Lent& first = given.bob.posts({.bits = {1}});
  given.comes_to_rest();
  EXPECT_EQ(first.reported(), "PUT");
}

TEST(PortalStory, AMessageThatIsTooLongInItsTurnIsDropped) {  // spec/core-semantics.md 4.3
  Story given;
  ASSERT_TRUE(given.bob.node.set_lazy_portal({5}).has_value());
  given.alice.puts({.to = given.bob.id(), .bytes = 100});
  given.runs_for(seconds(1));
  Lent& small = given.bob.posts({.bytes = 60});
  given.comes_to_rest();
  EXPECT_EQ(small.reported(), "");
  EXPECT_EQ(given.bob.dropped(DropReason::kTooLong), 1U);
}

TEST(PortalStory, AGetNeverWaits) {  // spec/core-semantics.md 7.1
  Story given({.globals = {.transaction_timeout = 10}});
  ASSERT_TRUE(given.bob.node.set_lazy_portal({5}).has_value());
  Lent& get = given.alice.gets({.to = given.bob.id()});
  given.comes_to_rest();
  EXPECT_EQ(get.reported(), "SEND, UNLINK -110 (last)");
  EXPECT_EQ(given.bob.dropped(DropReason::kNoMatch), 1U);
}

TEST(PortalStory, ClearingLazyDropsWaitingMessages) {  // spec/core-semantics.md 7.1
  Story given;
  ASSERT_TRUE(given.bob.node.set_lazy_portal({5}).has_value());
  given.alice.puts({.to = given.bob.id()});
  given.alice.puts({.to = given.bob.id()});
  given.runs_for(seconds(1));
  ASSERT_TRUE(given.bob.node.clear_lazy_portal({5}).has_value());
  given.comes_to_rest();
  EXPECT_EQ(given.bob.dropped(DropReason::kLazyCleared), 2U);
}

TEST(PortalStory, APortalThatIsNotLazyDropsUnmatchedMessages) {  // spec/core-semantics.md 7.1
  Story given;
  given.bob.posts({.bits = {1}});
  Lent& put = given.alice.puts({.to = given.bob.id()});
  given.comes_to_rest();
  EXPECT_EQ(put.reported(), "SEND (last)");
  EXPECT_EQ(given.bob.dropped(DropReason::kNoMatch), 1U);
  EXPECT_EQ(given.bob.node.counters().drop_count, 1U);
  EXPECT_EQ(given.bob.node.counters().drop_length, 100U);
}

TEST(PortalStory, AnUnusedPortalDropsUnlessItIsLazy) {  // spec/core-semantics.md 7.2
  Story given;
  ASSERT_TRUE(given.bob.node.set_lazy_portal({40}).has_value());
  given.alice.puts({.to = given.bob.id(), .portal = {41}});
  given.alice.puts({.to = given.bob.id(), .portal = {40}});
  given.runs_for(seconds(1));
  EXPECT_EQ(given.bob.dropped(DropReason::kNoMatch), 1U);
  given.bob.posts({.portal = {40}});
  given.comes_to_rest();
}

// ---- arrivals

TEST(ArrivalStory, TheDestinationPidIsNotChecked) {  // spec/core-semantics.md 8.4
  Story given;
  Lent& target = given.bob.posts();
  given.alice.puts({.to = {given.bob.node.nid(), Pid{77}}});
  given.comes_to_rest();
  EXPECT_EQ(target.reported(), "PUT");
  EXPECT_EQ(target.event(EventType::kPut).target.pid, Pid{77});
}

TEST(ArrivalStory, ASimulatedFailureDropsWhatComes) {  // spec/core-semantics.md 8.5
  Story given;
  Lent& target = given.bob.posts();
  core::ApiCall fail;
  fail.body.emplace<core::call::Fail>(given.alice.node.nid(), 1);
  given.bob.node.call(fail);
  given.alice.puts({.to = given.bob.id()});
  given.alice.puts({.to = given.bob.id()});
  given.comes_to_rest();
  EXPECT_EQ(target.reported(), "PUT");
  EXPECT_EQ(given.bob.dropped(DropReason::kSimulatedFailure), 1U);
}

TEST(ArrivalStory, ASenderBecomesAPeerThatWasHeard) {  // spec/core-semantics.md 8.8, 8.10
  Story given;
  EXPECT_EQ(given.bob.state().peers.find_ni(given.alice.node.nid()), nullptr);
  given.runs_for(seconds(5));
  given.alice.puts({.to = given.bob.id()});
  given.runs_for(seconds(5));
  const core::PeerNi* peer = given.bob.state().peers.find_ni(given.alice.node.nid());
  ASSERT_NE(peer, nullptr);
  EXPECT_GE(peer->last_heard, given.world.now() - seconds(5));
  given.comes_to_rest();
}

TEST(ArrivalStory, MessagesAreCountedBeforeMatching) {  // spec/core-semantics.md 8.12
  Story given;
  given.alice.puts({.to = given.bob.id()});
  given.comes_to_rest();
  const core::LocalNi* ni = given.bob.state().nis.find(given.bob.node.nid());
  EXPECT_EQ(ni->traffic.received.put, 1U);
  EXPECT_EQ(ni->traffic.dropped.put, 1U);
}

TEST(ArrivalStory, TheSenderIsNotNotifiedOfADrop) {  // spec/core-semantics.md 8
  Story given;
  Lent& put = given.alice.puts({.to = given.bob.id()});
  given.comes_to_rest();
  EXPECT_EQ(given.endings(given.alice), (std::vector<Ending>{{0, core::Health::kOk}}));
  EXPECT_EQ(put.reported(), "SEND (last)");
}

}  // namespace
}  // namespace ulnet::sim

// Stories for spec/core-semantics.md 4.6, 5.1, 18.2: handlers, and event queues instead of them.
#include <array>

#include "story.h"
#include "ulnet/event_queue.hpp"

namespace ulnet::sim {
namespace {

using UserQueue = ulnet::EventQueue;  // the world has a queue of that name too
using Got = UserQueue::Got;

ProcessId oneself() { return {Nid::loopback(), Pid::lustre()}; }

TEST(HandlerStory, RunInOrderThoughEachCausesTheNext) {  // spec/core-semantics.md 4.6, 18.2
  Story given;
  Lent& target = given.alice.posts({.threshold = 5});
  int inside = 0;
  bool nested = false;
  target.then = [&](const Event&) {
    nested = nested || inside != 0;
    ++inside;
    given.alice.puts({.to = oneself()});  // its PUT arrives before this handler has returned
    --inside;
  };
  given.alice.puts({.to = oneself()});
  given.comes_to_rest();
  EXPECT_FALSE(nested);
  EXPECT_EQ(target.reported(), "PUT, PUT, PUT, PUT, PUT (last)");
}

TEST(HandlerStory, UnlinkInAHandlerIsFollowedByTheLastEvent) {  // spec/core-semantics.md 4.6
  Story given;
  Lent& target = given.bob.posts();
  std::string reported_inside;
  target.then = [&](const Event& event) {
    if (event.type != EventType::kPut) return;
    EXPECT_EQ(given.bob.unlinks(target), 0);
    reported_inside = target.reported();
  };
  given.alice.puts({.to = given.bob.id()});
  given.alice.puts({.to = given.bob.id()});
  given.comes_to_rest();
  EXPECT_EQ(reported_inside, "PUT");
  EXPECT_EQ(target.reported(), "PUT, UNLINK (last)");
  EXPECT_EQ(given.bob.dropped(core::DropReason::kNoMatch), 1U);
}

TEST(HandlerStory, SlowHandlersOfOneMdStillGoInOrder) {  // spec/core-semantics.md 18.2
  Given slow;
  slow.handler_delay = seconds(1);
  Story given(slow);
  Lent& target = given.bob.posts({.threshold = 20});
  for (std::uint64_t i = 0; i < 20; ++i)
    given.alice.puts({.to = given.bob.id(), .bytes = 1, .hdr_data = i});
  given.comes_to_rest();
  ASSERT_EQ(target.events.size(), 20U);
  for (std::uint64_t i = 0; i < 20; ++i) EXPECT_EQ(target.events[i].hdr_data, i);
  EXPECT_TRUE(target.events.back().unlinked);
}

TEST(HandlerStory, MayMakeCallsThatDoNotWait) {  // spec/core-semantics.md 5.1
  Story given;
  Lent& target = given.bob.posts();
  int waited = 0;
  target.then = [&](const Event& event) {
    given.bob.puts({.to = event.initiator});
    waited = Person::errno_of(given.bob.node.ping({.target = event.initiator, .source = {}}));
  };
  Lent& answer = given.alice.posts();
  given.alice.puts({.to = given.bob.id()});
  given.comes_to_rest();
  EXPECT_EQ(answer.reported(), "PUT");
  EXPECT_EQ(waited, -EDEADLK);
}

// ---- event queues

/// bob has attached a buffer whose events go to a queue with room for `count`.
struct Queued {
  Queued(const Given& world, std::uint32_t count)
      : given(world), queue(*UserQueue::create(given.bob.node, count)) {
    const auto me =
        given.bob.node.me_attach({5}, {}, {7}, {}, UnlinkMode::kUnlink, InsertPosition::kAfter);
    const iovec all{memory.data(), memory.size()};
    MdSpec spec;
    spec.fragments = {&all, 1};
    spec.options = kOpPut;
    spec.sink = queue.get();
    md = given.bob.node.md_attach(me.value(), spec, UnlinkMode::kUnlink).value();
  }
  ~Queued() { (void)given.bob.node.md_unlink(md); }  // the queue must outlive the MD
  void alice_puts(std::uint64_t number) {
    given.alice.puts({.to = given.bob.id(), .bytes = 1, .hdr_data = number});
  }
  /// The next event of the queue: "event 3".
  std::string next() {
    Event event;
    const Got got = queue->get(event);
    if (got == Got::kNothing) return "nothing";
    return (got == Got::kEvent ? "event " : "after a loss event ") + std::to_string(event.hdr_data);
  }

  Story given;
  std::array<char, 1024> memory{};
  std::unique_ptr<UserQueue> queue;
  MdHandle md;
};

TEST(QueueStory, KeepsTheOldestAndSaysOnceThatSomeWereLost) {  // spec/core-semantics.md 5.1
  Queued bob({}, 2);
  for (std::uint64_t i = 1; i <= 4; ++i) bob.alice_puts(i);
  bob.given.comes_to_rest();
  EXPECT_EQ(bob.next(), "event 1");
  EXPECT_EQ(bob.next(), "event 2");
  EXPECT_EQ(bob.next(), "nothing");
  bob.alice_puts(5);
  bob.alice_puts(6);
  bob.given.comes_to_rest();
  EXPECT_EQ(bob.next(), "after a loss event 5");
  EXPECT_EQ(bob.next(), "event 6");
}

TEST(QueueStory, WaitingDrivesTheNodeUntilSomethingCame) {  // spec/core-semantics.md 5.1
  Queued bob({.driver = DriverKind::kSock}, 4);
  bob.given.world.wire().set_model({.delay = milliseconds(300)});
  bob.alice_puts(1);
  EXPECT_EQ(bob.next(), "nothing");
  Event event;
  EXPECT_EQ(bob.queue->wait(event), Got::kEvent);
  EXPECT_EQ(event.hdr_data, 1U);
  // The time of a connection, two hellos and the message.
  EXPECT_GE(bob.given.world.age(), milliseconds(1500));
  bob.given.comes_to_rest();
}

TEST(QueueStory, SeveralAreAskedInTheirOrder) {  // spec/core-semantics.md 5.1
  Queued bob({}, 4);
  const auto other = *UserQueue::create(bob.given.bob.node, 4);
  const std::array both{other.get(), bob.queue.get()};
  Event event;
  std::size_t which = 9;
  EXPECT_EQ(UserQueue::poll(both, seconds(0), event, which), Got::kNothing);
  bob.alice_puts(1);
  bob.given.comes_to_rest();
  EXPECT_EQ(UserQueue::poll(both, seconds(0), event, which), Got::kEvent);
  EXPECT_EQ(which, 1U);
}

TEST(QueueStory, IsInUseUntilTheLastEventOfItsMds) {  // spec/core-semantics.md 5.1
  Queued bob({}, 4);
  EXPECT_TRUE(bob.queue->in_use());
  EXPECT_TRUE(bob.given.bob.node.md_unlink(bob.md).has_value());
  EXPECT_FALSE(bob.queue->in_use());
  EXPECT_EQ(bob.next(), "event 0");  // the event of the UNLINK
  bob.given.comes_to_rest();
}

}  // namespace
}  // namespace ulnet::sim

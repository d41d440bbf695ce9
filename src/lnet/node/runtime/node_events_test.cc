#include "lnet/node/runtime/node_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace ulnet::node {
namespace {

using std::chrono::milliseconds;
using Type = NodeEvent::Type;
using testing::ElementsAre;
using testing::IsEmpty;

const Nid kOne = *Nid::parse("10.0.0.1@tcp"), kTwo = *Nid::parse("10.0.0.2@tcp");

/// Events with a clock that the test sets.
struct NodeEventsTest : testing::Test {
  void add(Type type, const char* text, const Nid& nid = kOne, bool of_discovery = false) {
    events.add({.type = type, .of_discovery = of_discovery, .nid = nid, .text = text});
  }
  /// "text" or "text x count" of all events after `after`.
  std::vector<std::string> texts(std::uint64_t after = 0, EventTypes types = EventTypes::all()) {
    std::vector<std::string> all;
    for (const NodeEvent& event : events.read(after, types).events)
      all.push_back(event.text +
                    (event.count == 1 ? std::string() : " x " + std::to_string(event.count)));
    return all;
  }
  void pass(milliseconds time) { clock += time; }

  Instant clock{std::chrono::seconds(100)};
  NodeEvents events{[this] {
    return NodeEvents::Times{clock,
                             static_cast<std::uint64_t>(clock.time_since_epoch().count()) + 7};
  }};
};

EventTypes only(Type type) {
  EventTypes types;
  types.add(type);
  return types;
}

TEST_F(NodeEventsTest, ReturnsWhatCameAfterANumber) {
  EXPECT_EQ(events.newest(), 0U);
  add(Type::kNi, "is down");
  pass(milliseconds(3));
  add(Type::kRoute, "cannot be used", kTwo);
  const auto all = events.read(0, EventTypes::all());
  ASSERT_EQ(all.events.size(), 2U);
  EXPECT_EQ(all.events[0].number, 1U);
  EXPECT_EQ(all.events[1].number, 2U);
  EXPECT_EQ(all.events[1].nid, kTwo);
  EXPECT_EQ(all.events[1].unix_ns - all.events[0].unix_ns, 3'000'000U);
  EXPECT_EQ(all.upto, 2U);
  EXPECT_FALSE(all.more || all.ended);
  EXPECT_THAT(texts(1), ElementsAre("cannot be used"));
  EXPECT_THAT(texts(2), IsEmpty());
  EXPECT_THAT(texts(99), IsEmpty());
  EXPECT_THAT(texts(0, only(Type::kNi)), ElementsAre("is down"));
  EXPECT_EQ(events.incarnation(), 100'000U);
}

TEST_F(NodeEventsTest, ReadsInParts) {
  for (const char* text : {"a", "b", "c"}) add(Type::kOther, text);
  const auto first = events.read(0, EventTypes::all(), 2);
  EXPECT_EQ(first.events.size(), 2U);
  EXPECT_TRUE(first.more);
  const auto second = events.read(first.upto, EventTypes::all(), 2);
  ASSERT_EQ(second.events.size(), 1U);
  EXPECT_EQ(second.events[0].text, "c");
  EXPECT_FALSE(second.more);
}

TEST_F(NodeEventsTest, SaysHowManyAreForgotten) {
  constexpr std::uint64_t kMore = 5;
  for (std::uint64_t i = 0; i < NodeEvents::kRemembered + kMore; ++i)
    add(Type::kDiscovery, "ping sent", kOne, true);
  const auto all = events.read(0, EventTypes::all());
  EXPECT_EQ(all.lost, kMore);
  EXPECT_EQ(all.events.size(), NodeEvents::kRemembered);
  EXPECT_EQ(all.events.front().number, kMore + 1);
  EXPECT_EQ(events.read(2, EventTypes::all()).lost, kMore - 2);
  EXPECT_EQ(events.read(kMore, EventTypes::all()).lost, 0U);
  // A reader that asks for other types may have lost them as well, as far as it can know.
  const auto other = events.read(0, only(Type::kNi));
  EXPECT_EQ(other.lost, kMore);
  EXPECT_EQ(other.upto, NodeEvents::kRemembered + kMore);
}

TEST_F(NodeEventsTest, QuickRepeatsAreFolded) {
  // given: twenty re-sends within a second
  for (int i = 0; i < 20; ++i) {
    add(Type::kResend, "sent again");
    pass(milliseconds(10));
  }
  // then: the first is reported at once, the others at the second's end
  EXPECT_THAT(texts(), ElementsAre("sent again"));
  EXPECT_EQ(events.read(0, EventTypes::all()).folded, Instant(std::chrono::seconds(101)));
  pass(milliseconds(800));
  EXPECT_THAT(texts(), ElementsAre("sent again", "sent again x 19"));
  // and: while they go on, they are reported once a second
  add(Type::kResend, "sent again");
  EXPECT_EQ(events.newest(), 2U);
  pass(milliseconds(1000));
  EXPECT_THAT(texts(2), ElementsAre("sent again"));
  // and: after a second of quiet the next is reported at once
  pass(milliseconds(1000));
  EXPECT_EQ(events.read(0, EventTypes::all()).folded, kNever);
  add(Type::kResend, "sent again");
  EXPECT_EQ(events.newest(), 4U);
}

TEST_F(NodeEventsTest, TheLastStateIsReportedLast) {
  // given: an NI that goes down and up all the time, and is down at last
  constexpr int kTimes = NodeEvents::kBurst + 7;
  for (int i = 0; i < kTimes; ++i) add(Type::kNi, i % 2 == 0 ? "is down" : "is up again");
  EXPECT_EQ(events.newest(), NodeEvents::kBurst);
  pass(milliseconds(1000));
  EXPECT_THAT(texts(NodeEvents::kBurst), ElementsAre("is down x 7"));
}

TEST_F(NodeEventsTest, NidsAndTypesAreFoldedByThemselves) {
  for (int i = 0; i < 3; ++i) {
    add(Type::kResend, "to one");
    pass(milliseconds(1));
    add(Type::kResend, "to two", kTwo);
    pass(milliseconds(1));
    add(Type::kNi, "is down");
  }
  EXPECT_THAT(texts(), ElementsAre("to one", "to two", "is down", "is down", "is down"));
  // and: folded events are reported in the order in which each happened last
  pass(milliseconds(1000));
  EXPECT_THAT(texts(5), ElementsAre("to one x 2", "to two x 2"));
}

TEST_F(NodeEventsTest, StepsOfDiscoveriesAreAllReported) {
  for (int i = 0; i < 50; ++i) add(Type::kDiscovery, "ping sent", kOne, true);
  add(Type::kPeer, "discovered, NIDs", kOne, true);
  add(Type::kPeer, "is connected");
  EXPECT_EQ(events.newest(), 52U);
  // and: a step of another type is a step of a discovery too
  const auto steps = events.discovery_steps(49);
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[1].text, "discovered, NIDs");
}

TEST_F(NodeEventsTest, AFloodOfNidsIsBounded) {
  // given: more NIDs than are counted separately, each of them often
  constexpr std::uint32_t kNids = NodeEvents::kSubjects + 100;
  const auto nid = [](std::uint32_t i) {
    return *Nid::parse("10.1." + std::to_string(i / 256) + "." + std::to_string(i % 256) + "@tcp");
  };
  for (int round = 0; round < 3; ++round)
    for (std::uint32_t i = 0; i < kNids; ++i) add(Type::kResend, "sent again", nid(i));
  // then: those beyond count as one
  EXPECT_EQ(events.newest(), NodeEvents::kSubjects + 1);
  pass(milliseconds(1000));
  std::uint64_t all = 0;
  for (const NodeEvent& event : events.read(0, EventTypes::all()).events) all += event.count;
  EXPECT_EQ(all, 3U * kNids);
  EXPECT_EQ(events.newest(), 2 * (NodeEvents::kSubjects + 1));
}

TEST_F(NodeEventsTest, ALongTextIsCut) {
  const std::string text(NodeEvents::kTextBytes + 100, 'x');
  events.add({.text = text});
  EXPECT_EQ(texts().at(0).size(), NodeEvents::kTextBytes);
}

TEST_F(NodeEventsTest, EndsWithWhatIsFolded) {
  for (int i = 0; i < 4; ++i) add(Type::kResend, "sent again");
  events.end();
  add(Type::kNi, "is down");  // too late
  EXPECT_THAT(texts(), ElementsAre("sent again", "sent again x 3"));
  EXPECT_FALSE(events.read(0, EventTypes::all(), 1).ended);
  EXPECT_TRUE(events.read(0, EventTypes::all()).ended);
}

TEST_F(NodeEventsTest, WatchersAreWokenByEachEventAndTheEnd) {
  int woken = 0;
  {
    const NodeEvents::Watch watch(events, [&] { ++woken; });
    add(Type::kNi, "is down");
    add(Type::kResend, "sent again");
    add(Type::kResend, "sent again");  // folded: it appears only when the window ends
    EXPECT_EQ(woken, 3);
    events.end();
    EXPECT_EQ(woken, 4);
  }
  NodeEvents others;
  {
    const NodeEvents::Watch watch(others, [&] { ++woken; });
  }
  others.add({.text = "x"});
  EXPECT_EQ(woken, 4);
}

TEST(EventTypes, AreReadByTheirNames) {
  std::string wrong;
  const auto two = EventTypes::parse("peer-ni,route", wrong);
  ASSERT_TRUE(two);
  EXPECT_TRUE(two->has(Type::kPeerNi) && two->has(Type::kRoute));
  EXPECT_FALSE(two->has(Type::kNi));
  for (const char* text : {"", "nis", "ni,", ",ni", "ni, route", "NI"}) {
    wrong = "?";
    EXPECT_FALSE(EventTypes::parse(text, wrong)) << text;
    EXPECT_NE(wrong, "?") << text;
  }
  for (std::size_t i = 0; i < EventTypes::kCount; ++i) {
    const auto type = static_cast<Type>(i);
    EXPECT_TRUE(EventTypes::parse(to_string(type), wrong)->has(type));
    EXPECT_TRUE(EventTypes::all().has(type));
  }
}

TEST(NodeEvents, ManyThreadsAddThem) {
  NodeEvents events;
  constexpr std::uint64_t kThreads = 4, kEach = 2000;
  std::vector<std::thread> writers;
  for (std::uint64_t i = 0; i < kThreads; ++i)
    writers.emplace_back([&] {
      for (std::uint64_t n = 0; n < kEach; ++n)
        events.add({.type = Type::kDiscovery, .of_discovery = true, .text = "ping sent"});
    });
  // when: a reader reads meanwhile, it learns how many events it missed
  std::uint64_t seen = 0, upto = 0;
  while (upto < kThreads * kEach) {
    const auto reading = events.read(upto, EventTypes::all(), 7);
    seen += reading.events.size() + reading.lost;
    upto = reading.upto;
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(seen, kThreads * kEach);
}

}  // namespace
}  // namespace ulnet::node

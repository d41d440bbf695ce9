#include "sim/network/fabric.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace ulnet::sim {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using testing::ElementsAre;

constexpr std::uint64_t kRate = 1'000'000;  // a byte takes a microsecond

/// Records how its pieces crossed, in order: "1 at 100 us", "2 lost at 50 us".
struct Pieces final : Crosser {
  explicit Pieces(EventQueue& events) : queue(events) {}
  void crossed(Handle, std::uint64_t piece, bool lost) override {
    const Duration age = queue.now() - EventQueue::kOrigin;
    crossings.push_back(std::to_string(piece) + (lost ? " lost at " : " at ") +
                        std::to_string(age / microseconds(1)) + " us");
  }
  EventQueue& queue;
  std::vector<std::string> crossings;
};

struct FabricTest : testing::Test {
  SwitchLinkModel model(Duration latency = {}) const { return {kRate, latency}; }
  void cross(std::uint64_t piece, SwitchId from, SwitchId to, std::uint32_t bytes,
             Duration enters = {}) {
    const Fabric::Way* way = fabric.way(from, to);
    ASSERT_NE(way, nullptr);
    fabric.cross(pieces, {}, piece, *way, bytes, EventQueue::kOrigin + enters);
  }
  void run_for(Duration time) {
    const Instant until = queue.now() + time;
    while (queue.next() <= until) queue.run_one();
    queue.advance(until);
  }
  PortCounters at(SwitchLinkId link, SwitchId from) const {
    return fabric.port(link, from).counters(queue.now());
  }
  /// The names of the switches on the way.
  std::vector<std::string> names(SwitchId from, SwitchId to) {
    std::vector<std::string> all;
    const Fabric::Way* way = fabric.way(from, to);
    for (std::size_t i = 0; way != nullptr && i < way->size(); ++i)
      for (std::uint32_t id = 0; id < fabric.links(); ++id)
        for (const SwitchId end : {fabric.ends({id}).first, fabric.ends({id}).second})
          if (&fabric.port({id}, end) == (*way)[i]) all.push_back(fabric.name(end));
    return all;
  }

  EventQueue queue;
  Fabric fabric{queue};
  Pieces pieces{queue};
  SwitchId a = fabric.add_switch("a"), b = fabric.add_switch("b"), c = fabric.add_switch("c"),
           d = fabric.add_switch("d");
};

TEST_F(FabricTest, AWayIsOverTheFewestLinks) {
  fabric.join(a, b, model());
  fabric.join(b, c, model());
  fabric.join(c, d, model());
  fabric.join(a, d, model());
  EXPECT_THAT(names(a, d), ElementsAre("a"));
  EXPECT_THAT(names(b, d), ElementsAre("b", "a"));  // not by c: a's link was made first
  EXPECT_THAT(names(d, b), ElementsAre("d", "a"));  // both directions are the same way
  EXPECT_TRUE(fabric.way(a, a)->empty());
}

TEST_F(FabricTest, WithoutLinksThereIsNoPath) {
  fabric.join(a, b, model());
  EXPECT_EQ(fabric.way(a, c), nullptr);
  EXPECT_EQ(fabric.way(a, c), nullptr);
  EXPECT_NE(fabric.way(a, b), nullptr);
}

TEST_F(FabricTest, APieceTakesItsTimeAtEachLink) {
  fabric.join(a, b, model(microseconds(5)));
  fabric.join(b, c, {2 * kRate, microseconds(7)});
  cross(1, a, c, 100);
  EXPECT_EQ(Fabric::unhindered(*fabric.way(a, c), 100), microseconds(100 + 5 + 50 + 7));
  run_for(milliseconds(1));
  EXPECT_THAT(pieces.crossings, ElementsAre("1 at 162 us"));
}

TEST_F(FabricTest, PiecesWaitForThoseThatCameBeforeThem) {
  const SwitchLinkId link = fabric.join(a, b, model());
  const SwitchLinkId other = fabric.join(b, c, model());
  cross(1, a, b, 100);
  cross(2, a, b, 10);
  cross(3, b, a, 10);                     // the other direction
  cross(4, b, c, 10);                     // another link
  cross(5, a, c, 10, microseconds(30));   // arrives while two are there
  cross(6, a, b, 10, microseconds(200));  // arrives while no other is there
  run_for(milliseconds(1));
  EXPECT_THAT(pieces.crossings, ElementsAre("3 at 10 us", "4 at 10 us", "1 at 100 us",
                                            "2 at 110 us", "5 at 130 us", "6 at 210 us"));
  EXPECT_EQ(at(link, a), (PortCounters{4, 130, 0, 120, microseconds(130)}));
  EXPECT_EQ(at(link, b), (PortCounters{1, 10, 0, 10, microseconds(10)}));
  EXPECT_EQ(at(other, b), (PortCounters{2, 20, 0, 10, microseconds(20)}));
  EXPECT_EQ(at(other, c), PortCounters{});
}

TEST_F(FabricTest, CountersAreThoseOfTheMoment) {
  const SwitchLinkId link = fabric.join(a, b, model());
  cross(1, a, b, 100);
  cross(2, a, b, 100);
  run_for(microseconds(130));
  EXPECT_EQ(at(link, a), (PortCounters{1, 100, 0, 200, microseconds(130)}));
}

TEST_F(FabricTest, ACutLosesPresentAndLaterPieces) {
  const SwitchLinkId link = fabric.join(a, b, model(microseconds(10)));
  for (std::uint64_t piece = 1; piece < 4; ++piece) cross(piece, a, b, 100);
  cross(4, a, b, 100, microseconds(250));
  run_for(microseconds(205));  // the first is over, the second is on its way, the third waits
  fabric.cut(link, true);
  EXPECT_EQ(at(link, a), (PortCounters{2, 200, 0, 300, microseconds(205)}));
  run_for(microseconds(95));
  fabric.cut(link, false);
  cross(5, a, b, 100);
  run_for(milliseconds(1));
  EXPECT_THAT(pieces.crossings, ElementsAre("1 at 110 us", "2 lost at 210 us", "4 lost at 250 us",
                                            "3 lost at 310 us", "5 at 410 us"));
  EXPECT_EQ(at(link, a), (PortCounters{3, 300, 3, 300, microseconds(305)}));
}

TEST_F(FabricTest, ANewBandwidthAppliesToLaterPieces) {
  const SwitchLinkId link = fabric.join(a, b, model());
  cross(1, a, b, 100);
  run_for(microseconds(10));
  fabric.set_rate(link, kRate / 10);
  cross(2, a, b, 10, microseconds(10));
  run_for(microseconds(90));
  fabric.set_rate(link, kRate);
  cross(3, a, b, 10, microseconds(100));
  run_for(milliseconds(1));
  EXPECT_THAT(pieces.crossings, ElementsAre("1 at 100 us", "2 at 200 us", "3 at 210 us"));
}

}  // namespace
}  // namespace ulnet::sim

// Messages to peers with several NIDs: which NID they take, and what happens when one fails.
// spec/multirail.md 3.1, 3.2, 5.2, 5.3.
#include <gmock/gmock.h>

#include <map>

#include "lnet/core/flow/push_fixture.h"

namespace ulnet::core::test {
namespace {

using testing::ElementsAre;
using enum EventType;

/// Both nodes have an NI on tcp and one on tcp1, and a knows that b's NIDs form one peer.
struct PipeOfTwoRails : Pipe {
  explicit PipeOfTwoRails(bool elsewhere = false)
      : Pipe({tcp(1), tcp(1, 1)}, {tcp(2), tcp(2, 1)}, elsewhere ? 4 : 1) {
    a.hold_sends = true;
    push_to_a(*this, encode(info_with({tcp(2), tcp(2, 1)})), tcp(2));
    a.sends.clear();
    a.caller = elsewhere ? (a.placement.of(tcp(2, 1)) + 1) % 4 : 0;
    md = bind(a, memory, &events);
  }
  void put(const Nid& to = tcp(2)) { Pipe::put(a, md, to); }
  std::map<Nid, int> targets() const {
    std::map<Nid, int> counts;
    for (const Send& send : a.sends) {
      EXPECT_EQ(send.hop.nid, send.header.dest_nid);
      EXPECT_EQ(send.hop.nid.net(), send.header.src_nid.net());
      ++counts[send.hop.nid];
    }
    return counts;
  }

  std::vector<std::byte> memory = bytes(8);
  Recorder events;
  MdHandle md;
};

TEST(MultiRail, MessagesTakeTheRailsInTurn) {  // spec/multirail.md 3.2.C.5
  PipeOfTwoRails p;
  for (int i = 0; i < 6; ++i) p.put();
  EXPECT_THAT(p.targets(), ElementsAre(std::pair(tcp(2), 3), std::pair(tcp(2, 1), 3)));
}

TEST(MultiRail, AnyNidIdentifiesThePeer) {
  PipeOfTwoRails p;
  for (int i = 0; i < 6; ++i) p.put(tcp(2, 1));
  EXPECT_THAT(p.targets(), ElementsAre(std::pair(tcp(2), 3), std::pair(tcp(2, 1), 3)));
}

TEST(MultiRail, AGivenSourcePinsTheNid) {
  PipeOfTwoRails p;
  PutRequest request;
  request.md = p.md;
  request.target = process(tcp(2, 1));
  request.portal = {5};
  request.match_bits = {7};
  request.self = tcp(1, 1);
  for (int i = 0; i < 4; ++i) p.call(p.a, call::Put{request});
  EXPECT_THAT(p.targets(), ElementsAre(std::pair(tcp(2, 1), 4)));
}

TEST(MultiRail, AMessageRefusedOnOneRailTakesTheOther) {  // spec/multirail.md 3.2.C.1
  for (const Health health : {Health::kRemoteDropped, Health::kLocalDropped}) {
    PipeOfTwoRails p;
    p.put();
    const Send first = p.a.sends.at(0);
    p.finish_send(p.a, first, -EIO, health);
    ASSERT_EQ(p.a.sends.size(), 2U);
    EXPECT_NE(p.a.sends[1].hop.nid, first.hop.nid);
    EXPECT_TRUE(p.events.events.empty());
    p.finish_send(p.a, p.a.sends[1], 0);
    EXPECT_THAT(p.events.types(), ElementsAre(kSend));
    for (int i = 0; i < 4; ++i) p.put();
    for (std::size_t i = 2; i < p.a.sends.size(); ++i)
      EXPECT_NE(p.a.sends[i].hop.nid, first.hop.nid) << "the other one is well";
  }
}

TEST(MultiRail, AMessageForAFailedNidGoesToTheOther) {  // spec/multirail.md 3.2.C.1
  for (const bool elsewhere : {false, true}) {
    PipeOfTwoRails p(elsewhere);
    constexpr std::size_t kPuts = 20;  // 16 at most have credits
    for (std::size_t i = 0; i < kPuts; ++i) p.put();
    std::vector<Send> failing, going;
    for (const Send& send : std::exchange(p.a.sends, {}))
      (send.hop.nid == tcp(2, 1) ? failing : going).push_back(send);
    ASSERT_EQ(failing.size(), 8U);
    ASSERT_LT(going.size() + 8, kPuts);
    p.finish_send(p.a, failing[0], -ETIMEDOUT, Health::kNetworkTimeout);
    EXPECT_THAT(p.a.sends, testing::IsEmpty()) << "the other one has no credit";
    for (std::size_t i = 0; i < going.size(); ++i) {
      p.finish_send(p.a, going[i], 0);
      for (const Send& send : std::exchange(p.a.sends, {})) going.push_back(send);
    }
    EXPECT_EQ(going.size(), kPuts - 8);
    for (const Send& send : going) EXPECT_EQ(send.hop.nid, tcp(2));
    for (std::size_t i = 1; i < failing.size(); ++i) p.finish_send(p.a, failing[i], 0);
    EXPECT_EQ(p.events.events.size(), kPuts);
    const call::Show show = p.show(p.a);
    EXPECT_EQ(show.statistics.resend_count, 0U) << "they were not tried before";
    EXPECT_EQ(show.statistics.errors, 1U);
  }
}

TEST(MultiRail, AfterAPushOnlyTheRemainingNidsAreUsed) {
  PipeOfTwoRails p;
  push_to_a(p, encode(info_with({tcp(2, 1)})), tcp(2, 1));
  p.a.sends.clear();
  for (int i = 0; i < 4; ++i) p.put(tcp(2, 1));
  EXPECT_THAT(p.targets(), ElementsAre(std::pair(tcp(2, 1), 4)));
}

}  // namespace
}  // namespace ulnet::core::test

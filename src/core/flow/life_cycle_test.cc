// The whole state x event matrix of every life cycle of the core, so that a row deleted or added
// fails a test. DESIGN.md 2.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/hash_index.h"
#include "core/flow/life_cycle_fixture.h"
#include "core/memory/md.h"
#include "core/memory/message.h"
#include "core/path/ni.h"
#include "core/path/peer.h"

namespace ulnet::core::test {
namespace {

TEST(LifeCycle, Message) {  // spec/core-semantics.md 7.1, 10.2
  EXPECT_EQ(matrix(kMsgLife),
            "fresh: [no peer credit -> peer queue] [no ni credit -> ni queue] [submit -> "
            "sending] [ask -> asking] [offer -> offered] [hold -> held]"
            " [land -> landing] [end -> ended]\n"
            "peer queue: [credit -> ready] [end -> ended]\n"
            "ni queue: [credit -> ready] [end -> ended]\n"
            "ready: [no ni credit -> ni queue] [submit -> sending] [end -> ended]\n"
            "sending: [end -> ended]\n"
            "asking: [offer -> offered] [hold -> held] [land -> landing] [end -> ended]\n"
            "offered: [hold -> held] [land -> landing] [end -> ended]\n"
            "held: [offer -> offered] [land -> landing] [end -> ended]\n"
            "landing: [end -> ended]\n"
            "ended:\n");
}

TEST(LifeCycle, Md) {  // spec/core-semantics.md 4.5, 4.6
  EXPECT_EQ(matrix(kMdLife),
            "active: [exhausted -> retired] [abort -> aborted]\n"
            "retired: [abort -> aborted] [idle -> gone]\n"
            "aborted: [idle -> gone]\n"
            "gone:\n");
}

TEST(LifeCycle, Ni) {  // spec/core-semantics.md 18.15
  EXPECT_EQ(matrix(kNiLife),
            "up: [removed -> draining]\n"
            "draining: [idle -> gone]\n"
            "gone:\n");
}

TEST(LifeCycleDeathTest, WhatTheTableDoesNotForeseeIsAProgrammerError) {
  EXPECT_DEATH(kNiLife.after(NiPhase::kGone, NiEvent::kIdle), "broken");
}

TEST(HashIndex, FindsWhatWasInsertedThroughGrowthAndErasure) {
  struct Weak {
    std::size_t operator()(const std::uint32_t& key) const { return key & 3; }  // many collisions
  };
  HashIndex<std::uint32_t, std::uint32_t, Weak> index;
  std::vector<std::uint32_t> objects(100);
  EXPECT_EQ(index.find(1), nullptr);
  index.erase(1);
  for (std::uint32_t i = 0; i < 100; ++i) index.insert(i, &objects[i]);
  for (std::uint32_t i = 0; i < 100; i += 3) index.erase(i);
  for (std::uint32_t i = 0; i < 100; ++i)
    EXPECT_EQ(index.find(i), i % 3 == 0 ? nullptr : &objects[i]) << i;
  for (std::uint32_t i = 0; i < 100; i += 3) index.insert(i, &objects[i]);
  for (std::uint32_t i = 0; i < 100; ++i) EXPECT_EQ(index.find(i), &objects[i]);
  EXPECT_EQ(index.size(), 100U);
}

Nid nid(std::uint32_t n) { return Nid::small({NetType::kTcp, 0}, n); }

TEST(PeerTable, EveryNidBelongsToOnePeer) {  // spec/multirail.md 1
  PeerTable table;
  const auto credits = [](const Nid&) { return 8; };
  Peer& one = *table.use(nid(1), 8).peer;
  table.use(nid(2), 8).met = true;
  table.use(nid(3), 8);
  const Nid told[] = {nid(1), nid(2), nid(9)};
  table.learn(one, told, credits);
  EXPECT_EQ(table.size(), 2U);
  EXPECT_EQ(table.primary_of(nid(2)), nid(1));
  EXPECT_EQ(table.primary_of(nid(9)), nid(1));
  EXPECT_EQ(table.primary_of(nid(3)), nid(3));
  // The peer tells another primary NID and one NID less, which becomes a peer of its own.
  const Nid later[] = {nid(9), nid(1)};
  table.learn(one, later, credits);
  EXPECT_EQ(table.primary_of(nid(1)), nid(9));
  EXPECT_EQ(table.primary_of(nid(2)), nid(2));
  EXPECT_EQ(table.size(), 3U);
  // A NID moves to this peer; the peer that has no NID left is removed.
  Peer& two = *table.find(nid(2))->peer;
  const Nid all[] = {nid(2), nid(1), nid(9), nid(3)};
  table.learn(two, all, credits);
  EXPECT_EQ(table.size(), 1U);
  EXPECT_EQ(two.others().size(), 3U);
  EXPECT_EQ(table.find(nid(77)), nullptr);
  EXPECT_EQ(table.primary_of(nid(77)), nid(77));
}

TEST(PeerTable, WhatAPeerTellsNoMoreIsNotItsOwn) {  // spec/multirail.md 1
  PeerTable table;
  const auto credits = [](const Nid&) { return 8; };
  Peer& one = *table.use(nid(1), 8).peer;
  const Nid told[] = {nid(1), nid(2), nid(3)};
  table.learn(one, told, credits);
  table.find(nid(2))->met = true;
  const Nid later[] = {nid(1), nid(3)};
  table.learn(one, later, credits);
  EXPECT_THAT(one.others(), testing::ElementsAre(nid(3)));
  EXPECT_TRUE(table.find(nid(2))->peer->others().empty());
  const Nid alone[] = {nid(1)};
  table.learn(one, alone, credits);
  EXPECT_EQ(table.find(nid(3)), nullptr) << "nobody was ever met there";
  EXPECT_EQ(table.size(), 2U);
}

TEST(PeerTable, APeerThatLosesItsPrimaryNidGoesByItsNext) {  // spec/multirail.md 1
  PeerTable table;
  const auto credits = [](const Nid&) { return 8; };
  Peer& one = *table.use(nid(1), 8).peer;
  const Nid told[] = {nid(1), nid(2), nid(3)};
  table.learn(one, told, credits);
  Peer& thief = *table.use(nid(9), 8).peer;
  const Nid taken[] = {nid(9), nid(1)};
  table.learn(thief, taken, credits);
  EXPECT_EQ(one.primary, nid(2));
  EXPECT_THAT(one.others(), testing::ElementsAre(nid(3)));
  const Nid more[] = {nid(9), nid(1), nid(3)};
  table.learn(thief, more, credits);
  EXPECT_EQ(one.primary, nid(2));
  EXPECT_TRUE(one.others().empty());
}

TEST(LifeCycle, WhatIsNoneOfThemHasNoName) {
  EXPECT_STREQ(to_string(MsgState::kCount), "?");
  EXPECT_STREQ(to_string(MsgEvent::kCount), "?");
  EXPECT_STREQ(to_string(MdState::kCount), "?");
  EXPECT_STREQ(to_string(MdEvent::kCount), "?");
  EXPECT_STREQ(to_string(NiPhase::kCount), "?");
  EXPECT_STREQ(to_string(NiEvent::kCount), "?");
}

}  // namespace
}  // namespace ulnet::core::test

// Which entries of peers stay when the traffic has ended: those with which a message was
// exchanged; and the table of peers by itself. Source: spec/core-semantics.md 8.8,
// spec/multirail.md 1.
#include "core/path/peer.h"

#include <gmock/gmock.h>

#include "core/flow/pipe_fixture.h"

namespace ulnet::core::test {
namespace {

using ::testing::ElementsAre;

constexpr std::uint8_t kNobody = 99;

struct Entries : Pipe {
  std::vector<Nid> of(End& end) {
    std::vector<Nid> nids;
    for (const PeerShow& peer : show(end).peers) nids.push_back(peer.primary);
    return nids;
  }
  MdHandle source(std::int32_t threshold = kThresholdInfinite) {
    return bind(a, memory, &events, threshold);
  }
  std::vector<std::byte> memory = bytes(16);
  Recorder events;
};

TEST(PeerEntries, NobodyAtTheOtherEndLeavesNone) {
  Entries p;
  for (std::uint8_t host = 0; host < 20; ++host)
    EXPECT_EQ(p.put(p.a, p.source(), tcp(100 + host), AckRequest::kAck), 0);
  EXPECT_EQ(p.events.events.size(), 20U);
  for (const Event& event : p.events.events) EXPECT_EQ(event.status, -EHOSTUNREACH);
  EXPECT_THAT(p.of(p.a), ElementsAre());
  const auto show = p.show(p.a);
  EXPECT_EQ(show.nis.at(1).stats.credits, show.nis.at(1).stats.credits_max);
  EXPECT_EQ(show.statistics.msgs_alloc, 0U);
}

TEST(PeerEntries, APingOfNobodyLeavesNone) {
  Entries p;
  PingRequest request;
  request.target = process(tcp(kNobody));
  p.call(p.a, call::Ping{request, 7});
  ASSERT_EQ(p.a.dones.size(), 1U);
  EXPECT_EQ(p.a.dones[0].status, -EHOSTUNREACH);
  EXPECT_THAT(p.of(p.a), ElementsAre());
}

TEST(PeerEntries, ANetThatTheNodeLacksHasNone) {
  Entries p;
  EXPECT_EQ(p.put(p.a, p.source(), tcp(2, 7)), 0);
  ASSERT_EQ(p.events.events.size(), 1U);
  EXPECT_EQ(p.events.events[0].status, -EHOSTUNREACH);
  EXPECT_THAT(p.of(p.a), ElementsAre());
}

TEST(PeerEntries, StayWhileSomethingIsUnderWay) {
  Entries p;
  p.a.hold_sends = true;
  const MdHandle md = p.source();
  for (int i = 0; i < 10; ++i) p.put(p.a, md, tcp(kNobody));  // 8 in flight, 2 wait
  while (!p.a.sends.empty()) {
    EXPECT_THAT(p.of(p.a), ElementsAre(tcp(kNobody)));
    const Send send = p.a.sends.front();
    p.a.sends.erase(p.a.sends.begin());
    p.finish_send(p.a, send, -ECONNREFUSED, Health::kRemoteDropped);
  }
  EXPECT_EQ(p.events.events.size(), 10U);
  EXPECT_THAT(p.of(p.a), ElementsAre());
}

TEST(PeerEntries, StayWhereAMessageArrived) {
  Entries p;
  p.put(p.a, p.source(), tcp(2));
  EXPECT_THAT(p.of(p.a), ElementsAre(tcp(2)));
  EXPECT_THAT(p.of(p.b), ElementsAre(tcp(1))) << "and of who sent it";
  p.a.send_status = -ETIMEDOUT;
  p.put(p.a, p.source(), tcp(2));
  EXPECT_THAT(p.of(p.a), ElementsAre(tcp(2))) << "also when the next one fails";
}

TEST(PeerEntries, AreMadeAgain) {
  Entries p;
  p.a.send_status = -ETIMEDOUT;
  p.put(p.a, p.source(), tcp(2));
  EXPECT_THAT(p.of(p.a), ElementsAre());
  p.a.send_status = 0;
  p.put(p.a, p.source(), tcp(2));
  EXPECT_THAT(p.of(p.a), ElementsAre(tcp(2)));
  EXPECT_EQ(p.show(p.a).peers.at(0).nis.at(0).available_tx_credits, 8);
}

TEST(PeerEntries, ARestartedPeerIsAsGoodAsNew) {  // spec/multirail.md 8
  Entries p;
  p.put(p.a, p.source(), tcp(2));
  const auto health = [&] { return p.show(p.a).peers.at(0).nis.at(0).health_value; };
  p.call(p.a, call::SetPeerNiHealth{tcp(2), 300});
  p.input(p.a, PeerDown{kTcp, {tcp(2), Pid::lustre()}, false});
  EXPECT_EQ(health(), 300);
  p.input(p.a, PeerDown{kTcp, {tcp(2), Pid::lustre()}, true});
  EXPECT_EQ(health(), 1000);
}

// ---- the table of peers -------------------------------------------------------------------------

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

}  // namespace
}  // namespace ulnet::core::test

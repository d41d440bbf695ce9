// The records of peers that stay when the traffic has ended: those with which a message was
// exchanged. Also the table of NIDs alone. Source: spec/core-semantics.md 8.8, spec/multirail.md 1.
#include "lnet/core/path/peer.h"

#include <gmock/gmock.h>

#include "lnet/core/flow/pipe_fixture.h"
#include "lnet/core/flow/step.h"

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

// spec/core-semantics.md 8.8, 8.10; spec/multirail.md 4.7
TEST(PeerEntries, AnAbsentNodeIsAPeerThatIsNotDiscovered) {
  Entries p;
  for (std::uint8_t host = 0; host < 20; ++host)
    EXPECT_EQ(p.put(p.a, p.source(), tcp(100 + host), AckRequest::kAck), 0);
  EXPECT_EQ(p.events.events.size(), 20U);
  for (const Event& event : p.events.events) EXPECT_EQ(event.status, -EIO);
  const auto show = p.show(p.a);
  EXPECT_EQ(show.peers.size(), 20U);
  for (const PeerShow& peer : show.peers) EXPECT_EQ(peer.state_bits, 8224U);
  EXPECT_EQ(show.nis.at(1).stats.credits, show.nis.at(1).stats.credits_max);
  EXPECT_EQ(show.statistics.msgs_alloc, 0U);
}

TEST(PeerEntries, AnAbsentNodeLeavesNoEntryInAnyShard) {
  Entries p;
  const std::uint32_t before = p.a.shards.front()->observe().peers.size();
  for (std::uint8_t host = 0; host < 20; ++host) p.put(p.a, p.source(), tcp(100 + host));
  PingRequest request;
  request.target = process(tcp(kNobody));
  p.call(p.a, call::Ping{request, 7});
  for (const auto& shard : p.a.shards) EXPECT_EQ(shard->observe().peers.size(), before);
}

// A neighbour can write any NID into a header.
TEST(PeerEntries, ANidThatOnlyAMessageNamesLeavesNone) {
  Entries p;
  wire::LnetHeader get;
  get.dest_nid = tcp(1);
  get.part = wire::GetPart{.portal = 9};
  for (std::uint8_t host = 0; host < 20; ++host) {
    get.src_nid = tcp(100 + host);
    p.arrive(p.a, get, tcp(2));
  }
  for (const auto& shard : p.a.shards)
    for (std::uint8_t host = 0; host < 20; ++host)
      EXPECT_EQ(shard->observe().peers.find(tcp(100 + host)), nullptr);
}

TEST(PeerEntries, APingToAnAbsentNodeLeavesNone) {  // spec/multirail.md 4.7
  Entries p;
  PingRequest request;
  request.target = process(tcp(kNobody));
  p.call(p.a, call::Ping{request, 7});
  ASSERT_EQ(p.a.dones.size(), 1U);
  EXPECT_EQ(p.a.dones[0].status, -EHOSTUNREACH);
  EXPECT_THAT(p.of(p.a), ElementsAre());
}

TEST(PeerEntries, ANetThatTheNodeLacksHasNoPath) {
  Entries p;
  EXPECT_EQ(p.put(p.a, p.source(), tcp(2, 7)), 0);
  ASSERT_EQ(p.events.events.size(), 1U);
  EXPECT_EQ(p.events.events[0].status, -EHOSTUNREACH);
  EXPECT_THAT(p.of(p.a), ElementsAre(tcp(2, 7))) << "it could not be discovered";
}

TEST(PeerEntries, StayWhileSomethingIsUnderWay) {
  Entries p;
  p.introduce(p.a, {tcp(kNobody)});
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

TEST(PeerEntries, StayWhereAMessageArrived) {  // spec/core-semantics.md 8.8, 8.10
  Entries p;
  p.put(p.a, p.source(), tcp(2));
  EXPECT_THAT(p.of(p.a), ElementsAre(tcp(2)));
  EXPECT_THAT(p.of(p.b), ElementsAre(tcp(1))) << "and of the sender";
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

TEST(PeerEntries, ARestartedPeerStartsFresh) {  // spec/multirail.md 8
  Entries p;
  p.put(p.a, p.source(), tcp(2));
  const auto health = [&] { return p.show(p.a).peers.at(0).nis.at(0).health_value; };
  p.call(p.a, call::SetPeerNiHealth{tcp(2), 300});
  p.input(p.a, PeerDown{kTcp, {tcp(2), Pid::lustre()}, false});
  EXPECT_EQ(health(), 300);
  p.input(p.a, PeerDown{kTcp, {tcp(2), Pid::lustre()}, true});
  EXPECT_EQ(health(), 1000);
}

// ---- the table of NIDs --------------------------------------------------------------------------

TEST(PeerTable, ANidWithoutAPeerEntryIsAPeerByItself) {  // spec/multirail.md 1
  PeerTable table;
  PeerNid& known = table.use(tcp(5));
  EXPECT_EQ(table.find(tcp(5)), &known);
  EXPECT_EQ(table.primary_of(tcp(5)), tcp(5));
  EXPECT_TRUE(known.others().empty());
  EXPECT_FALSE(known.multi_rail());
  known.peer_entry = std::make_shared<const PeerEntry>(PeerEntry{{tcp(4), tcp(5), tcp(6)}, true});
  EXPECT_EQ(table.primary_of(tcp(5)), tcp(4));
  EXPECT_THAT(known.others(), ElementsAre(tcp(5), tcp(6)));
  EXPECT_TRUE(known.multi_rail());
  EXPECT_EQ(table.primary_of(tcp(6)), tcp(6)) << "this shard does not use it";
}

TEST(PeerTable, KnowsANidWithoutAPeerNi) {
  PeerTable table;
  table.use(tcp(5));
  EXPECT_EQ(table.find_ni(tcp(5)), nullptr);
  PeerNi& ni = table.use_ni(tcp(5), 8);
  EXPECT_EQ(&table.use_ni(tcp(5), 3), &ni);
  EXPECT_EQ(table.find_ni(tcp(5)), &ni);
  EXPECT_EQ(ni.tx.max(), 8);
  table.erase_ni(ni);
  EXPECT_EQ(table.find_ni(tcp(5)), nullptr);
  table.erase(*table.find(tcp(5)));
  EXPECT_EQ(table.find(tcp(5)), nullptr);
  EXPECT_EQ(table.size(), 0U);
}

}  // namespace
}  // namespace ulnet::core::test

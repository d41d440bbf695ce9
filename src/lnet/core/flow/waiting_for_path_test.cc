// Messages to peers that are not discovered yet. tests/lnet/shard_msgs tests them in every order of
// other events. Source: spec/multirail.md 3.5.
#include "lnet/core/flow/waiting_for_path.h"

#include <gmock/gmock.h>

#include "lnet/core/flow/push_fixture.h"
#include "lnet/core/flow/step.h"

namespace ulnet::core::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A PUT to b that began in a shard of a other than the control shard. Inter-shard messages are
/// held back.
struct FirstPut : Pipe {
  explicit FirstPut(std::int32_t discovery = 1) : Pipe({tcp(1)}, {tcp(20)}, 4) {
    a.config->globals.discovery = discovery;
    configure(a);
    a.caller = a.placement.of(tcp(20)) == 2 ? 3 : 2;
    md = bind(a, memory, &events);
    a.hold_shard_msgs = a.hold_sends = true;
    put(a, md, tcp(20));
  }
  bool waits() const { return !a.shards[a.caller]->observe().path_waiters.for_discovery().empty(); }
  template <class Body>
  bool wrote() const {
    return std::any_of(a.shard_msgs.begin(), a.shard_msgs.end(),
                       [](const End::PendingShardMsg& pending) {
                         return std::holds_alternative<Body>(pending.shard_msg.body);
                       });
  }

  std::vector<std::byte> memory = bytes(8);
  Recorder events;
  MdHandle md;
};

TEST(PathWaiters, ARequestWaitsUntilItsPeerIsDiscovered) {  // spec/multirail.md 3.5
  FirstPut p;
  EXPECT_TRUE(p.waits());
  EXPECT_TRUE(p.wrote<shard_msg::DiscoveryWanted>());
  EXPECT_FALSE(p.wrote<shard_msg::Transmit>());
  const std::size_t before = p.a.shard_msgs.size();
  p.put(p.a, p.md, tcp(20));
  EXPECT_EQ(p.a.shard_msgs.size(), before) << "it has asked";
  p.release_shard_msgs(p.a);
  EXPECT_TRUE(p.waits());
  ASSERT_EQ(p.a.sends.size(), 1U);
  EXPECT_TRUE(std::holds_alternative<wire::GetPart>(p.a.sends[0].header.part)) << "the ping";
  p.a.hold_sends = false;
  p.release_sends(p.a);
  EXPECT_FALSE(p.waits());
  EXPECT_THAT(p.events.types(), ElementsAre(EventType::kSend, EventType::kSend));
  p.a.hold_sends = true;
  p.put(p.a, p.md, tcp(20));
  EXPECT_EQ(p.a.sends.size(), 1U) << "it goes at once";
}

TEST(PathWaiters, WithoutDiscoveryThePeerIsPingedBeforeAllTheSame) {  // spec/multirail.md 4.1
  FirstPut p(0);
  EXPECT_TRUE(p.waits());
  p.a.hold_sends = false;
  p.release_shard_msgs(p.a);
  EXPECT_FALSE(p.waits());
  EXPECT_THAT(p.events.types(), ElementsAre(EventType::kSend));
  const PeerShow peer = p.show(p.a).peers.at(0);
  EXPECT_FALSE(peer.multi_rail);
  EXPECT_EQ(peer.state_bits, kPeerNoDiscovery | kPeerDiscovered | kPeerNidsUpToDate);
}

TEST(PathWaiters, AMessageEndsWithTheErrorOfItsDiscovery) {  // spec/multirail.md 3.5
  FirstPut p;
  p.release_shard_msgs(p.a);
  p.finish_send(p.a, p.a.sends.at(0), -ECONNREFUSED, Health::kRemoteDropped);
  EXPECT_FALSE(p.waits());
  ASSERT_EQ(p.events.events.size(), 1U);
  EXPECT_EQ(p.events.events[0].status, -EIO);
  EXPECT_EQ(p.show(p.a).peers.at(0).state_bits, kPeerRediscover | kPeerForcePing) << "8224";
  p.a.sends.clear();
  p.put(p.a, p.md, tcp(20));
  EXPECT_EQ(p.a.sends.size(), 1U) << "the next message has it tried again";
}

TEST(PathWaiters, OneDiscoveryServesAllWaiters) {  // spec/multirail.md 4.7
  FirstPut p;
  p.a.caller = 1;
  Recorder others;
  auto source = bytes(8);
  p.put(p.a, p.bind(p.a, source, &others), tcp(20));
  p.call(p.a, call::Discover{tcp(20), false, 5});
  p.release_shard_msgs(p.a);
  EXPECT_EQ(p.a.sends.size(), 1U);
  p.a.hold_sends = false;
  p.release_sends(p.a);
  EXPECT_EQ(p.events.events.size(), 1U);
  EXPECT_EQ(others.events.size(), 1U);
  ASSERT_EQ(p.a.dones.size(), 1U);
  EXPECT_EQ(p.a.dones[0].ticket, 5U);
  EXPECT_THAT(p.a.dones[0].ping.nids, ElementsAre(tcp(20)));
  EXPECT_TRUE(p.a.dones[0].ping.multi_rail);
}

TEST(PathWaiters, AnAnswerDoesNotWait) {
  Pipe p({tcp(1)}, {tcp(2)}, 4);
  const std::uint32_t owner = p.a.placement.of(tcp(6));
  ASSERT_NE(owner, kControlShard);
  auto memory = bytes(8);
  Recorder events;
  p.a.caller = owner;
  p.attach(p.a, memory, &events, {.position = InsertPosition::kLocal});
  p.a.hold_shard_msgs = p.a.hold_sends = true;
  wire::LnetHeader header;
  header.src_nid = tcp(6);
  header.dest_nid = tcp(1);
  header.src_pid = header.dest_pid = Pid::lustre();
  header.payload_length = 8;
  wire::PutPart put;
  put.ack_wmd = {0xb, 1};
  put.portal = 5;
  put.match_bits = 7;
  header.part = put;
  p.arrive(p.a, header, tcp(6), kTcp, memory);
  EXPECT_EQ(p.a.sends.size(), 1U) << "the ACK";
}

TEST(PathWaiters, UnlinkingTheMdEndsTheMessage) {
  FirstPut p;
  p.call(p.a, call::MdUnlink{p.md});
  EXPECT_FALSE(p.waits());
  ASSERT_FALSE(p.events.events.empty());
  EXPECT_EQ(p.events.events[0].status, -ECANCELED);
  p.release_shard_msgs(p.a);
  ASSERT_EQ(p.a.sends.size(), 1U) << "the discovery goes on";
  EXPECT_TRUE(std::holds_alternative<wire::GetPart>(p.a.sends[0].header.part));
}

TEST(PathWaiters, ShutdownEndsTheMessage) {
  FirstPut p;
  p.call(p.a, call::Shutdown{});
  EXPECT_FALSE(p.waits());
  ASSERT_EQ(p.events.events.size(), 1U);
  EXPECT_EQ(p.events.events[0].status, -ESHUTDOWN);
}

TEST(PathWaiters, WithoutAnNiAMessageEndsWithItsDiscovery) {
  FirstPut p;
  p.a.config->nis.pop_back();
  p.configure(p.a);
  EXPECT_TRUE(p.waits());
  p.release_shard_msgs(p.a);
  EXPECT_FALSE(p.waits());
  ASSERT_EQ(p.events.events.size(), 1U);
  EXPECT_EQ(p.events.events[0].status, -EHOSTUNREACH);
}

TEST(PathWaiters, ThePeerEntryIsUsedBeforeTheFirstMessageLeaves) {
  Pipe p({tcp(1)}, {tcp(20)}, 4);
  push_to_a(p, encode(info_with({tcp(20), tcp(21)})), tcp(20));
  auto memory = bytes(8);
  Recorder events;
  const std::uint32_t owner = p.a.placement.of(tcp(20));
  p.a.caller = owner == 2 ? 3 : 2;
  ASSERT_EQ(p.a.shards[p.a.caller]->observe().peers.find(tcp(20)), nullptr);
  p.put(p.a, p.bind(p.a, memory, &events), tcp(20));
  EXPECT_EQ(p.a.shards[owner]->observe().peers.find_ni(tcp(20))->fixed_source, NiId{})
      << "it never was taken for a peer without multi-rail";
}

// spec/multirail.md 4.7: the results of a call are in place before it ends.
TEST(WaitingCall, EndsInTheShardOfItsCaller) {
  Pipe p({tcp(1)}, {tcp(2)}, 4);
  p.a.caller = 3;
  p.a.hold_shard_msgs = p.a.hold_sends = true;
  PingRequest request;
  request.target = process(tcp(2));
  request.timeout = std::chrono::seconds(1);
  p.call(p.a, call::Ping{request, 77});
  p.tick(std::chrono::seconds(2));
  EXPECT_THAT(p.a.dones, IsEmpty());
  std::vector<std::uint32_t> notified;
  for (const End::PendingShardMsg& pending : p.a.shard_msgs)
    if (std::holds_alternative<shard_msg::CallEnded>(pending.shard_msg.body))
      notified.push_back(pending.to);
  EXPECT_THAT(notified, ElementsAre(3));
  p.release_shard_msgs(p.a);
  ASSERT_EQ(p.a.dones.size(), 1U);
  EXPECT_EQ(p.a.dones[0].ticket, 77U);
  EXPECT_EQ(p.a.dones[0].status, -ETIMEDOUT);
}

}  // namespace
}  // namespace ulnet::core::test

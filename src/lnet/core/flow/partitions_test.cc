// A node with several CPU partitions: which partition has which MEs, MDs and peers, and which one
// looks for a buffer. tests/lnet/shard_msgs shows that no message between them is lost. Source:
// spec/core-semantics.md 3, 7.3, 7.4, 10.1, 13, the SMP node affinity design.
#include <gmock/gmock.h>

#include "lnet/core/contract/cookie.h"
#include "lnet/core/flow/push_fixture.h"
#include "lnet/core/flow/step.h"

namespace ulnet::core::test {
namespace {

using ::testing::ElementsAre;

/// Node a has four partitions. A test chooses the partition of the peer that sends a message.
struct Partitions : Pipe {
  explicit Partitions(std::uint32_t shards = 4, const std::vector<Nid>& nids = {tcp(1)})
      : Pipe(nids, {tcp(2)}, shards) {}

  /// The first NID of a peer in this partition, or the one `nth` after it.
  Nid peer(std::uint32_t shard, int nth = 0) const {
    std::uint8_t host = 10;
    while (a.placement.of(tcp(host)) != shard || nth-- > 0) ++host;
    return tcp(host);
  }
  wire::LnetHeader put_to(std::uint32_t portal, const Nid& source, std::uint64_t bits = 7) const {
    wire::LnetHeader header;
    header.dest_nid = tcp(1);
    header.src_nid = source;
    header.dest_pid = header.src_pid = Pid::lustre();
    header.payload_length = 4;
    wire::PutPart part;
    part.portal = portal;
    part.match_bits = bits;
    header.part = part;
    return header;
  }
  /// A PUT comes in at this partition.
  void put_at(std::uint32_t shard, std::uint32_t portal = 5, std::uint64_t bits = 7) {
    arrive(a, put_to(portal, peer(shard), bits), peer(shard));
  }
  /// Posts a buffer for `count` messages from a CPU of partition `caller`. Returns the partition of
  /// the buffer.
  std::uint32_t post(std::uint32_t caller, std::int32_t count = 1,
                     InsertPosition position = InsertPosition::kLocal, Pipe::Post more = {}) {
    a.caller = caller;
    more.threshold = count;
    more.position = position;
    return shard_of_cookie(attach(a, sink, &events, more).cookie);
  }
  /// The partitions whose buffers took messages, in the order of the events.
  std::vector<std::uint32_t> takers() const {
    std::vector<std::uint32_t> all;
    for (const Event& event : events.events)
      if (event.type == EventType::kPut) all.push_back(shard_of_cookie(event.md.cookie));
    return all;
  }

  std::vector<std::byte> sink = bytes(4096);
  Recorder events;
};

TEST(Partition, EntriesAreWhereTheirPositionSays) {  // spec/core-semantics.md 3
  Partitions p;
  EXPECT_EQ(p.post(3), 3U);
  EXPECT_EQ(p.post(3, 1, InsertPosition::kAfter), 1U) << "portal 5 modulo 4";
  EXPECT_EQ(p.post(2, 1, InsertPosition::kBefore), 1U);
  for (const std::uint32_t shard : {0U, 1U, 2U, 3U})
    EXPECT_EQ(p.post(0, 1, InsertPosition::kLocal, {.portal = {6}, .id = process(p.peer(shard))}),
              shard)
        << "a unique portal: by the NID";
}

TEST(Partition, APortalHasOneTypeForAllOfThem) {  // spec/core-semantics.md 3, 18.11
  Partitions p;
  p.post(3);
  int status = 0;
  for (const std::uint32_t shard : {0U, 1U, 2U, 3U}) {
    call::MeAttach attach;
    attach.portal = {5};
    attach.match_id = process(p.peer(shard));
    p.call(p.a, attach, &status);
    EXPECT_EQ(status, -EPERM) << shard;
  }
}

TEST(Partition, ABufferOfTheSamePartitionNeedsNoShardMsg) {
  Partitions p;
  for (const std::uint32_t shard : {0U, 1U, 2U, 3U}) p.post(shard);
  for (const std::uint32_t shard : {2U, 0U, 3U, 1U}) p.put_at(shard);
  EXPECT_THAT(p.takers(), ElementsAre(2, 0, 3, 1));
  EXPECT_EQ(p.a.deferred, 0U);
}

TEST(Partition, ABufferIsStolenFromAnother) {  // spec/core-semantics.md 7.4
  Partitions p;
  p.post(3, 2);
  p.put_at(0);  // the owner shard is 1
  p.put_at(1);
  EXPECT_THAT(p.takers(), ElementsAre(3, 3));
  EXPECT_EQ(p.a.deferred, 2U);
  EXPECT_TRUE(p.a.holds.empty()) << "nothing was staged";
  p.put_at(2);  // no partition has a buffer any more
  EXPECT_EQ(p.dropped(p.a, DropReason::kNoMatch), 1U);
}

TEST(Partition, WaitingMessagesAreTakenInArrivalOrder) {  // 18.10
  Partitions p;
  p.call(p.a, call::SetLazy{{5}});
  for (const std::uint32_t shard : {2U, 0U, 1U, 3U}) p.put_at(shard, 5, 100 + shard);
  EXPECT_EQ(p.a.holds.size(), 4U);
  const Pipe::Post any{.ignore = {~0ULL}};
  p.post(3, 1, InsertPosition::kLocal, any);
  p.post(0, 2, InsertPosition::kLocal, any);
  p.post(1, 5, InsertPosition::kLocal, any);
  std::vector<std::uint64_t> order;
  for (const Event& event : p.events.events) order.push_back(event.match_bits.value);
  EXPECT_THAT(order, ElementsAre(102, 100, 101, 103));
  EXPECT_THAT(p.takers(), ElementsAre(3, 0, 0, 1));
}

TEST(Partition, TheRotorChoosesTheFirstPartition) {  // spec/core-semantics.md 7.3
  Partitions p;
  const auto set = [&](PortalRotor rotor) {
    p.a.config->globals.portal_rotor = rotor;
    p.configure(p.a);
    p.events.events.clear();
  };
  for (const std::uint32_t shard : {0U, 1U, 2U, 3U}) p.post(shard, 100);
  for (const PortalRotor here :
       {PortalRotor::kOff, PortalRotor::kRoundRobinRouted, PortalRotor::kHashRouted}) {
    set(here);
    p.put_at(2);
    p.put_at(2);
    EXPECT_THAT(p.takers(), ElementsAre(2, 2)) << "not routed: the one where it came in";
  }
  set(PortalRotor::kOn);
  for (int i = 0; i < 5; ++i) p.put_at(2);
  EXPECT_THAT(p.takers(), ElementsAre(0, 1, 2, 3, 0));

  // A routed message comes from a NID of another net.
  const Nid far = Nid::small({NetType::kTcp, 9}, 0x0a000063);
  const Nid router = p.peer(2);
  const auto routed = [&] { p.arrive(p.a, p.put_to(5, far), router); };
  set(PortalRotor::kHashRouted);
  routed();
  routed();
  const std::uint32_t hashed = p.a.placement.of(far);
  EXPECT_THAT(p.takers(), ElementsAre(hashed, hashed));
  set(PortalRotor::kRoundRobinRouted);
  for (int i = 0; i < 4; ++i) routed();
  EXPECT_THAT(p.takers(), ElementsAre(1, 2, 3, 0)) << "the turn goes on";
}

/// Only some partitions have buffers. Messages come in at the others.
struct SomeHaveBuffers : Partitions {
  void set(PortalRotor rotor) {
    a.config->globals.portal_rotor = rotor;
    configure(a);
    events.events.clear();
  }
  /// A NID of another net whose hash is this partition.
  Nid far(std::uint32_t shard) const {
    const auto nid = [](std::uint32_t host) {
      return Nid::small({NetType::kTcp, 9}, 0x0a000000U + host);
    };
    std::uint32_t host = 1;
    while (a.placement.of(nid(host)) != shard) ++host;
    return nid(host);
  }
  void routed_at(std::uint32_t shard, std::uint32_t hashed) {
    arrive(a, put_to(5, far(hashed)), peer(shard));
  }
};

TEST(Partition, WithoutALocalBufferTheOthersAreAskedInTurn) {  // spec/core-semantics.md 7.3
  SomeHaveBuffers p;
  p.post(2, 100);
  p.post(3, 100);
  for (const PortalRotor rotor : {PortalRotor::kOff, PortalRotor::kOn,
                                  PortalRotor::kRoundRobinRouted, PortalRotor::kHashRouted}) {
    SCOPED_TRACE(static_cast<int>(rotor));
    p.set(rotor);
    for (int i = 0; i < 8; ++i) p.put_at(0);
    EXPECT_THAT(p.takers(), ElementsAre(2, 3, 2, 3, 2, 3, 2, 3));
    p.events.events.clear();
    for (int i = 0; i < 4; ++i) p.routed_at(0, 1);
    EXPECT_THAT(p.takers(), ElementsAre(2, 3, 2, 3)) << "routed, and its hash has none either";
  }
}

TEST(Partition, RoutedMessagesAreHashedToAPartition) {  // spec/core-semantics.md 7.3
  SomeHaveBuffers p;
  p.post(2, 100);
  p.post(3, 100);
  p.set(PortalRotor::kHashRouted);
  for (int i = 0; i < 3; ++i) p.routed_at(0, 3);
  EXPECT_THAT(p.takers(), ElementsAre(3, 3, 3));
}

TEST(Partition, TheOwnerOfAPortalTakesItsTurnLikeOthers) {  // spec/core-semantics.md 7.3
  SomeHaveBuffers p;
  for (const std::uint32_t shard : {1U, 2U, 3U}) p.post(shard, 100);
  for (int i = 0; i < 6; ++i) p.put_at(0);
  EXPECT_THAT(p.takers(), ElementsAre(1, 2, 3, 1, 2, 3)) << "shard 1 owns the portal";
}

TEST(Partition, TheTurnSkipsPartitionsWithoutBuffers) {  // spec/core-semantics.md 7.3, 7.4
  SomeHaveBuffers p;
  p.post(2, 1);
  p.post(3, 100);
  for (int i = 0; i < 4; ++i) p.put_at(0);
  p.post(2, 100);
  for (int i = 0; i < 4; ++i) p.put_at(0);
  EXPECT_THAT(p.takers(), ElementsAre(2, 3, 3, 3, 2, 3, 2, 3));
}

TEST(Partition, AUniquePortalAsksWhereItsInitiatorIs) {  // spec/core-semantics.md 7.3
  SomeHaveBuffers p;
  for (const std::uint32_t shard : {0U, 2U, 3U})
    p.post(shard, 100, InsertPosition::kLocal, {.id = process(p.far(shard))});
  p.set(PortalRotor::kOn);
  p.routed_at(1, 3);        // the owner, 1, has no entry that shows it the portal's type
  p.a.shard_msgs_sent = 0;  // the first message reports its peer
  p.routed_at(1, 3);
  p.routed_at(1, 3);
  EXPECT_THAT(p.takers(), ElementsAre(3, 3, 3));
  EXPECT_EQ(p.a.shard_msgs_sent, 2U * 3) << "Match, Matched and Ended: nobody else was asked";
}

TEST(Partition,
     APartitionWithoutBuffersIsSkippedUntilItReportsSome) {  // spec/core-semantics.md 7.4
  Partitions p;
  p.call(p.a, call::SetLazy{{5}});
  p.post(0);
  p.put_at(2);
  p.put_at(2);  // waits; the owner shard knows now that partition 0 has no buffer left
  const PortalState* owner = p.a.shards[1]->observe().portals.find({5});
  EXPECT_FALSE(owner->active.contains(0));
  EXPECT_TRUE(owner->users.contains(0));
  p.post(0, 2);
  EXPECT_THAT(p.takers(), ElementsAre(0, 0));
  EXPECT_TRUE(owner->active.contains(0));
}

/// A message from `from` waits although there is an entry for `named`. Then a push reports that
/// both are NIDs of one peer. Returns how many messages were taken.
std::size_t taken_after_the_push(Partitions& p, const Nid& from, const Nid& named,
                                 MatchBits ignore) {
  p.call(p.a, call::SetLazy{{5}});
  p.arrive(p.a, p.put_to(5, from), from);
  p.post(p.a.placement.of(named), 1, InsertPosition::kLocal,
         {.ignore = ignore, .id = process(named)});
  EXPECT_TRUE(p.takers().empty()) << "they are two peers so far";
  push_to_a(p, encode(info_with({named, from})), named);
  return p.takers().size();
}

TEST(Partition,
     WaitingMessagesAreMatchedAgainWhenThePeerIsKnown) {  // spec/core-semantics.md 3, 4.3
  for (const std::uint32_t shards : {1U, 4U})
    for (std::uint32_t at = 0; at < shards; ++at)
      for (std::uint32_t other = 0; other < shards; ++other)
        for (const MatchBits ignore : {MatchBits{0}, MatchBits{~0ULL}}) {
          Partitions p(shards);
          EXPECT_EQ(taken_after_the_push(p, p.peer(other, 1), p.peer(at), ignore), 1U)
              << shards << " partitions, an entry at " << at << ", a message at " << other;
        }
}

/// A router delivers a message to this node. The source NID is on one net of this node. The
/// destination is this node's NID on another net.
TEST(Partition, ARoutedMessageFromALocalNetHasAKnownPeer) {  // spec/core-semantics.md 3
  for (std::uint8_t i = 0; i < 32; ++i) {
    Partitions p(4, {tcp(1), tcp(1, 1)});
    const Nid named = p.peer(i % 4), from = p.peer(i / 8, 1), router = tcp(10 + i / 4, 1);
    push_to_a(p, encode(info_with({named, from})), named);
    p.post(i % 4, 1, InsertPosition::kLocal, {.ignore = {~0ULL}, .id = process(named)});
    wire::LnetHeader header = p.put_to(5, from);
    header.dest_nid = tcp(1, 1);
    p.arrive(p.a, header, router, kTcp1);
    EXPECT_EQ(p.takers().size(), 1U) << int{i};
  }
}

TEST(Partition, LearningAPeerKeepsMessagesOfOthers) {  // spec/core-semantics.md 3
  Partitions p;
  EXPECT_EQ(taken_after_the_push(p, p.peer(2), p.peer(3), MatchBits{~0ULL}), 1U);
  p.arrive(p.a, p.put_to(5, p.peer(1)), p.peer(1));
  p.arrive(p.a, p.put_to(5, p.peer(2)), p.peer(2));
  p.post(3, 2, InsertPosition::kLocal, {.ignore = {~0ULL}, .id = process(p.peer(0))});
  push_to_a(p, encode(info_with({p.peer(0), p.peer(1)})), p.peer(0));
  EXPECT_EQ(p.takers().size(), 2U) << "one more";
}

// The owner shard is where the message came in. Another partition looks first and finds no buffer.
// A third one has the buffer.
TEST(Partition, AMessageThatTheOwnerParksForItselfIsReleased) {  // spec/core-semantics.md 7.4
  Partitions p;
  p.a.config->globals.portal_rotor = PortalRotor::kOn;
  p.configure(p.a);
  p.post(0, 1, InsertPosition::kLocal, {.match = {9}});
  p.post(3, 2);
  p.put_at(1);
  p.put_at(1);
  EXPECT_THAT(p.takers(), ElementsAre(3, 3));
  EXPECT_EQ(p.show(p.a).statistics.msgs_alloc, 0U);
}

TEST(Partition, AnOwnPutAndItsAckCrossTwoOfThem) {
  Partitions p;
  p.a.caller = (p.a.placement.of(tcp(2)) + 1) % 4;
  auto source = bytes(16), sink = bytes(16, 100);
  Recorder sent, got;
  p.attach(p.b, sink, &got);
  const MdHandle md = p.bind(p.a, source, &sent, 2);
  EXPECT_EQ(shard_of_cookie(md.cookie), p.a.caller);
  EXPECT_EQ(p.put(p.a, md, tcp(2), AckRequest::kAck), 0);
  EXPECT_THAT(sent.types(), ElementsAre(EventType::kSend, EventType::kAck));
  EXPECT_TRUE(sent.events.back().unlinked);
  EXPECT_EQ(sink, source);
  const auto show = p.show(p.a);
  EXPECT_EQ(show.peers.at(0).nis.at(0).traffic.put_ack.samples, 1U);
  EXPECT_EQ(show.nis.at(1).stats.traffic.put_ack.samples, 1U);
  EXPECT_EQ(show.statistics.send_count, 1U);
  EXPECT_EQ(show.statistics.recv_count, 1U);
  EXPECT_EQ(show.statistics.msgs_alloc, 0U);
  EXPECT_EQ(show.statistics.rst_alloc, 0U);
  for (const auto& shard : p.a.shards) EXPECT_EQ(shard->observe().remote_mds.size(), 0U);
}

/// The owner shard of the message's peer is not the partition of the message's MD.
TEST(Partition, AMessageDelayedBetweenShardsIsNotSentAgain) {  // core-semantics.md 11
  Pipe p({tcp(1), tcp(3)}, {tcp(2)}, 4);
  p.a.hold_sends = true;
  p.a.caller = (p.a.placement.of(tcp(2)) + 1) % 4;
  auto source = bytes(16);
  Recorder r;
  p.put(p.a, p.bind(p.a, source, &r), tcp(2));
  p.a.hold_shard_msgs = true;
  p.finish_send(p.a, p.a.sends.at(0), -EIO, Health::kLocalDropped);
  p.release_shard_msg(p.a);  // the other partition learns of it, and sends the message
  p.now += std::chrono::seconds(1000);
  p.release_shard_msgs(p.a);
  EXPECT_EQ(p.show(p.a).statistics.resend_count, 1U);
  EXPECT_EQ(p.a.sends.size(), 1U);
  EXPECT_EQ(r.events.back().status, -ETIMEDOUT);
}

TEST(Partition, UnlinkReachesMessagesInOtherPartitions) {  // spec/core-semantics.md 4.6
  Partitions p;
  p.a.hold_sends = true;
  p.a.caller = (p.a.placement.of(tcp(2)) + 1) % 4;
  auto source = bytes(16);
  Recorder r;
  const MdHandle md = p.bind(p.a, source, &r);
  for (int i = 0; i < 10; ++i) p.put(p.a, md, tcp(2));  // 8 in flight, 2 wait
  EXPECT_EQ(p.unlink(p.a, md), 0);
  ASSERT_EQ(r.events.size(), 2U);
  EXPECT_EQ(r.events[0].status, -ECANCELED);
  EXPECT_EQ(p.a.cancels.size(), 8U);
  for (const Send& send : std::vector<Send>(p.a.sends)) p.finish_send(p.a, send, -ECANCELED);
  EXPECT_EQ(r.events.size(), 10U);
  EXPECT_TRUE(r.events.back().unlinked);
  EXPECT_EQ(p.unlink(p.a, md), -ENOENT);
}

TEST(Partition, APeersTimeoutLowersItsHealthInItsShard) {  // spec/multirail.md 6
  Partitions p;
  p.b.config->nis.pop_back();  // b does not answer
  p.configure(p.b);
  p.a.hold_sends = true;
  p.a.caller = (p.a.placement.of(tcp(2)) + 1) % 4;
  auto sink = bytes(16);
  Recorder r;
  p.get(p.a, p.bind(p.a, sink, &r, 2), tcp(2));
  p.finish_send(p.a, p.a.sends.at(0), 0);
  p.tick(std::chrono::seconds(200));
  EXPECT_EQ(r.events.back().status, -ETIMEDOUT);
  EXPECT_EQ(p.show(p.a).peers.at(0).nis.at(0).health_value, 900);
}

TEST(Partition, NiCreditsAreSpread) {  // spec/core-semantics.md 10.1
  EXPECT_EQ(credits_of_shard(256, 8, 1), 256);
  EXPECT_EQ(credits_of_shard(256, 8, 4), 64);
  EXPECT_EQ(credits_of_shard(256, 8, 16), 64) << "not less than eight times a peer's";
  EXPECT_EQ(credits_of_shard(40, 8, 16), 40) << "nor more than there are";
  Partitions p;
  EXPECT_EQ(p.show(p.a).nis.at(1).stats.credits_max, 256);
}

TEST(Partition, AnNiOnSomeOfThemHasItsPeersThere) {  // spec/core-semantics.md 13.2
  NodeConfig config = *config_of({tcp(1), tcp(1, 1)}, 1);
  config.shards = 4;
  config.nis[1].cpts = {1, 3};
  const Placement placement(config);
  std::vector<std::uint32_t> seen;
  for (std::uint8_t host = 10; host < 18; ++host) seen.push_back(placement.of(tcp(host)));
  EXPECT_THAT(seen, ::testing::Each(::testing::AnyOf(1U, 3U)));
  EXPECT_THAT(seen, ::testing::Contains(1U));
  EXPECT_THAT(seen, ::testing::Contains(3U));
  NodeConfig all = config;
  all.nis[1].cpts.clear();
  EXPECT_EQ(placement.of(tcp(10, 1)), Placement(all).of(tcp(10, 1)));
}

TEST(Partition, ADriverThatMovesDataItselfServesThoseOfOthers) {  // DESIGN.md 2: optimised GET
  Partitions p;
  for (NiConfig& ni : p.a.config->nis) ni.rdma_get = !ni.nid.is_loopback();
  p.configure(p.a);
  p.a.hold_sends = true;
  p.a.caller = (p.a.placement.of(tcp(2)) + 1) % 4;
  auto sink = bytes(16);
  Recorder r;
  p.get(p.a, p.bind(p.a, sink, &r, 2), tcp(2));
  ASSERT_EQ(p.a.sends.size(), 1U);
  EXPECT_EQ(p.a.sends[0].sink.length, 16U);
  p.input(p.a, ReplyLanded{p.a.sends[0].tx, 0, 12});
  p.finish_send(p.a, p.a.sends[0], 0);
  EXPECT_THAT(r.types(), ::testing::UnorderedElementsAre(EventType::kSend, EventType::kReply));
  for (const Event& event : r.events)
    if (event.type == EventType::kReply) {
      EXPECT_EQ(event.mlength, 12U);
    }
  EXPECT_TRUE(r.events.back().unlinked);
  // A GET of a peer: the REPLY names the GET that it answers.
  p.post(3, 1, InsertPosition::kLocal, {.options = kOpGet});
  wire::LnetHeader get = p.put_to(5, p.peer(0));
  wire::GetPart part;
  part.portal = 5;
  part.match_bits = 7;
  part.sink_length = 4;
  get.part = part;
  get.payload_length = 0;
  const RxTicket rx = p.arrive(p.a, get, p.peer(0));
  EXPECT_EQ(p.a.sends.back().answers, rx);
  EXPECT_EQ(p.a.sends.back().payload.length, 4U);
}

TEST(Partition, AnUnknownCookieIsNotFound) {
  Partitions p;
  int status = 0;
  std::uint64_t dropped = 0;
  for (const std::uint32_t nobody : {4U, 200U}) {
    const MdHandle md{make_cookie(CookieKind::kMd, nobody, {3, 1})};
    p.call(p.a, call::MdUnlink{md}, &status);
    EXPECT_EQ(status, -ENOENT);
    wire::LnetHeader ack = p.put_to(5, p.peer(1));
    ack.payload_length = 0;
    ack.part = wire::AckPart{{p.a.config->interface_cookie, md.cookie}};
    p.arrive(p.a, ack, p.peer(1));
    EXPECT_EQ(p.dropped(p.a, DropReason::kAckNoMd), ++dropped);
  }
}

TEST(Partition, ATicketNamesItsShard) {  // lnet/core/contract/ports.h: MsgTicket
  for (const std::uint32_t shard : {0U, 1U, 255U}) {
    const ShardState state(shard);
    const Handle message{(1U << 24) - 1, 7};
    EXPECT_EQ(shard_of(state.name(message)), shard);
    EXPECT_EQ(ShardState::handle(state.name(message)), message);
  }
}

TEST(Partition, AReplyLandsAtTheStartOfItsMd) {  // spec/core-semantics.md 6.4
  for (const std::uint32_t options : {0U, static_cast<std::uint32_t>(kDiscard)}) {
    Partitions p;
    p.a.caller = (p.a.placement.of(tcp(2)) + 1) % 4;
    p.a.hold_lands = true;
    auto here = bytes(16), there = bytes(16, 100);
    p.attach(p.b, there, nullptr, {.options = kOpGet});
    const MdHandle md = p.bind(p.a, here, &p.events, 2, options);
    p.get(p.a, md, tcp(2));
    ASSERT_EQ(p.a.lands.size(), 1U);
    EXPECT_EQ(p.a.lands[0].sink.offset, 0U);
    EXPECT_EQ(p.a.lands[0].sink.length, options == 0 ? 16U : 0U);
    const Msg* landing = p.a.shards[p.a.placement.of(tcp(2))]->observe().find(p.a.lands[0].msg);
    EXPECT_EQ(landing->offset, 0U);
    EXPECT_EQ(landing->mlength, 16U);
    p.release_lands(p.a);
    EXPECT_EQ(p.events.events.back().mlength, 16U);
    EXPECT_EQ(here, options == 0 ? there : bytes(16));
  }
}

TEST(Partition, AnNiFoundDownByOneShardIsReportedToPeers) {  // spec/multirail.md 5.1
  Partitions p;
  p.a.config->globals.health_sensitivity = 1000;
  p.configure(p.a);
  auto source = bytes(1);
  const MdHandle md = p.bind(p.a, source, nullptr);
  const wire::PingInfo& info = p.a.shards[kControlShard]->observe().portal0.info;
  p.a.send_status = -EIO;
  p.a.send_health = Health::kLocalError;
  p.put(p.a, md, p.peer(3));
  EXPECT_EQ(info.legacy.at(0).status, wire::NiStatus::kDown);
}

}  // namespace
}  // namespace ulnet::core::test

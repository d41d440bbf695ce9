// The checks of an arriving header. spec/core-semantics.md 8, 15 (LNetFail), spec/wire-lnet.md 3.1,
// 3.5.
#include "lnet/core/flow/arrival.h"

#include <gmock/gmock.h>

#include "lnet/core/contract/lnet_fail.h"
#include "lnet/core/flow/pipe_fixture.h"

namespace ulnet::core::test {
namespace {

wire::LnetHeader put_from(const Nid& source, const Nid& dest, std::uint32_t length = 0) {
  wire::LnetHeader header;
  header.dest_nid = dest;
  header.src_nid = source;
  header.dest_pid = header.src_pid = Pid::lustre();
  header.payload_length = length;
  wire::PutPart part;
  part.portal = 5;
  part.match_bits = 7;
  header.part = part;
  return header;
}

struct Target : Pipe {
  Target() : Pipe({tcp(1), tcp(1, 1)}) {
    attach(a, sink, &events, {.unlink = UnlinkMode::kRetain});
  }
  std::vector<std::byte> sink = bytes(4096);
  Recorder events;
};

TEST(Arrival, AckAndGetCarryNoPayload) {  // spec/core-semantics.md 8.1
  Target t;
  wire::LnetHeader header = put_from(tcp(2), tcp(1), 1);
  header.part = wire::GetPart{};
  t.arrive(t.a, header, tcp(2));
  header.part = wire::AckPart{};
  t.arrive(t.a, header, tcp(2));
  EXPECT_EQ(t.a.rejects.size(), 2U);
  EXPECT_EQ(t.dropped(t.a, DropReason::kPayloadNotAllowed), 2U);
}

TEST(Arrival, PayloadIsAtMostOneMebibyte) {  // spec/core-semantics.md 8.1, 1
  Target t;
  t.arrive(t.a, put_from(tcp(2), tcp(1), limits::kMtu + 1), tcp(2));
  EXPECT_EQ(t.a.rejects.size(), 1U);
  t.arrive(t.a, put_from(tcp(2), tcp(1), limits::kMtu), tcp(2));
  EXPECT_EQ(t.a.rejects.size(), 1U);
  EXPECT_EQ(t.a.drops.size(), 1U);  // not refused, but too long for the buffer
}

TEST(Arrival, UnreadAnswersOfAPeerAreLimited) {
  Pipe pipe;
  Recorder events;
  auto memory = bytes(8);
  pipe.attach(pipe.a, memory, &events, {.options = kOpGet | kOpPut | kManageRemote});
  wire::LnetHeader get = put_from(tcp(2), tcp(1)), put = get;
  std::get<wire::PutPart>(put.part).ack_wmd = {1, 2};
  get.part = wire::GetPart{.match_bits = 7, .portal = 5, .sink_length = 8};
  pipe.a.hold_sends = true;
  for (std::uint32_t i = 0; i < limits::kAnswersPerPeer; ++i)
    pipe.arrive(pipe.a, i % 2 == 0 ? get : put, tcp(2));
  constexpr auto reason = DropReason::kAnswersWait;
  EXPECT_EQ(pipe.dropped(pipe.a, reason), 0U);

  pipe.arrive(pipe.a, get, tcp(2));
  pipe.arrive(pipe.a, put, tcp(2));
  EXPECT_EQ(pipe.dropped(pipe.a, reason), 2U);
  events.events.clear();
  pipe.arrive(pipe.a, put_from(tcp(2), tcp(1)), tcp(2));  // needs no answer
  EXPECT_EQ(events.events.size(), 1U);
  get.src_nid = tcp(3);
  pipe.arrive(pipe.a, get, tcp(3));  // another peer
  EXPECT_EQ(pipe.dropped(pipe.a, reason), 2U);

  pipe.release_sends(pipe.a);  // the answers are sent, so there is room for more
  get.src_nid = tcp(2);
  pipe.arrive(pipe.a, get, tcp(2));
  EXPECT_EQ(pipe.dropped(pipe.a, reason), 2U);
}

TEST(Arrival, UnreadAnswersOfAllPeersAreLimited) {
  ONE_SHARD_ONLY();
  Pipe pipe;
  pipe.a.config->globals.max_answers = 1000;
  pipe.configure(pipe.a);
  Recorder events;
  auto memory = bytes(8);
  pipe.attach(pipe.a, memory, &events, {.options = kOpGet | kManageRemote});
  wire::LnetHeader get = put_from(tcp(2), tcp(1));
  get.part = wire::GetPart{.match_bits = 7, .portal = 5, .sink_length = 8};
  pipe.a.hold_sends = true;
  const auto ask = [&](std::uint32_t host, int times) {
    get.src_nid = tcp(host);
    const std::uint64_t before = pipe.dropped(pipe.a, DropReason::kAnswersWait);
    for (int i = 0; i < times; ++i) pipe.arrive(pipe.a, get, tcp(host));
    return times - static_cast<int>(pipe.dropped(pipe.a, DropReason::kAnswersWait) - before);
  };
  EXPECT_EQ(ask(2, 600), 500) << "one peer has half of them at most";
  for (std::uint32_t host = 3; host < 10; ++host)
    EXPECT_EQ(ask(host, 100), 64) << "the others have few each, but have some";
  EXPECT_EQ(ask(10, 100), 1000 - 500 - 7 * 64);
  EXPECT_EQ(ask(11, 1), 0);
  pipe.release_sends(pipe.a);
  EXPECT_EQ(ask(11, 1), 1);
}

// spec/core-semantics.md 8.4; spec/wire-lnet.md 3.1.2, 3.1.3, 3.5
TEST(Arrival, AnotherNidOfTheNetIsAProtocolError) {
  Target t;
  t.arrive(t.a, put_from(tcp(2), tcp(9)), tcp(2));
  ASSERT_EQ(t.a.rejects.size(), 1U);
  EXPECT_STREQ(t.a.rejects[0].reason, to_string(DropReason::kNotThisNi));
  t.arrive(t.a, put_from(tcp(2), tcp(1, 1)), tcp(2));
  EXPECT_EQ(t.dropped(t.a, DropReason::kOtherNet), 1U);
  t.arrive(t.a, put_from(tcp(2), Nid::loopback()), tcp(2));  // spec/wire-lnet.md 3.5
  EXPECT_EQ(t.dropped(t.a, DropReason::kOtherNet), 2U);
  EXPECT_EQ(t.show(t.a).statistics.drop_count, 0U);  // refused, not dropped
}

// spec/core-semantics.md 8, 8.4; spec/multirail.md 9.7; spec/wire-lnet.md 3.1.4
TEST(Arrival, AMessageToBeRoutedIsDropped) {
  Target t;
  t.arrive(t.a, put_from(tcp(2), tcp(9, 7), 33), tcp(2));
  EXPECT_TRUE(t.a.rejects.empty());
  ASSERT_EQ(t.a.drops.size(), 1U);
  EXPECT_EQ(t.a.drops[0].rlen, 33U);
  EXPECT_EQ(t.dropped(t.a, DropReason::kRoutingOff), 1U);
  const auto stats = t.show(t.a);
  EXPECT_EQ(stats.statistics.drop_length, 33U);
  EXPECT_EQ(stats.nis.at(1).stats.traffic.dropped.put, 1U);
}

TEST(Arrival, DestinationPidIsNotChecked) {  // spec/core-semantics.md 8.4; spec/wire-lnet.md 1.6
  Target t;
  wire::LnetHeader header = put_from(tcp(2), tcp(1));
  header.dest_pid = {4711};
  t.arrive(t.a, header, tcp(2));
  EXPECT_EQ(t.events.events.size(), 1U);
}

TEST(Arrival, ImpossibleSourcesAreDropped) {  // spec/wire-lnet.md 3.5, 1.6
  Target t;
  t.arrive(t.a, put_from(Nid::loopback(), tcp(1)), tcp(2));
  t.arrive(t.a, put_from(Nid::any(), tcp(1)), tcp(2));
  t.arrive(t.a, put_from(tcp(2), tcp(1)), Nid::any());
  EXPECT_EQ(t.dropped(t.a, DropReason::kBadSource), 3U);
  EXPECT_TRUE(t.show(t.a).peers.empty());
}

TEST(Arrival,
     SimulatedFailuresDropReceivedAndRefuseSentMessages) {  // spec/core-semantics.md 8.5, 15, 6.1
  ONE_SHARD_ONLY();
  Target t;
  t.call(t.a, call::Fail{tcp(2), 2});
  t.arrive(t.a, put_from(tcp(2), tcp(1)), tcp(2));
  EXPECT_EQ(t.dropped(t.a, DropReason::kSimulatedFailure), 1U);
  auto source = bytes(8);
  const MdHandle md = t.bind(t.a, source, nullptr);
  EXPECT_EQ(t.put(t.a, md, tcp(3)), 0);
  EXPECT_EQ(t.put(t.a, md, tcp(2)), -EIO);
  EXPECT_EQ(t.put(t.a, md, tcp(2)), 0);  // the two simulated failures are over
  t.call(t.a, call::Fail{Nid::any(), -1});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(t.get(t.a, md, tcp(2)), -EIO);
  t.call(t.a, call::Fail{Nid::any(), 0});
  EXPECT_EQ(t.put(t.a, md, tcp(2)), 0);
}

TEST(Arrival, OneSimulatedFailureCanBeRemoved) {  // spec/core-semantics.md 15
  SimulatedFailures failures;
  failures.set(tcp(1), -1);
  failures.set(tcp(2), 1);
  failures.set(tcp(1), 0);
  EXPECT_FALSE(failures.hit(tcp(1)));
  EXPECT_TRUE(failures.hit(tcp(2)));
  EXPECT_FALSE(failures.hit(tcp(2)));
}

TEST(Arrival, OnlyTheLastHopBecomesAPeer) {  // spec/core-semantics.md 8.8; spec/multirail.md 1
                                             // spec/multirail.md 1
  Target t;
  t.arrive(t.a, put_from(tcp(5, 9), tcp(1)), tcp(2));
  const auto show = t.show(t.a);
  ASSERT_EQ(show.peers.size(), 1U);
  EXPECT_EQ(show.peers[0].primary, tcp(2));
  EXPECT_FALSE(show.peers[0].multi_rail);
  ASSERT_EQ(t.events.events.size(), 1U);
  EXPECT_EQ(t.events.events[0].initiator.nid, tcp(5, 9));
  EXPECT_EQ(t.events.events[0].sender, tcp(2));  // core-semantics.md 5: last hop
}

// spec/core-semantics.md 8.9; spec/multirail.md 9.6
TEST(Arrival, AsymmetricRoutesAreDroppedOnRequest) {
  Target t;
  t.a.config->globals.drop_asym_route = 1;
  t.configure(t.a);
  t.arrive(t.a, put_from(tcp(5, 9), tcp(1)), tcp(2));
  EXPECT_EQ(t.dropped(t.a, DropReason::kAsymmetricRoute), 1U);
  t.arrive(t.a, put_from(tcp(2), tcp(1)), tcp(2));
  EXPECT_EQ(t.events.events.size(), 1U);
}

TEST(Arrival, LastHeardIsNoted) {  // spec/core-semantics.md 8.10, 16: peers
  Target t;
  t.arrive(t.a, put_from(tcp(2), tcp(1)), tcp(2));
  t.now += std::chrono::seconds(42);
  EXPECT_EQ(t.show(t.a).peers.at(0).nis.at(0).last_heard_s, 42);
}

TEST(Arrival, AMessageOnAnUnknownNiIsDropped) {
  Target t;
  t.arrive(t.a, put_from(tcp(2), tcp(1), 5), tcp(2), NiId{99});
  EXPECT_EQ(t.a.drops.at(0).rlen, 5U);
  EXPECT_EQ(t.dropped(t.a, DropReason::kUnknownNi), 1U);
}

// spec/core-semantics.md 8; spec/wire-lnet.md 3.1.1
TEST(Arrival, EveryHeaderHasExactlyOneAnswer) {  // lnet/core/contract/ports.h: HeaderArrived
  Target t;
  t.call(t.a, call::SetLazy{{6}});
  wire::LnetHeader header = put_from(tcp(2), tcp(1), 8);
  t.arrive(t.a, header, tcp(2));  // Land
  std::get<wire::PutPart>(header.part).portal = 6;
  t.arrive(t.a, header, tcp(2));  // HoldPayload
  header.payload_length = 0;
  header.part = wire::GetPart{};
  t.arrive(t.a, header, tcp(2));  // DropPayload
  header.part = wire::AckPart{};
  t.arrive(t.a, header, tcp(2));       // DropPayload
  EXPECT_EQ(t.a.payloads.size(), 1U);  // the payload of the held message
  EXPECT_EQ(t.a.holds.size(), 1U);
  EXPECT_EQ(t.a.drops.size(), 2U);
}

TEST(Arrival, AnswersGoToThePidThatAsked) {  // spec/wire-lnet.md 1.6, 3.2
  Target t;
  wire::LnetHeader header = put_from(tcp(2), tcp(1), 8);
  header.src_pid = Pid::user(40000);
  std::get<wire::PutPart>(header.part).ack_wmd = {0x1111, 0x2222};
  t.a.hold_sends = true;
  t.arrive(t.a, header, tcp(2));
  ASSERT_EQ(t.a.sends.size(), 1U);
  const Send& ack = t.a.sends[0];
  EXPECT_EQ(ack.hop.nid, tcp(2));
  EXPECT_EQ(ack.hop.pid, Pid::user(40000));
  EXPECT_EQ(ack.header.dest_pid, Pid::user(40000));
  EXPECT_EQ(ack.header.src_pid, Pid::lustre());
  EXPECT_EQ(ack.header.src_nid, tcp(1));  // 6.3: the NID that the PUT addressed
  EXPECT_EQ(std::get<wire::AckPart>(ack.header.part), (wire::AckPart{{0x1111, 0x2222}, 7, 8}));
}

// spec/core-semantics.md 6.5; spec/wire-lnet.md 3.3; DESIGN.md 2
TEST(Arrival, DriversThatMoveTheDataOfAGetThemselves) {
  Pipe pipe;
  for (End* end : {&pipe.a, &pipe.b}) {
    end->config->nis[1].rdma_get = true;
    pipe.configure(*end);
  }
  Recorder asker, server;
  auto sink = bytes(8), data = bytes(8);
  pipe.attach(pipe.b, data, &server, {.options = kOpGet});
  const MdHandle md = pipe.bind(pipe.a, sink, &asker, 2);
  pipe.a.hold_sends = pipe.b.hold_sends = true;
  pipe.get(pipe.a, md, tcp(2));
  const Send get = pipe.a.sends.at(0);
  EXPECT_EQ(get.sink.length, 8U);
  EXPECT_EQ(get.sink.offset, 0U);
  const RxTicket rx = pipe.arrive(pipe.b, get.header, tcp(1));
  EXPECT_TRUE(pipe.b.drops.empty());
  ASSERT_EQ(pipe.b.sends.size(), 1U);
  EXPECT_EQ(pipe.b.sends[0].answers, rx);
  pipe.finish_send(pipe.b, pipe.b.sends[0], 0);
  EXPECT_EQ(server.events.at(0).type, EventType::kGet);
  pipe.input(pipe.a, ReplyLanded{get.tx, 0, 8});
  const GlobalStats received = pipe.show(pipe.a).statistics;
  EXPECT_EQ(received.recv_count, 1U);
  EXPECT_EQ(received.recv_length, 8U);
  EXPECT_EQ(received.rst_alloc, 0U);
  EXPECT_EQ(pipe.show(pipe.a).nis.at(1).stats.traffic.get_rtt.samples, 1U);
  ASSERT_EQ(asker.events.size(), 1U);
  EXPECT_EQ(asker.events[0].type, EventType::kReply);
  EXPECT_EQ(asker.events[0].mlength, 8U);
  EXPECT_EQ(asker.events[0].source, tcp(2));
  EXPECT_FALSE(asker.events[0].unlinked);  // the fabric may still write to the memory
  pipe.finish_send(pipe.a, get, 0);
  EXPECT_TRUE(asker.events.at(1).unlinked);
}

TEST(Arrival, MatchingUsesTheSource) {  // spec/core-semantics.md 3, 8.8
  Target t;
  Recorder hop, source;
  t.attach(t.a, t.sink, &hop, {.portal = {6}, .id = process(tcp(2))});
  t.attach(t.a, t.sink, &source, {.portal = {6}, .id = process(tcp(5, 9))});
  wire::LnetHeader header = put_from(tcp(5, 9), tcp(1));
  std::get<wire::PutPart>(header.part).portal = 6;
  t.arrive(t.a, header, tcp(2));
  EXPECT_TRUE(hop.events.empty());
  EXPECT_EQ(source.events.size(), 1U);
}

TEST(Arrival, ALandingMessageKeepsItsNiAndPeer) {  // spec/core-semantics.md 16
  Target t;
  t.a.hold_lands = true;
  t.arrive(t.a, put_from(tcp(2, 1), tcp(1, 1), 8), tcp(2, 1), kTcp1);
  ASSERT_EQ(t.a.lands.size(), 1U);
  EXPECT_EQ(t.a.lands[0].ni, kTcp1);
  EXPECT_EQ(t.show(t.a).peers.at(0).nis.at(0).refcount, 2U);
  EXPECT_EQ(t.show(t.a).nis.at(2).stats.refs, 2U);
  t.release_lands(t.a);
  EXPECT_EQ(t.show(t.a).peers.at(0).nis.at(0).refcount, 1U);
}

TEST(Arrival, ALostPayloadCountsByTheDriversHealth) {  // spec/multirail.md 5.2
  Target t;
  t.a.hold_lands = true;
  t.arrive(t.a, put_from(tcp(2), tcp(1), 8), tcp(2));
  t.input(t.a, PayloadLanded{t.a.lands.at(0).msg, -ECONNRESET, Health::kRemoteError});
  EXPECT_EQ(t.events.events.at(0).status, -ECONNRESET);
  const auto show = t.show(t.a);
  EXPECT_EQ(show.statistics.errors, 1U);
  EXPECT_EQ(show.statistics.remote_error_count, 1U);
  EXPECT_EQ(show.statistics.recv_count, 0U);
}

TEST(Arrival, UnknownTicketsAreOnlyNoted) {
  Target t;
  for (const Input& input : {Input{PayloadLanded{{7, 1}, 0, Health::kOk}},
                             Input{SendDone{{7, 1}, 0, Health::kOk}}, Input{ReplyLanded{{7, 1}}}}) {
    t.a.notes.clear();
    t.input(t.a, input);
    ASSERT_EQ(t.a.notes.size(), 1U);
    EXPECT_EQ(t.a.notes[0].level, Note::Level::kError);
  }
}

/// Node a has sent a GET; a's driver moves the data itself.
struct OptimisedGet : Pipe {
  OptimisedGet() {
    a.config->nis[1].rdma_get = true;
    configure(a);
    a.hold_sends = true;
    md = bind(a, memory, &events, 2);
    get(a, md, tcp(2));
  }
  std::vector<std::byte> memory = bytes(8);
  Recorder events;
  MdHandle md;
};

TEST(OptimisedGet, DataThatDidNotComeAreNotCounted) {  // DESIGN.md 2, spec/core-semantics.md 9
  OptimisedGet g;
  g.input(g.a, ReplyLanded{g.a.sends.at(0).tx, -EIO, 0});
  ASSERT_EQ(g.events.events.size(), 1U);
  EXPECT_EQ(g.events.events[0].status, -EIO);
  EXPECT_EQ(g.show(g.a).statistics.recv_count, 0U);
}

TEST(OptimisedGet, DataForAnMdThatWasUnlinkedAreDropped) {  // spec/core-semantics.md 4.6, 6.4
  OptimisedGet g;
  g.unlink(g.a, g.md);
  g.input(g.a, ReplyLanded{g.a.sends.at(0).tx, 0, 8});
  EXPECT_EQ(g.dropped(g.a, DropReason::kReplyUnexpected), 1U);
  EXPECT_TRUE(g.events.events.empty());
  g.finish_send(g.a, g.a.sends[0], 0);
  EXPECT_TRUE(g.events.events.at(0).unlinked);
}

TEST(OptimisedGet, DataComeOnce) {  // lnet/core/contract/ports.h: ReplyLanded
  OptimisedGet g;
  for (int i = 0; i < 2; ++i) g.input(g.a, ReplyLanded{g.a.sends.at(0).tx, 0, 8});
  EXPECT_EQ(g.dropped(g.a, DropReason::kReplyUnexpected), 1U);
  EXPECT_EQ(g.events.events.size(), 1U);
}

TEST(OptimisedGet, DataThatTheMdCannotTakeAreDropped) {  // spec/core-semantics.md 4.5, 6.4
  OptimisedGet g;
  const MdHandle once = g.bind(g.a, g.memory, &g.events, 1);
  g.get(g.a, once, tcp(2));
  g.input(g.a, ReplyLanded{g.a.sends.at(1).tx, 0, 8});
  EXPECT_EQ(g.dropped(g.a, DropReason::kReplyUnexpected), 1U);
  EXPECT_TRUE(g.events.events.empty());
}

TEST(OptimisedGet, TheReplySaysWhoAndHowMuch) {  // spec/core-semantics.md 5
  OptimisedGet g;
  g.input(g.a, ReplyLanded{g.a.sends.at(0).tx, 0, 99});
  ASSERT_EQ(g.events.events.size(), 1U);
  const Event& reply = g.events.events[0];
  EXPECT_EQ(reply.target, process(tcp(1)));
  EXPECT_EQ(reply.initiator, process(tcp(2)));
  EXPECT_EQ(reply.source, tcp(2));
  EXPECT_EQ(reply.sender, tcp(2));
  EXPECT_EQ(reply.rlength, 8U) << "no more than the MD has";
  EXPECT_EQ(reply.mlength, 8U);
}

TEST(OptimisedGet, OnlyADriverThatMovesTheDataItselfMaySayThatTheyCame) {  // ports.h: ReplyLanded
  Pipe pipe;
  pipe.a.hold_sends = true;
  Recorder events;
  auto memory = bytes(8);
  pipe.get(pipe.a, pipe.bind(pipe.a, memory, &events, 2), tcp(2));
  pipe.a.notes.clear();
  pipe.input(pipe.a, ReplyLanded{pipe.a.sends.at(0).tx, 0, 8});
  EXPECT_TRUE(events.events.empty());
  ASSERT_EQ(pipe.a.notes.size(), 1U);
  EXPECT_EQ(pipe.a.notes[0].level, Note::Level::kError);
}

TEST(Arrival, SimulatedFailuresAreCounted) {  // spec/core-semantics.md 15
  SimulatedFailures failures;
  failures.set(tcp(1), 1);
  failures.set(tcp(1), 2);  // replaces the 1
  failures.set(tcp(2), -1);
  EXPECT_TRUE(failures.hit(tcp(1)));
  EXPECT_TRUE(failures.hit(tcp(1)));
  EXPECT_FALSE(failures.hit(tcp(1)));
  failures.set(Nid::any(), 1);
  EXPECT_TRUE(failures.hit(tcp(2))) << "its own, which has no end, is the older one";
  EXPECT_TRUE(failures.hit(tcp(3)));
  EXPECT_FALSE(failures.hit(tcp(3)));
  EXPECT_TRUE(failures.hit(tcp(2)));
  failures.set(Nid::any(), 0);
  EXPECT_FALSE(failures.hit(tcp(2)));
}

TEST(OptimisedGet, ItsDataNeedNoCreditOfTheTarget) {  // spec/core-semantics.md 6.5
  Pipe pipe;
  pipe.b.config->nis[1].rdma_get = true;
  pipe.b.config->nis[1].tunables.peer_credits = 1;
  pipe.configure(pipe.b);
  pipe.b.hold_sends = true;
  auto memory = bytes(8), sink = bytes(8);
  Recorder asker;
  pipe.get(pipe.b, pipe.bind(pipe.b, sink, &asker, 2), tcp(1));  // has the only credit
  ASSERT_EQ(pipe.b.sends.size(), 1U);
  pipe.attach(pipe.b, memory, nullptr, {.options = kOpGet});
  wire::LnetHeader get = put_from(tcp(1), tcp(2));
  get.part = wire::GetPart{.match_bits = 7, .portal = 5, .sink_length = 8};
  const RxTicket rx = pipe.arrive(pipe.b, get, tcp(1));
  ASSERT_EQ(pipe.b.sends.size(), 2U) << "else two nodes that ask each other would wait for ever";
  EXPECT_EQ(pipe.b.sends[1].answers, rx);
}

TEST(OptimisedGet, AReplyThatWasNeverSentEndsTheGet) {  // lnet/core/contract/ports.h: HeaderArrived
  Pipe pipe;
  pipe.b.config->nis[1].rdma_get = true;
  pipe.configure(pipe.b);
  FaultRule slow;
  slow.kind = FaultRule::Kind::kDelay;
  slow.rate = 1;
  slow.latency = 100;
  slow.messages = kFaultReply;
  pipe.call(pipe.b, call::FaultAdd{settled(slow).value()});
  auto memory = bytes(8);
  const MdHandle md = pipe.attach(pipe.b, memory, nullptr, {.options = kOpGet});
  wire::LnetHeader get = put_from(tcp(1), tcp(2));
  get.part = wire::GetPart{.match_bits = 7, .portal = 5, .sink_length = 8};
  const RxTicket waits = pipe.arrive(pipe.b, get, tcp(1));
  EXPECT_TRUE(pipe.b.sends.empty());
  pipe.unlink(pipe.b, md);
  ASSERT_EQ(pipe.b.drops.size(), 1U);
  EXPECT_EQ(pipe.b.drops[0].rx, waits);
  EXPECT_EQ(pipe.b.drops[0].ni, kTcp);
}

}  // namespace
}  // namespace ulnet::core::test

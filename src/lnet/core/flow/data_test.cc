// Moving data end to end between two nodes. spec/core-semantics.md 5, 6, 18.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "lnet/core/flow/pipe_fixture.h"
#include "lnet/core/flow/step.h"

namespace ulnet::core::test {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;
using enum EventType;

// spec/core-semantics.md 6.1, 6.3, 18.4; spec/wire-lnet.md 3.2
TEST(Data, PutArrivesWithItsBytesAndIsAcknowledged) {
  Pipe pipe;
  Recorder sender, receiver;
  auto source = bytes(100), sink = bytes(100, 99);
  pipe.attach(pipe.b, sink, &receiver);
  const MdHandle md = pipe.bind(pipe.a, source, &sender, 2);

  EXPECT_EQ(pipe.put(pipe.a, md, tcp(2), AckRequest::kAck), 0);

  EXPECT_EQ(sink, source);
  EXPECT_THAT(sender.types(), UnorderedElementsAre(kSend, kAck));
  EXPECT_TRUE(sender.events.back().unlinked);
  ASSERT_THAT(receiver.types(), ElementsAre(kPut));
  const Event& put = receiver.events[0];
  EXPECT_EQ(put.status, 0);
  EXPECT_EQ(put.target, process(tcp(2)));
  EXPECT_EQ(put.initiator, process(tcp(1)));
  EXPECT_EQ(put.source, tcp(1));
  EXPECT_EQ(put.sender, tcp(1));
  EXPECT_EQ(put.portal.index, 5U);
  EXPECT_EQ(put.match_bits.value, 7U);
  EXPECT_EQ(put.rlength, 100U);
  EXPECT_EQ(put.mlength, 100U);
  EXPECT_EQ(put.hdr_data, 0x1234U);
  EXPECT_EQ(put.md_start, sink.data());
}

TEST(Data, PutWithoutAckSeesOneSend) {  // spec/core-semantics.md 18.4
  Pipe pipe;
  Recorder sender, receiver;
  auto source = bytes(8), sink = bytes(8);
  pipe.attach(pipe.b, sink, &receiver);
  const MdHandle md = pipe.bind(pipe.a, source, &sender, 1);
  EXPECT_EQ(pipe.put(pipe.a, md, tcp(2)), 0);
  ASSERT_THAT(sender.types(), ElementsAre(kSend));
  const Event& send = sender.events[0];
  EXPECT_TRUE(send.unlinked);
  EXPECT_EQ(send.msg_type, static_cast<std::uint32_t>(wire::MsgType::kPut));
  EXPECT_EQ(send.target, process(tcp(2)));
  EXPECT_TRUE(send.initiator.nid.is_any());
  EXPECT_EQ(send.initiator.pid, Pid::lustre());
  EXPECT_EQ(send.rlength, 8U);
  EXPECT_EQ(send.hdr_data, 0x1234U);
}

TEST(Data, GetBringsTheBytes) {  // spec/core-semantics.md 6.2, 6.4, 18.5; spec/wire-lnet.md 3.3
  Pipe pipe;
  Recorder asker, server;
  auto here = bytes(64, 50), there = bytes(64);
  pipe.attach(pipe.b, there, &server, {.options = kOpGet});
  const MdHandle md = pipe.bind(pipe.a, here, &asker, 2);
  EXPECT_EQ(pipe.get(pipe.a, md, tcp(2)), 0);
  EXPECT_EQ(here, there);
  EXPECT_THAT(asker.types(), UnorderedElementsAre(kSend, kReply));
  ASSERT_THAT(server.types(), ElementsAre(kGet));
  EXPECT_EQ(server.events[0].mlength, 64U);
  EXPECT_EQ(server.events[0].initiator, process(tcp(1)));
  EXPECT_EQ(server.events[0].match_bits.value, 7U);
}

TEST(Data, ReplyIsCutToWhatTheServerHas) {  // spec/core-semantics.md 6.4; spec/wire-lnet.md 3.3
  Pipe pipe;
  Recorder asker, server;
  auto here = bytes(64, 50), there = bytes(10);
  pipe.attach(pipe.b, there, &server, {.options = kOpGet | kTruncate});
  const MdHandle md = pipe.bind(pipe.a, here, &asker, 2);
  pipe.get(pipe.a, md, tcp(2));
  EXPECT_EQ(asker.events.back().mlength, 10U);
  EXPECT_EQ(server.events[0].rlength, 64U);
  EXPECT_EQ(server.events[0].mlength, 10U);
}

TEST(Data, EmptyPutAndEmptyReplyAreLanded) {  // spec/wire-lnet.md 3.3
  Pipe pipe;
  Recorder sender, receiver;
  std::vector<std::byte> nothing;
  pipe.attach(pipe.b, nothing, &receiver, {.options = kOpPut | kOpGet});
  const MdHandle md = pipe.bind(pipe.a, nothing, &sender, 4);
  pipe.put(pipe.a, md, tcp(2), AckRequest::kAck);
  pipe.get(pipe.a, md, tcp(2));
  EXPECT_THAT(receiver.types(), ElementsAre(kPut, kGet));
  EXPECT_THAT(sender.types(), UnorderedElementsAre(kSend, kAck, kSend, kReply));
}

// spec/core-semantics.md 1, 4.1; spec/wire-lnet.md 2.6
TEST(Data, VectorsOf256FragmentsArriveInVectors) {
  Pipe pipe;
  Recorder sender, receiver;
  auto source = bytes(1U << 20), sink = bytes(1U << 20, 1);
  std::vector<iovec> out, in;
  for (int i = 0; i < 256; ++i) out.push_back({source.data() + i * 4096, 4096});
  for (int i = 0; i < 16; ++i) in.push_back({sink.data() + i * 65536, 65536});
  MdSpec spec;
  spec.fragments = in;
  spec.options = kOpPut;
  spec.sink = &receiver;
  const MeHandle me = pipe.call(pipe.b, call::MeAttach{{5}, {}, {7}, {}}).me;
  pipe.call(pipe.b, call::MdAttach{me, spec, UnlinkMode::kRetain});
  spec = {};
  spec.fragments = out;
  spec.sink = &sender;
  const MdHandle md = pipe.call(pipe.a, call::MdBind{spec, UnlinkMode::kRetain}).md;
  EXPECT_EQ(pipe.put(pipe.a, md, tcp(2)), 0);
  EXPECT_EQ(sink, source);
}

TEST(Data, FailedSendIsTheOnlyEvent) {  // spec/core-semantics.md 5, 18.6
  Pipe pipe;
  Recorder sender;
  auto source = bytes(8);
  const MdHandle md = pipe.bind(pipe.a, source, &sender, 2, 0, UnlinkMode::kRetain);
  pipe.a.send_status = -ECONNRESET;
  EXPECT_EQ(pipe.put(pipe.a, md, tcp(2), AckRequest::kAck), 0);
  ASSERT_THAT(sender.types(), ElementsAre(kSend));
  EXPECT_EQ(sender.events[0].status, -ECONNRESET);
  pipe.tick(std::chrono::hours(1));  // no response is expected any more
  EXPECT_EQ(sender.events.size(), 1U);
}

TEST(Data, AMissingPathIsASendEvent) {  // spec/core-semantics.md 6.1, spec/multirail.md 3.1
  Pipe pipe;
  Recorder sender;
  auto source = bytes(8);
  const MdHandle md = pipe.bind(pipe.a, source, &sender);
  EXPECT_EQ(pipe.put(pipe.a, md, tcp(9, 7)), 0);
  ASSERT_EQ(sender.events.size(), 1U);
  EXPECT_EQ(sender.events[0].status, -EHOSTUNREACH);
}

TEST(Data, SynchronousErrorsOfPutAndGet) {  // spec/core-semantics.md 6.1, 6.2
  Pipe pipe;
  Recorder events;
  auto memory = bytes(8);
  const MdHandle used_up = pipe.bind(pipe.a, memory, &events, 1, 0, UnlinkMode::kRetain);
  const MdHandle attached = pipe.attach(pipe.a, memory, &events);
  EXPECT_EQ(pipe.put(pipe.a, used_up, tcp(2)), 0);
  EXPECT_EQ(pipe.put(pipe.a, used_up, tcp(2)), -ENOENT);
  EXPECT_EQ(pipe.get(pipe.a, attached, tcp(2)), -ENOENT);
  EXPECT_EQ(pipe.put(pipe.a, MdHandle{12345}, tcp(2)), -ENOENT);
  pipe.unlink(pipe.a, used_up);
  EXPECT_EQ(pipe.put(pipe.a, used_up, tcp(2)), -ENOENT);
}

// spec/core-semantics.md 4.2, 6.3; spec/wire-lnet.md 3.2
TEST(Data, AckIsNotSentWhenTheTargetForbidsIt) {
  Pipe pipe;
  Recorder sender, receiver;
  auto source = bytes(8), sink = bytes(8);
  pipe.attach(pipe.b, sink, &receiver, {.options = kOpPut | kAckDisable});
  const MdHandle md = pipe.bind(pipe.a, source, &sender, 2);
  pipe.put(pipe.a, md, tcp(2), AckRequest::kAck);
  EXPECT_THAT(sender.types(), ElementsAre(kSend));
  EXPECT_THAT(receiver.types(), ElementsAre(kPut));
}

TEST(Data, AckIsNotSentWhenThePayloadFailed) {  // spec/core-semantics.md 6.3; spec/wire-lnet.md 3.2
  Pipe pipe;
  Recorder sender, receiver;
  auto source = bytes(8), sink = bytes(8);
  pipe.attach(pipe.b, sink, &receiver);
  const MdHandle md = pipe.bind(pipe.a, source, &sender, 2);
  pipe.b.hold_lands = true;
  pipe.put(pipe.a, md, tcp(2), AckRequest::kAck);
  pipe.input(pipe.b, PayloadLanded{pipe.b.lands[0].msg, -EIO, Health::kRemoteError});
  pipe.settle();
  ASSERT_THAT(receiver.types(), ElementsAre(kPut));
  EXPECT_EQ(receiver.events[0].status, -EIO);
  EXPECT_THAT(sender.types(), ElementsAre(kSend));
  EXPECT_EQ(pipe.show(pipe.b).statistics.errors, 1U);
}

// spec/core-semantics.md 4.2, 5, 6.3, 18.8; spec/wire-lnet.md 3.2
TEST(Data, AckNamesTheMatchAndTheLength) {
  Pipe pipe;
  Recorder sender, receiver;
  auto source = bytes(20), sink = bytes(8);
  pipe.attach(pipe.b, sink, &receiver, {.options = kOpPut | kTruncate});
  const MdHandle md = pipe.bind(pipe.a, source, &sender, 2);
  pipe.put(pipe.a, md, tcp(2), AckRequest::kAck);
  const Event& ack =
      sender.events.back().type == kAck ? sender.events.back() : sender.events.front();
  EXPECT_EQ(ack.match_bits.value, 7U);
  EXPECT_EQ(ack.mlength, 8U);
  EXPECT_EQ(receiver.events[0].rlength, 20U);  // spec/core-semantics.md 18.8
  EXPECT_EQ(receiver.events[0].mlength, 8U);
}

TEST(Data, SequenceGrows) {  // spec/core-semantics.md 5
  Pipe pipe;
  Recorder receiver;
  auto source = bytes(8), sink = bytes(80);
  pipe.attach(pipe.b, sink, &receiver);
  const MdHandle md = pipe.bind(pipe.a, source, nullptr);
  for (int i = 0; i < 5; ++i) pipe.put(pipe.a, md, tcp(2));
  ASSERT_EQ(receiver.events.size(), 5U);
  for (std::size_t i = 1; i < 5; ++i)
    EXPECT_GT(receiver.events[i].sequence, receiver.events[i - 1].sequence);
}

TEST(Data, DiscardedPayloadIsNotWrittenButReported) {  // spec/core-semantics.md 4.2
  Pipe pipe;
  Recorder receiver;
  auto source = bytes(8), sink = bytes(8, 77);
  const auto before = sink;
  pipe.attach(pipe.b, sink, &receiver, {.options = kOpPut | kDiscard});
  pipe.put(pipe.a, pipe.bind(pipe.a, source, nullptr), tcp(2));
  EXPECT_EQ(sink, before);
  EXPECT_EQ(receiver.events.at(0).mlength, 8U);
}

TEST(Data, AGetAtAnOffsetBringsTheBytesFromThere) {  // spec/core-semantics.md 4.2, 6.4
  Pipe pipe;
  Recorder server;
  auto here = bytes(16, 50), there = bytes(64);
  pipe.attach(pipe.b, there, &server, {.options = kOpGet | kManageRemote});
  pipe.get(pipe.a, pipe.bind(pipe.a, here, nullptr), tcp(2), 7, 5, 40);
  EXPECT_EQ(here, bytes(16, 40));
  EXPECT_EQ(server.events.at(0).offset, 40U);
}

// spec/core-semantics.md 6.3; spec/multirail.md 3.1
TEST(Data, TheAckComesFromTheNidThatThePutAddressed) {
  Pipe pipe({tcp(1)}, {tcp(2), tcp(3), tcp(4)});
  auto source = bytes(4), sink = bytes(64);
  pipe.attach(pipe.b, sink, nullptr);
  pipe.b.hold_sends = true;
  const MdHandle md = pipe.bind(pipe.a, source, nullptr);
  for (const std::uint8_t host : {4, 2, 3}) pipe.put(pipe.a, md, tcp(host), AckRequest::kAck);
  ASSERT_EQ(pipe.b.sends.size(), 3U);
  EXPECT_EQ(pipe.b.sends[0].header.src_nid, tcp(4));
  EXPECT_EQ(pipe.b.sends[1].header.src_nid, tcp(2));
  EXPECT_EQ(pipe.b.sends[2].header.src_nid, tcp(3));
}

TEST(Data, EventsSayWhoseTheyAreAndWhoAsked) {  // spec/core-semantics.md 5
  Pipe pipe;
  Recorder asker, server;
  auto here = bytes(8), there = bytes(8);
  pipe.attach(pipe.b, there, &server, {.options = kOpPut | kOpGet | kManageRemote});
  const MdHandle md = pipe.bind(pipe.a, here, &asker, kThresholdInfinite, kTrackResponse);
  pipe.put(pipe.a, md, tcp(2), AckRequest::kAck, 7, 5, 0);
  pipe.get(pipe.a, md, tcp(2));
  EXPECT_EQ(asker.events.size(), 4U);
  for (const Event& event : asker.events) {
    EXPECT_EQ(event.md, md);
    EXPECT_EQ(event.md_options, static_cast<std::uint32_t>(kTrackResponse));
    EXPECT_EQ(event.mlength, 8U);
    if (event.type == kSend) {
      EXPECT_EQ(event.source, tcp(1));
      EXPECT_EQ(event.target, process(tcp(2)));
      continue;
    }
    EXPECT_EQ(event.target, process(tcp(1)));  // ACKs and REPLYs come to a
    EXPECT_EQ(event.initiator, process(tcp(2)));
    EXPECT_EQ(event.source, tcp(2));
    EXPECT_EQ(event.sender, tcp(2));
  }
  for (const Event& event : server.events) {
    EXPECT_EQ(event.md_options, kOpPut | kOpGet | kManageRemote);
    EXPECT_EQ(event.target, process(tcp(2)));
    EXPECT_EQ(event.source, tcp(1));
    EXPECT_EQ(event.sender, tcp(1));
    EXPECT_EQ(event.portal.index, 5U);
  }
}

TEST(Data, ASendSaysWhereInThePeersMemoryItWent) {  // spec/core-semantics.md 5
  Pipe pipe;
  Recorder r;
  auto memory = bytes(8);
  const MdHandle md = pipe.bind(pipe.a, memory, &r);
  pipe.put(pipe.a, md, tcp(2), AckRequest::kNoAck, 7, 5, 30);
  pipe.get(pipe.a, md, tcp(2), 7, 5, 40);
  ASSERT_THAT(r.types(), ElementsAre(kSend, kSend));
  EXPECT_EQ(r.events[0].offset, 30U);
  EXPECT_EQ(r.events[1].offset, 40U);
}

TEST(Data, EventsBringTheUsersPointerBack) {  // spec/core-semantics.md 4.1, 5
  Pipe pipe;
  Recorder r;
  int mine = 0;
  MdSpec spec;
  spec.user_ptr = &mine;
  spec.sink = &r;
  const MdHandle md = pipe.call(pipe.a, call::MdBind{spec, UnlinkMode::kUnlink}).md;
  pipe.put(pipe.a, md, tcp(2));
  EXPECT_EQ(r.events.at(0).md_user_ptr, &mine);
}

// spec/core-semantics.md 6.4; spec/multirail.md 3.1
TEST(Data, TheReplyComesFromTheNidThatTheGetAddressed) {
  Pipe pipe({tcp(1)}, {tcp(2), tcp(3), tcp(4)});
  auto here = bytes(4), there = bytes(64);
  pipe.attach(pipe.b, there, nullptr, {.options = kOpGet | kManageRemote});
  pipe.b.hold_sends = true;
  const MdHandle md = pipe.bind(pipe.a, here, nullptr);
  for (const std::uint8_t host : {4, 2, 3}) pipe.get(pipe.a, md, tcp(host));
  ASSERT_EQ(pipe.b.sends.size(), 3U);
  EXPECT_EQ(pipe.b.sends[0].header.src_nid, tcp(4));
  EXPECT_EQ(pipe.b.sends[1].header.src_nid, tcp(2));
  EXPECT_EQ(pipe.b.sends[2].header.src_nid, tcp(3));
}

/// The text of an event, without the fields that describe the MD.
std::string text(const Event& e) {
  const char* const types[] = {"GET", "PUT", "REPLY", "ACK", "SEND", "UNLINK"};
  const auto name = [](const ProcessId& id) {
    return fmt::format("{}-{}", id.pid.value, id.nid.to_string());
  };
  return fmt::format("{} {} {} > {} of {} by {}, {} {}, {}/{} at {}, {}",
                     types[static_cast<int>(e.type) - 1], e.msg_type, name(e.initiator),
                     name(e.target), e.source.to_string(), e.sender.to_string(), e.portal.index,
                     e.match_bits.value, e.mlength, e.rlength, e.offset, e.hdr_data);
}

TEST(Data, EventsHaveTheirFields) {  // spec/core-semantics.md 5
  Pipe pipe;
  Recorder asker, server;
  auto here = bytes(16), there = bytes(64);
  pipe.attach(pipe.b, there, &server, {.options = kOpPut | kOpGet | kManageRemote | kTruncate});
  const MdHandle md = pipe.bind(pipe.a, here, &asker, kThresholdInfinite, kTruncate);
  pipe.put(pipe.a, md, tcp(2), AckRequest::kAck, 7, 5, 60);
  pipe.get(pipe.a, md, tcp(2), 7, 5, 50);
  std::vector<std::string> asked, served;
  for (const Event& event : asker.events) asked.push_back(text(event));
  for (const Event& event : server.events) served.push_back(text(event));
  EXPECT_THAT(
      asked,
      UnorderedElementsAre(
          "SEND 1 12345-<?> > 12345-10.0.0.2@tcp of 10.0.0.1@tcp by <?>, 5 7, 16/16 at 60, 4660",
          "ACK 0 12345-10.0.0.2@tcp > 12345-10.0.0.1@tcp of 10.0.0.2@tcp by 10.0.0.2@tcp, 0 7, "
          "4/4 at 0, 0",
          "SEND 2 12345-<?> > 12345-10.0.0.2@tcp of 10.0.0.1@tcp by <?>, 5 7, 16/16 at 50, 0",
          "REPLY 0 12345-10.0.0.2@tcp > 12345-10.0.0.1@tcp of 10.0.0.2@tcp by 10.0.0.2@tcp, 0 0, "
          "14/14 at 0, 0"));
  EXPECT_THAT(served,
              ElementsAre("PUT 0 12345-10.0.0.1@tcp > 12345-10.0.0.2@tcp of 10.0.0.1@tcp by "
                          "10.0.0.1@tcp, 5 7, 4/16 at 60, 4660",
                          "GET 0 12345-10.0.0.1@tcp > 12345-10.0.0.2@tcp of 10.0.0.1@tcp by "
                          "10.0.0.1@tcp, 5 7, 14/16 at 50, 0"));
}

TEST(Data, ARequestNeedsATarget) {  // spec/core-semantics.md 6.1
  Pipe pipe;
  auto memory = bytes(8);
  PutRequest put;
  GetRequest get;
  put.md = get.md = pipe.bind(pipe.a, memory, nullptr);
  for (const ProcessId& target :
       {ProcessId{Nid::any(), Pid::lustre()}, ProcessId{tcp(2), Pid::any()}}) {
    put.target = get.target = target;
    int status = 0;
    pipe.call(pipe.a, call::Put{put}, &status);
    EXPECT_EQ(status, -EINVAL);
    pipe.call(pipe.a, call::Get{get}, &status);
    EXPECT_EQ(status, -EINVAL);
  }
  int status = 0;
  pipe.call(pipe.a, call::Ping{{}, 1}, &status);
  EXPECT_EQ(status, -EINVAL);
  EXPECT_TRUE(pipe.a.dones.empty());
  pipe.call(pipe.a, call::Fail{tcp(2), -2}, &status);
  EXPECT_EQ(status, -EINVAL);
  pipe.call(pipe.a, call::Fail{tcp(2), -1});
  pipe.call(pipe.a, call::Ping{{process(tcp(2)), {}}, 1}, &status);
  EXPECT_EQ(status, -EIO);
}

TEST(Data, TheNodesOwnMdsAreProtected) {  // spec/core-semantics.md 14
  Pipe pipe;
  pipe.a.hold_sends = true;
  pipe.call(pipe.a, call::Ping{{process(tcp(2)), {}}, 1});
  const auto& ping = std::get<wire::GetPart>(pipe.a.sends.at(0).header.part);
  const MdHandle pings{ping.return_wmd.object_cookie};
  const Portal0State& own = pipe.a.shards[kControlShard]->observe().portal0;
  const MdHandle target = own.mds.find(own.ping_target)->md;
  EXPECT_EQ(pipe.put(pipe.a, pings, tcp(2)), -ENOENT);
  EXPECT_EQ(pipe.get(pipe.a, pings, tcp(2)), -ENOENT);
  for (const MdHandle md : {pings, target}) EXPECT_EQ(pipe.unlink(pipe.a, md), -ENOENT);
  pipe.release_sends(pipe.a);
  EXPECT_EQ(pipe.a.dones.at(0).status, 0);
}

TEST(Data, WhichRecordsAreOfMessagesThatGo) {  // checkers of the simulator rely on this
  Pipe pipe;
  pipe.a.hold_sends = pipe.b.hold_sends = true;
  auto memory = bytes(8);
  pipe.attach(pipe.b, memory, nullptr, {.options = kOpPut | kOpGet | kManageRemote});
  const MdHandle md = pipe.bind(pipe.a, memory, nullptr);
  pipe.put(pipe.a, md, tcp(2), AckRequest::kAck);
  pipe.get(pipe.a, md, tcp(2));
  for (const Send& send : std::vector<Send>(pipe.a.sends)) pipe.arrive(pipe.b, send.header, tcp(1));
  EXPECT_EQ(pipe.b.sends.size(), 2U);
  pipe.b.hold_lands = true;
  wire::LnetHeader put = pipe.a.sends.at(0).header;
  pipe.arrive(pipe.b, put, tcp(1));
  std::size_t going = 0, coming = 0;
  for (const End* end : {&pipe.a, &pipe.b})
    for (const auto& shard : end->shards)
      shard->observe().messages.for_each([&](Handle, const Msg& msg) {
        if (!msg.parked && msg.state != MsgState::kElsewhere) ++(msg.outgoing ? going : coming);
      });
  EXPECT_EQ(going, 4U) << "PUT, GET, ACK, REPLY";
  EXPECT_EQ(coming, 1U);
}

// Between the call and the Send, the inter-shard message to the target's owner shard is under way.
TEST(Data, APutTakesTimeFromTheCallOn) {  // spec/cli-lnetctl.md 12.2: put_egress
  constexpr Instant kStart{std::chrono::seconds(1)};
  const auto config = config_of({tcp(1)}, 1);
  config->shards = 2;
  Shard zero(0), one(1);
  Actions actions;
  for (Shard* shard : {&zero, &one}) shard->step(kStart, Config{config}, actions);
  actions.clear();
  ApiCall bind{call::MdBind{}};
  zero.step(kStart, Api{&bind}, actions);
  PutRequest request;
  request.md = std::get<call::MdBind>(bind.body).md;
  request.target = process(tcp(3));
  ASSERT_EQ(Placement(*config).of(tcp(3)), 1U);
  ApiCall put{call::Put{request}};
  zero.step(kStart, Api{&put}, actions);
  ASSERT_EQ(put.status, 0);
  const ShardMsg shard_msg = std::move(*std::get<ToShard>(actions.at(0)).shard_msg);
  actions.clear();
  one.step(kStart + Duration(100), FromShard{0, &shard_msg}, actions);
  const auto send = std::find_if(actions.begin(), actions.end(), [](const Action& action) {
    return std::holds_alternative<Send>(action);
  });
  ASSERT_NE(send, actions.end());
  const MsgTicket tx = std::get<Send>(*send).tx;
  one.step(kStart + Duration(300), SendDone{tx, 0, Health::kOk}, actions);
  ApiCall show{call::Show{}};
  one.step(kStart + Duration(300), Api{&show}, actions);
  const LatencySamples egress = std::get<call::Show>(show.body).nis.at(1).stats.traffic.put_egress;
  EXPECT_EQ(egress.max_nsec, 300U);
}

}  // namespace
}  // namespace ulnet::core::test

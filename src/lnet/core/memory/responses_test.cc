// Response tracking. spec/core-semantics.md 4.6, 11, spec/multirail.md 6.
#include "lnet/core/memory/responses.h"

#include <gmock/gmock.h>

#include "lnet/core/flow/pipe_fixture.h"

namespace ulnet::core::test {
namespace {

using testing::ElementsAre;
using enum EventType;
using std::chrono::seconds;

TEST(Responses, WhichOperationsAreTracked) {  // spec/core-semantics.md 4.2; spec/multirail.md 6
  for (const bool get : {false, true}) {
    EXPECT_FALSE(is_tracked(0, get, 0));
    EXPECT_EQ(is_tracked(0, get, 1), get);
    EXPECT_EQ(is_tracked(0, get, 2), !get);
    EXPECT_TRUE(is_tracked(0, get, 3));
    EXPECT_TRUE(is_tracked(kTrackResponse, get, 0));
    EXPECT_FALSE(is_tracked(kNoTrackResponse, get, 3));
  }
}

// spec/wire-lnet.md 3.4
TEST(Responses,
     AckThatDoesNotComeUnlinksTheMd) {  // spec/multirail.md 6, spec/core-semantics.md 4.6
  Pipe pipe;
  Recorder sender;
  auto source = bytes(8);
  const MdHandle md = pipe.bind(pipe.a, source, &sender, 2);
  pipe.put(pipe.a, md, tcp(2), AckRequest::kAck);  // b has no buffer
  EXPECT_EQ(pipe.show(pipe.a).statistics.rst_alloc, 1U);
  EXPECT_NE(Pipe::next_deadline(pipe.a), kNever);
  pipe.tick(seconds(149));
  EXPECT_THAT(sender.types(), ElementsAre(kSend));
  pipe.tick(seconds(2));
  ASSERT_THAT(sender.types(), ElementsAre(kSend, kUnlink));
  EXPECT_EQ(sender.events[1].status, -ETIMEDOUT);
  EXPECT_TRUE(sender.events[1].unlinked);
  const auto show = pipe.show(pipe.a);
  EXPECT_EQ(show.statistics.response_timeout_count, 1U);
  EXPECT_EQ(show.statistics.rst_alloc, 0U);
  EXPECT_EQ(show.peers.at(0).nis.at(0).health_value, 900);
  EXPECT_EQ(pipe.unlink(pipe.a, md), -ENOENT);
  EXPECT_EQ(Pipe::next_deadline(pipe.a), kNever);
}

// spec/multirail.md 6; spec/wire-lnet.md 3.4
TEST(Responses, ReplyThatDoesNotComeWhileTheGetIsStuck) {
  Pipe pipe;
  Recorder asker;
  auto sink = bytes(8);
  pipe.a.hold_sends = true;
  pipe.get(pipe.a, pipe.bind(pipe.a, sink, &asker, 2), tcp(2));
  pipe.tick(seconds(151));
  EXPECT_TRUE(asker.events.empty());
  pipe.finish_send(pipe.a, pipe.a.sends.at(0), 0);
  ASSERT_THAT(asker.types(), ElementsAre(kSend));
  EXPECT_EQ(asker.events[0].status, -ETIMEDOUT);
  EXPECT_TRUE(asker.events[0].unlinked);
}

TEST(Responses, TrackingCanBeOff) {  // spec/multirail.md 6
  Pipe pipe;
  pipe.a.config->globals.response_tracking = 1;
  pipe.configure(pipe.a);
  Recorder sender;
  auto source = bytes(8);
  pipe.put(pipe.a, pipe.bind(pipe.a, source, &sender, 2), tcp(2), AckRequest::kAck);
  pipe.tick(seconds(1000));
  EXPECT_THAT(sender.types(), ElementsAre(kSend));
  pipe.put(pipe.a, pipe.bind(pipe.a, source, &sender, 2, kTrackResponse), tcp(2), AckRequest::kAck);
  pipe.tick(seconds(1000));
  EXPECT_THAT(sender.types(), ElementsAre(kSend, kSend, kUnlink));
}

TEST(Responses, ArrivalEndsTheTracker) {  // spec/multirail.md 6
  Pipe pipe;
  Recorder sender;
  auto source = bytes(8), sink = bytes(64);
  pipe.attach(pipe.b, sink, nullptr);
  const MdHandle md = pipe.bind(pipe.a, source, &sender);
  pipe.put(pipe.a, md, tcp(2), AckRequest::kAck);
  EXPECT_EQ(pipe.show(pipe.a).statistics.rst_alloc, 0U);
  pipe.tick(seconds(1000));
  EXPECT_EQ(sender.events.size(), 2U);
}

TEST(Responses, EachNewOperationMovesTheDeadline) {  // spec/multirail.md 6
  Pipe pipe;
  Recorder sender;
  auto source = bytes(8);
  const MdHandle md = pipe.bind(pipe.a, source, &sender);
  pipe.put(pipe.a, md, tcp(2), AckRequest::kAck);
  pipe.tick(seconds(100));
  pipe.put(pipe.a, md, tcp(2), AckRequest::kAck);
  pipe.tick(seconds(100));
  EXPECT_EQ(sender.events.size(), 2U);
  pipe.tick(seconds(60));
  EXPECT_EQ(sender.events.back().type, kUnlink);
}

// spec/wire-lnet.md 2.5, 3.2
TEST(Responses,
     AnUnexpectedAnswerIsDropped) {  // spec/core-semantics.md 6.3, 6.4, spec/wire-lnet.md 3.4
  Pipe pipe;
  Recorder sender;
  auto source = bytes(8), sink = bytes(64);
  pipe.attach(pipe.b, sink, nullptr);
  const MdHandle md = pipe.bind(pipe.a, source, &sender);
  pipe.put(pipe.a, md, tcp(2), AckRequest::kAck);
  ASSERT_EQ(sender.events.size(), 2U);
  wire::LnetHeader header;
  header.dest_nid = tcp(1);
  header.src_nid = tcp(2);
  header.src_pid = header.dest_pid = Pid::lustre();
  const wire::WireHandle handle{0xa, md.cookie};
  header.part = wire::AckPart{handle, 7, 8};
  pipe.arrive(pipe.a, header, tcp(2));  // a duplicate
  EXPECT_EQ(pipe.dropped(pipe.a, DropReason::kAckUnexpected), 1U);
  header.part = wire::AckPart{{0xdead, md.cookie}, 7, 8};
  pipe.arrive(pipe.a, header, tcp(2));
  header.part = wire::ReplyPart{{0xdead, md.cookie}};
  pipe.arrive(pipe.a, header, tcp(2));
  EXPECT_EQ(pipe.dropped(pipe.a, DropReason::kOldIncarnation), 2U);
  // A REPLY for an MD that was only used for a PUT.
  header.part = wire::ReplyPart{handle};
  header.payload_length = 8;
  pipe.arrive(pipe.a, header, tcp(2));
  EXPECT_EQ(pipe.dropped(pipe.a, DropReason::kReplyUnexpected), 1U);
  pipe.unlink(pipe.a, md);
  pipe.arrive(pipe.a, header, tcp(2));
  EXPECT_EQ(pipe.dropped(pipe.a, DropReason::kReplyNoMd), 1U);
  EXPECT_EQ(sender.events.size(), 3U);
}

TEST(Responses, ReplyLongerThanTheMd) {  // spec/core-semantics.md 6.4; spec/wire-lnet.md 3.3
  for (const bool truncate : {false, true}) {
    Pipe pipe;
    Recorder asker;
    auto sink = bytes(8);
    const MdHandle md =
        pipe.bind(pipe.a, sink, &asker, kThresholdInfinite, truncate ? kTruncate : 0U);
    pipe.get(pipe.a, md, tcp(2));  // b does not answer it
    wire::LnetHeader header;
    header.dest_nid = tcp(1);
    header.src_nid = tcp(2);
    header.payload_length = 20;
    header.part = wire::ReplyPart{{0xa, md.cookie}};
    pipe.arrive(pipe.a, header, tcp(2));
    EXPECT_EQ(pipe.dropped(pipe.a, DropReason::kReplyTooLong), truncate ? 0U : 1U);
    ASSERT_EQ(asker.events.size(), truncate ? 2U : 1U);
    if (truncate) {
      EXPECT_EQ(asker.events[1].rlength, 20U);
      EXPECT_EQ(asker.events[1].mlength, 8U);
    }
  }
}

TEST(Responses, AnswersToAttachedMdsAreDropped) {  // spec/core-semantics.md 6.3, 6.4
  Pipe pipe;
  auto sink = bytes(8);
  const MdHandle md = pipe.attach(pipe.a, sink, nullptr);
  wire::LnetHeader header;
  header.dest_nid = tcp(1);
  header.src_nid = tcp(2);
  header.part = wire::AckPart{{0xa, md.cookie}, 7, 8};
  pipe.arrive(pipe.a, header, tcp(2));
  EXPECT_EQ(pipe.dropped(pipe.a, DropReason::kAckNoMd), 1U);
}

TEST(Responses, RoundTripsAreMeasured) {  // spec/cli-lnetctl.md 12.2
  Pipe pipe;
  auto source = bytes(8), sink = bytes(64);
  pipe.attach(pipe.b, sink, nullptr, {.options = kOpPut | kOpGet | kManageRemote});
  const MdHandle md = pipe.bind(pipe.a, source, nullptr);
  pipe.a.hold_sends = true;
  pipe.put(pipe.a, md, tcp(2), AckRequest::kAck);
  pipe.now += std::chrono::microseconds(5);
  pipe.release_sends(pipe.a);
  pipe.get(pipe.a, md, tcp(2));
  pipe.now += std::chrono::microseconds(9);
  pipe.release_sends(pipe.a);
  const auto show = pipe.show(pipe.a);
  for (const TrafficStats& traffic :
       {show.nis.at(1).stats.traffic, show.peers.at(0).nis.at(0).traffic}) {
    EXPECT_EQ(traffic.put_egress.samples, 1U);
    EXPECT_EQ(traffic.put_ack.samples, 1U);
    EXPECT_EQ(traffic.put_ack.min_nsec, 5000U);
    EXPECT_EQ(traffic.put_egress.avg_nsec, 5000U);
    EXPECT_EQ(traffic.get_rtt.samples, 1U);
    EXPECT_EQ(traffic.get_rtt.max_nsec, 9000U);
  }
}

TEST(Responses, ARoundTripIsThatOfItsOwnOperation) {
  TimerWheel timers;
  ResponseTable table(timers);
  Awaited awaited;
  const Instant start{seconds(1)};
  table.begin(awaited, false, start, kNever);
  table.begin(awaited, false, start + seconds(1), kNever);
  EXPECT_EQ(table.end(awaited, false, start + seconds(3)), seconds(3));
  table.begin(awaited, false, start + seconds(4), kNever);  // its response is the second to come
  // response of the first PUT
  EXPECT_EQ(table.end(awaited, false, start + seconds(5)), std::nullopt);
  EXPECT_EQ(table.end(awaited, false, start + seconds(6)), seconds(2));
  EXPECT_EQ(awaited.count(), 0U);
  EXPECT_EQ(table.end(awaited, true, start), std::nullopt);
}

TEST(Responses, EveryRoundTripIsMeasuredFromItsOwnBeginning) {  // spec/cli-lnetctl.md 12.2
  TimerWheel timers;
  ResponseTable table(timers);
  Awaited awaited;
  const Instant start{seconds(100)};
  table.begin(awaited, true, start, kNever);
  EXPECT_EQ(table.end(awaited, true, start + seconds(2)), seconds(2));
  table.begin(awaited, true, start + seconds(50), kNever);
  EXPECT_EQ(table.end(awaited, true, start + seconds(51)), seconds(1));
  EXPECT_EQ(table.end(awaited, true, start + seconds(52)), std::nullopt);
}

TEST(Responses,
     AnMdThatHasEndedIsNotWaitedFor) {  // spec/core-semantics.md 4.5, spec/multirail.md 6
  Pipe pipe;
  Recorder sender;
  auto source = bytes(8);
  pipe.put(pipe.a, pipe.bind(pipe.a, source, &sender, 1), tcp(2), AckRequest::kAck);
  EXPECT_TRUE(sender.events.at(0).unlinked);
  EXPECT_EQ(Pipe::next_deadline(pipe.a), kNever);
  pipe.tick(seconds(1000));
  const GlobalStats statistics = pipe.show(pipe.a).statistics;
  EXPECT_EQ(statistics.response_timeout_count, 0U);
  EXPECT_EQ(statistics.rst_alloc, 0U);
}

TEST(Responses, AReplyForAnMdThatWasUnlinkedIsDropped) {  // spec/core-semantics.md 4.6, 6.4
  Pipe pipe;
  pipe.a.hold_sends = true;
  auto memory = bytes(8);
  Recorder events;
  const MdHandle md = pipe.bind(pipe.a, memory, &events, 2);
  pipe.get(pipe.a, md, tcp(2));
  pipe.unlink(pipe.a, md);
  wire::LnetHeader reply;
  reply.dest_nid = tcp(1);
  reply.src_nid = tcp(2);
  reply.part = wire::ReplyPart{{0xa, md.cookie}};
  pipe.arrive(pipe.a, reply, tcp(2));
  EXPECT_EQ(pipe.dropped(pipe.a, DropReason::kReplyNoMd), 1U);
  EXPECT_TRUE(events.events.empty());
}

TEST(Responses, UntrackedOperationsAreNotMeasured) {
  TimerWheel timers;
  ResponseTable table(timers);
  Awaited awaited;
  const Instant start{seconds(100)};
  table.begin(awaited, true, start, start + seconds(9));
  table.begin(awaited, false, start, start + seconds(9));
  EXPECT_EQ(table.size(), 1U);
  table.cancel(awaited);
  EXPECT_EQ(awaited.count(), 0U);
  EXPECT_EQ(table.size(), 0U);
  table.begin(awaited, true, start + seconds(50), kNever);
  EXPECT_EQ(table.end(awaited, true, start + seconds(51)), seconds(1));
}

TEST(Responses, AMissingAnswerFromThisNodeBlamesNoPeer) {  // spec/multirail.md 5.2, 6
  Pipe pipe;
  pipe.a.hold_sends = true;
  auto memory = bytes(8);
  pipe.get(pipe.a, pipe.bind(pipe.a, memory, nullptr, 2), tcp(1));
  pipe.finish_send(pipe.a, pipe.a.sends.at(0), 0);
  pipe.tick(seconds(200));
  const auto show = pipe.show(pipe.a);
  EXPECT_EQ(show.statistics.response_timeout_count, 1U);
  EXPECT_EQ(show.peers.at(0).nis.at(0).health_value, 1000);
}

TEST(Responses, TheReplyOfAGetIsNotTheAckOfAPut) {  // spec/core-semantics.md 6.3, 6.4
  Pipe pipe;
  Recorder events;
  auto here = bytes(8), there = bytes(8);
  pipe.attach(pipe.b, there, nullptr, {.options = kOpPut | kOpGet | kManageRemote});
  const MdHandle md = pipe.bind(pipe.a, here, &events);
  pipe.a.hold_lands = true;
  pipe.get(pipe.a, md, tcp(2));
  pipe.b.hold_sends = true;
  pipe.put(pipe.a, md, tcp(2), AckRequest::kAck);
  pipe.release_lands(pipe.a);
  pipe.release_sends(pipe.b);
  EXPECT_THAT(events.types(), ElementsAre(kSend, kSend, kReply, kAck));
}

}  // namespace
}  // namespace ulnet::core::test

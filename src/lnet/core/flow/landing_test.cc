// Payloads that are in memory when their header comes: lnet/core/contract/ports.h, CopyPayload.
#include <gmock/gmock.h>

#include "lnet/core/flow/pipe_fixture.h"

namespace ulnet::core::test {
namespace {

using testing::ElementsAre;
using enum EventType;

/// The events and counters of a transfer at its target.
struct Copied {
  std::vector<Event> events;
  std::vector<EventType> sender_types;
  std::vector<std::byte> sink;
  std::uint64_t received = 0, received_bytes = 0, dropped = 0, dropped_bytes = 0;
  std::size_t copies = 0;
};

void look(Pipe& p, End& end, const Recorder& target, Copied& seen) {
  seen.events = target.events;
  const GlobalStats statistics = p.show(end).statistics;
  seen.received = statistics.recv_count;
  seen.received_bytes = statistics.recv_length;
  seen.dropped = statistics.drop_count;
  seen.dropped_bytes = statistics.drop_length;
  seen.copies = end.copies;
}

/// A PUT with ACK of `length` bytes to an MD of 5000 bytes.
Copied put(bool whole, std::uint32_t length, std::uint32_t options,
           std::uint32_t sink_length = 5000) {
  Pipe p;
  p.whole = whole;
  Recorder sender, receiver;
  Copied seen;
  auto source = bytes(length);
  seen.sink = bytes(sink_length, 99);
  Pipe::Post post;
  post.options = options | kOpPut;
  p.attach(p.b, seen.sink, &receiver, post);
  p.put(p.a, p.bind(p.a, source, &sender, 2), tcp(2), AckRequest::kAck);
  look(p, p.b, receiver, seen);
  seen.sender_types = sender.types();
  return seen;
}

void expect_the_same(const Copied& one, const Copied& other) {
  EXPECT_EQ(one.sink, other.sink);
  EXPECT_EQ(one.sender_types, other.sender_types);
  EXPECT_EQ(one.received, other.received);
  EXPECT_EQ(one.received_bytes, other.received_bytes);
  EXPECT_EQ(one.dropped, other.dropped);
  EXPECT_EQ(one.dropped_bytes, other.dropped_bytes);
  ASSERT_EQ(one.events.size(), other.events.size());
  for (std::size_t i = 0; i < one.events.size(); ++i) {
    const Event &a = one.events[i], &b = other.events[i];
    EXPECT_EQ(a.type, b.type);
    EXPECT_EQ(a.status, b.status);
    EXPECT_EQ(a.target, b.target);
    EXPECT_EQ(a.initiator, b.initiator);
    EXPECT_EQ(a.source, b.source);
    EXPECT_EQ(a.sender, b.sender);
    EXPECT_EQ(a.portal.index, b.portal.index);
    EXPECT_EQ(a.match_bits, b.match_bits);
    EXPECT_EQ(a.hdr_data, b.hdr_data);
    EXPECT_EQ(a.rlength, b.rlength);
    EXPECT_EQ(a.mlength, b.mlength);
    EXPECT_EQ(a.offset, b.offset);
    EXPECT_EQ(a.unlinked, b.unlinked);
  }
}

TEST(CopyAtOnce, IsReportedAndCountedAsAMessageThatLandsLater) {
  for (const std::uint32_t length : {0U, 1U, 100U, 4096U})
    for (const std::uint32_t options :
         {0U, std::uint32_t{kDiscard}, std::uint32_t{kAckDisable}, std::uint32_t{kTruncate}})
      for (const std::uint32_t sink : {5000U, 70U}) {
        SCOPED_TRACE(testing::Message() << length << " bytes to " << sink << ", " << options);
        const Copied at_once = put(true, length, options, sink);
        expect_the_same(put(false, length, options, sink), at_once);
        const bool taken = length <= sink || (options & kTruncate) != 0;
        EXPECT_EQ(at_once.events.size(), taken);
        if (shards_of_a_node() == 1) {
          EXPECT_EQ(at_once.copies, taken);
        }
      }
}

TEST(CopyAtOnce, EndsAReply) {
  Pipe p;
  p.whole = true;
  p.a.hold_lands = true;
  Recorder asker, target;
  auto data = bytes(300), sink = bytes(300, 99);
  Pipe::Post post;
  post.options = kOpGet;
  p.attach(p.b, data, &target, post);
  p.get(p.a, p.bind(p.a, sink, &asker, 2), tcp(2));
  if (shards_of_a_node() != 1) p.release_lands(p.a);
  EXPECT_EQ(sink, data);
  EXPECT_THAT(asker.types(), ElementsAre(kSend, kReply));
  EXPECT_EQ(asker.events[1].mlength, 300U);
  EXPECT_EQ(p.show(p.a).statistics.recv_length, 300U);
}

TEST(CopyAtOnce, IsForShortPayloadsThatAreThere) {
  EXPECT_EQ(put(true, 4097, 0).copies, 0U);  // lnet/base/limits.h: kCopyAtOnce
  EXPECT_EQ(put(false, 100, 0).copies, 0U);
  EXPECT_EQ(put(false, 0, 0).copies, 0U);
}

TEST(CopyAtOnce, DoesNotNeedTheMdAfterTheStep) {
  Pipe p;
  p.whole = true;
  Recorder sender, receiver;
  auto source = bytes(100), sink = bytes(100, 99);
  Pipe::Post post;
  post.threshold = 1;
  p.attach(p.b, sink, &receiver, post);
  p.put(p.a, p.bind(p.a, source, &sender, 1), tcp(2));
  EXPECT_EQ(sink, source);
  ASSERT_EQ(receiver.events.size(), 1U);
  EXPECT_TRUE(receiver.events[0].unlinked);
}

TEST(CopyAtOnce, IsForContiguousMemoryOnly) {
  Pipe p;
  p.whole = true;
  Recorder sender, receiver;
  auto source = bytes(100), one = bytes(60, 99), two = bytes(60, 99);
  const MeHandle me = p.call(p.b, call::MeAttach{{5}, {}, {7}, {}}).me;
  const iovec fragments[] = {{one.data(), 60}, {two.data(), 60}};
  MdSpec spec;
  spec.fragments = fragments;
  spec.options = kOpPut;
  spec.sink = &receiver;
  p.call(p.b, call::MdAttach{me, spec, UnlinkMode::kUnlink});
  p.put(p.a, p.bind(p.a, source, &sender, 1), tcp(2));
  EXPECT_EQ(p.b.copies, 0U);
  EXPECT_TRUE(std::equal(one.begin(), one.end(), source.begin()));
  EXPECT_TRUE(std::equal(two.begin(), two.begin() + 40, source.begin() + 60));
}

TEST(CopyAtOnce, IsNotForMessagesThatTheShardReads) {
  Pipe p;
  p.whole = true;
  p.call(p.a, call::Ping{{process(tcp(2)), {}}, 1});
  p.settle();
  ASSERT_EQ(p.a.dones.size(), 1U);
  EXPECT_EQ(p.a.dones[0].status, 0);
  EXPECT_THAT(p.a.dones[0].ping.nids, testing::Contains(tcp(2)));
  EXPECT_EQ(p.a.copies, 0U);
}

}  // namespace
}  // namespace ulnet::core::test

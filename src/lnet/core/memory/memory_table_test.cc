// Memory descriptors: which specifications are accepted, when an MD is exhausted, how it ends.
// spec/core-semantics.md 4, 18.1, 18.3, 18.7.
#include "lnet/core/memory/memory_table.h"

#include <gmock/gmock.h>

#include "lnet/core/contract/cookie.h"
#include "lnet/core/flow/pipe_fixture.h"

namespace ulnet::core::test {
namespace {

using testing::ElementsAre;
using enum EventType;

MdSpec spec_of(std::span<const iovec> fragments, std::uint32_t options = 0) {
  MdSpec spec;
  spec.fragments = fragments;
  spec.options = options;
  return spec;
}

TEST(MdCheck, ArgumentsAreChecked) {  // spec/core-semantics.md 4.1, 4.2, 4.3, 4.4
  std::vector<std::byte> memory(2 << 20);
  const iovec nowhere{nullptr, 8}, empty{nullptr, 0}, large{memory.data(), memory.size()};
  const std::vector<iovec> many(257, iovec{memory.data(), 1});
  EXPECT_EQ(check_md(spec_of({&nowhere, 1}), false).status, -EINVAL);
  EXPECT_EQ(check_md(spec_of({&empty, 1}), false).status, 0);
  EXPECT_EQ(check_md(spec_of({}), false).status, 0);
  EXPECT_EQ(check_md(spec_of(many), false).status, -EINVAL);
  EXPECT_EQ(check_md(spec_of({many.data(), 256}), false).status, 0);
  EXPECT_EQ(check_md(spec_of({&large, 1}), false).status, -EINVAL);   // a bound MD is at most 1 MiB
  EXPECT_EQ(check_md(spec_of({&large, 1}, kOpPut), true).status, 0);  // attached: may be larger
  EXPECT_EQ(check_md(spec_of({&large, 1}), true).status, -EINVAL);    // attached: needs an OP
  EXPECT_EQ(check_md(spec_of({&empty, 1}, kOpPut), false).status, -EINVAL);  // bound: takes no OP
  MdSpec ring = spec_of({many.data(), 100}, kOpPut | kMaxSize);
  ring.max_size = 100;
  EXPECT_EQ(check_md(ring, true).status, 0);
  ring.max_size = 101;
  EXPECT_EQ(check_md(ring, true).status, -EINVAL);
  ring.max_size = 1;
  ring.threshold = -2;
  EXPECT_EQ(check_md(ring, true).status, -EINVAL);
}

TEST(MdCheck, UnknownOptionsAreRefused) {   // spec/core-semantics.md 4.2
  constexpr std::uint32_t kKnown = 0x7eb7;  // without KIOV, which only the C interface has
  for (std::uint32_t bit = 1; bit != 0; bit <<= 1) {
    const bool passive = (bit & (kOpPut | kOpGet)) != 0;
    EXPECT_EQ(check_md(spec_of({}, bit), passive).status, (kKnown & bit) != 0 ? 0 : -EINVAL)
        << std::hex << bit;
  }
}

TEST(Md, OptionsWithoutEffectChangeNothing) {  // spec/core-semantics.md 4.2
  constexpr std::uint32_t kIdle = kBulkHandle | kGniLnd | kGpuAddr;
  Pipe pipe;
  Recorder sender, receiver;
  auto source = bytes(4), sink = bytes(4, 100);
  pipe.attach(pipe.b, sink, &receiver, {.options = kOpPut | kIdle});
  EXPECT_EQ(pipe.put(pipe.a, pipe.bind(pipe.a, source, &sender, 1, kIdle), tcp(2)), 0);
  EXPECT_EQ(sink, source);
  EXPECT_EQ(receiver.events.at(0).md_options, kOpPut | kIdle) << "but the event has them";
}

TEST(MemoryTable, ACookieNamesOneObjectForEver) {  // spec/wire-lnet.md 2.5
  MemoryTable table(3);
  Md* first = table.make(MdSpec{}, UnlinkMode::kRetain, false);
  const MdHandle name = first->handle;
  EXPECT_EQ(table.find(name), first);
  first->on(MdEvent::kAbort);
  first->on(MdEvent::kIdle);
  table.erase(*first);
  Md* second = table.make(MdSpec{}, UnlinkMode::kRetain, false);
  EXPECT_EQ(second, first);  // the same slot
  EXPECT_NE(second->handle, name);
  EXPECT_EQ(table.find(name), nullptr);
  EXPECT_EQ(table.find(MdHandle{0}), nullptr);
  EXPECT_EQ(table.find(MdHandle{~0ULL}), nullptr);
  EXPECT_EQ(MemoryTable(4).find(second->handle), nullptr);  // a cookie of another shard
}

TEST(Md, ThresholdCountsOperationsOnBothSides) {  // spec/core-semantics.md 4.5
  Pipe pipe;
  Recorder sender, receiver;
  auto source = bytes(4), sink = bytes(100);
  pipe.attach(pipe.b, sink, &receiver, {.threshold = 3});
  const MdHandle md = pipe.bind(pipe.a, source, &sender, 4);
  EXPECT_EQ(pipe.put(pipe.a, md, tcp(2), AckRequest::kAck), 0);  // two operations: SEND, ACK
  EXPECT_EQ(pipe.put(pipe.a, md, tcp(2)), 0);                    // one operation
  EXPECT_FALSE(sender.events.back().unlinked);
  EXPECT_EQ(pipe.put(pipe.a, md, tcp(2)), 0);  // one operation
  EXPECT_TRUE(sender.events.back().unlinked);
  EXPECT_EQ(pipe.put(pipe.a, md, tcp(2)), -ENOENT);
  EXPECT_EQ(receiver.events.size(), 3U);
  EXPECT_TRUE(receiver.events.back().unlinked);
}

TEST(Md, PutWithAckOnThresholdOneGetsNoAck) {  // spec/core-semantics.md 4.5, 6.3
  Pipe pipe;
  Recorder sender, receiver;
  auto source = bytes(4), sink = bytes(100);
  pipe.attach(pipe.b, sink, &receiver);
  pipe.put(pipe.a, pipe.bind(pipe.a, source, &sender, 1, 0, UnlinkMode::kRetain), tcp(2),
           AckRequest::kAck);
  EXPECT_THAT(sender.types(), ElementsAre(kSend));
  EXPECT_EQ(pipe.dropped(pipe.a, DropReason::kAckNoMd), 1U);
}

TEST(Md, RingPacksRequestsAndUnlinksWhenFull) {  // spec/core-semantics.md 4.2, 4.5, 4.6, 18.7
  Pipe pipe;
  Recorder receiver;
  auto ring = bytes(100, 200);
  pipe.attach(pipe.b, ring, &receiver, {.options = kOpPut | kMaxSize, .max_size = 30});
  std::uint32_t at = 0;
  for (const std::size_t size : {30U, 10U, 25U, 6U}) {  // 71 bytes: 29 are left
    auto source = bytes(size, static_cast<std::uint8_t>(size));
    pipe.put(pipe.a, pipe.bind(pipe.a, source, nullptr, 1), tcp(2));
    ASSERT_FALSE(receiver.events.empty());
    EXPECT_EQ(receiver.events.back().offset, at);
    EXPECT_EQ(std::memcmp(ring.data() + at, source.data(), size), 0);
    EXPECT_EQ(receiver.events.back().unlinked, size == 6U);
    at += static_cast<std::uint32_t>(size);
  }
  EXPECT_EQ(receiver.events.size(), 4U);
}

// spec/core-semantics.md 4.2
TEST(Md, RingRefusesARequestAboveItsMaxSize) {  // spec/core-semantics.md 4.5: mlength
  Pipe pipe;
  Recorder receiver;
  auto ring = bytes(100);
  pipe.attach(pipe.b, ring, &receiver, {.options = kOpPut | kMaxSize, .max_size = 30});
  auto source = bytes(31);
  pipe.put(pipe.a, pipe.bind(pipe.a, source, nullptr, 1), tcp(2));
  EXPECT_TRUE(receiver.events.empty());
  EXPECT_EQ(pipe.dropped(pipe.b, DropReason::kTooLong), 1U);
}

TEST(Md, LocalOffsetFollowsRemoteOnes) {  // spec/core-semantics.md 4.5
  Md md;
  md.length = 100;
  advance(md, 40, 20);
  EXPECT_EQ(md.offset, 60U);
  advance(md, 0xffffffffU, 0xffffffffU);  // invalid values from a peer do not wrap around
  EXPECT_EQ(md.offset, 100U);
}

// ---- unlinking (4.6) ----------------------------------------------------------------------------

TEST(MdUnlink, IdleSaysUnlinkBeforeTheCallReturns) {  // spec/core-semantics.md 4.6, 18.3
  Pipe pipe;
  Recorder r;
  auto memory = bytes(8);
  const MdHandle md = pipe.attach(pipe.b, memory, &r);
  ApiCall api{call::MdUnlink{md}};
  Actions actions;
  pipe.b.shards[shard_of_cookie(md.cookie)]->step(pipe.now, Api{&api}, actions);
  EXPECT_EQ(api.status, 0);
  ASSERT_EQ(actions.size(), 1U);
  const core::Post& post = std::get<core::Post>(actions[0]);
  EXPECT_EQ(post.event.type, kUnlink);
  EXPECT_EQ(post.event.status, 0);
  EXPECT_TRUE(post.event.unlinked);
  EXPECT_EQ(post.strand, md);
  EXPECT_EQ(pipe.unlink(pipe.b, md), -ENOENT);
  EXPECT_EQ(pipe.unlink(pipe.b, MdHandle{}), -ENOENT);
}

TEST(MdUnlink, RemovesTheEntryFromMatching) {  // spec/core-semantics.md 4.6
  Pipe pipe;
  Recorder r;
  auto memory = bytes(8);
  pipe.unlink(pipe.b, pipe.attach(pipe.b, memory, &r));
  pipe.put(pipe.a, pipe.bind(pipe.a, memory, nullptr, 1), tcp(2));
  EXPECT_THAT(r.types(), ElementsAre(kUnlink));
}

TEST(MdUnlink, WhileAPutLandsTheLastEventSaysIt) {  // spec/core-semantics.md 4.6: busy MD
  Pipe pipe;
  Recorder sender, receiver;
  auto source = bytes(8), sink = bytes(64);
  const MdHandle md = pipe.attach(pipe.b, sink, &receiver);
  pipe.b.hold_lands = true;
  const MdHandle from = pipe.bind(pipe.a, source, &sender);
  pipe.put(pipe.a, from, tcp(2), AckRequest::kAck);
  pipe.put(pipe.a, from, tcp(2));
  EXPECT_EQ(pipe.unlink(pipe.b, md), 0);
  EXPECT_TRUE(receiver.events.empty());
  EXPECT_EQ(pipe.unlink(pipe.b, md), -ENOENT);
  pipe.release_lands(pipe.b);
  ASSERT_THAT(receiver.types(), ElementsAre(kPut, kPut));
  EXPECT_EQ(receiver.events[0].status, 0);
  EXPECT_FALSE(receiver.events[0].unlinked);
  EXPECT_EQ(receiver.events[1].status, -ETIMEDOUT);
  EXPECT_TRUE(receiver.events[1].unlinked);
  EXPECT_TRUE(pipe.b.cancels.empty());  // a Land cannot be cancelled
}

TEST(MdUnlink, WhileASendIsInFlightCancelsIt) {  // spec/core-semantics.md 4.6, DESIGN.md 2
  Pipe pipe;
  Recorder sender;
  auto source = bytes(8);
  pipe.a.hold_sends = true;
  const MdHandle md = pipe.bind(pipe.a, source, &sender);
  pipe.put(pipe.a, md, tcp(2));
  EXPECT_EQ(pipe.unlink(pipe.a, md), 0);
  ASSERT_EQ(pipe.a.cancels.size(), 1U);
  EXPECT_EQ(pipe.a.cancels[0].tx, pipe.a.sends[0].tx);
  EXPECT_TRUE(sender.events.empty());
  pipe.finish_send(pipe.a, pipe.a.sends[0], -ECANCELED);
  ASSERT_THAT(sender.types(), ElementsAre(kSend));
  EXPECT_EQ(sender.events[0].status, -ECANCELED);
  EXPECT_TRUE(sender.events[0].unlinked);
}

TEST(MdUnlink,
     AGetInFlightIsCancelledAsWell) {  // spec/core-semantics.md 4.6
  Pipe pipe;
  Recorder getter;
  auto sink = bytes(8);
  pipe.a.hold_sends = true;
  const MdHandle md = pipe.bind(pipe.a, sink, &getter, 2);
  pipe.get(pipe.a, md, tcp(2), 0, 0);
  EXPECT_EQ(pipe.unlink(pipe.a, md), 0);
  ASSERT_EQ(pipe.a.cancels.size(), 1U);
  EXPECT_EQ(pipe.a.cancels[0].tx, pipe.a.sends[0].tx);
  pipe.finish_send(pipe.a, pipe.a.sends[0], -ECANCELED);
  ASSERT_THAT(getter.types(), ElementsAre(kSend));
  EXPECT_EQ(getter.events[0].status, -ECANCELED);
  EXPECT_TRUE(getter.events[0].unlinked);
}

TEST(MdUnlink, SendThatGotAwayEndsAsTimedOut) {  // spec/core-semantics.md 4.6
  Pipe pipe;
  Recorder sender;
  auto source = bytes(8);
  pipe.a.hold_sends = true;
  const MdHandle md = pipe.bind(pipe.a, source, &sender);
  pipe.put(pipe.a, md, tcp(2));
  pipe.unlink(pipe.a, md);
  pipe.finish_send(pipe.a, pipe.a.sends[0], 0);
  ASSERT_THAT(sender.types(), ElementsAre(kSend));
  EXPECT_EQ(sender.events[0].status, -ETIMEDOUT);
  EXPECT_TRUE(sender.events[0].unlinked);
}

TEST(MdUnlink, SendsThatWaitForCreditsAreCancelled) {  // spec/core-semantics.md 4.6
  Pipe pipe;
  pipe.a.config->nis[1].tunables.peer_credits = 2;
  pipe.configure(pipe.a);
  Recorder sender, other;
  auto source = bytes(8);
  pipe.a.hold_sends = true;
  const MdHandle first = pipe.bind(pipe.a, source, &other), md = pipe.bind(pipe.a, source, &sender);
  pipe.put(pipe.a, first, tcp(2));
  pipe.put(pipe.a, md, tcp(2));
  for (int i = 0; i < 3; ++i) pipe.put(pipe.a, md, tcp(2));
  pipe.put(pipe.a, first, tcp(2));
  EXPECT_EQ(pipe.a.sends.size(), 2U);
  pipe.unlink(pipe.a, md);
  ASSERT_THAT(sender.types(), ElementsAre(kSend, kSend, kSend));
  for (const Event& event : sender.events) {
    EXPECT_EQ(event.status, -ECANCELED);
    EXPECT_FALSE(event.unlinked);  // one PUT is still in flight
  }
  EXPECT_EQ(pipe.show(pipe.a).peers.at(0).nis.at(0).available_tx_credits, -1);
  pipe.finish_send(pipe.a, pipe.a.sends[1], 0);
  EXPECT_TRUE(sender.events.back().unlinked);
  EXPECT_EQ(pipe.a.sends.size(), 3U);  // the second PUT of `first` got the credit
}

TEST(MdUnlink, AllSendsWaitingMeansTheLastCancelledIsTheEnd) {  // spec/core-semantics.md 4.6, 18.1
  ONE_SHARD_ONLY();
  Pipe pipe;
  pipe.a.config->nis[1].tunables.credits = 1;
  pipe.configure(pipe.a);
  Recorder sender, other;
  auto source = bytes(8);
  pipe.a.hold_sends = true;
  pipe.put(pipe.a, pipe.bind(pipe.a, source, &other), tcp(2));
  const MdHandle md = pipe.bind(pipe.a, source, &sender);
  pipe.put(pipe.a, md, tcp(2));
  pipe.put(pipe.a, md, tcp(2));  // both have a peer credit and wait for the NI's
  pipe.unlink(pipe.a, md);
  ASSERT_EQ(sender.events.size(), 2U);
  EXPECT_FALSE(sender.events[0].unlinked);
  EXPECT_TRUE(sender.events[1].unlinked);
  EXPECT_EQ(sender.events[1].status, -ECANCELED);
  const auto show = pipe.show(pipe.a);
  EXPECT_EQ(show.peers.at(0).nis.at(0).available_tx_credits, 7);
  EXPECT_EQ(show.nis.at(1).stats.credits, 0);
}

TEST(MdUnlink, ASendThatWasJustGivenItsCreditIsCancelledToo) {  // spec/core-semantics.md 4.6
  ONE_SHARD_ONLY();
  Pipe pipe;
  pipe.a.config->nis[1].tunables.credits = pipe.a.config->nis[1].tunables.peer_credits = 1;
  pipe.configure(pipe.a);
  auto source = bytes(8);
  pipe.a.hold_sends = true;
  pipe.put(pipe.a, pipe.bind(pipe.a, source, nullptr), tcp(2));
  // The first ping has the peer credit and waits for the NI's, the second waits for the peer
  // credit.
  for (std::uint64_t ticket : {1, 2}) {
    PingRequest request;
    request.target = process(tcp(3));
    pipe.call(pipe.a, call::Ping{request, ticket});
  }
  // Both pings end in the same Tick: the second one gets the peer credit of the first just before
  // its own end.
  pipe.tick(std::chrono::seconds(2));
  EXPECT_EQ(pipe.a.dones.size(), 2U);
  pipe.finish_send(pipe.a, pipe.a.sends[0], 0);
  EXPECT_EQ(pipe.a.sends.size(), 1U);
}

TEST(MdUnlink, WaitingForAnAckOnlyCountsAsIdle) {  // spec/core-semantics.md 4.6
  Pipe pipe;
  Recorder sender;
  auto source = bytes(8);
  const MdHandle md = pipe.bind(pipe.a, source, &sender);
  pipe.put(pipe.a, md, tcp(2), AckRequest::kAck);  // b has no buffer: no ACK comes
  EXPECT_EQ(pipe.unlink(pipe.a, md), 0);
  EXPECT_THAT(sender.types(), ElementsAre(kSend, kUnlink));
  EXPECT_EQ(sender.events[1].status, 0);
  EXPECT_EQ(pipe.show(pipe.a).statistics.rst_alloc, 0U);
}

TEST(MdUnlink, RetiredMdInFlightCanStillBeAborted) {  // spec/core-semantics.md 4.6
  Pipe pipe;
  Recorder sender;
  auto source = bytes(8);
  pipe.a.hold_sends = true;
  const MdHandle md = pipe.bind(pipe.a, source, &sender, 1);
  pipe.put(pipe.a, md, tcp(2));
  EXPECT_EQ(pipe.unlink(pipe.a, md), 0);
  EXPECT_EQ(pipe.a.cancels.size(), 1U);
  pipe.finish_send(pipe.a, pipe.a.sends[0], 0);
  EXPECT_EQ(sender.events.size(), 1U);
  EXPECT_TRUE(sender.events[0].unlinked);
}

TEST(MdUnlink, ReplyInFlightKeepsTheTargetBusy) {  // spec/core-semantics.md 4.6, 5
  Pipe pipe;
  Recorder server;
  auto data = bytes(8), sink = bytes(8);
  const MdHandle md = pipe.attach(pipe.b, data, &server, {.options = kOpGet});
  pipe.b.hold_sends = true;
  pipe.get(pipe.a, pipe.bind(pipe.a, sink, nullptr), tcp(2));
  EXPECT_EQ(pipe.unlink(pipe.b, md), 0);
  EXPECT_EQ(pipe.b.cancels.size(), 1U);
  EXPECT_TRUE(server.events.empty());
  pipe.finish_send(pipe.b, pipe.b.sends.at(0), 0);
  ASSERT_THAT(server.types(), ElementsAre(kGet));
  EXPECT_TRUE(server.events[0].unlinked);
  EXPECT_EQ(server.events[0].status, -ETIMEDOUT);
}

TEST(MdUnlink, AutoUnlinkWaitsForAllOperations) {  // spec/core-semantics.md 4.3, 4.6, 18.1
  Pipe pipe;
  Recorder receiver;
  auto source = bytes(8), sink = bytes(64);
  pipe.attach(pipe.b, sink, &receiver, {.threshold = 2});
  pipe.b.hold_lands = true;
  const MdHandle from = pipe.bind(pipe.a, source, nullptr);
  for (int i = 0; i < 3; ++i) pipe.put(pipe.a, from, tcp(2));
  EXPECT_EQ(pipe.dropped(pipe.b, DropReason::kNoMatch),
            1U);  // the exhausted MD is not matched any more
  pipe.release_lands(pipe.b);
  ASSERT_EQ(receiver.events.size(), 2U);
  EXPECT_FALSE(receiver.events[0].unlinked);
  EXPECT_TRUE(receiver.events[1].unlinked);
  EXPECT_EQ(receiver.events[1].status, 0);
}

TEST(MdUnlink, RetainedMdStaysWhenExhausted) {  // spec/core-semantics.md 4.3: RETAIN
  Pipe pipe;
  Recorder receiver;
  auto source = bytes(8), sink = bytes(64);
  const MdHandle md =
      pipe.attach(pipe.b, sink, &receiver, {.threshold = 1, .unlink = UnlinkMode::kRetain});
  pipe.put(pipe.a, pipe.bind(pipe.a, source, nullptr, 1), tcp(2));
  EXPECT_FALSE(receiver.events.at(0).unlinked);
  EXPECT_EQ(pipe.unlink(pipe.b, md), 0);
  EXPECT_EQ(receiver.events.back().type, kUnlink);
}

TEST(MdUnlink, MdWithoutASinkEndsQuietly) {  // spec/core-semantics.md 5: no handler, no events
  Pipe pipe;
  auto memory = bytes(8);
  const MdHandle md = pipe.bind(pipe.a, memory, nullptr);
  EXPECT_EQ(pipe.unlink(pipe.a, md), 0);
  EXPECT_EQ(pipe.unlink(pipe.a, md), -ENOENT);
}

TEST(MdCheck, LengthsUpToFourGigabytes) {  // spec/core-semantics.md 4.1
  std::byte somewhere{};
  iovec fragments[] = {{&somewhere, UINT32_MAX}, {&somewhere, 1}};
  EXPECT_EQ(check_md(spec_of({fragments, 1}, kOpPut), true).status, 0);
  EXPECT_EQ(check_md(spec_of(fragments, kOpPut), true).status, -EINVAL);
}

TEST(MdUnlink, TakesARetainedEntryAlong) {  // spec/core-semantics.md 3, 4.6
  Pipe pipe;
  const MeHandle me = pipe.call(pipe.b, call::MeAttach{{5}, {}, {7}, {0}, UnlinkMode::kRetain}).me;
  const MdSpec spec = spec_of({}, kOpPut);
  pipe.unlink(pipe.b, pipe.call(pipe.b, call::MdAttach{me, spec, UnlinkMode::kRetain}).md);
  int status = 0;
  pipe.call(pipe.b, call::MdAttach{me, spec, UnlinkMode::kRetain}, &status);
  EXPECT_EQ(status, -ENOENT);
}

TEST(Md, AnExhaustedOneLeavesItsEntryWhileItsLastOperationRuns) {  // spec/core-semantics.md 4.5
  Pipe pipe;
  auto source = bytes(1), sink = bytes(1);
  const iovec fragment{sink.data(), sink.size()};
  const MeHandle me = pipe.call(pipe.b, call::MeAttach{{5}, {}, {7}, {0}, UnlinkMode::kRetain}).me;
  MdSpec spec = spec_of({&fragment, 1}, kOpPut);
  spec.threshold = 1;
  pipe.call(pipe.b, call::MdAttach{me, spec, UnlinkMode::kUnlink});
  pipe.b.hold_lands = true;
  pipe.put(pipe.a, pipe.bind(pipe.a, source, nullptr), tcp(2));
  int status = 0;
  pipe.call(pipe.b, call::MdAttach{me, spec, UnlinkMode::kUnlink}, &status);
  EXPECT_EQ(status, 0);
}

TEST(MdCheck, ABoundMdIsAtMostOneMessage) {  // spec/core-semantics.md 4.4
  std::byte somewhere{};
  iovec fragment{&somewhere, limits::kMtu};
  EXPECT_EQ(check_md(spec_of({&fragment, 1}), false).status, 0);
  ++fragment.iov_len;
  EXPECT_EQ(check_md(spec_of({&fragment, 1}), false).status, -EINVAL);
}

TEST(Md, AnUnfilledMdTakesNothing) {
  Md md;
  EXPECT_TRUE(exhausted(md));
  EXPECT_FALSE(md.passive);
  EXPECT_EQ(extent(md, 0).length, 0U);
  EXPECT_EQ(md.fragment_count + md.max_size + md.options + md.refs, 0U);
}

/// The address of the fragment list of an MD with `count` fragments, which is freed again.
const iovec* fragments_of(MemoryTable& table, std::size_t count) {
  const std::vector<iovec> fragments(count, iovec{&table, 1});
  Md* md = table.make(spec_of(fragments), UnlinkMode::kRetain, false);
  const iovec* where = md->fragments;
  EXPECT_EQ(md->own_fragments != nullptr, count > 2) << count;
  md->on(MdEvent::kAbort);
  md->on(MdEvent::kIdle);
  table.erase(*md);
  return where;
}

TEST(Md, AListOfFragmentsIsUsedAgainForAsMany) {  // docs/DESIGN.md 2: nothing is allocated
  MemoryTable table(0);
  for (const std::size_t count : {2, 3}) fragments_of(table, count);
  const iovec* const few = fragments_of(table, 8);
  const iovec* const some = fragments_of(table, 32);
  const iovec* const many = fragments_of(table, 256);
  EXPECT_NE(few, some);
  EXPECT_NE(some, many);
  EXPECT_EQ(fragments_of(table, 3), few);
  EXPECT_EQ(fragments_of(table, 9), some);
  EXPECT_EQ(fragments_of(table, 33), many);
  EXPECT_EQ(fragments_of(table, 8), few);
  EXPECT_EQ(fragments_of(table, 32), some);
  EXPECT_EQ(fragments_of(table, 256), many);
}

}  // namespace
}  // namespace ulnet::core::test

// Lazy portals. spec/core-semantics.md 4.3, 7.1, 7.2, 18.10, 18.15.
#include "lnet/core/memory/portal.h"

#include <gmock/gmock.h>

#include "lnet/core/flow/pipe_fixture.h"

namespace ulnet::core::test {
namespace {

/// `count` PUTs of `size` bytes wait on a lazy portal of b without buffers; they begin with the
/// bytes 0, 1, 2 ...
void wait_on_lazy(Pipe& pipe, int count, std::size_t size = 1) {
  pipe.call(pipe.b, call::SetLazy{{5}});
  for (int i = 0; i < count; ++i) {
    auto source = bytes(size, static_cast<std::uint8_t>(i));
    pipe.put(pipe.a, pipe.bind(pipe.a, source, nullptr, 1), tcp(2), AckRequest::kAck);
  }
}

// spec/core-semantics.md 4.3, 7.1, 18.10; spec/wire-lnet.md 3.2
TEST(Lazy, MessagesWaitAndAreConsumedInTheOrderOfArrival) {
  Pipe pipe;
  wait_on_lazy(pipe, 5);
  EXPECT_EQ(pipe.b.holds.size(), 5U);
  EXPECT_TRUE(pipe.b.drops.empty());
  auto first = bytes(2, 100), rest = bytes(10, 100);
  Recorder r;
  // The buffer takes two messages; the others keep waiting (4.3).
  pipe.attach(pipe.b, first, &r, {.threshold = 2});
  EXPECT_EQ(r.events.size(), 2U);
  EXPECT_TRUE(r.events.back().unlinked);
  pipe.attach(pipe.b, rest, &r);
  EXPECT_EQ(r.events.size(), 5U);
  EXPECT_EQ(first, bytes(2, 0));
  EXPECT_EQ(std::vector(rest.begin(), rest.begin() + 3), bytes(3, 2));
}

TEST(Lazy, BuffersThatDoNotMatchLeaveThemWaiting) {  // spec/core-semantics.md 4.3
  Pipe pipe;
  wait_on_lazy(pipe, 1);
  auto sink = bytes(8);
  Recorder r;
  pipe.attach(pipe.b, sink, &r, {.match = {8}});
  EXPECT_TRUE(r.events.empty());
  pipe.attach(pipe.b, sink, &r);
  EXPECT_EQ(r.events.size(), 1U);
}

TEST(Lazy, AMessageThatDoesNotFitInItsTurnIsDropped) {  // spec/core-semantics.md 4.3
  Pipe pipe;
  wait_on_lazy(pipe, 1, 20);
  auto sink = bytes(8);
  Recorder r;
  pipe.attach(pipe.b, sink, &r);
  EXPECT_TRUE(r.events.empty());
  EXPECT_EQ(pipe.dropped(pipe.b, DropReason::kTooLong), 1U);
  EXPECT_EQ(pipe.b.drops.back().rlen, 20U);
}

TEST(Lazy, SetTwiceIsHarmlessAndIndicesAreChecked) {  // spec/core-semantics.md 7.1
  Pipe pipe;
  int status = 0;
  pipe.call(pipe.b, call::SetLazy{{5}});
  pipe.call(pipe.b, call::SetLazy{{5}});
  pipe.call(pipe.b, call::SetLazy{{64}}, &status);
  EXPECT_EQ(status, -EINVAL);
  pipe.call(pipe.b, call::ClearLazy{{64}}, &status);
  EXPECT_EQ(status, -EINVAL);
  pipe.call(pipe.b, call::ClearLazy{{6}});
}

TEST(Lazy, ClearingDropsWaitingMessages) {  // spec/core-semantics.md 7.1
  Pipe pipe;
  wait_on_lazy(pipe, 3);
  pipe.call(pipe.b, call::ClearLazy{{5}});
  EXPECT_EQ(pipe.dropped(pipe.b, DropReason::kLazyCleared), 3U);
  const GlobalStats stats = pipe.show(pipe.b).statistics;
  EXPECT_EQ(stats.drop_count, 3U);
  EXPECT_EQ(stats.errors, 3U);
  EXPECT_EQ(stats.msgs_alloc, 0U);
  ASSERT_FALSE(pipe.b.notes.empty());
  EXPECT_EQ(pipe.b.notes.back().level, Note::Level::kWarning);
  EXPECT_EQ(pipe.b.notes.back().detail, 3U);
  // The next message is dropped at once.
  auto source = bytes(1);
  pipe.put(pipe.a, pipe.bind(pipe.a, source, nullptr, 1), tcp(2));
  EXPECT_EQ(pipe.dropped(pipe.b, DropReason::kNoMatch), 1U);
}

TEST(Lazy, ClearingWhenNothingWaitsWarnsOfNothing) {  // spec/core-semantics.md 7.1
  Pipe pipe;
  pipe.call(pipe.b, call::SetLazy{{5}});
  pipe.b.notes.clear();
  pipe.call(pipe.b, call::ClearLazy{{5}});
  EXPECT_TRUE(pipe.b.notes.empty());
}

TEST(Lazy, AConnectionThatDiesTakesItsHeldMessages) {  // DESIGN.md 2: held payloads
  Pipe pipe;
  wait_on_lazy(pipe, 2);
  pipe.input(pipe.b, PayloadLanded{pipe.b.holds[0].msg, -ECONNRESET, Health::kNetworkTimeout});
  EXPECT_EQ(pipe.dropped(pipe.b, DropReason::kHeldLost), 1U);
  EXPECT_TRUE(pipe.b.drops.empty()) << "the driver has it no more";
  auto sink = bytes(8);
  Recorder r;
  pipe.attach(pipe.b, sink, &r);
  ASSERT_EQ(r.events.size(), 1U);
  EXPECT_EQ(sink[0], std::byte{1});
}

TEST(Lazy,
     AConnectionMayDieWhileItsMessageIsDropped) {  // lnet/core/contract/ports.h
  Pipe pipe;
  wait_on_lazy(pipe, 1);
  const PayloadLanded lost{pipe.b.holds[0].msg, -ECONNRESET, Health::kNetworkTimeout};
  pipe.call(pipe.b, call::ClearLazy{{5}});
  pipe.b.notes.clear();
  pipe.input(pipe.b, lost);
  EXPECT_TRUE(pipe.b.notes.empty());
  EXPECT_EQ(pipe.dropped(pipe.b, DropReason::kHeldLost), 0U);
}

TEST(Lazy, RemovingAnNiDropsItsMessagesOnly) {  // spec/core-semantics.md 7.1, 18.15
  Pipe pipe({tcp(1), tcp(1, 1)}, {tcp(2), tcp(2, 1)});
  pipe.call(pipe.b, call::SetLazy{{5}});
  auto source = bytes(1);
  for (const Nid& to : {tcp(2), tcp(2, 1), tcp(2)})
    pipe.put(pipe.a, pipe.bind(pipe.a, source, nullptr, 1), to);
  auto next = std::make_shared<NodeConfig>(*pipe.b.config);
  std::erase_if(next->nis, [](const NiConfig& ni) { return ni.id == kTcp; });
  pipe.input(pipe.b, Config{next});
  EXPECT_EQ(pipe.dropped(pipe.b, DropReason::kNiRemoved), 2U);
  ASSERT_EQ(pipe.b.drained.size(), 1U);
  EXPECT_EQ(pipe.b.drained[0].ni, kTcp);
  auto sink = bytes(8);
  Recorder r;
  pipe.attach(pipe.b, sink, &r);
  EXPECT_EQ(r.events.size(), 1U);
}

TEST(Lazy, ADropNamesTheNiOfTheMessage) {  // lnet/core/contract/ports.h
  Pipe pipe({tcp(1), tcp(1, 1)}, {tcp(2), tcp(2, 1)});
  pipe.call(pipe.b, call::SetLazy{{5}});
  auto source = bytes(1);
  pipe.put(pipe.a, pipe.bind(pipe.a, source, nullptr), tcp(2, 1));
  pipe.call(pipe.b, call::ClearLazy{{5}});
  ASSERT_EQ(pipe.b.drops.size(), 1U);
  EXPECT_EQ(pipe.b.drops[0].ni, kTcp1);
}

}  // namespace
}  // namespace ulnet::core::test

// Messages whose payload waits: for a late verdict; for another shard; or for a lazy portal, until
// it is landed, dropped or lost with its connection. The test plays the peer, byte by byte.
#include <gtest/gtest.h>

#include "lnet/lnd/sock/engine/engine_fixture.h"

namespace ulnet::lnd::sock {
namespace {

using namespace std::chrono_literals;
using wire::ConnType;
using Verdict = EngineBench::Verdict;

class EngineHold : public testing::Test {
 protected:
  EngineBench bench;
};

// If a verdict comes late, the connection is not read meanwhile; nothing is lost.
TEST_F(EngineHold, ALateVerdictPausesTheConnection) {
  const Handle conn = bench.accepted(bench.hello(ConnType::kControl));
  bench.verdict = Verdict::kLater;
  const Bytes one = put_bytes(bench.header(3), text_bytes("abc"));
  bench.feed(conn, one + one);
  ASSERT_EQ(bench.messages.size(), 1U);
  EXPECT_TRUE(bench.pauses[conn.slot]);
  bench.verdict = Verdict::kLand;
  auto& first = bench.messages[0];
  bench.engine.command(core::Land{bench.ni.id, first.rx, first.msg, {&first.vector, 1, 0, 3}, 3});
  EXPECT_EQ(bench.messages.size(), 1U) << "nothing is delivered from inside a command";
  bench.engine.work();
  EXPECT_EQ(bench.messages.size(), 2U);
  EXPECT_FALSE(bench.pauses[conn.slot]);
  EXPECT_EQ(first.sink, text_bytes("abc"));
  EXPECT_EQ(first.ends, 1);
}

// DESIGN.md 2: held payload is staged, and the engine goes on reading the connection; beyond the
// limit it stops, and that time does not count for time-outs
TEST_F(EngineHold, HoldsUpToTheLimitThenStopsReading) {
  const Handle conn = bench.accepted(bench.hello(ConnType::kControl));
  bench.verdict = Verdict::kHold;
  const Bytes big = put_bytes(bench.header(600000), Bytes(600000, std::byte{7}));
  bench.read(conn, big + big, 65536);
  ASSERT_EQ(bench.messages.size(), 2U);
  EXPECT_TRUE(bench.pauses[conn.slot]);
  EXPECT_EQ(bench.count(Count::kHoldPaused), 1U);
  bench.advance(500s);
  EXPECT_FALSE(bench.closed(conn)) << "its time-out clock is stopped";

  auto& first = bench.messages[0];
  bench.engine.command(
      core::Land{bench.ni.id, first.rx, first.msg, {&first.vector, 1, 0, 600000}, 600000});
  EXPECT_EQ(first.ends, 1);
  EXPECT_EQ(first.sink, Bytes(600000, std::byte{7}));
  bench.engine.work();
  EXPECT_FALSE(bench.pauses[conn.slot]) << "there is space for the second now";
}

// The memory is free for the peer's other connection when the connection ends whose payload took
// it.
TEST_F(EngineHold, SpaceOfALostConnectionGoesToItsPeersOthers) {
  const Handle first = bench.accepted(bench.hello(ConnType::kControl));
  const Handle second = bench.accepted(bench.hello(ConnType::kControl), "192.168.7.7");
  bench.verdict = Verdict::kHold;
  const Bytes big = put_bytes(bench.header(600000), Bytes(600000, std::byte{7}));
  bench.read(first, big, 65536);
  bench.read(second, big, 65536);
  ASSERT_EQ(bench.messages.size(), 2U);
  EXPECT_TRUE(bench.pauses[second.slot]);
  bench.engine.ended(first, 0);
  bench.engine.work();
  EXPECT_FALSE(bench.closed(second));
  EXPECT_FALSE(bench.pauses[second.slot]);
}

// limits::kHoldCostMin: the number of held messages without payload is bounded too
TEST_F(EngineHold, HeldMessagesWithoutPayloadAreBoundedToo) {
  const Handle conn = bench.accepted(bench.hello(ConnType::kControl));
  const Bytes one = put_bytes(bench.header(0), {});
  for (int i = 0; i < 1000; ++i) bench.feed(conn, one);  // they take no memory
  bench.verdict = Verdict::kHold;
  Bytes many;
  for (int i = 0; i < 3000; ++i) many.insert(many.end(), one.begin(), one.end());
  bench.feed(conn, many);
  EXPECT_EQ(bench.messages.size(), 1000U + (1U << 20) / 512 + 1);
  EXPECT_TRUE(bench.pauses[conn.slot]);
}

TEST_F(EngineHold, AHeldMessageIsLandedWhileItIsBeingStaged) {
  const Handle conn = bench.accepted(bench.hello(ConnType::kControl));
  bench.verdict = Verdict::kHold;
  const Bytes payload = text_bytes("0123456789");
  const Bytes stream = put_bytes(bench.header(10), payload);
  bench.feed(conn, Bytes(stream.begin(), stream.end() - 4));
  auto& message = bench.messages.at(0);
  bench.engine.command(
      core::Land{bench.ni.id, message.rx, message.msg, {&message.vector, 1, 0, 10}, 10});
  EXPECT_EQ(message.ends, 0);
  bench.feed(conn, Bytes(stream.end() - 4, stream.end()));
  EXPECT_EQ(message.ends, 1);
  EXPECT_EQ(message.sink, payload);
}

// ports.h, Hold::kDefer: the connection is not read until another shard has decided, and no payload
// is staged
TEST_F(EngineHold, ADeferredMessageIsReadIntoItsSink) {
  const Handle conn = bench.accepted(bench.hello(ConnType::kControl));
  bench.verdict = Verdict::kLater;
  const Bytes payload = text_bytes("0123456789");
  const Bytes one = put_bytes(bench.header(10), payload);
  bench.read(conn, one + one, 65536);
  auto& message = bench.messages.at(0);
  bench.engine.command(core::HoldPayload{bench.ni.id, message.rx, message.msg, core::Hold::kDefer});
  bench.engine.work();
  EXPECT_EQ(bench.messages.size(), 1U) << "it is not read meanwhile";
  EXPECT_EQ(bench.count(Count::kHoldPaused), 0U);
  bench.advance(500s);
  EXPECT_FALSE(bench.closed(conn)) << "its time-out clock is stopped";
  bench.engine.command(
      core::Land{bench.ni.id, message.rx, message.msg, {&message.vector, 1, 0, 10}, 10});
  bench.engine.work();
  EXPECT_EQ(bench.messages.size(), 2U);
  EXPECT_EQ(bench.messages.at(0).ends, 1);
  EXPECT_EQ(bench.messages.at(0).sink, payload);
}

// If the other shard holds the message for a lazy portal, the engine stages its payload like that
// of other held messages.
TEST_F(EngineHold, ADeferredMessageThatIsHeldIsStaged) {
  const Handle conn = bench.accepted(bench.hello(ConnType::kControl));
  bench.verdict = Verdict::kLater;
  const Bytes one = put_bytes(bench.header(10), text_bytes("0123456789"));
  bench.read(conn, one + one, 65536);
  auto& message = bench.messages.at(0);
  bench.engine.command(core::HoldPayload{bench.ni.id, message.rx, message.msg, core::Hold::kDefer});
  bench.engine.command(core::HoldPayload{bench.ni.id, message.rx, message.msg, core::Hold::kStage});
  bench.engine.work();
  EXPECT_EQ(bench.messages.size(), 2U);
  bench.engine.ended(conn, 0);
  EXPECT_EQ(bench.messages.at(0).ends, 1);
  bench.engine.command(core::HoldPayload{bench.ni.id, bench.messages.at(0).rx,
                                         bench.messages.at(0).msg, core::Hold::kStage});
  EXPECT_EQ(bench.messages.at(0).ends, 1) << "one that crosses its loss says nothing new";
}

TEST_F(EngineHold, AHeldMessageCanBeDropped) {
  const Handle conn = bench.accepted(bench.hello(ConnType::kControl));
  bench.verdict = Verdict::kHold;
  bench.feed(conn, put_bytes(bench.header(10), Bytes(10)));
  bench.engine.command(core::DropPayload{bench.ni.id, bench.messages.at(0).rx, 10});
  bench.verdict = Verdict::kLand;
  bench.feed(conn, put_bytes(bench.header(10), Bytes(10)));
  EXPECT_EQ(bench.messages.size(), 2U);
  EXPECT_EQ(bench.messages[0].ends, 0);
  EXPECT_EQ(bench.messages[1].ends, 1);
}

// Each connection has a list of its held messages, so closing it costs no time for held messages of
// other connections.
TEST_F(EngineHold, HeldMessagesAreLostInTheOrderInWhichTheyWereHeld) {
  const Handle conn = bench.accepted(bench.hello(ConnType::kControl));
  bench.verdict = EngineBench::Verdict::kHold;
  for (int i = 0; i < 3; ++i) bench.feed(conn, put_bytes(bench.header(3), text_bytes("abc")));
  bench.engine.command(core::DropPayload{bench.ni.id, bench.messages[0].rx, 3});
  bench.feed(conn, put_bytes(bench.header(3), text_bytes("abc")));  // reuses the first one's slot
  bench.engine.ended(conn, 0);
  EXPECT_EQ(bench.ended, (std::vector<std::uint32_t>{1, 2, 3}));
}

// DESIGN.md 2: a held message whose connection dies is reported once, also if its Land is under
// way
TEST_F(EngineHold, AHeldMessageThatIsLostComesBackOnce) {
  const Handle conn = bench.accepted(bench.hello(ConnType::kControl));
  bench.verdict = Verdict::kHold;
  bench.feed(conn, put_bytes(bench.header(10), Bytes(10)));
  bench.engine.ended(conn, 0);
  auto& message = bench.messages.at(0);
  EXPECT_EQ(message.ends, 1);
  EXPECT_LT(message.status, 0);
  bench.engine.command(
      core::Land{bench.ni.id, message.rx, message.msg, {&message.vector, 1, 0, 10}, 10});
  EXPECT_EQ(message.ends, 1);
  EXPECT_EQ(bench.count(Count::kHeldLost), 1U);
}

// The memory for a held message is free again, however the message ends: landed or dropped, while
// it is being staged and after.
TEST_F(EngineHold, HoldSpaceIsFreedAgain) {
  const auto trio = bench.trio();
  const Handle elsewhere = bench.accepted(bench.hello(ConnType::kControl), "192.168.7.7");
  bench.verdict = Verdict::kHold;
  const std::uint32_t size = 600000;
  const Bytes stream = put_bytes(bench.header(size), Bytes(size, std::byte{7}));
  const auto half = static_cast<std::ptrdiff_t>(stream.size() / 2);
  for (const bool staged : {false, true}) {
    for (const bool wanted : {false, true}) {
      bench.feed(trio.control, Bytes(stream.begin(), stream.begin() + (staged ? 0 : half)) +
                                   (staged ? stream : Bytes()));
      auto& message = bench.messages.back();
      if (wanted) {
        bench.engine.command(
            core::Land{bench.ni.id, message.rx, message.msg, {&message.vector, 1, 0, size}, size});
      } else {
        bench.engine.command(core::DropPayload{bench.ni.id, message.rx, size});
      }
      if (!staged) bench.feed(trio.control, Bytes(stream.begin() + half, stream.end()));
      EXPECT_EQ(message.ends, wanted ? 1 : 0);
      EXPECT_EQ(message.sink, Bytes(size, wanted ? std::byte{7} : std::byte{}));
    }
  }
  // ... and when its connection ends, before and after the message was landed
  for (const bool landed : {false, true}) {
    const auto [control, in, out] = landed ? bench.trio() : trio;
    bench.feed(control, Bytes(stream.begin(), stream.begin() + half));
    auto& message = bench.messages.back();
    if (landed)
      bench.engine.command(
          core::Land{bench.ni.id, message.rx, message.msg, {&message.vector, 1, 0, size}, size});
    bench.engine.ended(control, 0);
    EXPECT_EQ(message.ends, 1);
  }
  EXPECT_EQ(bench.count(Count::kHoldPaused), 0U);
  bench.feed(elsewhere, put_bytes(bench.header(1 << 19), Bytes(1 << 19)));
  EXPECT_EQ(bench.count(Count::kHoldPaused), 0U);
  EXPECT_FALSE(bench.pauses[elsewhere.slot]);
  bench.feed(elsewhere, put_bytes(bench.header((1 << 19) + 1), {}));
  EXPECT_EQ(bench.count(Count::kHoldPaused), 1U) << "a byte too many";
}

// The engine keeps nothing of a message that is dropped while it is being staged.
TEST_F(EngineHold, AMessageDroppedWhileItIsStagedIsNotLost) {
  const Handle conn = bench.accepted(bench.hello(ConnType::kControl));
  bench.verdict = Verdict::kHold;
  const Bytes stream = put_bytes(bench.header(10), Bytes(10));
  bench.feed(conn, Bytes(stream.begin(), stream.end() - 4));
  bench.engine.command(core::DropPayload{bench.ni.id, bench.messages.at(0).rx, 10});
  bench.engine.ended(conn, 0);
  EXPECT_EQ(bench.messages.at(0).ends, 0);
  EXPECT_EQ(bench.count(Count::kHeldLost), 0U);
}

// The sink may be shorter than the payload, and begin anywhere in its memory.
TEST_F(EngineHold, StagedBytesGoWhereTheSinkIs) {
  for (const std::ptrdiff_t missing : {0, 2, 4, 8}) {
    EngineBench fresh;
    const Handle conn = fresh.accepted(fresh.hello(ConnType::kControl));
    fresh.verdict = Verdict::kHold;
    const Bytes stream = put_bytes(fresh.header(10), text_bytes("0123456789"));
    fresh.feed(conn, Bytes(stream.begin(), stream.end() - missing));
    auto& message = fresh.messages.at(0);
    message.sink = text_bytes("....................");
    message.vector = {message.sink.data(), 20};
    fresh.engine.command(
        core::Land{fresh.ni.id, message.rx, message.msg, {&message.vector, 1, 3, 5}, 10});
    fresh.read(conn, Bytes(stream.end() - missing, stream.end()), 65536);
    EXPECT_EQ(message.ends, 1);
    EXPECT_EQ(message.sink, text_bytes("...01234............")) << missing;
  }
}

// When memory becomes free, the engine does not stage messages that wait for another shard's
// decision.
TEST_F(EngineHold, DeferredMessagesTakeNoHoldSpace) {
  const auto trio = bench.trio();
  bench.verdict = Verdict::kHold;
  bench.feed(trio.control, put_bytes(bench.header(8), Bytes(8)));
  bench.verdict = Verdict::kLater;
  bench.feed(trio.bulk_out, put_bytes(bench.header(8), Bytes(8)));
  const auto& deferred = bench.messages.at(1);
  bench.engine.command(
      core::HoldPayload{bench.ni.id, deferred.rx, deferred.msg, core::Hold::kDefer});
  bench.engine.command(core::DropPayload{bench.ni.id, bench.messages.at(0).rx, 8});
  bench.engine.work();
  EXPECT_TRUE(bench.pauses[trio.bulk_out.slot]);
  bench.engine.ended(trio.bulk_out, 0);
  EXPECT_EQ(deferred.ends, 1) << "it was held, and is lost";
}

// The engine remembers a lost message until drained() reports that the commands which may have been
// under way have come.
TEST_F(EngineHold, ALostMessageIsForgottenInTheEnd) {
  const Handle conn = bench.accepted(bench.hello(ConnType::kControl));
  bench.verdict = Verdict::kHold;
  for (int i = 0; i < 2; ++i) bench.feed(conn, put_bytes(bench.header(3), Bytes(3)));
  bench.engine.ended(conn, 0);
  EXPECT_FALSE(bench.engine.see(bench.messages[0].rx));
  const auto land = [&](std::size_t i) {
    auto& message = bench.messages.at(i);
    bench.engine.command(
        core::Land{bench.ni.id, message.rx, message.msg, {&message.vector, 1, 0, 3}, 3});
    return message.ends;
  };
  bench.engine.drained();
  EXPECT_EQ(land(0), 1) << "it is known still";
  bench.engine.drained();
  bench.engine.drained();
  EXPECT_EQ(land(1), 2) << "nobody can name it any more";
}

// A verdict may come just before the connection or its NI ends.
TEST_F(EngineHold, AVerdictOnAConnectionThatEndsChangesNothing) {
  for (const bool whole : {false, true}) {
    EngineBench fresh;
    const Handle conn = fresh.accepted(fresh.hello(ConnType::kControl));
    fresh.verdict = Verdict::kLater;
    const Bytes one = put_bytes(fresh.header(3), Bytes(3));
    fresh.feed(conn, one + one);
    auto& message = fresh.messages.at(0);
    fresh.engine.command(
        core::Land{fresh.ni.id, message.rx, message.msg, {&message.vector, 1, 0, 3}, 3});
    EXPECT_TRUE(fresh.engine.has_work());
    if (whole) {
      fresh.engine.remove_ni(fresh.ni.id);
    } else {
      fresh.engine.ended(conn, 0);
    }
    fresh.engine.work();
    EXPECT_EQ(fresh.messages.size(), 1U);
    EXPECT_EQ(message.ends, 1);
    EXPECT_TRUE(fresh.pauses[conn.slot]);
    EXPECT_FALSE(fresh.engine.has_work());
  }
}

}  // namespace
}  // namespace ulnet::lnd::sock

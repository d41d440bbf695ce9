// Messages whose payload waits: for a late verdict, for another shard, or, held for a lazy
// portal, to be landed, dropped or lost with their connection. The test plays the peer, byte by
// byte.
#include <gtest/gtest.h>

#include "lnd/sock/engine/engine_fixture.h"

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

// DESIGN.md 2: held payload is staged, and the connection is read on; beyond the limit it is not
// read, and that time does not count for time-outs
TEST_F(EngineHold, HoldsUpToTheLimitThenStopsReading) {
  const Handle conn = bench.accepted(bench.hello(ConnType::kControl));
  bench.verdict = Verdict::kHold;
  const Bytes big = put_bytes(bench.header(600000), Bytes(600000, std::byte{7}));
  bench.read(conn, big + big, 65536);
  ASSERT_EQ(bench.messages.size(), 2U);
  EXPECT_TRUE(bench.pauses[conn.slot]);
  EXPECT_EQ(bench.count(Count::kHoldPaused), 1U);
  bench.advance(500s);
  EXPECT_FALSE(bench.closed(conn)) << "its time-out clock stands still";

  auto& first = bench.messages[0];
  bench.engine.command(
      core::Land{bench.ni.id, first.rx, first.msg, {&first.vector, 1, 0, 600000}, 600000});
  EXPECT_EQ(first.ends, 1);
  EXPECT_EQ(first.sink, Bytes(600000, std::byte{7}));
  bench.engine.work();
  EXPECT_FALSE(bench.pauses[conn.slot]) << "there is room for the second now";
}

// limits::kHoldCostMin: the number of held messages without payload is bounded too
TEST_F(EngineHold, HeldMessagesWithoutPayloadAreBoundedToo) {
  const Handle conn = bench.accepted(bench.hello(ConnType::kControl));
  bench.verdict = Verdict::kHold;
  const Bytes one = put_bytes(bench.header(0), {});
  Bytes many;
  for (int i = 0; i < 3000; ++i) many.insert(many.end(), one.begin(), one.end());
  bench.feed(conn, many);
  EXPECT_EQ(bench.messages.size(), (1U << 20) / 512 + 1);
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

// ports.h, HoldPayload with `soon`: the connection is not read until another shard has
// decided, and nothing is staged
TEST_F(EngineHold, WhatAnotherShardDecidesIsReadStraightIntoItsSink) {
  const Handle conn = bench.accepted(bench.hello(ConnType::kControl));
  bench.verdict = Verdict::kLater;
  const Bytes payload = text_bytes("0123456789");
  const Bytes one = put_bytes(bench.header(10), payload);
  bench.read(conn, one + one, 65536);
  auto& message = bench.messages.at(0);
  bench.engine.command(core::HoldPayload{bench.ni.id, message.rx, message.msg, true});
  bench.engine.work();
  EXPECT_EQ(bench.messages.size(), 1U) << "it is not read meanwhile";
  EXPECT_EQ(bench.count(Count::kHoldPaused), 0U);
  bench.engine.command(
      core::Land{bench.ni.id, message.rx, message.msg, {&message.vector, 1, 0, 10}, 10});
  bench.engine.work();
  EXPECT_EQ(bench.messages.size(), 2U);
  EXPECT_EQ(bench.messages.at(0).ends, 1);
  EXPECT_EQ(bench.messages.at(0).sink, payload);
}

// ... and if that shard holds the message for a lazy portal, its payload is staged like others
TEST_F(EngineHold, WhatAnotherShardKeepsIsStagedThen) {
  const Handle conn = bench.accepted(bench.hello(ConnType::kControl));
  bench.verdict = Verdict::kLater;
  const Bytes one = put_bytes(bench.header(10), text_bytes("0123456789"));
  bench.read(conn, one + one, 65536);
  auto& message = bench.messages.at(0);
  bench.engine.command(core::HoldPayload{bench.ni.id, message.rx, message.msg, true});
  bench.engine.command(core::HoldPayload{bench.ni.id, message.rx, message.msg, false});
  bench.engine.work();
  EXPECT_EQ(bench.messages.size(), 2U);
  bench.engine.ended(conn, 0);
  EXPECT_EQ(bench.messages.at(0).ends, 1);
  bench.engine.command(
      core::HoldPayload{bench.ni.id, bench.messages.at(0).rx, bench.messages.at(0).msg, false});
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

// Each connection has a list of its held messages, so closing it costs nothing for those of
// others.
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

}  // namespace
}  // namespace ulnet::lnd::sock

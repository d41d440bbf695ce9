// Time-outs and keepalives to the tick. The timers have ticks of 2^20 ns; most times here are
// multiples of that, so that a timer fires exactly when it is due.
#include <gtest/gtest.h>

#include "lnet/lnd/sock/engine/engine_fixture.h"

namespace ulnet::lnd::sock {
namespace {

using namespace std::chrono_literals;
using wire::ConnType;
using Verdict = EngineBench::Verdict;

constexpr Duration kTick{1 << 20};
constexpr Duration kLimit = 65536 * kTick;  // the LND time-out
// The interval at which the engine looks at outstanding data.
constexpr Duration kQuarter = kLimit / 4;

struct Bench : EngineBench {
  Bench() {
    advance(kTick - now.time_since_epoch() % kTick);
    NiInfo exact = ni;
    exact.timeout = kLimit;
    engine.change_ni(exact);
  }
  std::uint32_t unacknowledged(Handle conn) override {
    looks.push_back(now);
    return EngineBench::unacknowledged(conn);
  }
  /// Advances to `when` as a reactor does, and counts how often it wakes up.
  void run_to(Instant when) {
    for (; engine.next_deadline() < when; ++wakes)
      advance(std::min(std::max(engine.next_deadline() - now, kTick), when - now));
    advance(when - now);
  }
  std::vector<Instant> looks;  ///< when the engine asked which bytes TCP has acknowledged
  int wakes = 0;
};

class EngineDeadline : public testing::Test {
 protected:
  Bench bench;
  const Instant start = bench.now;

  /// The only connection of a peer that this node dialled.
  Handle lone() {
    bench.tunables.typed_conns = 0;
    bench.connect(kA);
    return bench.opened(kA.nid, ConnType::kAny, 2);
  }
  void expect_closed_at(Handle conn, Instant when) {
    bench.run_to(when - kTick);
    EXPECT_FALSE(bench.closed(conn));
    bench.run_to(when);
    EXPECT_TRUE(bench.closed(conn));
  }
  void expect_done_at(core::MsgTicket tx, Instant when) {
    bench.run_to(when - kTick);
    EXPECT_EQ(bench.done(tx), nullptr);
    bench.run_to(when);
    ASSERT_NE(bench.done(tx), nullptr);
    EXPECT_EQ(bench.done(tx)->status, -ETIMEDOUT);
  }
};

TEST_F(EngineDeadline, AMessageWaitsForAConnectionForTheTimeout) {
  bench.tunables.nconnds = bench.tunables.nconnds_max = 1;
  bench.put({*Nid::parse("10.0.0.1@tcp"), Pid::lustre()});  // A's dial waits for this one
  bench.run_to(start + kLimit / 2);
  const auto tx = bench.put(kA);
  expect_done_at(tx, start + kLimit / 2 + kLimit);
  EXPECT_EQ(bench.done(tx)->health, core::Health::kNetworkTimeout);
  EXPECT_EQ(bench.dials.size(), 2U);
  EXPECT_LT(bench.wakes, 40);
}

TEST_F(EngineDeadline, AWaitingMessageIsGivenUpAtItsOwnDeadline) {
  const auto soon = bench.put(kA, {}, start + kLimit / 8);
  const auto later = bench.put(kA, {}, start + kLimit / 8 * 3);
  expect_done_at(soon, start + kLimit / 8);
  expect_done_at(later, start + kLimit / 8 * 3);
  EXPECT_LT(bench.wakes, 40);
}

TEST_F(EngineDeadline, AQueuedMessageIsGivenUpAtItsOwnDeadline) {
  const Handle conn = bench.accepted(bench.hello(ConnType::kControl));
  const auto soon = bench.put(kA, {}, start + kLimit / 8);
  const auto later = bench.put(kA, {}, start + kLimit / 8 * 3);
  expect_done_at(soon, start + kLimit / 8);
  expect_done_at(later, start + kLimit / 8 * 3);
  EXPECT_FALSE(bench.closed(conn));
}

// A message whose first byte is written goes on past its deadline. The engine must not wake up
// again and again for it.
TEST_F(EngineDeadline, AMessageThatHasBegunGoesOnPastItsDeadline) {
  const Handle conn = bench.accepted(bench.hello(ConnType::kControl));
  const auto tx = bench.put(kA, Bytes(5000), start + kLimit / 8);
  iovec vectors[16];
  Bytes scratch(4096);
  bench.engine.gather(conn, vectors, 16, scratch, 1 << 20);
  bench.engine.written(conn, 100);
  bench.run_to(start + kLimit / 2);
  EXPECT_EQ(bench.done(tx), nullptr);
  EXPECT_LT(bench.wakes, 40);
}

// The Tx of a NOOP may have held a message with a deadline and a ticket before.
TEST_F(EngineDeadline, ANoopHasNeitherDeadlineNorTicket) {
  const Handle conn = bench.accepted(bench.hello(ConnType::kControl));
  const auto tx = bench.put(kA, {}, start + kLimit / 8);
  bench.take(conn);
  ASSERT_NE(bench.done(tx), nullptr);
  bench.feed(conn, put_bytes(bench.header(0), {}, 3, {wire::FrameType::kLnet, 0, 9, 0}));
  bench.engine.command(core::Cancel{bench.ni.id, kA, tx});
  bench.run_to(start + kLimit / 2);
  EXPECT_LT(bench.wakes, 40);
  EXPECT_EQ(bench.take(conn), noop_bytes(0, 9));
  EXPECT_EQ(bench.count(Count::kSendsCancelled), 0U);
}

// spec/wire-socklnd.md 10: silence within a message
TEST_F(EngineDeadline, SilenceWithinAMessageClosesAfterTheTimeout) {
  const Handle conn = bench.accepted(bench.hello(ConnType::kControl));
  bench.run_to(start + 3 * kLimit);
  bench.feed(conn, Bytes(10, bytes_of(wire::Frame{})[0]));
  expect_closed_at(conn, start + 4 * kLimit);
  EXPECT_EQ(bench.count(Count::kClosedNoProgress), 1U);
}

// Time in which the connection is paused does not count.
TEST_F(EngineDeadline, TheTimeBeforeAVerdictDoesNotCount) {
  const Handle conn = bench.accepted(bench.hello(ConnType::kControl));
  bench.verdict = Verdict::kLater;
  const Bytes stream = put_bytes(bench.header(10), Bytes(10));
  bench.feed(conn, Bytes(stream.begin(), stream.end() - 7));
  bench.run_to(start + 2 * kLimit);
  EXPECT_FALSE(bench.closed(conn));
  auto& message = bench.messages.at(0);
  bench.engine.command(
      core::Land{bench.ni.id, message.rx, message.msg, {&message.vector, 1, 0, 10}, 10});
  bench.engine.work();
  expect_closed_at(conn, start + 3 * kLimit);
}

// spec/wire-socklnd.md 10: the time begins when something is outstanding, not when the connection
// was opened
TEST_F(EngineDeadline, WithoutProgressItClosesAfterTheTimeout) {
  const Handle conn = lone();
  bench.run_to(start + kLimit / 8);
  bench.put(kA);
  bench.take(conn);
  bench.unacked[conn.slot] = 16 + 56 + 96;  // all that was ever written
  expect_closed_at(conn, start + kLimit / 8 + kLimit);
  EXPECT_EQ(bench.looks, (std::vector{start + kQuarter, start + 2 * kQuarter, start + 3 * kQuarter,
                                      start + kLimit, start + kLimit / 8 + kLimit}));
}

TEST_F(EngineDeadline, AByteThatIsAcknowledgedIsProgress) {
  const Handle conn = lone();
  bench.put(kA);
  bench.take(conn);
  bench.unacked[conn.slot] = 16 + 56 + 96 - 1;
  expect_closed_at(conn, start + kQuarter + kLimit);  // the engine saw the progress a quarter later
}

TEST_F(EngineDeadline, AnUnacknowledgedAckClosesAfterTheTimeout) {
  const Handle conn = bench.accepted(bench.hello(ConnType::kControl));
  bench.run_to(start + 3 * kLimit);
  bench.feed(conn, put_bytes(bench.header(0), {}, 3, {wire::FrameType::kLnet, 0, 9, 0}));
  bench.unacked[conn.slot] = static_cast<std::uint32_t>(bench.take(conn).size());
  expect_closed_at(conn, start + 4 * kLimit);
}

// An open connection has no time-out of the handshake, though its hello is not written yet.
TEST_F(EngineDeadline, AHelloThatIsWrittenLateHasTheTimeoutOfMessages) {
  const Handle conn = bench.accept("192.168.1.10");
  bench.feed(conn, bytes_of(wire::AcceptorRequest::to(bench.self)) +
                       bytes_of(bench.hello(ConnType::kControl)));
  bench.run_to(start + kLimit / 2);
  bench.unacked[conn.slot] = static_cast<std::uint32_t>(bench.take(conn).size());
  expect_closed_at(conn, start + kLimit / 2 + kLimit);
}

// Connections with another address of the peer have time-outs of their own.
TEST_F(EngineDeadline, TheConnectionsOfEachAddressAreLookedAt) {
  const Handle one = bench.accepted(bench.hello(ConnType::kControl));
  const Handle other = bench.accepted(bench.hello(ConnType::kControl), "192.168.7.7");
  bench.put(kA);
  bench.unacked[one.slot] = 56 + static_cast<std::uint32_t>(bench.take(one).size());
  bench.run_to(start + kLimit / 8);
  bench.put(kA);
  bench.unacked[other.slot] = 56 + static_cast<std::uint32_t>(bench.take(other).size());
  expect_closed_at(one, start + kLimit);
  EXPECT_FALSE(bench.closed(other));
  bench.run_to(start + kLimit + kQuarter);
  EXPECT_TRUE(bench.closed(other));
  EXPECT_EQ(bench.count(Count::kClosedNoProgress), 2U);
}

// spec/wire-socklnd.md 7, 10: on version 2 any connection may carry the ACK
TEST_F(EngineDeadline, AMissingAckClosesAfterTheTimeout) {
  bench.tunables.zc_request = 1;
  const Handle conn = lone();
  bench.run_to(start + kLimit / 8);
  bench.put(kA, Bytes(20000));
  EXPECT_EQ(wire::decode_frame(bench.take(conn))->cookie0, 2U);
  expect_closed_at(conn, start + kLimit / 8 + kLimit);
  EXPECT_EQ(bench.count(Count::kClosedNoAck), 1U);
  EXPECT_LT(bench.wakes, 40);
}

// spec/wire-socklnd.md 7.2: 30 s after something was last heard, then every 10 s
TEST_F(EngineDeadline, KeepalivesAreSentWhenTheyAreDue) {
  bench.advance(kTick - (bench.now + 30s).time_since_epoch() % kTick);
  const Instant heard = bench.now;
  const auto trio = bench.trio();
  bench.run_to(heard + 30s - 1ns);
  EXPECT_TRUE(bench.take(trio.bulk_in).empty());
  bench.run_to(heard + 30s);
  EXPECT_EQ(bench.engine.writable(), std::vector{trio.bulk_in});
  EXPECT_EQ(bench.take(trio.bulk_in), noop_bytes(0, 1));
  bench.unacked[trio.bulk_in.slot] = 24;
  bench.run_to(heard + 40s - 1ms);
  EXPECT_TRUE(bench.take(trio.bulk_in).empty());
  bench.run_to(heard + 40s + 2 * kTick);
  EXPECT_EQ(bench.take(trio.bulk_in), noop_bytes(0, 1));
  EXPECT_LT(bench.wakes, 60);
}

// spec/wire-socklnd.md 7.2: every 10 s, also when the engine looks at the peer in between
TEST_F(EngineDeadline, KeepalivesAreNotSentSoonerBecauseSomethingElseIsDue) {
  const auto trio = bench.trio();
  bench.unacked[trio.bulk_in.slot] = 24;
  bench.run_to(start + 31s);
  EXPECT_EQ(bench.take(trio.bulk_in), noop_bytes(0, 1));
  const std::uint64_t sent = bench.count(Count::kKeepalivesSent);
  bench.put(kA, {}, start + 35s);
  bench.run_to(start + 38s);
  EXPECT_EQ(bench.count(Count::kKeepalivesSent), sent);
  EXPECT_TRUE(bench.take(trio.bulk_in).empty());
}

TEST_F(EngineDeadline, QueuedMessagesSuppressKeepalives) {
  const auto trio = bench.trio();
  bench.feed(trio.control, put_bytes(bench.header(0), {}, 3, {wire::FrameType::kLnet, 0, 9, 0}));
  bench.run_to(start + 60s);
  EXPECT_EQ(bench.count(Count::kKeepalivesSent), 0U);
  EXPECT_EQ(bench.take(trio.bulk_in), noop_bytes(0, 9));
  EXPECT_LT(bench.wakes, 60);
}

// spec/wire-socklnd.md 4.5: the pause after a refusal ends in time, though another timer was due
// before it
TEST_F(EngineDeadline, ThePauseAfterARefusalIsKept) {
  const auto soon = bench.put(kA, {}, start + 256 * kTick);
  bench.put(kA);
  bench.refused();
  expect_done_at(soon, start + 256 * kTick);
  bench.run_to(start + 1s - kTick);
  EXPECT_EQ(bench.dials.size(), 1U);
  bench.run_to(start + 1s + kTick);
  EXPECT_EQ(bench.dials.size(), 2U);
}

}  // namespace
}  // namespace ulnet::lnd::sock

// Time on open connections: keepalives and time-outs. The test sets the clock.
#include <gtest/gtest.h>

#include "lnet/lnd/sock/engine/engine_fixture.h"

namespace ulnet::lnd::sock {
namespace {

using namespace std::chrono_literals;
using wire::ConnType;

class EngineTime : public testing::Test {
 protected:
  EngineBench bench;
  const Bytes keepalive = bytes_of(wire::NoopAcks::keepalive().frame());

  /// Advances second by second, as a reactor would, until a keepalive is due to be written;
  /// returns how long that took.
  Duration until_keepalive(Handle conn, Duration limit) {
    for (Duration waited{}; waited <= limit; waited += 1s) {
      if (bench.take(conn) == keepalive) return waited;
      bench.advance(1s);
    }
    return Duration::max();
  }
};

// spec/wire-socklnd.md 7.2: a keepalive is sent after 30 s of silence on this node's BULK_IN
// connection, at most every 10 s
TEST_F(EngineTime, KeepalivesComeAfterSilenceOnBulkIn) {
  const auto trio = bench.trio();
  const Duration first = until_keepalive(trio.bulk_in, 100s);
  EXPECT_GE(first, 30s);
  EXPECT_LE(first, 32s);
  // TCP has not acknowledged it: the engine has heard nothing from the peer.
  bench.unacked[trio.bulk_in.slot] = 24;
  const Duration second = until_keepalive(trio.bulk_in, 100s);
  EXPECT_GE(second, 10s);
  EXPECT_LE(second, 12s);
  EXPECT_TRUE(bench.take(trio.control).empty());
  EXPECT_GE(bench.count(Count::kKeepalivesSent), 2U);
}

// spec/wire-socklnd.md 7.2: bytes from the peer, or TCP's ACK of bytes to it, count as heard
TEST_F(EngineTime, TrafficPostponesKeepalives) {
  const auto trio = bench.trio();
  for (int i = 0; i < 5; ++i) {
    bench.advance(20s);
    EXPECT_TRUE(bench.take(trio.bulk_in).empty());
    bench.feed(trio.control, keepalive);
  }
  EXPECT_GE(until_keepalive(trio.bulk_in, 100s), 28s);
  EXPECT_GE(until_keepalive(trio.bulk_in, 100s), 28s) << "the keepalive itself was acknowledged";
}

// spec/wire-socklnd.md 7.2: peers with only a CONTROL connection, or with version 2, get none
TEST_F(EngineTime, PeersThatGetNoKeepalives) {
  const Handle control = bench.accepted(bench.hello(ConnType::kControl));
  EXPECT_EQ(until_keepalive(control, 200s), Duration::max());
  EngineBench two;
  const auto trio = two.trio(2);
  for (int i = 0; i < 200; ++i) two.advance(1s);
  EXPECT_TRUE(two.take(trio.bulk_in).empty());
  EXPECT_EQ(two.count(Count::kKeepalivesSent), 0U);
}

// spec/wire-socklnd.md 11: keepalive
TEST_F(EngineTime, TheKeepaliveIntervalIsATunable) {
  bench.tunables.keepalive = 60;
  auto trio = bench.trio();
  EXPECT_GE(until_keepalive(trio.bulk_in, 100s), 60s);
  EngineBench often;
  often.tunables.keepalive = 1;
  often.trio();
  often.advance(20s);
  often.advance(20s);
  EXPECT_NE(often.count(Count::kKeepalivesSent), 0U);
  EngineBench off;
  off.tunables.keepalive = 0;
  trio = off.trio();
  for (int i = 0; i < 200; ++i) off.advance(1s);
  EXPECT_EQ(off.count(Count::kKeepalivesSent), 0U);
}

// spec/wire-socklnd.md 10: there is no idle time-out
TEST_F(EngineTime, IdleConnectionsStayOpen) {
  const auto trio = bench.trio();
  for (int i = 0; i < 100; ++i) {
    bench.advance(100s);
    bench.take(trio.bulk_in);
  }
  EXPECT_TRUE(bench.closes.empty());
}

// DESIGN.md 3: nothing wakes up periodically while nothing happens
TEST_F(EngineTime, AnIdlePeerNeedsAFewLooksAMinute) {
  const auto trio = bench.trio();
  int looks = 0;
  const Instant end = bench.now + 600s;
  while (bench.engine.next_deadline() < end) {
    bench.advance(std::max(bench.engine.next_deadline() - bench.now, Duration(1ms)));
    bench.take(trio.bulk_in);
    ++looks;
  }
  EXPECT_LT(looks, 200);
}

// The engine does not wake up periodically after a lost race either, when the pause is over and
// nothing needs a dial.
TEST_F(EngineTime, ALostRaceNeedsNoMoreLooks) {
  EngineBench low("10.0.0.200@tcp");
  low.put(kA);
  const Handle dial = low.dialled();
  low.take(dial);
  const auto trio = low.trio();  // dialled by the higher NID, accepted meanwhile
  low.feed(dial, bytes_of(low.hello(ConnType::kNone)));
  int looks = 0;
  const Instant end = low.now + 60s;
  while (low.engine.next_deadline() < end) {
    low.advance(std::max(low.engine.next_deadline() - low.now, Duration(1ms)));
    low.take(trio.bulk_in);
    ++looks;
  }
  EXPECT_LT(looks, 30);
}

// spec/wire-socklnd.md 10: after part of a message, silence for the LND time-out closes the
// connection
TEST_F(EngineTime, SilenceInTheMiddleOfAMessageCloses) {
  const auto trio = bench.trio();
  const Bytes stream = put_bytes(bench.header(100), Bytes(100));
  bench.feed(trio.control, Bytes(stream.begin(), stream.begin() + 10));
  bench.advance(40s);
  bench.feed(trio.control, Bytes(stream.begin() + 10, stream.begin() + 120));
  bench.advance(49s);
  EXPECT_FALSE(bench.closed(trio.control));
  bench.advance(13s);
  EXPECT_TRUE(bench.closed(trio.control));
  EXPECT_TRUE(bench.closed(trio.bulk_in)) << "all connections of the address";
  EXPECT_EQ(bench.messages.at(0).status, -ETIMEDOUT);
  EXPECT_EQ(bench.count(Count::kClosedNoProgress), 1U);
}

// spec/wire-socklnd.md 10: queued data without progress closes the connection
TEST_F(EngineTime, APeerThatStopsReadingIsClosed) {
  const Handle conn = bench.accepted(bench.hello(ConnType::kControl));
  const auto tx = bench.put(kA, Bytes(100000));
  iovec vectors[16];
  Bytes scratch(4096);
  for (int i = 0; i < 10; ++i) {
    bench.engine.gather(conn, vectors, 16, scratch, 1 << 20);
    bench.engine.written(conn, 100);
    for (int second = 0; second < 40; ++second) bench.advance(1s);
    ASSERT_FALSE(bench.closed(conn)) << "there is progress";
  }
  for (int second = 40; second < 63; ++second) bench.advance(1s);
  EXPECT_TRUE(bench.closed(conn));
  EXPECT_EQ(bench.done(tx)->status, -ETIMEDOUT);
  EXPECT_EQ(bench.done(tx)->health, core::Health::kNetworkTimeout);
}

// spec/wire-socklnd.md 10: data that TCP does not see acknowledged closes the connection
TEST_F(EngineTime, UnacknowledgedDataWithoutProgressCloses) {
  const Handle conn = bench.accepted(bench.hello(ConnType::kControl));
  bench.put(kA, Bytes(1000));
  bench.take(conn);
  bench.unacked[conn.slot] = 1000;
  for (int i = 0; i < 8; ++i) {
    bench.advance(13s);
    bench.unacked[conn.slot] -= 100;
  }
  EXPECT_FALSE(bench.closed(conn)) << "it becomes less";
  for (int i = 0; i < 6; ++i) bench.advance(13s);
  EXPECT_TRUE(bench.closed(conn));
}

TEST_F(EngineTime, UnacknowledgedDataNeedAFewLooksOnly) {  // spec/wire-socklnd.md 10
  const Handle conn = bench.accepted(bench.hello(ConnType::kControl));
  bench.put(kA, Bytes(1000));
  bench.take(conn);
  bench.unacked[conn.slot] = 1000;
  const Instant begin = bench.now;
  int looks = 0;
  for (; bench.now - begin < 40s && looks < 100; ++looks)
    bench.advance(std::max<Duration>(bench.engine.next_deadline() - bench.now, 1ms));
  EXPECT_LE(looks, 12) << "a few in each quarter of the time that ends the connection";
}

TEST_F(EngineTime, AMessageThatNoConnectionComesForIsGivenUp) {  // spec/wire-socklnd.md 10
  const auto tx = bench.put(kA);
  ASSERT_EQ(bench.dials.size(), 1U);
  bench.advance(49s);
  EXPECT_EQ(bench.done(tx), nullptr);
  bench.advance(2s);
  ASSERT_NE(bench.done(tx), nullptr);
  EXPECT_NE(bench.done(tx)->status, 0);
}

// spec/wire-socklnd.md 10: the time counts from the last progress; bytes that this system's TCP
// takes are no progress
TEST_F(EngineTime, WritingIsNoProgress) {
  const Handle conn = bench.accepted(bench.hello(ConnType::kControl));
  const Instant begin = bench.now;
  std::size_t outstanding = 0;
  while (!bench.closed(conn) && bench.now - begin < 200s) {
    bench.put(kA);
    outstanding += bench.take(conn).size();
    bench.unacked[conn.slot] = static_cast<std::uint32_t>(outstanding);
    bench.advance(100ms);
  }
  EXPECT_GE(bench.now - begin, 50s);
  EXPECT_LE(bench.now - begin, 62500ms + 200ms) << "a quarter later at most";
  EXPECT_EQ(bench.count(Count::kClosedNoProgress), 1U);
}

// A peer that acknowledges more slowly than this node writes stays connected.
TEST_F(EngineTime, ASlowPeerIsKept) {  // spec/wire-socklnd.md 10
  const Handle conn = bench.accepted(bench.hello(ConnType::kControl));
  std::size_t outstanding = 0;
  for (int i = 0; i < 300; ++i) {
    bench.put(kA, Bytes(500));
    outstanding += bench.take(conn).size() - 100;
    bench.unacked[conn.slot] = static_cast<std::uint32_t>(outstanding);
    bench.advance(2s);
    ASSERT_FALSE(bench.closed(conn)) << i;
  }
}

// A connection closes if TCP does not acknowledge this node's last zero-copy ACK, even if nothing
// follows the ACK.
TEST_F(EngineTime, AnUnacknowledgedNoopCloses) {  // spec/wire-socklnd.md 10
  const auto trio = bench.trio();
  wire::Frame asks;
  asks.cookie0 = 7;
  bench.feed(trio.control, put_bytes(bench.header(0), {}, 3, asks));
  const std::size_t noop = bench.take(trio.bulk_in).size();
  ASSERT_NE(noop, 0U);
  bench.unacked[trio.bulk_in.slot] = static_cast<std::uint32_t>(noop);
  for (int i = 0; i < 5; ++i) bench.advance(13s);
  EXPECT_TRUE(bench.closed(trio.bulk_in));
}

// A connection closes if TCP does not acknowledge the answer to the hello, the first bytes that
// this node writes.
TEST_F(EngineTime, AnUnacknowledgedAnswerToAHelloCloses) {
  const Handle conn = bench.accepted(bench.hello(ConnType::kControl));
  bench.unacked[conn.slot] = 80;
  for (int i = 0; i < 5; ++i) bench.advance(13s);
  EXPECT_TRUE(bench.closed(conn));
  EXPECT_EQ(bench.count(Count::kClosedNoProgress), 1U);
}

TEST_F(EngineTime, AcknowledgedDataIsForgotten) {
  const Handle conn = bench.accepted(bench.hello(ConnType::kControl));
  bench.put(kA, Bytes(1000));
  bench.take(conn);
  for (int i = 0; i < 50; ++i) bench.advance(13s);
  EXPECT_FALSE(bench.closed(conn));
}

// DESIGN.md 2: a queued message fails after its own deadline; the connection stays
TEST_F(EngineTime, AQueuedMessagePastItsDeadlineIsGivenUp) {  // spec/wire-socklnd.md 10
  const Handle conn = bench.accepted(bench.hello(ConnType::kControl));
  const auto tx = bench.put(kA, {}, bench.now + 5s);
  bench.advance(5100ms);
  ASSERT_NE(bench.done(tx), nullptr);
  EXPECT_EQ(bench.done(tx)->health, core::Health::kNetworkTimeout);
  EXPECT_FALSE(bench.closed(conn));
  EXPECT_TRUE(bench.take(conn).empty());
}

// spec/wire-socklnd.md 7, 10: a zero-copy request without ACK for the LND time-out closes the
// peer's connections
TEST_F(EngineTime, AMissingAckCloses) {
  bench.tunables.zc_request = 1;
  const auto trio = bench.trio();
  const auto tx = bench.put(kA, Bytes(20000));
  bench.take(trio.bulk_out);
  for (int i = 0; i < 4; ++i) bench.advance(12s);
  EXPECT_FALSE(bench.closed(trio.bulk_out));
  bench.advance(13s);
  EXPECT_TRUE(bench.closed(trio.bulk_out));
  EXPECT_EQ(bench.done(tx)->health, core::Health::kRemoteTimeout);
  EXPECT_EQ(bench.count(Count::kClosedNoAck), 1U);
}

}  // namespace
}  // namespace ulnet::lnd::sock

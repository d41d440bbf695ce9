// ACKs of zero-copy requests, the peer's requests and this node's: when and on which connection an
// ACK travels, and what its cookies mean. The test plays the peer, byte by byte. Source:
// spec/wire-socklnd.md 7.
#include <gtest/gtest.h>

#include "lnet/lnd/sock/engine/engine_fixture.h"

namespace ulnet::lnd::sock {
namespace {

using wire::ConnType;
using Verdict = EngineBench::Verdict;

wire::Frame zc_request(std::uint64_t cookie) { return {wire::FrameType::kLnet, 0, cookie, 0}; }

class EngineAck : public testing::Test {
 protected:
  EngineBench bench;
};

// spec/wire-socklnd.md 7: a request is acknowledged exactly once on this node's BULK_IN connection,
// whatever its size and whether its payload landed or was dropped; 12: also with a payload of 0
// bytes
TEST_F(EngineAck, EveryRequestIsAckedOnceOnBulkIn) {  // spec/wire-socklnd.md 12, 13.7
  for (const Verdict verdict : {Verdict::kLand, Verdict::kDrop}) {
    for (const std::uint32_t size : {0U, 1U, 20000U}) {
      EngineBench fresh;
      fresh.verdict = verdict;
      const auto trio = fresh.trio();
      const Bytes stream = put_bytes(fresh.header(size), Bytes(size), 3, zc_request(9));
      if (size != 0) {
        fresh.feed(trio.control, Bytes(stream.begin(), stream.end() - 1));
        EXPECT_TRUE(fresh.take(trio.bulk_in).empty()) << "not before the last byte";
        fresh.feed(trio.control, {stream.back()});
      } else {
        fresh.feed(trio.control, stream);
      }
      EXPECT_EQ(fresh.take(trio.bulk_in), noop_bytes(0, 9));
      EXPECT_TRUE(fresh.take(trio.control).empty());
      EXPECT_EQ(fresh.count(Count::kAcksSent), 1U);
    }
  }
}

// spec/wire-socklnd.md 7: if there is no BULK_IN connection, the ACK may take the connection that
// carried the request
TEST_F(EngineAck, WithoutBulkInTheAckGoesBackTheSameWay) {  // spec/wire-socklnd.md 5.1, 13.7
  const Handle conn = bench.accepted(bench.hello(ConnType::kControl));
  bench.feed(conn, put_bytes(bench.header(1), Bytes(1), 3, zc_request(9)));
  EXPECT_EQ(bench.take(conn), noop_bytes(0, 9));
}

// spec/wire-socklnd.md 7.1: ACKs that wait at the same time are merged
TEST_F(EngineAck, AcksMergeWhileTheyWait) {
  const auto trio = bench.trio();
  for (const std::uint64_t cookie : {7U, 8U, 9U, 30U})
    bench.feed(trio.control, put_bytes(bench.header(0), {}, 3, zc_request(cookie)));
  EXPECT_EQ(bench.take(trio.bulk_in), noop_bytes(7, 9) + noop_bytes(0, 30));
}

// spec/wire-socklnd.md 7: an ACK travels in cookie 1 of an outgoing message on the same
// connection
TEST_F(EngineAck, AnAckRidesOnAMessageOfTheSameConnection) {
  const Handle conn = bench.accepted(bench.hello(ConnType::kControl));
  bench.feed(conn, put_bytes(bench.header(0), {}, 3, zc_request(9)));
  bench.put(kA);
  const Bytes out = bench.take(conn);
  EXPECT_EQ(out.size(), 96U);
  EXPECT_EQ(wire::decode_frame(out)->cookie1, 9U);
}

// An ACK that was to travel in a message goes in a NOOP of its own, if the message is cancelled or
// past its deadline.
TEST_F(EngineAck, AnAckOutlivesTheMessageThatItWasToRideOn) {
  const Handle conn = bench.accepted(bench.hello(ConnType::kControl));
  bench.feed(conn, put_bytes(bench.header(0), {}, 3, zc_request(9)));
  const auto tx = bench.put(kA);
  bench.engine.command(core::Cancel{bench.ni.id, kA, tx});
  EXPECT_EQ(bench.done(tx)->status, -ECANCELED);
  EXPECT_EQ(bench.take(conn), noop_bytes(0, 9));

  bench.feed(conn, put_bytes(bench.header(0), {}, 3, zc_request(10)));
  bench.put(kA, {}, bench.now + std::chrono::seconds(5));
  bench.advance(std::chrono::milliseconds(5100));
  EXPECT_EQ(bench.take(conn), noop_bytes(0, 10));
  EXPECT_EQ(bench.count(Count::kAcksSent), 2U);
}

// spec/wire-socklnd.md 11: with nonblk_zcack=0 ACKs go on CONTROL (5.2), but not those of routed
// messages (7)
TEST_F(EngineAck, BlockingAcksGoOnControl) {
  bench.tunables.nonblk_zcack = 0;
  const auto trio = bench.trio();
  bench.feed(trio.control, put_bytes(bench.header(0), {}, 3, zc_request(9)));
  EXPECT_EQ(bench.take(trio.control), noop_bytes(0, 9));
  wire::LnetHeader routed = bench.header(0);
  routed.dest_nid = *Nid::parse("10.0.0.1@tcp9");
  bench.feed(trio.control, put_bytes(routed, {}, 3, zc_request(10)));
  EXPECT_EQ(bench.take(trio.bulk_in), noop_bytes(0, 10));
}

// spec/wire-socklnd.md 7: an ACK of an unknown cookie closes the connection; 0 and keepalives do
// not, and cookie 1 = 1 in a message is ignored
TEST_F(EngineAck, OnlyUnknownCookiesClose) {
  const Handle conn = bench.accepted(bench.hello(ConnType::kControl));
  bench.feed(conn, noop_bytes(0, 0) + noop_bytes(5, 0) + noop_bytes(0, 1) + noop_bytes(1, 1));
  bench.feed(conn, put_bytes(bench.header(0), {}, 3, {wire::FrameType::kLnet, 0, 0, 1}));
  EXPECT_FALSE(bench.closed(conn));
  EXPECT_EQ(bench.messages.size(), 1U);
  EXPECT_EQ(bench.count(Count::kKeepalivesReceived), 2U);
  bench.feed(conn, put_bytes(bench.header(0), {}, 3, {wire::FrameType::kLnet, 0, 0, 2}));
  EXPECT_TRUE(bench.closed(conn));
}

// spec/wire-socklnd.md 7: on version 2 there are no keepalives: 1 is an ACK of an unknown cookie
TEST_F(EngineAck, Version2RejectsCookieOne) {
  const Handle conn = bench.accepted(bench.hello(ConnType::kControl, 2));
  bench.feed(conn, noop_bytes(0, 1));
  EXPECT_TRUE(bench.closed(conn));
}

// DESIGN.md: this node asks for zero-copy ACKs only under the test switch (spec/wire-socklnd.md
// 7, 11: zc_min_payload)
TEST_F(EngineAck, RequestsAreMadeUnderTheTestSwitchOnly) {  // spec/wire-socklnd.md 13.6
  const auto trio = bench.trio();
  bench.put(kA, Bytes(20000));
  EXPECT_EQ(wire::decode_frame(bench.take(trio.bulk_out))->cookie0, 0U);
  bench.tunables.zc_request = 1;
  const auto small = bench.put(kA, Bytes(16383));
  EXPECT_EQ(wire::decode_frame(bench.take(trio.bulk_out))->cookie0, 0U);
  EXPECT_NE(bench.done(small), nullptr);

  const auto large = bench.put(kA, Bytes(16384));
  EXPECT_EQ(wire::decode_frame(bench.take(trio.bulk_out))->cookie0, 2U) << "the first cookie";
  EXPECT_EQ(bench.done(large), nullptr) << "done when it is acknowledged";
  bench.feed(trio.bulk_in, noop_bytes(0, 2));  // the peer may use any of its connections
  ASSERT_NE(bench.done(large), nullptr);
  EXPECT_EQ(bench.done(large)->status, 0);
  EXPECT_EQ(bench.count(Count::kAcksReceived), 1U);
  bench.put(kA);
  EXPECT_EQ(wire::decode_frame(bench.take(trio.control))->cookie0, 0U) << "in the same memory";
  bench.feed(trio.bulk_in, noop_bytes(0, 2));
  EXPECT_TRUE(bench.closed(trio.control)) << "acked already";
}

// spec/wire-socklnd.md 7: this node does not ask a peer that has no BULK_IN connection to it
TEST_F(EngineAck, APeerThatCannotAckGetsNoRequest) {
  bench.tunables.zc_request = 1;
  const Handle control = bench.accepted(bench.hello(ConnType::kControl));
  const auto tx = bench.put(kA, Bytes(20000));
  EXPECT_EQ(wire::decode_frame(bench.take(control))->cookie0, 0U);
  EXPECT_NE(bench.done(tx), nullptr);
}

// spec/wire-socklnd.md 7: cookies belong to a pair of NIDs; a request ends with the connection
// that carried it
TEST_F(EngineAck, RequestsDieWithTheirConnection) {
  bench.tunables.zc_request = 1;
  const auto trio = bench.trio();
  const auto tx = bench.put(kA, Bytes(20000));
  bench.take(trio.bulk_out);
  wire::Hello other = bench.hello(ConnType::kControl);
  other.src_nid = *Nid::parse("192.168.1.11@tcp");
  const Handle stranger = bench.accepted(other, "192.168.1.11");
  bench.feed(stranger, noop_bytes(0, 2));
  EXPECT_TRUE(bench.closed(stranger)) << "not its cookie";
  EXPECT_EQ(bench.done(tx), nullptr);
  bench.engine.ended(trio.bulk_out, 0);
  ASSERT_NE(bench.done(tx), nullptr);
  EXPECT_EQ(bench.done(tx)->status, -ECONNRESET);
  EXPECT_EQ(bench.done(tx)->health, core::Health::kNetworkTimeout) << "its bytes were written";
}

// This node does not ask for a zero-copy ACK if the peer's BULK_IN connection has ended: only open
// connections count.
TEST_F(EngineAck, APeerThatCanNoLongerAckGetsNoRequest) {
  bench.tunables.zc_request = 1;
  const Handle control = bench.accepted(bench.hello(ConnType::kControl));
  const Handle bulk = bench.accepted(bench.hello(ConnType::kBulkIn), "192.168.7.7");
  bench.put(kA, Bytes(20000));
  EXPECT_EQ(wire::decode_frame(bench.take(bulk))->cookie0, 2U);
  bench.engine.ended(bulk, 0);
  bench.put(kA, Bytes(20000));
  EXPECT_EQ(wire::decode_frame(bench.take(control))->cookie0, 0U);
}

// spec/wire-socklnd.md 7: on version 2 every connection can carry ACKs
TEST_F(EngineAck, Version2NeedsOnlyControl) {
  bench.tunables.zc_request = 1;
  const Handle control = bench.accepted(bench.hello(ConnType::kControl, 2));
  bench.put(kA, Bytes(20000));
  EXPECT_EQ(wire::decode_frame(bench.take(control))->cookie0, 2U);
}

// spec/wire-socklnd.md 7: if there are several BULK_IN connections, the oldest carries the ACKs
TEST_F(EngineAck, TheFirstBulkInCarriesTheAcks) {
  NiInfo two = bench.ni;
  two.conns_per_peer = 2;
  bench.engine.change_ni(two);
  const auto trio = bench.trio();
  const Handle other = bench.accepted(bench.hello(ConnType::kBulkOut), "192.168.1.10", 900);
  for (const std::uint64_t cookie : {9U, 10U}) {
    bench.feed(trio.control, put_bytes(bench.header(0), {}, 3, zc_request(cookie)));
    EXPECT_EQ(bench.take(trio.bulk_in), noop_bytes(0, cookie));
  }
  EXPECT_TRUE(bench.take(other).empty());
}

}  // namespace
}  // namespace ulnet::lnd::sock

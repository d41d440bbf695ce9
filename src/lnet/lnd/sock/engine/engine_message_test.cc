// Messages on open connections: which connection carries them, how they land, checksums, and how
// connections end. The test plays the peer, byte by byte. engine_hold_test.cc tests messages that
// wait, engine_ack_test.cc ACKs.
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "lnet/lnd/sock/engine/engine_fixture.h"

namespace ulnet::lnd::sock {
namespace {

using namespace std::chrono_literals;
using wire::ConnType;
using Verdict = EngineBench::Verdict;

class EngineMessage : public testing::Test {
 protected:
  EngineBench bench;
};

// spec/wire-socklnd.md 10: a peer's connections with one address end together
TEST_F(EngineMessage, SiblingsAreTheOtherConnectionsWithTheAddress) {
  const auto trio = bench.trio();
  std::vector<Handle> siblings;
  bench.engine.siblings(trio.control, siblings);
  EXPECT_THAT(siblings, testing::UnorderedElementsAre(trio.bulk_in, trio.bulk_out));
  siblings.clear();
  bench.engine.siblings(bench.accept("192.168.1.11"), siblings);
  EXPECT_TRUE(siblings.empty()) << "not open yet";
}

// spec/wire-socklnd.md 5.2: a payload of at least 928 bytes prefers BULK_OUT with version 3, of at
// least 904 bytes with version 4
TEST_F(EngineMessage, SmallOnControlLargeOnBulkOut) {
  for (const std::uint32_t version : {3U, 4U}) {
    EngineBench fresh;
    const auto trio = fresh.trio(version);
    const std::size_t limit = version == 3 ? 928 : 904;
    fresh.put(kA, Bytes(limit - 1));
    EXPECT_FALSE(fresh.take(trio.control).empty());
    fresh.put(kA, Bytes(limit));
    EXPECT_TRUE(fresh.take(trio.control).empty());
    EXPECT_FALSE(fresh.take(trio.bulk_out).empty());
    EXPECT_TRUE(fresh.take(trio.bulk_in).empty());
  }
}

// spec/wire-socklnd.md 11: min_bulk
TEST_F(EngineMessage, TheBulkLimitIsATunable) {
  const auto trio = bench.trio();
  bench.tunables.min_bulk = 100;
  bench.put(kA, Bytes(4));
  EXPECT_FALSE(bench.take(trio.bulk_out).empty());
}

// spec/wire-socklnd.md 5.2: of the connections that fit, the engine takes the one with the fewest
// queued bytes, and among equal ones the least recently used; 11: with round_robin=0 the first
TEST_F(EngineMessage, EqualConnectionsTakeTurns) {  // spec/wire-socklnd.md 11
  NiInfo two = bench.ni;
  two.conns_per_peer = 2;
  bench.engine.change_ni(two);
  const Handle one = bench.accepted(bench.hello(ConnType::kBulkIn), "192.168.1.10", 900);
  const Handle other = bench.accepted(bench.hello(ConnType::kBulkIn), "192.168.1.10", 901);
  for (int i = 0; i < 4; ++i) bench.put(kA, Bytes(2000));
  EXPECT_EQ(bench.take(one).size(), 2U * 2096);
  EXPECT_EQ(bench.take(other).size(), 2U * 2096);
  bench.tunables.round_robin = 0;
  for (int i = 0; i < 3; ++i) {
    bench.put(kA, Bytes(2000));
    EXPECT_EQ(bench.take(one).size(), 2096U);
  }
  bench.put(kA, Bytes(9000));
  bench.put(kA, Bytes(2000));  // the first connection has more bytes queued
  EXPECT_EQ(bench.take(other).size(), 2096U);
}

// spec/wire-socklnd.md 5.2: receivers accept any message on any connection type
TEST_F(EngineMessage, AnyMessageIsAcceptedOnAnyConnection) {  // spec/wire-socklnd.md 5.1
  const auto trio = bench.trio();
  for (const Handle conn : {trio.control, trio.bulk_in, trio.bulk_out})
    for (const std::uint32_t size : {0U, 5000U})
      bench.feed(conn, put_bytes(bench.header(size), Bytes(size)));
  EXPECT_EQ(bench.messages.size(), 6U);
}

// spec/wire-socklnd.md 4.3, 6: version 1 has no framing header, hence neither cookies nor
// keepalives
TEST_F(EngineMessage, Version1CarriesBareHeaders) {
  const Handle conn = bench.accepted(bench.hello(ConnType::kControl, 1));
  bench.feed(conn,
             put_bytes(bench.header(4), text_bytes("four"), 1) + put_bytes(bench.header(0), {}, 1));
  ASSERT_EQ(bench.messages.size(), 2U);
  EXPECT_EQ(bench.messages[0].sink, text_bytes("four"));
  bench.put(kA, Bytes(10));
  EXPECT_EQ(bench.take(conn).size(), 82U);
  bench.advance(100s);
  EXPECT_TRUE(bench.take(conn).empty());
}

// spec/wire-socklnd.md 12: payload is read straight into the MD, in whatever pieces it arrives
RC_GTEST_FIXTURE_PROP(EngineMessage, AnySlicingLandsTheSamePayload, ()) {
  const Handle conn = bench.accepted(bench.hello(ConnType::kControl));
  const auto sizes =
      *rc::gen::container<std::vector<std::uint16_t>>(rc::gen::inRange<std::uint16_t>(0, 20000));
  const auto chunk = *rc::gen::inRange<std::size_t>(1, 70000);
  Bytes stream;
  std::vector<Bytes> sent;
  for (const std::uint16_t size : sizes) {
    sent.push_back(Bytes(size, static_cast<std::byte>(size * 31)));
    stream = stream + put_bytes(bench.header(size), sent.back());
  }
  bench.read(conn, stream, chunk);
  RC_ASSERT(bench.messages.size() == sizes.size());
  for (std::size_t i = 0; i < sent.size(); ++i) {
    RC_ASSERT(bench.messages[i].status == 0);
    RC_ASSERT(bench.messages[i].sink == sent[i]);
  }
}

// DESIGN.md 2: payload that has been read with its header is passed as `immediate`
TEST_F(EngineMessage, APayloadInMemoryIsImmediate) {
  const Handle conn = bench.accepted(bench.hello(ConnType::kControl));
  const Bytes one = put_bytes(bench.header(8), Bytes(8));
  bench.feed(conn, one + one + Bytes(one.begin(), one.end() - 1));
  ASSERT_EQ(bench.messages.size(), 3U);
  EXPECT_EQ(bench.messages[1].immediate, 8U);
  EXPECT_TRUE(bench.messages[1].whole);
  EXPECT_EQ(bench.messages[2].immediate, 0U);
  EXPECT_FALSE(bench.messages[2].whole);
}

// lnet/lnd/lnd.h: when the core is done with a message, the engine discards the rest of it and
// acknowledges its cookie
TEST_F(EngineMessage, AMessageThatIsDoneWithIsDiscarded) {
  const auto trio = bench.trio();
  bench.verdict = Verdict::kDone;
  const Bytes one =
      put_bytes(bench.header(9), text_bytes("123456789"), 3, {wire::FrameType::kLnet, 0, 5, 0});
  bench.feed(trio.bulk_in, Bytes(one.begin(), one.end() - 3));
  EXPECT_EQ(bench.count(Count::kAcksSent), 0U);
  bench.feed(trio.bulk_in, Bytes(one.end() - 3, one.end()) + put_bytes(bench.header(4), Bytes(4)));
  EXPECT_EQ(bench.count(Count::kAcksSent), 1U);
  ASSERT_EQ(bench.messages.size(), 2U);
  for (const auto& message : bench.messages) EXPECT_EQ(message.ends, 0);
  EXPECT_EQ(bench.messages[1].header.payload_length, 4U);
}

TEST_F(EngineMessage, AMessageWithoutPayloadIsWhole) {
  const Handle conn = bench.accepted(bench.hello(ConnType::kControl));
  bench.feed(conn, put_bytes(bench.header(0), {}));
  EXPECT_TRUE(bench.messages.at(0).whole);
}

// lnet/core/contract/ports.h: the core uses nothing of a message before its checksum has been
// compared
TEST_F(EngineMessage, AMessageWithAChecksumIsNotWhole) {
  const Handle conn = bench.accepted(bench.hello(ConnType::kControl));
  bench.feed(conn, put_bytes(bench.header(9), text_bytes("123456789"), 3,
                             {wire::FrameType::kLnet, 0x340bc6d8, 0, 0}));
  EXPECT_EQ(bench.messages.at(0).immediate, 9U);
  EXPECT_FALSE(bench.messages.at(0).whole);
}

// Every Land ends in exactly one PayloadLanded, also if the connection is gone or ends during it.
TEST_F(EngineMessage, ALandOnADeadConnectionEnds) {  // spec/wire-socklnd.md 10
  Handle conn = bench.accepted(bench.hello(ConnType::kControl));
  bench.verdict = Verdict::kLater;
  bench.feed(conn, put_bytes(bench.header(3), Bytes(3)));
  bench.engine.ended(conn, ECONNRESET);
  auto& message = bench.messages.at(0);
  bench.engine.command(
      core::Land{bench.ni.id, message.rx, message.msg, {&message.vector, 1, 0, 3}, 3});
  EXPECT_EQ(message.ends, 1);
  EXPECT_LT(message.status, 0);

  bench.verdict = Verdict::kLand;
  conn = bench.accepted(bench.hello(ConnType::kControl));
  const Bytes stream = put_bytes(bench.header(1000), Bytes(1000));
  bench.feed(conn, Bytes(stream.begin(), stream.begin() + 500));
  bench.engine.ended(conn, 0);
  EXPECT_EQ(bench.messages.at(1).ends, 1);
  EXPECT_EQ(bench.messages.at(1).status, -ECONNRESET);
  EXPECT_EQ(bench.count(Count::kClosedMidMessage), 2U);
}

// The host of a connection on which nothing was under way has died, or has forgotten it.
TEST_F(EngineMessage, AnErrorOfAnIdleConnectionInterruptsNoMessage) {
  for (const auto& [error, count] :
       {std::pair(ETIMEDOUT, Count::kClosedSilent), std::pair(EHOSTUNREACH, Count::kClosedSilent),
        std::pair(ECONNRESET, Count::kClosedByPeer)}) {
    EngineBench fresh;
    fresh.engine.ended(fresh.accepted(fresh.hello(ConnType::kControl)), error);
    EXPECT_EQ(fresh.count(count), 1U) << error;
    EXPECT_EQ(fresh.count(Count::kClosedMidMessage), 0U) << error;
  }
}

// spec/wire-socklnd.md 10: an end of stream between messages is a normal close; it closes all
// connections to the address
TEST_F(EngineMessage, OneEndClosesAllConnectionsOfTheAddress) {  // spec/wire-socklnd.md 13.10
  const auto trio = bench.trio();
  const Handle elsewhere = bench.accepted(bench.hello(ConnType::kControl), "192.168.7.7");
  const auto queued = bench.put(kA, Bytes(5000));
  bench.engine.ended(trio.bulk_in, 0);
  EXPECT_TRUE(bench.closed(trio.control) && bench.closed(trio.bulk_in) &&
              bench.closed(trio.bulk_out));
  EXPECT_FALSE(bench.closed(elsewhere));
  ASSERT_NE(bench.done(queued), nullptr);
  EXPECT_EQ(bench.done(queued)->health, core::Health::kRemoteDropped);
  EXPECT_EQ(bench.count(Count::kClosedByPeer), 1U);
  EXPECT_TRUE(bench.downs.empty()) << "one is left";
}

// DESIGN.md 2: whether the connection was reset before or after a message's first byte
TEST_F(EngineMessage, HealthOfMessagesOnAConnectionThatDied) {  // spec/wire-socklnd.md 10
  const Handle conn = bench.accepted(bench.hello(ConnType::kControl));
  const auto begun = bench.put(kA, Bytes(5000));
  const auto queued = bench.put(kA);
  iovec vectors[16];
  Bytes scratch(4096);
  bench.engine.gather(conn, vectors, 16, scratch, 1 << 20);
  bench.engine.written(conn, 100);
  bench.engine.ended(conn, ECONNRESET);
  EXPECT_EQ(bench.done(begun)->health, core::Health::kNetworkTimeout);
  EXPECT_TRUE(bench.done(begun)->begun);
  EXPECT_EQ(bench.done(queued)->health, core::Health::kRemoteDropped);
}

// spec/wire-socklnd.md 10: protocol errors close all connections; dropping a message closes none
TEST_F(EngineMessage, ProtocolErrorsCloseAndDropsDoNot) {
  wire::LnetHeader bad_type = bench.header(0);
  Bytes unknown_message = put_bytes(bad_type, {});
  unknown_message[24 + 24] = std::byte{9};
  Bytes too_long = put_bytes(bad_type, {});
  too_long[24 + 28 + 2] = std::byte{0x20};
  const std::pair<Bytes, Count> cases[] = {{Bytes(24, std::byte{0x55}), Count::kClosedBadFrame},
                                           {unknown_message, Count::kClosedBadHeader},
                                           {too_long, Count::kClosedBadHeader},
                                           {noop_bytes(0, 77), Count::kClosedBadCookie},
                                           {noop_bytes(5, 1), Count::kClosedBadCookie}};
  for (const auto& [bytes, count] : cases) {
    EngineBench fresh;
    const auto trio = fresh.trio();
    fresh.feed(trio.control, bytes);
    EXPECT_TRUE(fresh.closed(trio.control) && fresh.closed(trio.bulk_in) &&
                fresh.closed(trio.bulk_out));
    EXPECT_EQ(fresh.count(count), 1U) << to_string(count);
  }
  bench.verdict = Verdict::kDrop;
  const Handle conn = bench.accepted(bench.hello(ConnType::kControl));
  bench.feed(conn, put_bytes(bench.header(100), Bytes(100)) + put_bytes(bench.header(0), {}));
  EXPECT_EQ(bench.messages.size(), 2U);
  EXPECT_FALSE(bench.closed(conn));
}

TEST_F(EngineMessage, RejectClosesAllConnectionsOfThePeer) {  // spec/wire-socklnd.md 10
  const auto trio = bench.trio();
  bench.verdict = Verdict::kReject;
  bench.feed(trio.control, put_bytes(bench.header(3), Bytes(3)) + put_bytes(bench.header(0), {}));
  EXPECT_TRUE(bench.closed(trio.control) && bench.closed(trio.bulk_in));
  EXPECT_EQ(bench.messages.size(), 1U) << "the engine does not read the next message";
  EXPECT_EQ(bench.messages[0].ends, 0);
  EXPECT_EQ(bench.count(Count::kClosedRejected), 1U);
}

// spec/wire-socklnd.md 6.1: a wrong checksum fails the message with an I/O error and closes the
// connections to that address
TEST_F(EngineMessage, AWrongChecksumFailsTheMessageAndCloses) {
  const auto trio = bench.trio();
  bench.feed(trio.control, put_bytes(bench.header(9), text_bytes("123456789"), 3,
                                     {wire::FrameType::kLnet, 0x340bc6d8, 5, 0}));
  ASSERT_EQ(bench.messages.size(), 1U);
  EXPECT_EQ(bench.messages[0].status, -EIO);
  EXPECT_EQ(bench.messages[0].ends, 1);
  EXPECT_TRUE(bench.closed(trio.bulk_in));
  EXPECT_EQ(bench.count(Count::kAcksSent), 0U);
}

// spec/wire-socklnd.md 11: enable_csum counts on version 2 only; inject_csum_error
TEST_F(EngineMessage, ChecksumsAreSentOnVersion2WhenEnabled) {
  bench.tunables.enable_csum = 1;
  const Handle two = bench.accepted(bench.hello(ConnType::kControl, 2));
  bench.put(kA, text_bytes("abc"));
  const Bytes right = bench.take(two);
  EXPECT_NE(wire::decode_frame(right)->checksum, 0U);
  bench.tunables.inject_csum_error = 1;
  bench.put(kA, text_bytes("abc"));
  EXPECT_EQ(wire::decode_frame(bench.take(two))->checksum, ~wire::decode_frame(right)->checksum);
  bench.put(kA, text_bytes("abc"));
  EXPECT_EQ(wire::decode_frame(bench.take(two))->checksum, wire::decode_frame(right)->checksum)
      << "one was asked for";

  EngineBench three;
  three.tunables.enable_csum = 1;
  const Handle conn = three.accepted(three.hello(ConnType::kControl, 3));
  three.put(kA, text_bytes("abc"));
  EXPECT_EQ(wire::decode_frame(three.take(conn))->checksum, 0U);
}

// A large NID does not fit an older version's headers (spec/wire-lnet.md 3.1).
TEST_F(EngineMessage, ALargeNidOnAnOlderVersionFails) {
  bench.accepted(bench.hello(ConnType::kControl));
  core::Send send;
  send.ni = bench.ni.id;
  send.hop = kA;
  send.header = bench.header(0);
  send.header.dest_nid = *Nid::parse("2001:db8::1@tcp");
  send.tx = {77, 1};
  bench.engine.command(std::move(send));
  EXPECT_EQ(bench.done({77, 1})->status, -EAFNOSUPPORT);
}

// lnet/core/contract/ports.h PeerDown: a peer that had dialled the incarnation before this one
// closes the connection and dials again.
TEST_F(EngineMessage, APeerThatClosesAnUnusedConnectionIsNotLost) {
  const Handle unused = bench.accepted(bench.hello(ConnType::kControl));
  bench.engine.ended(unused, 0);
  EXPECT_TRUE(bench.downs.empty());
  const Handle used = bench.accepted(bench.hello(ConnType::kControl));
  bench.feed(used, put_bytes(bench.header(0), {}));
  bench.engine.ended(used, 0);
  EXPECT_EQ(bench.downs.size(), 1U);
  const Handle unused_again = bench.accepted(bench.hello(ConnType::kControl));
  bench.engine.ended(unused_again, ECONNRESET);
  EXPECT_EQ(bench.downs.size(), 1U);
  for (const int error : {ETIMEDOUT, EHOSTUNREACH}) {
    const Handle silent = bench.accepted(bench.hello(ConnType::kControl));
    const std::size_t before = bench.downs.size();
    bench.engine.ended(silent, error);
    EXPECT_EQ(bench.downs.size(), before + 1) << "it did not close it: it cannot be reached";
  }
}

// When an NI is removed under traffic, every Send and every Land on it ends.
TEST_F(EngineMessage, RemovingTheNiEndsEverything) {
  const auto trio = bench.trio();
  const auto queued = bench.put(kA, Bytes(5000));
  const Bytes stream = put_bytes(bench.header(100), Bytes(100));
  bench.feed(trio.control, Bytes(stream.begin(), stream.end() - 1));
  bench.accept("192.168.1.77");
  bench.engine.remove_ni(bench.ni.id);
  EXPECT_EQ(bench.done(queued)->status, -ESHUTDOWN);
  EXPECT_EQ(bench.messages.at(0).status, -ESHUTDOWN);
  EXPECT_EQ(bench.downs.size(), 1U);
  EXPECT_EQ(bench.engine.messages_in_flight(), 0U);
}

// Equal connections without queued bytes take turns.
TEST_F(EngineMessage, IdleConnectionsTakeTurns) {
  NiInfo two = bench.ni;
  two.conns_per_peer = 2;
  bench.engine.change_ni(two);
  const Handle one = bench.accepted(bench.hello(ConnType::kBulkIn), "192.168.1.10", 900);
  const Handle other = bench.accepted(bench.hello(ConnType::kBulkIn), "192.168.1.10", 901);
  for (const Handle next : {one, other, one, other}) {
    bench.put(kA, Bytes(2000));
    EXPECT_EQ(bench.take(next).size(), 2096U);
  }
}

// The ticket of a received message contains the number of the engine that received it. The driver
// uses the number to give the core's command (Land, DropPayload, ...) to that engine.
TEST_F(EngineMessage, TicketsNameTheirEngine) {
  EngineBench other("192.168.1.20@tcp", 0x5a);
  const Handle conn = other.accepted(other.hello(ConnType::kControl));
  other.verdict = Verdict::kLater;
  for (int i = 0; i < 2; ++i) {
    other.feed(conn, put_bytes(other.header(3), text_bytes("abc")));
    auto& message = other.messages.back();
    EXPECT_EQ(message.rx.value >> 24 & 0xff, 0x5aU);
    other.engine.command(
        core::Land{other.ni.id, message.rx, message.msg, {&message.vector, 1, 0, 3}, 3});
    other.engine.work();
    EXPECT_EQ(message.status, 0);
  }
}

TEST_F(EngineMessage, AWholeInputMayBeImmediate) {
  const Handle conn = bench.accepted(bench.hello(ConnType::kControl));
  bench.feed(conn, put_bytes(bench.header(8), Bytes(8)));
  EXPECT_EQ(bench.messages.at(0).immediate, 8U);
  EXPECT_EQ(bench.messages.at(0).status, 0);
  EXPECT_FALSE(bench.engine.has_work());
  EXPECT_TRUE(bench.engine.received(conn, 0, {})) << "it is open";
}

// The engine reads payload in place as far as the vectors reach, and no bytes behind them.
TEST_F(EngineMessage, ReadAheadStopsAtTheEndOfTheVectors) {
  const Handle conn = bench.accepted(bench.hello(ConnType::kControl));
  bench.feed(conn, put_bytes(bench.header(100), {}));
  iovec vectors[2];
  for (const std::size_t max : {1U, 2U}) {
    std::size_t direct = 0;
    std::size_t ahead = 65536;
    EXPECT_EQ(bench.engine.read_plan(conn, vectors, max, direct, ahead), 1U);
    EXPECT_EQ(direct, 100U);
    EXPECT_EQ(ahead, max == 1 ? 0U : 65536U);
  }
}

TEST_F(EngineMessage, AConnectionThatIsPausedIsNotRead) {
  const Handle conn = bench.accepted(bench.hello(ConnType::kControl));
  iovec vector;
  std::size_t direct = 9;
  std::size_t ahead = 65536;
  EXPECT_EQ(bench.engine.read_plan(conn, &vector, 1, direct, ahead), 0U);
  EXPECT_EQ(direct, 0U);
  EXPECT_EQ(ahead, 65536U);
  bench.verdict = Verdict::kLater;
  bench.feed(conn, put_bytes(bench.header(3), {}));
  EXPECT_EQ(bench.engine.read_plan(conn, &vector, 1, direct, ahead), 0U);
  EXPECT_EQ(ahead, 0U);
}

// The cause that ends a connection says which side was at fault, also for messages that were being
// received on it.
TEST_F(EngineMessage, HealthOfReceivedMessages) {
  const Handle conn = bench.accepted(bench.hello(ConnType::kControl));
  const Bytes stream = put_bytes(bench.header(9), Bytes(9));
  bench.feed(conn, Bytes(stream.begin(), stream.end() - 1));
  const auto queued = bench.put(kA);
  bench.engine.ended(conn, ETIMEDOUT);
  EXPECT_EQ(bench.messages.at(0).status, -ETIMEDOUT);
  EXPECT_EQ(bench.messages.at(0).health, core::Health::kNetworkTimeout);
  EXPECT_EQ(bench.done(queued)->status, -ETIMEDOUT);

  bench.verdict = Verdict::kLater;
  const Handle second = bench.accepted(bench.hello(ConnType::kControl));
  bench.feed(second, stream + stream);
  bench.engine.ended(second, 0);
  const auto& message = bench.messages.at(1);
  bench.engine.command(
      core::Land{bench.ni.id, message.rx, message.msg, {&message.vector, 1, 0, 9}, 9});
  EXPECT_EQ(message.status, -ECONNRESET);
  EXPECT_EQ(message.health, core::Health::kNetworkTimeout);
  bench.engine.command(core::HoldPayload{bench.ni.id, message.rx, message.msg});
  EXPECT_EQ(message.ends, 2);
  EXPECT_EQ(message.health, core::Health::kNetworkTimeout);
  EXPECT_EQ(bench.count(Count::kHeldLost), 1U);
}

// A sink may be longer than the payload.
TEST_F(EngineMessage, ASinkMayBeTooLong) {
  const Handle conn = bench.accepted(bench.hello(ConnType::kControl));
  bench.verdict = Verdict::kLater;
  const Bytes one = put_bytes(bench.header(3), text_bytes("abc"));
  bench.feed(conn, one + one);
  auto& message = bench.messages.at(0);
  message.sink = Bytes(8);
  message.vector = {message.sink.data(), 8};
  bench.engine.command(
      core::Land{bench.ni.id, message.rx, message.msg, {&message.vector, 1, 0, 8}, 3});
  bench.engine.work();
  EXPECT_EQ(message.sink, text_bytes("abc") + Bytes(5));
  EXPECT_EQ(bench.messages.size(), 2U);
  EXPECT_TRUE(bench.pauses[conn.slot]) << "the second waits for its verdict too";
}

// Only a message of which no byte was written is cancelled, on whatever connection it is queued.
TEST_F(EngineMessage, QueuedMessagesCanBeCancelled) {
  const auto trio = bench.trio();
  bench.put(kA);
  const auto tx = bench.put(kA, Bytes(5000));
  EXPECT_EQ(bench.engine.unsent_bytes(trio.bulk_out), 5096U);
  bench.engine.command(core::Cancel{bench.ni.id, kA, tx});
  EXPECT_EQ(bench.done(tx)->status, -ECANCELED);
  EXPECT_EQ(bench.engine.unsent_bytes(trio.bulk_out), 0U);
  EXPECT_EQ(bench.take(trio.control).size(), 96U);
  bench.engine.command(core::Cancel{bench.ni.id, kA, {99, 1}});
  bench.engine.command(core::Cancel{bench.ni.id, {kA.nid, Pid{999}}, tx});
  EXPECT_EQ(bench.count(Count::kSendsCancelled), 1U);
}

// spec/wire-socklnd.md 11: inject_csum_error counts from the first message on
TEST_F(EngineMessage, TheFirstChecksumCanBeWrongToo) {
  std::uint32_t sums[2];
  for (const int wrong : {0, 1}) {
    EngineBench fresh;
    fresh.tunables.enable_csum = 1;
    fresh.tunables.inject_csum_error = wrong;
    const Handle conn = fresh.accepted(fresh.hello(ConnType::kControl, 2));
    fresh.put(kA, text_bytes("abc"));
    sums[wrong] = wire::decode_frame(fresh.take(conn))->checksum;
  }
  EXPECT_EQ(sums[0], ~sums[1]);
}

}  // namespace
}  // namespace ulnet::lnd::sock

// The passive side: which connections this node accepts, and how it answers and refuses hellos.
// The test plays the active peer, byte by byte.
#include <gtest/gtest.h>

#include "lnet/lnd/sock/engine/engine_fixture.h"

namespace ulnet::lnd::sock {
namespace {

using namespace std::chrono_literals;
using wire::ConnType;

class EnginePassive : public testing::Test {
 protected:
  EngineBench bench;

  Bytes request() const { return bytes_of(wire::AcceptorRequest::to(bench.self)); }
  wire::Hello answer_to(const wire::Hello& hello, std::uint16_t port = 1023) {
    const Handle conn = bench.accept("192.168.1.10", port);
    bench.feed(conn, request() + bytes_of(hello));
    return bench.hello_in(bench.take(conn));
  }
  /// An accepted connection of A that has not sent its hello. The engine knows A, because it
  /// dialled A without success.
  Handle accepted_of_known_peer() {
    bench.put(kA);
    bench.engine.dial_failed(bench.dials.back().conn, ECONNREFUSED);
    bench.advance(2s);
    const Handle conn = bench.accept("192.168.1.10");
    bench.feed(conn, request());
    return conn;
  }
};

// spec/wire-socklnd.md 1: the passive side sends its hello first; 4.4: in the version that the peer
// offered; 4.5: with the mirrored type and its own incarnation
// spec/wire-socklnd.md 4.4, 13.5
TEST_F(EnginePassive, AnswersEveryVersionInKindWithTheTypeMirrored) {
  for (std::uint32_t version = 1; version <= 4; ++version) {
    EngineBench fresh;
    const Handle conn = fresh.accept("192.168.1.10");
    fresh.feed(conn, bytes_of(wire::AcceptorRequest::to(fresh.self)));
    EXPECT_TRUE(fresh.take(conn).empty()) << "a good request is not answered";
    fresh.feed(conn, bytes_of(fresh.hello(ConnType::kBulkIn, version)));
    const wire::Hello answer = fresh.hello_in(fresh.take(conn));
    EXPECT_EQ(answer.version, version);
    EXPECT_EQ(answer.type, ConnType::kBulkOut);
    EXPECT_EQ(answer.src_nid, fresh.self);
    EXPECT_EQ(answer.src_pid, Pid::lustre());
    EXPECT_EQ(answer.src_incarnation, fresh.ni.incarnation);
    EXPECT_EQ(fresh.ups, std::vector{kA});
    EXPECT_EQ(fresh.count(Count::kOpened), 1U);
  }
}

// spec/wire-socklnd.md 1: messages may follow the hello at once, in both directions
TEST_F(EnginePassive, MessagesMayFollowTheHelloAtOnce) {
  const Handle conn = bench.accept("192.168.1.10");
  bench.feed(conn, request() + bytes_of(bench.hello(ConnType::kControl)) +
                       put_bytes(bench.header(3), text_bytes("abc")));
  ASSERT_EQ(bench.messages.size(), 1U);
  EXPECT_EQ(bench.messages[0].hop, kA);
  const auto tx = bench.put(kA);
  const Bytes out = bench.take(conn);
  EXPECT_EQ(out.size(), wire::kHelloBytesV3 + 96);
  ASSERT_NE(bench.done(tx), nullptr);
}

// spec/wire-socklnd.md 2.1: such a connection is refused without reading or sending anything
TEST_F(EnginePassive, SecureRefusesUnprivilegedPorts) {
  EXPECT_FALSE(bench.accept("192.168.1.10", 1024));
  EXPECT_EQ(bench.count(Count::kRefusedUnprivileged), 1U);
  EXPECT_TRUE(bench.accept("192.168.1.10", 1023));
}

// spec/wire-socklnd.md 2.2: an unprivileged peer is known by its socket's address and port, which
// replace the source in its headers
TEST_F(EnginePassive, AnUnprivilegedPeerIsNotBelieved) {  // spec/wire-socklnd.md 2.2.4
  bench.tunables.accept = Accept::kAll;
  const Handle conn = bench.accepted(bench.hello(ConnType::kControl), "10.9.8.7", 40000);
  bench.feed(conn, put_bytes(bench.header(0), {}));
  ASSERT_EQ(bench.messages.size(), 1U);
  const core::Hop user{*Nid::parse("10.9.8.7@tcp"), Pid::user(40000)};
  EXPECT_EQ(bench.messages[0].hop, user);
  EXPECT_EQ(bench.messages[0].header.src_nid, user.nid);
  EXPECT_EQ(bench.messages[0].header.src_pid, user.pid);
  // This node answers it on its own connection, and never dials it.
  bench.put(user);
  EXPECT_EQ(bench.take(conn).size(), 96U);
  bench.engine.ended(conn, 0);
  const auto lost = bench.put(user);
  ASSERT_NE(bench.done(lost), nullptr);
  EXPECT_LT(bench.done(lost)->status, 0);
  EXPECT_TRUE(bench.dials.empty());
}

// spec/wire-socklnd.md 2.2: each connection of an unprivileged peer is a peer of its own
TEST_F(EnginePassive, UnprivilegedConnectionsAreNotGrouped) {  // spec/wire-socklnd.md 2.2.1
  bench.tunables.accept = Accept::kAll;
  bench.accepted(bench.hello(ConnType::kControl), "10.9.8.7", 40000);
  bench.accepted(bench.hello(ConnType::kControl), "10.9.8.7", 40001);
  EXPECT_EQ(bench.ups.size(), 2U);
}

// spec/wire-socklnd.md 2.2: an unprivileged IPv6 peer is refused
TEST_F(EnginePassive, AnUnprivilegedIpv6PeerIsRefused) {
  EngineBench six("2001:db8::20@tcp");
  six.tunables.accept = Accept::kAll;
  EXPECT_FALSE(six.accept("2001:db8::10", 40000));
  EXPECT_EQ(six.count(Count::kRefusedIpv6User), 1U);
  EXPECT_TRUE(six.accept("2001:db8::10", 1000));
}

// DESIGN.md 5: accept=trust believes the hello (spec/wire-socklnd.md 2.2)
TEST_F(EnginePassive, TrustBelievesTheHello) {
  bench.tunables.accept = Accept::kTrust;
  bench.accepted(bench.hello(ConnType::kControl), "10.9.8.7", 40000);
  EXPECT_EQ(bench.ups, std::vector{kA});
}

// spec/wire-socklnd.md 3.2: a connection whose request is for a NID that is not exactly a local
// NI's, or for 0@lo, is closed without an answer
TEST_F(EnginePassive, RequestsForOtherNidsAreClosedSilently) {  // spec/wire-socklnd.md 13.5
  for (const char* target : {"192.168.1.21@tcp", "192.168.1.20@tcp1", "0@lo"}) {
    const Handle conn = bench.accept("192.168.1.10");
    bench.feed(conn, bytes_of(wire::AcceptorRequest::to(*Nid::parse(target))));
    EXPECT_TRUE(bench.closed(conn)) << target;
    EXPECT_TRUE(bench.take(conn).empty());
  }
  EXPECT_EQ(bench.count(Count::kRefusedNotMyNid), 3U);
}

// spec/wire-socklnd.md 3.3: such a request is answered with version 1 and NID 0, then closed
TEST_F(EnginePassive, RequestsOfOtherProtocolsAreAnswered) {
  Bytes unknown = request();
  unknown[4] = std::byte{9};
  for (const Bytes& bytes : {text_bytes("cirExxxxxxxxxxxx"), unknown}) {
    const Handle conn = bench.accept("192.168.1.10");
    bench.feed(conn, bytes);
    EXPECT_FALSE(bench.closed(conn)) << "not before the answer is written";
    EXPECT_EQ(bench.take(conn), bytes_of(wire::acceptor_answer()));
    EXPECT_TRUE(bench.closed(conn));
  }
}

// spec/wire-socklnd.md 3.3: a hello without a request, and garbage, are closed without an answer
TEST_F(EnginePassive, GarbageClosesSilently) {
  wire::Hello old = bench.hello(ConnType::kControl, 1);
  for (const Bytes& bytes : {bytes_of(old), text_bytes("GET / HTTP/1.0\r\n\r\n")}) {
    const Handle conn = bench.accept("192.168.1.10");
    bench.feed(conn, bytes);
    EXPECT_TRUE(bench.closed(conn));
    EXPECT_TRUE(bench.take(conn).empty());
  }
  EXPECT_EQ(bench.count(Count::kRefusedBadRequest), 2U);
}

// spec/wire-socklnd.md 4.5: an NI whose NID is large says so in version 4, to an IPv4 address too
TEST_F(EnginePassive, AnNiWithALargeNidRefusesUnknownVersionsWithVersion4) {
  EngineBench large("fd99::20@tcp");
  Bytes hello = bytes_of(bench.hello(ConnType::kControl));
  hello[4] = std::byte{7};
  const Handle conn = large.accept("192.168.1.10");
  large.feed(conn, bytes_of(wire::AcceptorRequest::to(large.self)) + hello);
  const wire::Hello answer = large.hello_in(large.take(conn));
  EXPECT_EQ(answer.version, 4U);
  EXPECT_TRUE(answer.is_refusal());
  EXPECT_EQ(answer.src_nid, large.self);
  EXPECT_TRUE(large.closed(conn));
}

// spec/wire-socklnd.md 4.5: a hello of an unknown version is answered with this node's own
// version and type NONE, addressed to itself; one with an unknown magic is not answered
TEST_F(EnginePassive, UnknownHelloVersionsAreRefusedWithOurOwn) {
  Bytes hello = bytes_of(bench.hello(ConnType::kControl));
  hello[4] = std::byte{7};
  Handle conn = bench.accept("192.168.1.10");
  bench.feed(conn, request() + hello);
  const wire::Hello answer = bench.hello_in(bench.take(conn));
  EXPECT_EQ(answer.version, 3U);
  EXPECT_TRUE(answer.is_refusal());
  EXPECT_EQ(answer.src_nid, bench.self);
  EXPECT_EQ(answer.dst_nid, bench.self);
  EXPECT_TRUE(bench.closed(conn));
  EXPECT_EQ(bench.count(Count::kRefusedVersion), 1U);

  hello[0] = std::byte{0};
  conn = bench.accept("192.168.1.10");
  bench.feed(conn, request() + hello);
  EXPECT_TRUE(bench.closed(conn));
  EXPECT_TRUE(bench.take(conn).empty());
}

// spec/wire-socklnd.md 4.5: a first hello must not have type NONE
TEST_F(EnginePassive, AHelloOfTypeNoneIsClosed) {
  const Handle conn = bench.accept("192.168.1.10");
  bench.feed(conn, request() + bytes_of(bench.hello(ConnType::kNone)));
  EXPECT_TRUE(bench.closed(conn));
  EXPECT_EQ(bench.count(Count::kRefusedBadHello), 1U);
}

// spec/wire-socklnd.md 4.6: a connection belongs to the peer with the NID and PID of its hello
TEST_F(EnginePassive, ConnectionsAreFiledUnderNidAndPid) {
  wire::Hello odd = bench.hello(ConnType::kControl);
  odd.src_pid = Pid{999};
  const Handle conn = bench.accepted(odd);
  bench.put({kA.nid, Pid{999}});
  EXPECT_EQ(bench.take(conn).size(), 96U);
  bench.put(kA);  // another PID is another peer, so this node dials it
  EXPECT_TRUE(bench.take(conn).empty());
  EXPECT_EQ(bench.dials.size(), 1U);
}

// spec/wire-socklnd.md 5.1: one connection more of a type than allowed is a duplicate
TEST_F(EnginePassive, MoreThanTheLimitOfOneTypeAreRefused) {
  NiInfo two = bench.ni;
  two.conns_per_peer = 2;
  bench.engine.change_ni(two);
  for (const ConnType type : {ConnType::kControl, ConnType::kBulkIn, ConnType::kBulkOut}) {
    EXPECT_EQ(answer_to(bench.hello(type), 1000).type, wire::mirror(type));
    EXPECT_EQ(answer_to(bench.hello(type), 1001).type, wire::mirror(type));
    const wire::Hello third = answer_to(bench.hello(type), 1002);
    EXPECT_TRUE(third.is_refusal());
    EXPECT_EQ(third.version, 3U) << "the same version: EALREADY";
    EXPECT_EQ(third.src_incarnation, bench.ni.incarnation) << "with the true identity";
  }
  EXPECT_EQ(bench.count(Count::kRefusedDuplicate), 3U);
}

// spec/wire-socklnd.md 5.1: connections of a node to itself are no duplicates
TEST_F(EnginePassive, ConnectionsToOneselfAreNoDuplicates) {
  wire::Hello own = bench.hello(ConnType::kControl);
  own.src_nid = bench.self;
  for (std::uint16_t port = 1000; port < 1004; ++port) {
    const Handle conn = bench.accept("192.168.1.20", port);
    bench.feed(conn, request() + bytes_of(own));
    EXPECT_EQ(bench.hello_in(bench.take(conn)).type, ConnType::kControl);
  }
}

// spec/wire-socklnd.md 8: a hello with another incarnation or version closes the peer's connections
// and is refused; the peer's next dial succeeds
// spec/wire-socklnd.md 8.1, 8.3
TEST_F(EnginePassive, AnotherIncarnationClosesTheOldConnectionsAndIsRefusedOnce) {
  const Handle old = bench.accepted(bench.hello(ConnType::kControl));
  wire::Hello reborn = bench.hello(ConnType::kControl);
  reborn.src_incarnation += 1;
  EXPECT_TRUE(answer_to(reborn, 900).is_refusal());
  EXPECT_TRUE(bench.closed(old));
  ASSERT_EQ(bench.downs.size(), 1U);
  EXPECT_TRUE(bench.downs[0].reset);
  EXPECT_EQ(answer_to(reborn, 901).type, ConnType::kControl);
  EXPECT_EQ(bench.count(Count::kRefusedStale), 1U);
}

// spec/wire-socklnd.md 8.1, 8.2, 8.3
TEST_F(EnginePassive, AnotherVersionClosesTheOldConnectionsAndIsRefusedOnce) {
  const Handle old = bench.accepted(bench.hello(ConnType::kControl, 3));
  EXPECT_TRUE(answer_to(bench.hello(ConnType::kBulkIn, 2), 900).is_refusal());
  EXPECT_TRUE(bench.closed(old));
  EXPECT_FALSE(bench.downs.at(0).reset) << "the same incarnation";
  EXPECT_EQ(answer_to(bench.hello(ConnType::kBulkIn, 2), 901).version, 2U);
}

// spec/wire-socklnd.md 8: a peer that this node never dialled is forgotten with its last
// connection, its incarnation included
TEST_F(EnginePassive, APassivePeerIsForgottenWithItsLastConnection) {
  const Handle old = bench.accepted(bench.hello(ConnType::kControl, 3));
  bench.engine.ended(old, 0);
  wire::Hello reborn = bench.hello(ConnType::kControl, 2);
  reborn.src_incarnation += 1;
  EXPECT_EQ(answer_to(reborn).type, ConnType::kControl);
}

// spec/wire-socklnd.md 9, vectors.md 29: the connection of the higher NID wins
TEST_F(EnginePassive, TheHigherNidWinsTheRace) {
  bench.put(kA);  // this node dials A, whose NID is lower, while A dials this node
  ASSERT_EQ(bench.dials.size(), 1U);
  EXPECT_TRUE(answer_to(bench.hello(ConnType::kControl)).is_refusal());
  EXPECT_EQ(bench.count(Count::kRefusedRace), 1U);

  EngineBench low("10.0.0.200@tcp");
  low.put(kA);
  const Handle conn = low.accept("192.168.1.10");
  low.feed(conn,
           bytes_of(wire::AcceptorRequest::to(low.self)) + bytes_of(low.hello(ConnType::kControl)));
  EXPECT_EQ(low.hello_in(low.take(conn)).type, ConnType::kControl);
}

// spec/wire-socklnd.md 9: this node does not dial a peer while it is accepting a connection of it
TEST_F(EnginePassive, AnAcceptInProgressPostponesOurDial) {
  const Handle conn = accepted_of_known_peer();
  bench.put(kA);
  EXPECT_EQ(bench.dials.size(), 1U) << "its hello is awaited";
  bench.feed(conn, bytes_of(bench.hello(ConnType::kControl)));
  EXPECT_EQ(bench.take(conn).size(), wire::kHelloBytesV3 + 96)
      << "the message goes on its connection";
}

TEST_F(EnginePassive, AFailedAcceptReleasesOurDial) {  // spec/wire-socklnd.md 9
  const Handle conn = accepted_of_known_peer();
  bench.put(kA);
  const Handle second = bench.accept("192.168.1.10", 1000);
  bench.feed(second, request());
  bench.engine.ended(conn, 0);
  EXPECT_EQ(bench.dials.size(), 1U) << "there is another";
  bench.engine.ended(second, 0);
  EXPECT_EQ(bench.dials.size(), 2U);
}

// The postponed dial is for a type that the accepted connection does not provide. A second
// connection of its type would be refused by the peer or, when both sides accept, each side would
// close the connection that the other keeps.
TEST_F(EnginePassive, APostponedDialIsNotForTheAcceptedType) {
  const Handle conn = accepted_of_known_peer();
  bench.put(kA);
  bench.feed(conn, bytes_of(bench.hello(ConnType::kControl)));
  EXPECT_EQ(bench.dials.size(), 1U) << "the message goes on the accepted connection";
  bench.put(kA);
  ASSERT_EQ(bench.dials.size(), 2U);
  const Bytes out = bench.take(bench.dialled());
  EXPECT_EQ(bench.hello_in(Bytes(out.begin() + 16, out.end())).type, ConnType::kBulkIn);
}

// If accepting the connection fails and no message waits, this node does not dial.
TEST_F(EnginePassive, AFailedAcceptCausesNoDial) {
  const Handle conn = accepted_of_known_peer();
  bench.engine.ended(conn, 0);
  EXPECT_EQ(bench.dials.size(), 1U);
}

// The engine may forget a peer, and meet it again, while it is accepting a connection of that peer.
TEST_F(EnginePassive, AnAcceptMayOutliveWhatIsKnownOfThePeer) {
  const Handle open = bench.accepted(bench.hello(ConnType::kControl));
  const Handle one = bench.accept("192.168.1.10", 1000);
  const Handle other = bench.accept("192.168.1.10", 1001);
  for (const Handle conn : {one, other}) bench.feed(conn, request());
  bench.engine.ended(open, 0);
  bench.engine.for_each_peer([](const PeerView&) { ADD_FAILURE() << "it is forgotten"; });
  bench.engine.ended(one, 0);
  bench.put(kA);
  bench.engine.ended(other, 0);
  ASSERT_EQ(bench.dials.size(), 1U);
  bench.engine.dial_failed(bench.dials.back().conn, ECONNREFUSED);
  bench.advance(2s);
  bench.put(kA);
  EXPECT_EQ(bench.dials.size(), 2U) << "nothing is being accepted";
}

// spec/wire-socklnd.md 10: the request may take accept_timeout, and so may the hello after it
TEST_F(EnginePassive, SilentConnectionsAreClosedInTime) {
  const Handle mute = bench.accept("192.168.1.10");
  const Handle half = bench.accept("192.168.1.10", 1000);
  bench.advance(4s);
  bench.feed(half, request());
  bench.advance(1100ms);
  EXPECT_TRUE(bench.closed(mute));
  EXPECT_FALSE(bench.closed(half));
  bench.advance(4s);
  EXPECT_TRUE(bench.closed(half));
  EXPECT_EQ(bench.count(Count::kRefusedSilent), 2U);
}

// Bytes that arrive at the moment of the time-out are handled before the timers.
TEST_F(EnginePassive, AnEndAtTheDeadlineIsNoTimeout) {
  // Sent in place of a request: the engine answers, then closes the connection.
  wire::Hello generic;
  generic.src_nid = kA.nid;
  for (const Bytes& wrong : {text_bytes("no request at all"), bytes_of(generic)}) {
    const Handle conn = bench.accept("192.168.1.10");
    bench.engine.at(bench.now += 5100ms);
    bench.engine.received(conn, 0, wrong);
    bench.take(conn);
    bench.engine.work();
    EXPECT_TRUE(bench.closed(conn));
  }
  EXPECT_EQ(bench.count(Count::kRefusedBadRequest), 2U);
  EXPECT_EQ(bench.count(Count::kRefusedSilent), 0U);
}

// spec/wire-socklnd.md 11: accept_timeout
TEST_F(EnginePassive, TheAcceptTimeoutIsATunable) {  // spec/wire-socklnd.md 10
  bench.tunables.accept_timeout = 1;
  const Handle mute = bench.accept("192.168.1.10");
  bench.advance(1100ms);
  EXPECT_TRUE(bench.closed(mute));
}

// When thousands of connections send nothing, the oldest is closed for a new one (accept_pending).
TEST_F(EnginePassive, ManySilentConnectionsAreBounded) {
  bench.tunables.accept_pending = 100;
  const Handle first = bench.accept("192.168.1.10");
  for (int i = 0; i < 2000; ++i)
    bench.accept("192.168.1.10", static_cast<std::uint16_t>(1 + i % 1000));
  EXPECT_TRUE(bench.closed(first));
  EXPECT_EQ(bench.count(Count::kRefusedCrowded), 1901U);
  EXPECT_EQ(bench.count(Count::kAccepted), 2001U);
  bench.engine.work();
  EXPECT_EQ(answer_to(bench.hello(ConnType::kControl)).type, ConnType::kControl);
}

TEST_F(EnginePassive, TheOldestOfTheSilentIsClosed) {
  bench.tunables.accept_pending = 3;
  std::vector<Handle> conns;
  for (std::uint16_t i = 0; i < 6; ++i) conns.push_back(bench.accept("192.168.1.10", 900 + i));
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(bench.closed(conns[i]), i < 3) << i;
}

// spec/wire-socklnd.md 4.4: this node reads the peer's byte order and writes its own; 13: nothing
// else differs
TEST_F(EnginePassive, APeerOfTheOtherByteOrderIsAnsweredInOurs) {
  wire::Hello hello = bench.hello(ConnType::kControl);
  Bytes flipped(wire::hello_bytes(hello));
  wire::encode_hello(hello, flipped, Order::kBig);
  Bytes flipped_request(16);
  wire::encode_acceptor(wire::AcceptorRequest::to(bench.self), flipped_request, Order::kBig);
  const Handle conn = bench.accept("192.168.1.10");
  bench.feed(conn, flipped_request + flipped);
  const Bytes answer = bench.take(conn);
  EXPECT_EQ(answer[0], std::byte{0x63});
  Bytes frame(wire::kFrameBytes);
  wire::encode_frame({}, frame, Order::kBig);
  const Bytes plain = put_bytes(bench.header(0), {});
  bench.feed(conn, frame + Bytes(plain.begin() + wire::kFrameBytes, plain.end()));
  EXPECT_EQ(bench.messages.size(), 1U);
}

// spec/wire-socklnd.md 4.2, 4.4: version 4 carries large NIDs; a peer that offers a version
// without room for them is asked to use 4
TEST_F(EnginePassive, LargeNidsNeedVersion4) {
  EngineBench six("2001:db8::20@tcp");
  const Handle conn = six.accepted(six.hello(ConnType::kControl, 4), "2001:db8::10");
  six.feed(conn, put_bytes(six.header(2), text_bytes("ok"), 4));
  ASSERT_EQ(six.messages.size(), 1U);
  EXPECT_EQ(six.messages[0].header.src_nid, six.peer);

  wire::Hello small = six.hello(ConnType::kControl, 3);
  small.src_nid = kA.nid;
  small.dst_nid = kA.nid;
  const Handle old = six.accept("2001:db8::10", 1000);
  six.feed(old, bytes_of(wire::AcceptorRequest::to(six.self)) + bytes_of(small));
  const wire::Hello answer = six.hello_in(six.take(old));
  EXPECT_TRUE(answer.is_refusal());
  EXPECT_EQ(answer.version, 4U);
}

// spec/wire-socklnd.md 11: tos, also on accepted connections
TEST_F(EnginePassive, AcceptedConnectionsTakeTheTosOfTheirNi) {
  NiInfo marked = bench.ni;
  marked.tos = 0x20;
  bench.engine.change_ni(marked);
  bench.accepted(bench.hello(ConnType::kControl));
  EXPECT_EQ(bench.toses, std::vector<std::int32_t>{0x20});
}

// A connection whose peer belongs to another reactor goes to that reactor, with the bytes that were
// read from it.
TEST_F(EnginePassive, APeerOfAnotherEngineIsHandedOver) {
  bench.owner_is_elsewhere = true;
  const Handle conn = bench.accept("192.168.1.10");
  bench.feed(conn, request() + bytes_of(bench.hello(ConnType::kControl)) +
                       put_bytes(bench.header(2), text_bytes("hi")));
  ASSERT_EQ(bench.passed_on.size(), 1U);
  EXPECT_TRUE(bench.ups.empty());
  EXPECT_FALSE(bench.engine.see(conn)) << "it is forgotten, but not closed";
  EXPECT_FALSE(bench.closed(conn));
  bench.tunables.accept_pending = 1;
  bench.accept("192.168.1.10", 1000);
  bench.advance(2s);
  EXPECT_EQ(bench.count(Count::kRefusedCrowded) + bench.count(Count::kRefusedSilent), 0U);

  EngineBench other;
  const auto there = other.engine.expect(bench.passed_on[0]);
  ASSERT_TRUE(there);
  other.engine.arrived(*there, bench.passed_on[0]);
  EXPECT_EQ(other.engine.trouble(kA.nid, -ETIMEDOUT), "") << "it was heard just now";
  EXPECT_EQ(other.hello_in(other.take(*there)).type, ConnType::kControl);
  EXPECT_EQ(other.messages.size(), 1U);
}

// The engine waits after every truncation of a valid start, then closes; nothing of the connection
// remains.
TEST_F(EnginePassive, EveryTruncationOfAHandshakeIsCountedAndForgotten) {
  const Bytes all = request() + bytes_of(bench.hello(ConnType::kControl));
  for (std::size_t length = 0; length < all.size(); ++length) {
    const Handle conn = bench.accept("192.168.1.10");
    bench.feed(conn, Bytes(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(length)));
    bench.engine.ended(conn, 0);
    EXPECT_TRUE(bench.closed(conn));
    bench.engine.work();
  }
  EXPECT_EQ(bench.count(Count::kRefusedHungUp), all.size());
  EXPECT_TRUE(bench.ups.empty());
}

}  // namespace
}  // namespace ulnet::lnd::sock

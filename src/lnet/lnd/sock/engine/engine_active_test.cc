// The active side: what this node sends on a connection that it dialled, and what the peer's
// answers mean. The test plays the passive peer, byte by byte. engine_dial_test.cc tests when peers
// are dialled.
#include <gtest/gtest.h>

#include "lnet/lnd/sock/engine/engine_fixture.h"

namespace ulnet::lnd::sock {
namespace {

using namespace std::chrono_literals;
using wire::ConnType;

class EngineActive : public testing::Test {
 protected:
  EngineBench bench;
};

// spec/wire-socklnd.md 1, 13: this node sends request and hello without waiting; 2: it dials the
// address in the peer's NID, from its NI's address
TEST_F(EngineActive, SpeaksFirstTwice) {  // spec/wire-socklnd.md 2, 4.4, 13.1
  bench.put(kA);
  ASSERT_EQ(bench.dials.size(), 1U);
  EXPECT_EQ(bench.dials[0].order.remote.to_string(), "192.168.1.10:988");
  EXPECT_EQ(bench.dials[0].order.local.to_string(), "192.168.1.20");
  EXPECT_EQ(bench.dials[0].order.tos, -1) << "left alone";
  const Bytes out = bench.take(bench.dialled());
  ASSERT_EQ(out.size(), 16U + 56U);
  EXPECT_EQ(Bytes(out.begin(), out.begin() + 16), bytes_of(wire::AcceptorRequest::to(kA.nid)));
  const wire::Hello hello = bench.hello_in(Bytes(out.begin() + 16, out.end()));
  EXPECT_EQ(hello.version, 3U);
  EXPECT_EQ(hello.src_nid, bench.self);
  EXPECT_EQ(hello.dst_nid, kA.nid);
  EXPECT_EQ(hello.src_pid, Pid::lustre());
  EXPECT_EQ(hello.dst_pid.value, 0U);
  EXPECT_EQ(hello.src_incarnation, bench.ni.incarnation);
  EXPECT_EQ(hello.dst_incarnation, 0U);
  EXPECT_EQ(hello.type, ConnType::kControl);
  EXPECT_TRUE(hello.addresses.empty());
}

// spec/wire-socklnd.md 3.2, 4.4: an IPv6 peer gets request version 2 and hello version 4
TEST_F(EngineActive, OffersVersion4ToAnIpv6Peer) {
  EngineBench six("2001:db8::20@tcp");
  six.put({six.peer, Pid::lustre()});
  const Bytes out = six.take(six.dialled());
  ASSERT_EQ(out.size(), 28U + 80U);
  EXPECT_EQ(six.hello_in(Bytes(out.begin() + 28, out.end())).version, 4U);
}

// spec/wire-socklnd.md 4.5: if the peer refuses with another version, this node dials again at once
// with that version
TEST_F(EngineActive, AnotherVersionIsOfferedAtOnce) {  // spec/wire-socklnd.md 13.4
  bench.put(kA);
  bench.refused(2);
  ASSERT_EQ(bench.dials.size(), 2U);
  const Handle conn = bench.dialled();
  const Bytes out = bench.take(conn);
  EXPECT_EQ(bench.hello_in(Bytes(out.begin() + 16, out.end())).version, 2U);
  EXPECT_EQ(bench.count(Count::kDialOtherVersion), 1U);
}

// spec/wire-socklnd.md 4.5
TEST_F(EngineActive, APeerThatNeverSettlesOnAVersionIsNotDialledForEver) {
  bench.put(kA);
  std::uint32_t version = 2;
  while (bench.dials.size() < 5) {
    bench.refused(version);
    version = version == 2 ? 3 : 2;
  }
  bench.refused(version);
  EXPECT_EQ(bench.dials.size(), 5U);
}

// spec/wire-socklnd.md 4.4: if the peer accepts in another version, this node uses that version,
// also for later connections
TEST_F(EngineActive, AnAnswerInAnotherVersionIsAdopted) {
  for (const std::uint32_t version : {1U, 2U, 4U}) {
    EngineBench fresh;
    const auto tx = fresh.put(kA);
    const Handle conn = fresh.answered(fresh.hello(ConnType::kControl, version));
    EXPECT_EQ(fresh.take(conn).size(), version == 1 ? 72U : version == 4 ? 120U : 96U);
    EXPECT_NE(fresh.done(tx), nullptr);
    ASSERT_EQ(fresh.dials.size(), 2U);
    const Bytes out = fresh.take(fresh.dialled());
    EXPECT_EQ(fresh.hello_in(Bytes(out.begin() + 16, out.end())).version, version);
  }
}

// spec/wire-socklnd.md 8: the version is forgotten when the last connection is closed
TEST_F(EngineActive, TheVersionIsNegotiatedAgainNextTime) {  // spec/wire-socklnd.md 4.4
  bench.put(kA);
  const Handle conn = bench.answered(bench.hello(ConnType::kControl, 2));
  bench.engine.ended(conn, 0);
  bench.engine.ended(bench.dials.back().conn, ECONNREFUSED);
  bench.advance(2s);
  bench.put(kA);
  const Bytes out = bench.take(bench.dialled());
  EXPECT_EQ(bench.hello_in(Bytes(out.begin() + 16, out.end())).version, 3U);
}

// spec/wire-socklnd.md 4.5: NID and PID of the answer are checked first, then its mirrored type
TEST_F(EngineActive, AWrongAnswerIsAFailedDial) {  // spec/wire-socklnd.md 13.3
  const auto with = [&](auto change) {
    wire::Hello hello = bench.hello(ConnType::kControl);
    change(hello);
    return hello;
  };
  const wire::Hello wrong[] = {
      with([](wire::Hello& h) { h.src_nid = *Nid::parse("192.168.1.11@tcp"); }),
      with([](wire::Hello& h) { h.src_pid = Pid{999}; }),
      with([](wire::Hello& h) { h.type = ConnType::kBulkIn; }),
      with([](wire::Hello& h) {
        h.src_pid = Pid{999};
        h.type = ConnType::kNone;
      }),
  };
  for (const wire::Hello& hello : wrong) {
    EngineBench fresh;
    const auto tx = fresh.put(kA);
    const Handle conn = fresh.answered(hello);
    EXPECT_TRUE(fresh.closed(conn));
    ASSERT_NE(fresh.done(tx), nullptr);
    EXPECT_EQ(fresh.done(tx)->status, -EPROTO);
    EXPECT_EQ(fresh.done(tx)->health, core::Health::kRemoteError);
    EXPECT_NE(fresh.engine.trouble(kA.nid, -ETIMEDOUT), "");
  }
}

TEST_F(EngineActive, GarbageInsteadOfAHelloIsAFailedDial) {  // spec/wire-socklnd.md 4.5, 13.3
  const auto tx = bench.put(kA);
  const Handle conn = bench.dialled();
  bench.feed(conn, text_bytes("HTTP/1.1 400 Bad Request"));
  EXPECT_TRUE(bench.closed(conn));
  EXPECT_EQ(bench.done(tx)->status, -EPROTO);
}

// spec/wire-socklnd.md 2.1: the reason explains what a `secure` acceptor does to an unprivileged
// port
TEST_F(EngineActive, AClosedHandshakeFromAnUnprivilegedPortIsExplained) {
  const auto tx = bench.put(kA);
  bench.engine.connected(bench.dials.back().conn, true);
  bench.engine.ended(bench.dials.back().conn, ECONNRESET);
  EXPECT_EQ(bench.done(tx)->health, core::Health::kRemoteDropped);
  EXPECT_NE(bench.engine.trouble(kA.nid, -ETIMEDOUT).find("secure"), std::string::npos);
  EXPECT_EQ(bench.engine.trouble(bench.self, -ETIMEDOUT), "");
}

// The system says EPIPE or ECONNRESET, depending on what was under way when the peer closed.
TEST_F(EngineActive, ABrokenPipeBeforeTheHelloIsAClosedHandshake) {
  const auto tx = bench.put(kA);
  bench.engine.dial_failed(bench.dials.back().conn, EPIPE, true);
  EXPECT_EQ(bench.done(tx)->status, -ECONNRESET);
  EXPECT_EQ(bench.done(tx)->health, core::Health::kRemoteDropped);
  EXPECT_NE(bench.engine.trouble(kA.nid, -ETIMEDOUT).find("secure"), std::string::npos);
}

// Also with -EIO, as when a fault rule fails a message: the reason does not say that this node
// waits before it dials, since the peer is connected.
TEST_F(EngineActive, AConnectedPeerThatIsSilentIsExplained) {
  bench.put(kA);
  bench.opened(kA.nid, ConnType::kControl);
  EXPECT_EQ(bench.engine.trouble(kA.nid, -ETIMEDOUT), "");
  bench.advance(1s - 1ns);
  EXPECT_EQ(bench.engine.trouble(kA.nid, -ETIMEDOUT), "");
  bench.advance(1ns);
  EXPECT_NE(bench.engine.trouble(kA.nid, -ETIMEDOUT), "");
  bench.advance(2s);
  EXPECT_NE(bench.engine.trouble(kA.nid, -ETIMEDOUT).find("nothing has come from it for 3 s"),
            std::string::npos)
      << bench.engine.trouble(kA.nid, -ETIMEDOUT);
}

// spec/wire-socklnd.md 8: another incarnation in an answer, or in a refusal, means a restart. The
// connection is kept, since the peer may have sent a message on it. spec/wire-socklnd.md 8.1, 8.3
TEST_F(EngineActive, ARestartSeenInAnAnswerClosesTheOldConnections) {
  bench.put(kA);
  const Handle control = bench.opened(kA.nid, ConnType::kControl);
  bench.take(control);
  const auto stuck = bench.put(kA);
  wire::Hello reborn = bench.hello(ConnType::kNone);
  reborn.src_incarnation += 5;
  reborn.type = ConnType::kBulkOut;
  const Handle first = bench.answered(reborn);
  EXPECT_TRUE(bench.closed(control));
  ASSERT_EQ(bench.downs.size(), 1U);
  EXPECT_TRUE(bench.downs[0].reset);
  EXPECT_NE(bench.done(stuck), nullptr);
  EXPECT_FALSE(bench.closed(first)) << "it is the new incarnation's";
  bench.feed(first, put_bytes(bench.header(3), text_bytes("abc")));
  EXPECT_EQ(bench.messages.size(), 1U);
  EXPECT_EQ(bench.dials.size(), 3U) << "for the other types";
  EXPECT_EQ(bench.count(Count::kClosedRestarted), 1U);
}

// spec/wire-socklnd.md 8
TEST_F(EngineActive, ARestartWithoutOldConnectionsIsReportedAndClosesNothing) {
  bench.put(kA);
  bench.engine.ended(bench.opened(kA.nid, ConnType::kControl), 0);
  bench.engine.ended(bench.dials.back().conn, ECONNREFUSED);
  bench.advance(1s);
  bench.put(kA);
  const std::size_t downs = bench.downs.size();
  wire::Hello reborn = bench.hello(ConnType::kControl);
  reborn.src_incarnation += 5;
  EXPECT_FALSE(bench.closed(bench.answered(reborn)));
  EXPECT_EQ(bench.count(Count::kClosedRestarted), 0U);
  ASSERT_EQ(bench.downs.size(), downs + 1);
  EXPECT_TRUE(bench.downs.back().reset);
}

TEST_F(EngineActive, ARestartSeenInARefusalClosesTheOldConnections) {
  bench.put(kA);
  const Handle control = bench.opened(kA.nid, ConnType::kControl);
  wire::Hello reborn = bench.hello(ConnType::kNone);
  reborn.src_incarnation += 5;
  EXPECT_TRUE(bench.closed(bench.answered(reborn)));
  EXPECT_TRUE(bench.closed(control));
  ASSERT_EQ(bench.downs.size(), 1U);
  EXPECT_TRUE(bench.downs[0].reset);
  ASSERT_EQ(bench.dials.size(), 3U) << "tried again at once";
  wire::Hello welcome = bench.hello(ConnType::kControl);
  welcome.src_incarnation += 5;
  EXPECT_FALSE(bench.closed(bench.answered(welcome)));
}

// spec/wire-socklnd.md 8: if a peer refuses with other versions and then restarts, this node dials
// it at once only a few times
TEST_F(EngineActive, AfterTooManyRefusalsARestartedPeerIsDialledAfterAPause) {
  bench.put(kA);
  bench.engine.ended(bench.opened(kA.nid, ConnType::kControl), 0);
  const auto waiting = bench.put(kA);
  const std::size_t dials = bench.dials.size();
  for (const std::uint32_t version : {2U, 3U, 2U, 3U})
    bench.answered(bench.hello(ConnType::kNone, version));
  ASSERT_EQ(bench.dials.size(), dials + 4);
  wire::Hello reborn = bench.hello(ConnType::kNone);
  ++reborn.src_incarnation;
  bench.answered(reborn);
  EXPECT_EQ(bench.dials.size(), dials + 4) << "a pause has begun";
  bench.advance(1100ms);
  EXPECT_EQ(bench.dials.size(), dials + 5) << "its end dials for the message that waits";
  EXPECT_EQ(bench.done(waiting), nullptr);
}

// spec/wire-socklnd.md 8: all connections between two NIs use the same version
TEST_F(EngineActive, AMixOfVersionsIsStale) {  // spec/wire-socklnd.md 8.1
  bench.put(kA);
  const Handle control = bench.opened(kA.nid, ConnType::kControl);
  bench.answered(bench.hello(ConnType::kBulkOut, 2));
  EXPECT_TRUE(bench.closed(control));
  EXPECT_FALSE(bench.downs.at(0).reset);
}

// spec/wire-socklnd.md 10: this node waits for a hello, and a message for a connection, at most
// the LND time-out
TEST_F(EngineActive, ASilentAcceptorTimesOut) {
  const auto tx = bench.put(kA);
  const Handle conn = bench.dialled();
  bench.advance(49s);
  EXPECT_FALSE(bench.closed(conn));
  bench.advance(2s);
  EXPECT_TRUE(bench.closed(conn));
  EXPECT_EQ(bench.done(tx)->status, -ETIMEDOUT);
  EXPECT_EQ(bench.done(tx)->health, core::Health::kNetworkTimeout);
}

TEST_F(EngineActive, SaysThePidOfItsNi) {
  NiInfo other = bench.ni;
  other.pid = Pid{77};
  bench.engine.change_ni(other);
  bench.put(kA);
  const Bytes out = bench.take(bench.dialled());
  EXPECT_EQ(bench.hello_in(Bytes(out.begin() + 16, out.end())).src_pid, Pid{77});
}

// The engine disbelieves only a peer without a privileged port (engine_passive_test.cc). A header
// that a router forwards keeps its source.
TEST_F(EngineActive, AHeaderOnADialledConnectionIsBelieved) {
  bench.put(kA);
  const Handle conn = bench.opened(kA.nid, ConnType::kControl);
  wire::LnetHeader header = bench.header(0);
  header.src_nid = *Nid::parse("10.0.0.1@tcp9");
  bench.feed(conn, put_bytes(header, {}));
  EXPECT_EQ(bench.messages.at(0).header.src_nid, header.src_nid);
  EXPECT_EQ(bench.messages.at(0).hop, kA);
}

// spec/wire-lnet.md 3.1: version 4 has room for large NIDs
TEST_F(EngineActive, MessagesWithLargeNidsTravelOnVersion4) {
  EngineBench six("2001:db8::20@tcp");
  const auto tx = six.put({six.peer, Pid::lustre()});
  six.take(six.opened(six.peer, ConnType::kControl, 4));
  ASSERT_NE(six.done(tx), nullptr);
  EXPECT_EQ(six.done(tx)->status, 0);
  EXPECT_EQ(six.count(Count::kSendsFailed), 0U);
}

}  // namespace
}  // namespace ulnet::lnd::sock

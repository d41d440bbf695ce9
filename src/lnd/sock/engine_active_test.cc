// The active side: when and how peers are dialled, and what answers mean. The test plays the
// passive peer, byte by byte.
#include <gtest/gtest.h>

#include "lnd/sock/engine_fixture.h"

namespace ulnet::lnd::sock {
namespace {

using namespace std::chrono_literals;
using wire::ConnType;

const core::Hop kA{*Nid::parse("192.168.1.10@tcp"), Pid::lustre()};

class EngineActive : public testing::Test {
 protected:
  EngineBench bench;

  wire::Hello answer(ConnType type, std::uint32_t version = 3) const {
    return bench.hello(type, version);
  }
  /// Connects the last dial and answers it.
  Handle reply(const wire::Hello& hello) {
    const Handle conn = bench.dialled();
    bench.take(conn);
    bench.feed(conn, bytes_of(hello));
    return conn;
  }
  Handle refuse(std::uint32_t version = 3) { return reply(answer(ConnType::kNone, version)); }
  void open_all() {
    bench.opened(kA.nid, ConnType::kControl);
    bench.opened(kA.nid, ConnType::kBulkOut);
    bench.opened(kA.nid, ConnType::kBulkIn);
  }
};

// spec/wire-socklnd.md 1, 13: request and hello without waiting; 2: destination is the NID's
// address, source the NI's
TEST_F(EngineActive, SpeaksFirstTwice) {
  bench.put(kA);
  ASSERT_EQ(bench.dials.size(), 1U);
  EXPECT_EQ(bench.dials[0].order.remote.to_string(), "192.168.1.10:988");
  EXPECT_EQ(bench.dials[0].order.local.to_string(), "192.168.1.20");
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

// spec/wire-socklnd.md 5.1: CONTROL, then alternately BULK_IN and BULK_OUT, one after the other;
// messages flow meanwhile
TEST_F(EngineActive, OpensControlThenBulkInTurn) {
  NiInfo two = bench.ni;
  two.conns_per_peer = 2;
  bench.engine.change_ni(two);
  const auto tx = bench.put(kA);
  const ConnType order[] = {ConnType::kControl, ConnType::kBulkIn, ConnType::kBulkOut,
                            ConnType::kBulkIn, ConnType::kBulkOut};
  std::size_t dials = 0;
  for (const ConnType type : order) {
    ASSERT_EQ(bench.dials.size(), ++dials);
    const Handle conn = bench.dialled();
    const Bytes out = bench.take(conn);
    EXPECT_EQ(bench.hello_in(Bytes(out.begin() + 16, out.end())).type, type);
    bench.feed(conn, bytes_of(answer(wire::mirror(type))));
    if (type != ConnType::kControl) continue;
    EXPECT_EQ(bench.take(conn).size(), 96U);
    EXPECT_NE(bench.done(tx), nullptr);
  }
  EXPECT_EQ(bench.dials.size(), dials) << "all are there";
  EXPECT_EQ(bench.ups.size(), 1U);
}

// spec/wire-socklnd.md 2: CONTROL goes to accept_port, bulk connections to accept_port_bulk
TEST_F(EngineActive, BulkConnectionsMayHaveAPortOfTheirOwn) {
  bench.tunables.accept_port = 2000;
  bench.tunables.accept_port_bulk = 3000;
  bench.put(kA);
  EXPECT_EQ(bench.dials.back().order.remote.port, 2000);
  bench.opened(kA.nid, ConnType::kControl);
  EXPECT_EQ(bench.dials.back().order.remote.port, 3000);
}

// spec/wire-socklnd.md 4.5: refused with the same version: about min_reconnectms, then again if
// needed
TEST_F(EngineActive, ARefusalIsTriedAgainAfterASecond) {
  const auto tx = bench.put(kA);
  EXPECT_TRUE(bench.closed(refuse()));
  EXPECT_EQ(bench.done(tx), nullptr) << "the message waits";
  bench.advance(900ms);
  EXPECT_EQ(bench.dials.size(), 1U);
  bench.advance(200ms);
  EXPECT_EQ(bench.dials.size(), 2U);
  EXPECT_EQ(bench.count(Count::kDialRefused), 1U);
}

// spec/wire-socklnd.md 11: min_reconnectms
TEST_F(EngineActive, TheReconnectPauseIsATunable) {
  bench.tunables.min_reconnectms = 100;
  bench.put(kA);
  refuse();
  bench.advance(110ms);
  EXPECT_EQ(bench.dials.size(), 2U);
}

// spec/wire-socklnd.md 9: the loser of a race finds the winner's connections and dials only what is
// missing
TEST_F(EngineActive, TheLoserOfARaceUsesTheWinnersConnection) {
  EngineBench low("10.0.0.200@tcp");
  const auto tx = low.put(kA);
  const Handle ours = low.dialled();
  low.take(ours);
  const Handle theirs = low.accept("192.168.1.10");
  low.feed(theirs,
           bytes_of(wire::AcceptorRequest::to(low.self)) + bytes_of(low.hello(ConnType::kControl)));
  EXPECT_EQ(low.take(theirs).size(), 56U + 96U) << "the message goes on it at once";
  EXPECT_NE(low.done(tx), nullptr);
  low.feed(ours, bytes_of(low.hello(ConnType::kNone)));
  EXPECT_EQ(low.dials.size(), 1U);
  low.advance(1100ms);
  ASSERT_EQ(low.dials.size(), 2U) << "the types still missing about a second later";
  const Handle bulk = low.dialled();
  const Bytes out = low.take(bulk);
  EXPECT_EQ(low.hello_in(Bytes(out.begin() + 16, out.end())).type, ConnType::kBulkIn);
}

// spec/wire-socklnd.md 4.5: refused with another version: again at once, with that one
TEST_F(EngineActive, AnotherVersionIsOfferedAtOnce) {
  bench.put(kA);
  refuse(2);
  ASSERT_EQ(bench.dials.size(), 2U);
  const Handle conn = bench.dialled();
  const Bytes out = bench.take(conn);
  EXPECT_EQ(bench.hello_in(Bytes(out.begin() + 16, out.end())).version, 2U);
  EXPECT_EQ(bench.count(Count::kDialOtherVersion), 1U);
}

TEST_F(EngineActive, APeerThatNeverSettlesOnAVersionIsNotDialledForEver) {
  bench.put(kA);
  std::uint32_t version = 2;
  while (bench.dials.size() < 5) {
    refuse(version);
    version = version == 2 ? 3 : 2;
  }
  refuse(version);
  EXPECT_EQ(bench.dials.size(), 5U);
}

// spec/wire-socklnd.md 4.4: a regular answer in another version is adopted, and later connections
// offer it
TEST_F(EngineActive, AnAnswerInAnotherVersionIsAdopted) {
  for (const std::uint32_t version : {1U, 2U, 4U}) {
    EngineBench fresh;
    const auto tx = fresh.put(kA);
    const Handle conn = fresh.dialled();
    fresh.take(conn);
    fresh.feed(conn, bytes_of(fresh.hello(ConnType::kControl, version)));
    EXPECT_EQ(fresh.take(conn).size(), version == 1 ? 72U : version == 4 ? 120U : 96U);
    EXPECT_NE(fresh.done(tx), nullptr);
    ASSERT_EQ(fresh.dials.size(), 2U);
    const Bytes out = fresh.take(fresh.dialled());
    EXPECT_EQ(fresh.hello_in(Bytes(out.begin() + 16, out.end())).version, version);
  }
}

// spec/wire-socklnd.md 8: the version is forgotten with the last connection
TEST_F(EngineActive, TheVersionIsNegotiatedAnewNextTime) {
  bench.put(kA);
  const Handle conn = reply(answer(ConnType::kControl, 2));
  bench.engine.ended(conn, 0);
  bench.engine.ended(bench.dials.back().conn, ECONNREFUSED);
  bench.advance(2s);
  bench.put(kA);
  const Bytes out = bench.take(bench.dialled());
  EXPECT_EQ(bench.hello_in(Bytes(out.begin() + 16, out.end())).version, 3U);
}

// spec/wire-socklnd.md 4.5: NID, PID and mirrored type of the answer are checked, identity first
TEST_F(EngineActive, AWrongAnswerIsAFailedDial) {
  const auto with = [&](auto change) {
    wire::Hello hello = answer(ConnType::kControl);
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
    const Handle conn = fresh.dialled();
    fresh.take(conn);
    fresh.feed(conn, bytes_of(hello));
    EXPECT_TRUE(fresh.closed(conn));
    ASSERT_NE(fresh.done(tx), nullptr);
    EXPECT_EQ(fresh.done(tx)->status, -EPROTO);
    EXPECT_EQ(fresh.done(tx)->health, core::Health::kRemoteError);
    EXPECT_NE(fresh.engine.trouble(kA.nid), "");
  }
}

TEST_F(EngineActive, GarbageInsteadOfAHelloIsAFailedDial) {
  const auto tx = bench.put(kA);
  const Handle conn = bench.dialled();
  bench.feed(conn, text_bytes("HTTP/1.1 400 Bad Request"));
  EXPECT_TRUE(bench.closed(conn));
  EXPECT_EQ(bench.done(tx)->status, -EPROTO);
}

// spec/wire-socklnd.md 4.6, 10: back-off doubles; a message that needs the dial fails at once
// meanwhile
TEST_F(EngineActive, DuringBackOffMessagesFailAtOnce) {
  const auto first = bench.put(kA);
  bench.engine.dial_failed(bench.dials.back().conn, ECONNREFUSED);
  EXPECT_EQ(bench.done(first)->status, -ECONNREFUSED);
  EXPECT_EQ(bench.done(first)->health, core::Health::kRemoteDropped);
  const auto second = bench.put(kA);
  EXPECT_EQ(bench.done(second)->status, -EIO);
  bench.advance(1s);
  EXPECT_EQ(bench.dials.size(), 1U) << "nobody asks";
  bench.put(kA);
  EXPECT_EQ(bench.dials.size(), 2U);
  bench.engine.dial_failed(bench.dials.back().conn, ECONNREFUSED);
  bench.advance(1900ms);
  EXPECT_EQ(bench.done(bench.put(kA))->status, -EIO) << "two seconds now";
  bench.advance(200ms);
  bench.put(kA);
  EXPECT_EQ(bench.dials.size(), 3U);
}

// spec/wire-socklnd.md 11: max_reconnectms
TEST_F(EngineActive, TheLongestPauseIsATunable) {
  bench.tunables.max_reconnectms = 1500;
  for (int i = 0; i < 6; ++i) {
    bench.put(kA);
    bench.engine.dial_failed(bench.dials.back().conn, ECONNREFUSED);
    bench.advance(1500ms);
  }
  EXPECT_EQ(bench.dials.size(), 6U);
}

// spec/wire-socklnd.md 4.6: a failed dial closes every connection to that address, whatever PID,
// and fails what waits
TEST_F(EngineActive, AFailedDialClosesEveryConnectionToThatAddress) {
  wire::Hello odd = bench.hello(ConnType::kControl);
  odd.src_pid = Pid{999};
  const Handle conn = bench.accepted(odd);
  const auto waiting = bench.put(kA);  // another pair, hence a dial
  bench.engine.dial_failed(bench.dials.back().conn, ECONNREFUSED);
  EXPECT_TRUE(bench.closed(conn));
  EXPECT_EQ(bench.done(waiting)->status, -ECONNREFUSED);
  EXPECT_EQ(bench.downs.size(), 1U);
}

// DESIGN.md 2: whose fault it was, by the way the dial failed (spec/multirail.md 5.2)
TEST_F(EngineActive, HealthOfFailedDials) {
  using core::Health;
  const std::pair<int, Health> cases[] = {
      {EACCES, Health::kLocalError},          {EADDRNOTAVAIL, Health::kLocalError},
      {EADDRINUSE, Health::kLocalError},      {ENETDOWN, Health::kLocalError},
      {EMFILE, Health::kLocalError},          {ENETUNREACH, Health::kLocalNoRoute},
      {ECONNREFUSED, Health::kRemoteDropped}, {ETIMEDOUT, Health::kLocalTimeout}};
  for (const auto& [error, health] : cases) {
    EngineBench fresh;
    const auto tx = fresh.put(kA);
    fresh.engine.dial_failed(fresh.dials.back().conn, error);
    EXPECT_EQ(fresh.done(tx)->health, health) << error;
    EXPECT_EQ(fresh.done(tx)->status, -error);
  }
}

// spec/wire-socklnd.md 2.1: what a `secure` acceptor does to an unprivileged port is explained
TEST_F(EngineActive, AClosedHandshakeFromAnUnprivilegedPortIsExplained) {
  const auto tx = bench.put(kA);
  bench.engine.connected(bench.dials.back().conn, true);
  bench.engine.ended(bench.dials.back().conn, ECONNRESET);
  EXPECT_EQ(bench.done(tx)->health, core::Health::kRemoteDropped);
  EXPECT_NE(bench.engine.trouble(kA.nid).find("secure"), std::string::npos);
  EXPECT_EQ(bench.engine.trouble(bench.self), "");
}

// Whether the system says EPIPE or ECONNRESET depends on what was under way when the peer hung up.
TEST_F(EngineActive, ABrokenPipeBeforeTheHelloIsAClosedHandshake) {
  const auto tx = bench.put(kA);
  bench.engine.dial_failed(bench.dials.back().conn, EPIPE, true);
  EXPECT_EQ(bench.done(tx)->status, -ECONNRESET);
  EXPECT_EQ(bench.done(tx)->health, core::Health::kRemoteDropped);
  EXPECT_NE(bench.engine.trouble(kA.nid).find("secure"), std::string::npos);
}

TEST_F(EngineActive, AConnectedPeerThatIsSilentIsExplained) {
  bench.put(kA);
  bench.opened(kA.nid, ConnType::kControl);
  EXPECT_EQ(bench.engine.trouble(kA.nid), "");
  bench.advance(3s);
  EXPECT_NE(bench.engine.trouble(kA.nid).find("nothing has come from it for 3 s"),
            std::string::npos)
      << bench.engine.trouble(kA.nid);
}

// spec/wire-socklnd.md 5.1: every bulk connection refused: three tries, then only for a message
// after a doubling pause; everything flows on CONTROL meanwhile
TEST_F(EngineActive, RefusedBulkConnectionsAreTriedThreeTimes) {
  bench.put(kA);
  const Handle control = bench.opened(kA.nid, ConnType::kControl);
  bench.take(control);
  for (int i = 0; i < 3; ++i) {
    refuse();
    bench.advance(1100ms);
  }
  EXPECT_EQ(bench.dials.size(), 4U);
  const auto bulk = bench.put(kA, Bytes(5000));
  EXPECT_EQ(bench.take(control).size(), 5096U);
  EXPECT_NE(bench.done(bulk), nullptr);
  EXPECT_EQ(bench.dials.size(), 5U) << "a message and the pause: once more";
  refuse();
  bench.advance(1s);
  bench.put(kA, Bytes(5000));
  EXPECT_EQ(bench.dials.size(), 5U);
  bench.advance(1100ms);
  bench.put(kA, Bytes(5000));
  EXPECT_EQ(bench.dials.size(), 6U);
}

// spec/wire-socklnd.md 5.1: with one of each type, three refusals are enough
TEST_F(EngineActive, SettlesForOneOfEach) {
  NiInfo three = bench.ni;
  three.conns_per_peer = 3;
  bench.engine.change_ni(three);
  bench.engine.command(core::Connect{bench.ni.id, kA});
  open_all();
  for (int i = 0; i < 3; ++i) {
    refuse();
    bench.advance(1100ms);
  }
  const std::size_t dials = bench.dials.size();
  bench.advance(100s);
  bench.put(kA);
  EXPECT_EQ(bench.dials.size(), dials);
}

// spec/wire-socklnd.md 5.1: a node that never dialled opens nothing of its own while the peer's
// connection is there, and 13: a single CONTROL connection carries everything, both ways
TEST_F(EngineActive, APassiveNodeOpensNothingOfItsOwn) {
  const Handle control = bench.accepted(bench.hello(ConnType::kControl));
  bench.put(kA);
  bench.put(kA, Bytes(100000));
  EXPECT_EQ(bench.take(control).size(), 96U + 100096U);
  bench.advance(100s);
  EXPECT_TRUE(bench.dials.empty());
}

// spec/wire-socklnd.md 8: a changed incarnation in an answer, or in a refusal, is a reboot
TEST_F(EngineActive, ARestartSeenInAnAnswerClosesTheOldLife) {
  bench.put(kA);
  const Handle control = bench.opened(kA.nid, ConnType::kControl);
  bench.take(control);
  const auto stuck = bench.put(kA);
  wire::Hello reborn = answer(ConnType::kNone);
  reborn.src_incarnation += 5;
  reply(reborn);
  EXPECT_TRUE(bench.closed(control));
  ASSERT_EQ(bench.downs.size(), 1U);
  EXPECT_TRUE(bench.downs[0].reset);
  EXPECT_NE(bench.done(stuck), nullptr);
  ASSERT_EQ(bench.dials.size(), 3U) << "tried again at once";
  wire::Hello welcome = answer(ConnType::kControl);
  welcome.src_incarnation += 5;
  EXPECT_FALSE(bench.closed(reply(welcome)));
}

// spec/wire-socklnd.md 8: all connections between two NIs use the same version
TEST_F(EngineActive, AMixOfVersionsIsStale) {
  bench.put(kA);
  const Handle control = bench.opened(kA.nid, ConnType::kControl);
  reply(answer(ConnType::kBulkOut, 2));
  EXPECT_TRUE(bench.closed(control));
  EXPECT_FALSE(bench.downs.at(0).reset);
}

// spec/wire-socklnd.md 10: waiting for the hello takes at most the LND time-out, and so does
// waiting for a connection
TEST_F(EngineActive, ASilentAcceptorTimesOut) {
  const auto tx = bench.put(kA);
  const Handle conn = bench.dialled();
  bench.advance(49s);
  EXPECT_FALSE(bench.closed(conn));
  bench.advance(2s);
  EXPECT_TRUE(bench.closed(conn));
  EXPECT_EQ(bench.done(tx)->status, -ETIMEDOUT);
  EXPECT_EQ(bench.done(tx)->health, core::Health::kLocalTimeout);
}

TEST_F(EngineActive, AMessagePastItsDeadlineIsGivenUp) {
  const auto tx = bench.put(kA, {}, bench.now + 3s);
  bench.advance(3100ms);
  ASSERT_NE(bench.done(tx), nullptr);
  EXPECT_EQ(bench.done(tx)->health, core::Health::kLocalTimeout);
}

// spec/wire-socklnd.md 11: sock_timeout (resolved into the NI)
TEST_F(EngineActive, TheLndTimeoutIsPerNi) {
  NiInfo quick = bench.ni;
  quick.timeout = 2s;
  bench.engine.change_ni(quick);
  const auto tx = bench.put(kA);
  bench.advance(2100ms);
  EXPECT_NE(bench.done(tx), nullptr);
}

// spec/wire-socklnd.md 11: nconnds dials at once, nconnds_max when they are stuck
TEST_F(EngineActive, DialsAreBounded) {
  bench.tunables.nconnds = 2;
  bench.tunables.nconnds_max = 3;
  for (std::uint32_t i = 1; i <= 6; ++i)
    bench.put({Nid::small(bench.self.net(), 0x0a000000 + i), Pid::lustre()});
  EXPECT_EQ(bench.dials.size(), 2U);
  bench.advance(200ms);
  EXPECT_EQ(bench.dials.size(), 3U);
  bench.engine.dial_failed(bench.dials[0].conn, ECONNREFUSED);
  bench.engine.dial_failed(bench.dials[1].conn, ECONNREFUSED);
  EXPECT_EQ(bench.dials.size(), 4U);
}

// spec/wire-socklnd.md 11: typed_conns=0 gives ANY, which later versions never choose (5.1)
TEST_F(EngineActive, UntypedConnectionsWorkWithVersion2Only) {
  bench.tunables.typed_conns = 0;
  const auto tx = bench.put(kA);
  Handle conn = bench.opened(kA.nid, ConnType::kAny, 3);
  EXPECT_EQ(bench.take(conn).size(), 0U);
  EXPECT_EQ(bench.done(tx), nullptr);

  EngineBench two;
  two.tunables.typed_conns = 0;
  const auto sent = two.put(kA, Bytes(5000));
  conn = two.opened(kA.nid, ConnType::kAny, 2);
  EXPECT_EQ(two.take(conn).size(), 5096U);
  EXPECT_NE(two.done(sent), nullptr);
  EXPECT_EQ(two.dials.size(), 1U);
}

// spec/wire-socklnd.md 11: conns_per_peer, changed while running, counts from the next message on
TEST_F(EngineActive, MoreConnectionsAreMadeWhenMoreAreWanted) {
  bench.put(kA);
  open_all();
  EXPECT_EQ(bench.dials.size(), 3U);
  NiInfo two = bench.ni;
  two.conns_per_peer = 2;
  bench.engine.change_ni(two);
  bench.put(kA);
  EXPECT_EQ(bench.dials.size(), 4U);
}

// Connect makes a connection without a message; Close ends what there is.
TEST_F(EngineActive, ConnectsAndClosesWhenToldTo) {
  bench.engine.command(core::Connect{bench.ni.id, kA});
  ASSERT_EQ(bench.dials.size(), 1U);
  const Handle conn = bench.opened(kA.nid, ConnType::kControl);
  EXPECT_EQ(bench.ups.size(), 1U);
  bench.engine.command(core::Close{bench.ni.id, kA});
  EXPECT_TRUE(bench.closed(conn));
  EXPECT_EQ(bench.downs.size(), 1U);
}

TEST_F(EngineActive, WhatWaitsCanBeCancelled) {
  const auto tx = bench.put(kA);
  bench.engine.command(core::Cancel{bench.ni.id, kA, tx});
  ASSERT_NE(bench.done(tx), nullptr);
  EXPECT_EQ(bench.done(tx)->status, -ECANCELED);
  EXPECT_EQ(bench.done(tx)->health, core::Health::kLocalDropped);
  EXPECT_EQ(bench.engine.messages_in_flight(), 0U);
}

TEST_F(EngineActive, RemovingTheNiEndsWhatWaitsForADial) {
  const auto tx = bench.put(kA);
  bench.engine.remove_ni(bench.ni.id);
  EXPECT_EQ(bench.done(tx)->status, -ESHUTDOWN);
  EXPECT_EQ(bench.done(bench.put(kA))->status, -ESHUTDOWN);
}

}  // namespace
}  // namespace ulnet::lnd::sock

// Dialling: when a peer is dialled, for which connections, and what happens to messages if a dial
// fails. The test plays the passive peer, byte by byte.
#include <gtest/gtest.h>

#include "lnet/lnd/sock/engine/engine_fixture.h"

namespace ulnet::lnd::sock {
namespace {

using namespace std::chrono_literals;
using wire::ConnType;

class EngineDial : public testing::Test {
 protected:
  EngineBench bench;

  void open_all() {
    bench.opened(kA.nid, ConnType::kControl);
    bench.opened(kA.nid, ConnType::kBulkOut);
    bench.opened(kA.nid, ConnType::kBulkIn);
  }
};

// spec/wire-socklnd.md 5.1: CONTROL is dialled first, then BULK_IN and BULK_OUT alternately, one
// at a time; messages flow meanwhile
TEST_F(EngineDial, OpensControlThenBulkInTurn) {
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
    bench.feed(conn, bytes_of(bench.hello(wire::mirror(type))));
    if (type != ConnType::kControl) continue;
    EXPECT_EQ(bench.take(conn).size(), 96U);
    EXPECT_NE(bench.done(tx), nullptr);
  }
  EXPECT_EQ(bench.dials.size(), dials) << "all are there";
  EXPECT_EQ(bench.ups.size(), 1U);
}

// spec/wire-socklnd.md 2: CONTROL goes to accept_port, bulk connections to accept_port_bulk
TEST_F(EngineDial, BulkConnectionsMayHaveAPortOfTheirOwn) {
  bench.tunables.accept_port = 2000;
  bench.tunables.accept_port_bulk = 3000;
  bench.put(kA);
  EXPECT_EQ(bench.dials.back().order.remote.port, 2000);
  bench.opened(kA.nid, ConnType::kControl);
  EXPECT_EQ(bench.dials.back().order.remote.port, 3000);
}

// spec/wire-socklnd.md 4.5: if the peer refuses the version it was offered, this node dials again
// after about min_reconnectms, if it still needs to
TEST_F(EngineDial, ARefusalIsTriedAgainAfterASecond) {  // spec/wire-socklnd.md 13.4
  const auto tx = bench.put(kA);
  EXPECT_TRUE(bench.closed(bench.refused()));
  EXPECT_EQ(bench.done(tx), nullptr) << "the message waits";
  bench.advance(900ms);
  EXPECT_EQ(bench.dials.size(), 1U);
  bench.advance(200ms);
  EXPECT_EQ(bench.dials.size(), 2U);
  EXPECT_EQ(bench.count(Count::kDialRefused), 1U);
}

// spec/wire-socklnd.md 11: min_reconnectms
TEST_F(EngineDial, TheReconnectPauseIsATunable) {
  bench.tunables.min_reconnectms = 100;
  bench.put(kA);
  bench.refused();
  bench.advance(110ms);
  EXPECT_EQ(bench.dials.size(), 2U);
}

// spec/wire-socklnd.md 9: the loser of a race uses the winner's connections and dials only for the
// missing ones
TEST_F(EngineDial, TheLoserOfARaceUsesTheWinnersConnection) {
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

// spec/wire-socklnd.md 4.6, 10: the back-off doubles; meanwhile a message that needs a dial fails
// at once
TEST_F(EngineDial, DuringBackOffMessagesFailAtOnce) {
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
TEST_F(EngineDial, TheLongestPauseIsATunable) {  // spec/wire-socklnd.md 10
  bench.tunables.max_reconnectms = 1500;
  for (int i = 0; i < 6; ++i) {
    bench.put(kA);
    bench.engine.dial_failed(bench.dials.back().conn, ECONNREFUSED);
    bench.advance(1500ms);
  }
  EXPECT_EQ(bench.dials.size(), 6U);
}

// spec/wire-socklnd.md 4.6: a failed dial closes every connection to that address, whatever its
// PID, and fails the messages that wait
TEST_F(EngineDial, AFailedDialClosesEveryConnectionToThatAddress) {
  wire::Hello odd = bench.hello(ConnType::kControl);
  odd.src_pid = Pid{999};
  const Handle conn = bench.accepted(odd);
  const auto waiting = bench.put(kA);  // another PID is another peer, so this needs a dial
  bench.engine.dial_failed(bench.dials.back().conn, ECONNREFUSED);
  EXPECT_TRUE(bench.closed(conn));
  EXPECT_EQ(bench.done(waiting)->status, -ECONNREFUSED);
  EXPECT_EQ(bench.downs.size(), 1U);
}

// spec/wire-socklnd.md 4.6: a shortage at this host says nothing about the peer
TEST_F(EngineDial, ADialThatFailsForAShortageClosesNoConnection) {
  for (const int error : {EMFILE, ENFILE, EADDRINUSE, ENOBUFS, ENOMEM}) {
    EngineBench fresh;
    wire::Hello odd = fresh.hello(ConnType::kControl);
    odd.src_pid = Pid{999};
    const Handle conn = fresh.accepted(odd);
    const auto waiting = fresh.put(kA);
    fresh.engine.dial_failed(fresh.dials.back().conn, error);
    EXPECT_FALSE(fresh.closed(conn)) << error;
    EXPECT_EQ(fresh.done(waiting)->status, -error);
    EXPECT_TRUE(fresh.downs.empty()) << error;
  }
}

// DESIGN.md 2: the error of a dial says which side was at fault (spec/multirail.md 5.2)
TEST_F(EngineDial, HealthOfFailedDials) {
  using core::Health;
  const std::pair<int, Health> cases[] = {
      {EACCES, Health::kLocalError},          {EADDRNOTAVAIL, Health::kLocalError},
      {EADDRINUSE, Health::kLocalError},      {ENETDOWN, Health::kLocalError},
      {EMFILE, Health::kLocalError},          {ENETUNREACH, Health::kLocalNoRoute},
      {ECONNREFUSED, Health::kRemoteDropped}, {ETIMEDOUT, Health::kNetworkTimeout}};
  for (const auto& [error, health] : cases) {
    EngineBench fresh;
    const auto tx = fresh.put(kA);
    fresh.engine.dial_failed(fresh.dials.back().conn, error);
    EXPECT_EQ(fresh.done(tx)->health, health) << error;
    EXPECT_EQ(fresh.done(tx)->status, -error);
  }
}

// spec/wire-socklnd.md 5.1: if every bulk connection is refused, there are three tries; after
// them this node dials only for a message, after a doubling pause; everything flows on CONTROL
// meanwhile
TEST_F(EngineDial, RefusedBulkConnectionsAreTriedThreeTimes) {
  bench.put(kA);
  const Handle control = bench.opened(kA.nid, ConnType::kControl);
  bench.take(control);
  for (int i = 0; i < 3; ++i) {
    bench.refused();
    bench.advance(1100ms);
  }
  EXPECT_EQ(bench.dials.size(), 4U);
  const auto bulk = bench.put(kA, Bytes(5000));
  EXPECT_EQ(bench.take(control).size(), 5096U);
  EXPECT_NE(bench.done(bulk), nullptr);
  EXPECT_EQ(bench.dials.size(), 5U) << "a message and the pause: once more";
  bench.refused();
  bench.advance(1s);
  bench.put(kA, Bytes(5000));
  EXPECT_EQ(bench.dials.size(), 5U);
  bench.advance(1100ms);
  bench.put(kA, Bytes(5000));
  EXPECT_EQ(bench.dials.size(), 6U);
  bench.refused();
  bench.put(kA);
  for (int i = 0; i < 40; ++i) bench.advance(1s);
  EXPECT_EQ(bench.dials.size(), 6U) << "nothing asks, though it looks at the peer";
}

// spec/wire-socklnd.md 5.1: with one connection of each type, three refusals end the dialling
TEST_F(EngineDial, SettlesForOneOfEach) {
  NiInfo three = bench.ni;
  three.conns_per_peer = 3;
  bench.engine.change_ni(three);
  bench.connect(kA);
  open_all();
  for (int i = 0; i < 3; ++i) {
    bench.refused();
    bench.advance(1100ms);
  }
  const std::size_t dials = bench.dials.size();
  bench.advance(100s);
  bench.put(kA);
  EXPECT_EQ(bench.dials.size(), dials);
}

// spec/wire-socklnd.md 5.1: a node that never dialled opens no connection while the peer's is
// there; 13: a single CONTROL connection carries everything, both ways
TEST_F(EngineDial, APassiveNodeOpensNothingOfItsOwn) {
  const Handle control = bench.accepted(bench.hello(ConnType::kControl));
  bench.put(kA);
  bench.put(kA, Bytes(100000));
  EXPECT_EQ(bench.take(control).size(), 96U + 100096U);
  bench.advance(100s);
  EXPECT_TRUE(bench.dials.empty());
}

TEST_F(EngineDial, AMessagePastItsDeadlineIsGivenUp) {  // spec/wire-socklnd.md 10
  const auto tx = bench.put(kA, {}, bench.now + 3s);
  bench.advance(3100ms);
  ASSERT_NE(bench.done(tx), nullptr);
  EXPECT_EQ(bench.done(tx)->health, core::Health::kNetworkTimeout);
}

// spec/wire-socklnd.md 11: sock_timeout (resolved into the NI)
TEST_F(EngineDial, TheLndTimeoutIsPerNi) {
  NiInfo quick = bench.ni;
  quick.timeout = 2s;
  bench.engine.change_ni(quick);
  const auto tx = bench.put(kA);
  bench.advance(2100ms);
  EXPECT_NE(bench.done(tx), nullptr);
}

// spec/wire-socklnd.md 11: nconnds dials are under way at once, nconnds_max if none of them ends
TEST_F(EngineDial, DialsAreBounded) {
  bench.tunables.nconnds = 2;
  bench.tunables.nconnds_max = 3;
  for (std::uint32_t i = 1; i <= 6; ++i)
    bench.put({Nid::small(bench.self.net(), 0x0a000000 + i), Pid::lustre()});
  EXPECT_EQ(bench.dials.size(), 2U);
  bench.advance(200ms);
  EXPECT_EQ(bench.dials.size(), 3U);
  EXPECT_GT(bench.engine.next_deadline(), bench.now) << "the others wait for the end of one";
  bench.engine.dial_failed(bench.dials[0].conn, ECONNREFUSED);
  bench.engine.dial_failed(bench.dials[1].conn, ECONNREFUSED);
  EXPECT_EQ(bench.dials.size(), 4U);
}

// spec/wire-socklnd.md 10: a message that waits for a connection fails after the time-out, even if
// the dial for it began later than the wait
TEST_F(EngineDial, AMessageWaitsNoLongerBecauseItsDialWaited) {
  bench.tunables.nconnds = bench.tunables.nconnds_max = 1;
  bench.put({Nid::small(bench.self.net(), 0x0a000001), Pid::lustre()});
  bench.advance(bench.ni.timeout / 2);
  const auto tx = bench.put(kA);
  bench.advance(bench.ni.timeout / 2 + 1ms);
  ASSERT_EQ(bench.dials.size(), 2U) << "the first peer's dial is over";
  bench.advance(bench.ni.timeout / 2);
  ASSERT_NE(bench.done(tx), nullptr);
  EXPECT_EQ(bench.done(tx)->status, -ETIMEDOUT);
}

// spec/wire-socklnd.md 11: typed_conns=0 gives ANY, which later versions never choose (5.1)
TEST_F(EngineDial, UntypedConnectionsWorkWithVersion2Only) {  // spec/wire-socklnd.md 5.1
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

// spec/wire-socklnd.md 11: a change of conns_per_peer counts from the next message on
TEST_F(EngineDial, RaisingTheNumberOpensConnections) {
  bench.put(kA);
  open_all();
  EXPECT_EQ(bench.dials.size(), 3U);
  NiInfo two = bench.ni;
  two.conns_per_peer = 2;
  bench.engine.change_ni(two);
  bench.put(kA);
  EXPECT_EQ(bench.dials.size(), 4U);
  // ... also after the dial plan had settled for fewer, and while a dial is under way
  bench.refused();
  for (int i = 0; i < 2; ++i) {
    bench.advance(1100ms);
    bench.refused();
  }
  bench.advance(20s);
  EXPECT_EQ(bench.dials.size(), 6U);
  for (const std::int32_t more : {3, 4}) {
    two.conns_per_peer = more;
    bench.engine.change_ni(two);
    bench.put(kA);
    EXPECT_EQ(bench.dials.size(), 7U);
  }
  EXPECT_FALSE(bench.closed(bench.opened(kA.nid, ConnType::kBulkOut)));
}

TEST_F(EngineDial, WaitingMessagesCanBeCancelled) {
  const auto tx = bench.put(kA);
  bench.engine.command(core::Cancel{bench.ni.id, kA, tx});
  ASSERT_NE(bench.done(tx), nullptr);
  EXPECT_EQ(bench.done(tx)->status, -ECANCELED);
  EXPECT_EQ(bench.done(tx)->health, core::Health::kLocalDropped);
  EXPECT_EQ(bench.engine.messages_in_flight(), 0U);
  EXPECT_EQ(bench.count(Count::kSendsCancelled), 1U);
  EXPECT_EQ(bench.count(Count::kSendsFailed), 1U);
}

TEST_F(EngineDial, RemovingTheNiEndsMessagesThatWaitForADial) {
  const auto tx = bench.put(kA);
  bench.engine.remove_ni(bench.ni.id);
  EXPECT_EQ(bench.done(tx)->status, -ESHUTDOWN);
  EXPECT_EQ(bench.done(bench.put(kA))->status, -ESHUTDOWN);
}

}  // namespace
}  // namespace ulnet::lnd::sock

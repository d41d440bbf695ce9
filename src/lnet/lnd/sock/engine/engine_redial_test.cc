// Dials that wait for other dials, that fail, that are no longer needed, or that are needed again.
// The test plays the passive peer, byte by byte.
#include <gtest/gtest.h>

#include "lnet/lnd/sock/engine/engine_fixture.h"

namespace ulnet::lnd::sock {
namespace {

using namespace std::chrono_literals;
using wire::ConnType;

class EngineRedial : public testing::Test {
 protected:
  EngineBench bench;

  core::Hop stranger(std::uint32_t number) const {
    return {Nid::small(bench.self.net(), 0x0a000000 + number), Pid::lustre()};
  }
  /// The hello that this node sent on its last dial.
  wire::Hello said() {
    const Bytes out = bench.take(bench.dialled());
    return bench.hello_in(Bytes(out.begin() + 16, out.end()));
  }
  void open_all() {
    bench.opened(kA.nid, ConnType::kControl);
    bench.opened(kA.nid, ConnType::kBulkOut);
    bench.opened(kA.nid, ConnType::kBulkIn);
  }
};

// spec/wire-socklnd.md 11: after 100 ms in which no dial ended, nconnds_max dials may run
TEST_F(EngineRedial, MoreDialsMayRunAfterATenthOfASecond) {
  bench.tunables.nconnds = 2;
  bench.tunables.nconnds_max = 3;
  for (std::uint32_t i = 1; i <= 6; ++i) bench.put(stranger(i));
  bench.advance(50ms);
  bench.engine.dial_failed(bench.dials[0].conn, ECONNREFUSED);
  EXPECT_EQ(bench.dials.size(), 3U);
  EXPECT_EQ(bench.engine.next_deadline(), bench.now + 100ms);
  bench.advance(100ms - 1ns);
  EXPECT_EQ(bench.dials.size(), 3U);
  bench.advance(1ns);
  EXPECT_EQ(bench.dials.size(), 4U);
  EXPECT_GT(bench.engine.next_deadline(), bench.now + 1s) << "the others wait for the end of one";
  for (std::size_t i = 1; i < 6; ++i)
    bench.engine.dial_failed(bench.dials.at(i).conn, ECONNREFUSED);
  bench.advance(1s);
  for (std::uint32_t i = 11; i <= 16; ++i) bench.put(stranger(i));
  EXPECT_EQ(bench.dials.size(), 6U + 2U) << "that time counts anew";
  bench.advance(100ms - 1ns);
  EXPECT_EQ(bench.dials.size(), 6U + 2U);
  bench.advance(1ns);
  EXPECT_EQ(bench.dials.size(), 6U + 3U);
}

// spec/wire-socklnd.md 9: this node does not dial a peer whose connection is being accepted, though
// its turn has come; nor a peer that has made all connections meanwhile
TEST_F(EngineRedial, APeerThatComesWhileItsDialWaitsIsNotDialled) {
  bench.tunables.nconnds = bench.tunables.nconnds_max = 1;
  bench.put(stranger(1));
  const auto tx = bench.put(kA);
  const Handle conn = bench.accept("192.168.1.10", 1000);
  bench.feed(conn, bytes_of(wire::AcceptorRequest::to(bench.self)));
  bench.engine.dial_failed(bench.dials[0].conn, ECONNREFUSED);
  EXPECT_EQ(bench.dials.size(), 1U);
  bench.engine.ended(conn, 0);
  EXPECT_EQ(bench.dials.size(), 2U) << "the accept came to nothing";
  bench.engine.dial_failed(bench.dials[1].conn, ECONNREFUSED);
  EXPECT_NE(bench.done(tx), nullptr);

  bench.put(stranger(2));
  bench.advance(1s);
  const auto other = bench.put(kA);
  const auto trio = bench.trio();
  EXPECT_EQ(bench.take(trio.control).size(), 0U);
  EXPECT_NE(bench.done(other), nullptr);
  bench.engine.dial_failed(bench.dials[2].conn, ECONNREFUSED);
  EXPECT_EQ(bench.dials.size(), 3U);
}

// A peer may be forgotten while its dial waits for the end of others.
TEST_F(EngineRedial, ADialThatWaitsEndsWithItsNi) {
  bench.tunables.nconnds = bench.tunables.nconnds_max = 1;
  bench.put(kA);
  bench.engine.dial_failed(bench.dials[0].conn, ECONNREFUSED);
  bench.advance(1s);
  bench.put(stranger(1));
  const auto waiting = bench.put(kA);
  bench.engine.remove_ni(bench.ni.id);
  EXPECT_EQ(bench.dials.size(), 2U);
  EXPECT_EQ(bench.done(waiting)->status, -ESHUTDOWN);
  bench.engine.for_each_peer([](const PeerView&) { ADD_FAILURE() << "none is left"; });
  bench.engine.add_ni(bench.ni);
  bench.put(stranger(2));
  EXPECT_EQ(bench.dials.size(), 3U);
}

// A failed dial does not close connections from that address that belong to a peer with another
// NID.
TEST_F(EngineRedial, AFailedDialClosesNoConnectionOfOtherNids) {
  wire::Hello other = bench.hello(ConnType::kControl);
  other.src_nid = stranger(1).nid;
  const Handle conn = bench.accepted(other);
  bench.put(kA);
  bench.engine.dial_failed(bench.dials.back().conn, ECONNREFUSED);
  EXPECT_FALSE(bench.closed(conn));
  EXPECT_TRUE(bench.downs.empty()) << "A was not connected";
  EXPECT_EQ(bench.count(Count::kDialled), 1U);
  EXPECT_EQ(bench.count(Count::kDialFailed), 1U);
}

// The peer may close a connection before it has sent anything, with or without a reset.
TEST_F(EngineRedial, ADialThatIsClosedHasFailed) {
  for (const bool connected : {false, true}) {
    for (const auto& [error, status] : {std::pair{0, -ECONNRESET}, {EHOSTUNREACH, -EHOSTUNREACH}}) {
      EngineBench fresh;
      const auto tx = fresh.put(kA);
      if (connected) fresh.dialled();
      fresh.engine.ended(fresh.dials.back().conn, error);
      EXPECT_TRUE(fresh.closed(fresh.dials.back().conn));
      ASSERT_NE(fresh.done(tx), nullptr);
      EXPECT_EQ(fresh.done(tx)->status, status);
      EXPECT_EQ(fresh.count(Count::kDialFailed), 1U);
    }
  }
}

// An event that is reported twice, or for a connection that is gone, changes nothing.
TEST_F(EngineRedial, LateNewsOfADialAreIgnored) {
  bench.engine.connected({}, false);
  bench.engine.dial_failed({}, ECONNREFUSED);
  bench.engine.ended({}, 0);
  const auto tx = bench.put(kA);
  const Handle conn = bench.dialled();
  bench.engine.connected(conn, true);
  bench.engine.dial_failed(conn, ECONNREFUSED);
  EXPECT_FALSE(bench.closed(conn));
  bench.engine.ended(conn, 0);
  bench.engine.dial_failed(conn, ECONNREFUSED);
  bench.engine.ended(conn, ECONNREFUSED);
  EXPECT_EQ(bench.done(tx)->status, -ECONNRESET);
  EXPECT_EQ(bench.count(Count::kDialFailed), 1U);
}

TEST_F(EngineRedial, ADialHasTheTimeoutToConnectAndAgainForTheHello) {
  bench.connect(kA);
  bench.advance(49s);
  EXPECT_FALSE(bench.closed(bench.dials[0].conn));
  bench.advance(2s);
  EXPECT_TRUE(bench.closed(bench.dials[0].conn));
  EXPECT_EQ(bench.count(Count::kDialFailed), 1U);

  bench.advance(1s);
  bench.connect(kA);
  bench.advance(40s);
  const Handle conn = bench.dialled();
  bench.advance(49s);
  EXPECT_FALSE(bench.closed(conn));
  bench.advance(2s);
  EXPECT_TRUE(bench.closed(conn));
  EXPECT_EQ(bench.count(Count::kDialBadHello), 1U);
}

TEST_F(EngineRedial, APeerWithoutAddressIsNotDialled) {
  const core::Hop six{*Nid::parse("2001:db8::10@tcp"), Pid::lustre()};  // this NI has IPv4
  for (const core::Hop& hop : {six, core::Hop{kA.nid, Pid::user(40000)}}) {
    EXPECT_EQ(bench.done(bench.put(hop))->status, -EHOSTUNREACH);
  }
  EXPECT_TRUE(bench.dials.empty());
}

// A message that fits no connection goes on asking for dials: when the engine looks at the peer,
// and when the connections are gone.
TEST_F(EngineRedial, AMessageThatWaitsDespiteConnectionsCausesDials) {
  bench.accepted(bench.hello(ConnType::kBulkOut));  // BULK_IN here: carries no messages
  const auto tx = bench.put(kA);
  bench.put(kA, {}, bench.now + 5s);
  for (std::size_t tries = 1; tries <= 3; ++tries) {
    ASSERT_EQ(bench.dials.size(), tries);
    bench.refused();
    bench.advance(1100ms);
  }
  EXPECT_EQ(bench.dials.size(), 3U) << "it rests now";
  bench.advance(2s);  // the other message fails
  EXPECT_EQ(bench.dials.size(), 4U);
  EXPECT_EQ(bench.done(tx), nullptr);
}

TEST_F(EngineRedial, AWaitingMessageRedialsLostConnections) {
  const Handle conn = bench.accepted(bench.hello(ConnType::kBulkOut));
  bench.put(kA);
  bench.refused();
  EXPECT_EQ(bench.dials.size(), 1U);
  bench.engine.ended(conn, 0);
  EXPECT_EQ(bench.dials.size(), 2U) << "the pause ends with them";
  EXPECT_EQ(said().type, ConnType::kControl);
}

// If no message waits, this node does not dial connections again that it has lost.
TEST_F(EngineRedial, LostConnectionsAreNotRedialledWithoutAMessage) {
  bench.connect(kA);
  const Handle conn = bench.opened(kA.nid, ConnType::kControl);
  bench.refused();
  bench.engine.ended(conn, 0);
  const Handle theirs = bench.accepted(bench.hello(ConnType::kControl));
  bench.put(kA);
  bench.take(theirs);
  for (int i = 0; i < 40; ++i) bench.advance(1s);
  EXPECT_EQ(bench.dials.size(), 2U);
}

// spec/wire-socklnd.md 8: the types that are missing are counted anew
TEST_F(EngineRedial, ALostConnectionIsMadeAgain) {
  bench.put(kA);
  const Handle control = bench.opened(kA.nid, ConnType::kControl);
  bench.refused();
  bench.engine.ended(control, 0);
  bench.put(kA);
  EXPECT_EQ(said().type, ConnType::kControl);
}

// A change of one NI counts for its peers only.
TEST_F(EngineRedial, AnotherNiKeepsItsConnections) {
  bench.put(kA);
  open_all();
  NiInfo other = bench.ni;
  other.id = {2};
  other.nid = *Nid::parse("192.168.1.21@tcp1");
  bench.engine.add_ni(other);
  other.conns_per_peer = 2;
  bench.engine.change_ni(other);
  bench.put(kA);
  EXPECT_EQ(bench.dials.size(), 3U);
  bench.engine.remove_ni(other.id);
  bench.engine.remove_ni(other.id);
  bench.engine.change_ni(other);
  EXPECT_TRUE(bench.closes.empty());
}

TEST_F(EngineRedial, OnlyTheNamedMessageIsCancelled) {
  const auto first = bench.put(kA);
  const auto second = bench.put(kA);
  bench.engine.command(core::Cancel{bench.ni.id, kA, second});
  EXPECT_EQ(bench.done(first), nullptr);
  EXPECT_NE(bench.done(second), nullptr);
  EXPECT_EQ(bench.take(bench.opened(kA.nid, ConnType::kControl)).size(), 96U);
  EXPECT_EQ(bench.done(first)->status, 0);
  EXPECT_EQ(bench.count(Count::kSendsFailed), 1U);
}

// spec/wire-socklnd.md 4.5: a refusal that names the offered version is a refusal, also for the
// second offer; 8: the agreed version ends with the connections
TEST_F(EngineRedial, TheSecondOfferMayBeRefusedToo) {
  bench.put(kA);
  bench.refused(2);
  ASSERT_EQ(bench.dials.size(), 2U);
  EXPECT_EQ(said().version, 2U);
  bench.feed(bench.dials.back().conn, bytes_of(bench.hello(ConnType::kNone, 2)));
  EXPECT_EQ(bench.dials.size(), 2U) << "after a pause only";
  EXPECT_EQ(bench.count(Count::kDialOtherVersion), 1U);
  EXPECT_EQ(bench.count(Count::kDialRefused), 1U);
  bench.advance(1100ms);
  ASSERT_EQ(bench.dials.size(), 3U);
  const Handle conn = bench.answered(bench.hello(ConnType::kControl, 2));
  bench.refused(2);
  bench.engine.ended(conn, 0);
  bench.put(kA);
  EXPECT_EQ(said().version, 3U);
}

// spec/wire-socklnd.md 8: another incarnation of the peer may speak another version
TEST_F(EngineRedial, AnotherIncarnationIsOfferedOurVersion) {
  wire::Hello reborn = bench.hello(ConnType::kControl, 2);
  reborn.src_incarnation += 1;
  bench.put(kA);
  bench.engine.ended(bench.opened(kA.nid, ConnType::kControl), 0);
  bench.engine.ended(bench.dials.back().conn, ECONNREFUSED);
  bench.advance(1s);
  bench.put(kA);
  bench.refused(2);
  const std::size_t dials = bench.dials.size();
  bench.answered(reborn);
  EXPECT_EQ(bench.count(Count::kClosedRestarted), 1U);
  ASSERT_EQ(bench.dials.size(), dials + 1);
  EXPECT_EQ(said().version, 3U);
}

// spec/wire-socklnd.md 8: the peer restarted while no connection was open
TEST_F(EngineRedial, AHelloOfAnotherIncarnationIsReportedAndResetsTheVersion) {
  bench.put(kA);
  bench.engine.ended(bench.opened(kA.nid, ConnType::kControl), 0);
  bench.engine.ended(bench.dials.back().conn, ECONNREFUSED);
  bench.advance(1s);
  wire::Hello reborn = bench.hello(ConnType::kControl);
  reborn.src_incarnation += 1;
  const std::size_t downs = bench.downs.size();
  const Handle conn = bench.accepted(reborn);
  EXPECT_TRUE(bench.closed(conn)) << "a peer that was dialled is remembered";
  ASSERT_EQ(bench.downs.size(), downs + 1);
  EXPECT_TRUE(bench.downs.back().reset);
  EXPECT_EQ(bench.count(Count::kRefusedStale), 1U);
  bench.put(kA);
  EXPECT_EQ(said().version, 3U);
}

// The same incarnation of a peer may speak another version too, once all its connections are gone.
TEST_F(EngineRedial, ThePeerMayChooseAnotherVersionWhenAllIsClosed) {
  bench.put(kA);
  bench.engine.ended(bench.opened(kA.nid, ConnType::kControl), 0);
  bench.engine.ended(bench.dials.back().conn, ECONNREFUSED);
  EXPECT_FALSE(bench.closed(bench.accepted(bench.hello(ConnType::kControl, 2))));
}

// spec/wire-socklnd.md 9: the connection that the peer dialled for the same purpose stays; this
// node dials for the missing types
TEST_F(EngineRedial, AnUnneededDialIsClosed) {
  EngineBench low("10.0.0.200@tcp");
  low.put(kA);
  const Handle ours = low.dialled();
  low.take(ours);
  const Handle theirs = low.accepted(low.hello(ConnType::kControl));
  low.feed(ours, bytes_of(low.hello(ConnType::kControl)));
  EXPECT_TRUE(low.closed(ours));
  EXPECT_FALSE(low.closed(theirs));
  EXPECT_EQ(low.count(Count::kDialRefused), 1U);
  EXPECT_EQ(low.dials.size(), 2U) << "BULK_IN, at once";
}

// trouble() says what is wrong with a peer until it is connected again.
TEST_F(EngineRedial, AConnectionClearsTrouble) {
  bench.put(kA);
  bench.engine.dial_failed(bench.dials.back().conn, ECONNRESET);
  EXPECT_NE(bench.engine.trouble(kA.nid, -ETIMEDOUT), "");
  EXPECT_EQ(bench.engine.trouble(kA.nid, -ETIMEDOUT).find("secure"), std::string::npos)
      << "its port was fine";
  bench.advance(1s);
  bench.put(kA);
  bench.engine.dial_failed(bench.dials.back().conn, ECONNREFUSED, true);
  EXPECT_EQ(bench.engine.trouble(kA.nid, -ETIMEDOUT).find("secure"), std::string::npos)
      << "nobody was there";
  bench.engine.ended(bench.accepted(bench.hello(ConnType::kControl)), 0);
  EXPECT_EQ(bench.engine.trouble(kA.nid, -ETIMEDOUT), "");
}

}  // namespace
}  // namespace ulnet::lnd::sock

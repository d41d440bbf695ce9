// Connections that claim a peer's NID but come from another address than the NID's: either from a
// host that took the NID over, or from an honest peer with several addresses. Source:
// spec/observed.md 8; spec/wire-socklnd.md 8, 9.
#include <gtest/gtest.h>

#include "lnet/lnd/sock/engine/engine_fixture.h"

namespace ulnet::lnd::sock {
namespace {

using namespace std::chrono_literals;
using wire::ConnType;

constexpr const char* kOwnAddress = "192.168.1.10";
constexpr const char* kOtherAddress = "10.77.0.1";

struct Bench : EngineBench {
  void report(const Report& report) override {
    if (report.what == Count::kTakenOver || report.what == Count::kTakeOverEnded)
      reports.push_back(report);
  }
  std::vector<Report> reports;
};

class TakeOver : public testing::Test {
 protected:
  wire::Hello false_hello(ConnType type = ConnType::kControl) const {
    wire::Hello hello = bench.hello(type);
    hello.src_incarnation += 7;
    return hello;
  }
  /// Node A was connected; then a host at another address takes A's NID over. Returns that host's
  /// connection.
  Handle taken_over() {
    const auto trio = bench.trio();
    bench.accepted(false_hello(), kOtherAddress);
    EXPECT_TRUE(bench.closed(trio.control) && bench.closed(trio.bulk_in) &&
                bench.closed(trio.bulk_out));
    const Handle spoofer = bench.accepted(false_hello(), kOtherAddress, 1022);
    EXPECT_FALSE(bench.closed(spoofer));
    return spoofer;
  }
  /// Puts one message a second during `time`.
  void puts_for(Duration time, Handle on) {
    for (Duration passed{}; passed < time; passed += 1s) {
      bench.put(kA);
      bench.take(on);
      bench.advance(1s);
    }
  }
  /// The peer refuses the last dial.
  void refused() { bench.engine.dial_failed(bench.dials.back().conn, ECONNREFUSED); }

  Bench bench;
};

// spec/observed.md 8.1: a new incarnation ends the connections of the earlier one, whatever their
// address
TEST_F(TakeOver, AHelloOfAnotherIncarnationEndsTheEarlierConnections) {  // spec/wire-socklnd.md 8
  taken_over();
  EXPECT_EQ(bench.count(Count::kRefusedStale), 1U);
  ASSERT_EQ(bench.reports.size(), 1U) << "said with both addresses";
  EXPECT_EQ(bench.reports[0].what, Count::kTakenOver);
  EXPECT_EQ(bench.reports[0].peer, kA.nid);
  EXPECT_EQ(bench.reports[0].remote.address, *parse_address(kOtherAddress));
  EXPECT_EQ(bench.reports[0].other, *parse_address(kOwnAddress));
}

// spec/observed.md 8.2: connections from another address do not make the NID's own address
// connected
TEST_F(TakeOver, TheNidsOwnAddressIsDialledAndEndsIt) {  // spec/wire-socklnd.md 8
  const Handle spoofer = taken_over();
  bench.put(kA);
  EXPECT_EQ(bench.take(spoofer).size(), 96U) << "it still has the NID";
  ASSERT_EQ(bench.dials.size(), 1U);
  EXPECT_EQ(bench.dials[0].order.remote, (Endpoint{*parse_address(kOwnAddress), 988}));
  const Handle answer = bench.opened(kA.nid, ConnType::kControl);  // by node A itself
  EXPECT_FALSE(bench.closed(answer));
  EXPECT_TRUE(bench.closed(spoofer));
  ASSERT_EQ(bench.reports.size(), 2U);
  EXPECT_EQ(bench.reports[1].what, Count::kTakeOverEnded);
  EXPECT_EQ(bench.reports[1].remote.address, *parse_address(kOwnAddress));
  EXPECT_EQ(bench.reports[1].other, *parse_address(kOtherAddress));

  EXPECT_EQ(bench.dials.size(), 2U) << "for the other types";
  bench.put(kA);
  EXPECT_EQ(bench.take(answer).size(), 96U);
}

TEST_F(TakeOver, AHelloOfTheTrueNodeEndsIt) {  // spec/wire-socklnd.md 8
  const Handle spoofer = taken_over();
  bench.accepted(bench.hello(ConnType::kControl), kOwnAddress, 1020);
  EXPECT_TRUE(bench.closed(spoofer));
  EXPECT_EQ(bench.reports.back().what, Count::kTakeOverEnded);
  EXPECT_FALSE(bench.closed(bench.accepted(bench.hello(ConnType::kControl), kOwnAddress, 1019)));
}

TEST_F(TakeOver, AFormerAddressIsTriedAfterEachPause) {
  const Handle spoofer = taken_over();
  for (int i = 0; i < 200; ++i) {
    const std::size_t dials = bench.dials.size();
    puts_for(1s, spoofer);
    if (bench.dials.size() != dials) refused();
  }
  EXPECT_FALSE(bench.closed(spoofer));
  EXPECT_GE(bench.dials.size(), 6U);  // due at 0, 1, 3, 7, 15, 31, 63, 123, 183 s
  EXPECT_LE(bench.dials.size(), 10U);
}

// For example a peer behind address translation, which cannot be reached at its NID's address.
TEST_F(TakeOver, APeerAwayFromItsOwnAddressIsDialledThereOnce) {  // spec/wire-socklnd.md 9
  const Handle conn = bench.accepted(bench.hello(ConnType::kControl), kOtherAddress);
  EXPECT_TRUE(bench.dials.empty()) << "before there is something for it";
  puts_for(1s, conn);
  ASSERT_EQ(bench.dials.size(), 1U);
  const Handle bulk = bench.accepted(bench.hello(ConnType::kBulkOut), kOtherAddress, 1022);
  EXPECT_FALSE(bench.closed(bulk)) << "our dial to another address is no race with it";
  EXPECT_EQ(bench.count(Count::kRefusedRace), 0U);
  refused();
  puts_for(500s, conn);
  EXPECT_EQ(bench.dials.size(), 1U);
  EXPECT_TRUE(bench.closes.size() == 1 && !bench.closed(conn)) << "only the dial is over";
  EXPECT_TRUE(bench.downs.empty());
  bench.engine.ended(conn, 0);
  bench.accepted(bench.hello(ConnType::kControl), kOtherAddress);
  EXPECT_TRUE(bench.reports.empty());
}

TEST_F(TakeOver, DiallingItsOwnAddressWaitsForOtherDials) {
  bench.tunables.nconnds = 2;
  bench.put({*Nid::parse("10.0.0.1@tcp"), Pid::lustre()});
  const Handle conn = bench.accepted(bench.hello(ConnType::kControl), kOtherAddress);
  puts_for(3s, conn);
  EXPECT_EQ(bench.dials.size(), 1U) << "half of the dials are for others";
  refused();
  puts_for(1s, conn);
  EXPECT_EQ(bench.dials.size(), 2U);
}

// A host with several addresses answers at its NID's address with the same incarnation.
TEST_F(TakeOver, APeerWithTwoAddressesKeepsItsConnections) {
  const Handle conn = bench.accepted(bench.hello(ConnType::kControl), kOtherAddress);
  puts_for(1s, conn);
  const Handle own = bench.opened(kA.nid, ConnType::kControl);
  EXPECT_FALSE(bench.closed(own));
  EXPECT_FALSE(bench.closed(conn));
  EXPECT_TRUE(bench.reports.empty() && bench.downs.empty());
}

TEST_F(TakeOver, APeerThatRefusesASecondConnectionIsNotDialledForEver) {
  const Handle conn = bench.accepted(bench.hello(ConnType::kControl), kOtherAddress);
  for (int i = 0; i < 300; ++i) {
    const std::size_t dials = bench.dials.size();
    puts_for(1s, conn);
    if (bench.dials.size() == dials) continue;
    bench.take(bench.dialled());
    bench.feed(bench.dials.back().conn, bytes_of(bench.hello(ConnType::kNone)));
  }
  EXPECT_LE(bench.dials.size(), 12U) << "three tries, then rarer and rarer ones";
  EXPECT_FALSE(bench.closed(conn));
}

TEST_F(TakeOver, ARestartAtTheSameAddressIsNoTakeOver) {
  bench.trio();
  bench.accepted(false_hello(), kOwnAddress);
  EXPECT_TRUE(bench.reports.empty());
}

// Half of nconnds, and at least one, dials may be to own addresses of peers that are connected from
// elsewhere.
TEST_F(TakeOver, ChecksUseAtMostHalfOfTheDials) {
  for (const auto& [nconnds, others] : {std::pair{4, 1}, {1, 0}, {4, 2}}) {
    Bench fresh;
    fresh.tunables.nconnds = nconnds;
    for (int i = 0; i < others; ++i)
      fresh.put(
          {Nid::small(fresh.self.net(), 0x0a000001U + static_cast<unsigned>(i)), Pid::lustre()});
    fresh.accepted(fresh.hello(ConnType::kControl), kOtherAddress);
    fresh.put(kA);
    EXPECT_EQ(fresh.dials.size(), static_cast<std::size_t>(others) + (others < 2)) << nconnds;
  }
}

// The dial of the peer's own address goes on when its connections from the other address have
// ended; the engine forgets the peer when the dial ends.
TEST_F(TakeOver, ThePeerLastsAsLongAsItsDial) {
  const Handle conn = bench.accepted(bench.hello(ConnType::kControl), kOtherAddress);
  puts_for(1s, conn);
  ASSERT_EQ(bench.dials.size(), 1U);
  bench.engine.ended(conn, 0);
  int peers = 0;
  bench.engine.for_each_peer([&](const PeerView&) { ++peers; });
  EXPECT_EQ(peers, 1);
  EngineBench::Dialled& dial = bench.dials.back();
  bench.engine.connected(dial.conn, false);
  bench.take(dial.conn);
  bench.feed(dial.conn, bytes_of(bench.hello(ConnType::kNone)));
  EXPECT_TRUE(bench.closed(dial.conn));
  bench.engine.for_each_peer([](const PeerView&) { ADD_FAILURE() << "it is forgotten"; });
  bench.advance(10s);
  EXPECT_EQ(bench.dials.size(), 1U);
}

// If another incarnation answers at the NID's own address, it becomes the peer, though that address
// was never connected before.
TEST_F(TakeOver, AnotherIncarnationAtAnUnconnectedAddressEndsIt) {
  const Handle conn = bench.accepted(false_hello(), kOtherAddress);
  puts_for(1s, conn);
  const Handle own = bench.opened(kA.nid, ConnType::kControl);
  EXPECT_TRUE(bench.closed(conn));
  EXPECT_FALSE(bench.closed(own));
  EXPECT_EQ(bench.dials.size(), 2U) << "for the other types";
}

// After a peer has lost all connections, this node may try its own address again.
TEST_F(TakeOver, TheOwnAddressIsTriedAgainAfterTheLastConnection) {
  bench.put(kA);
  refused();
  bench.advance(2s);
  for (std::size_t dials = 2; dials <= 3; ++dials) {
    const Handle conn = bench.accepted(bench.hello(ConnType::kControl), kOtherAddress);
    puts_for(20s, conn);
    ASSERT_EQ(bench.dials.size(), dials);
    refused();
    puts_for(100s, conn);
    EXPECT_EQ(bench.dials.size(), dials);
    bench.engine.ended(conn, 0);
  }
}

}  // namespace
}  // namespace ulnet::lnd::sock

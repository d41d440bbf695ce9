// How connections end that are refused, or that have ended already, and what remains of their
// peers.
#include <gtest/gtest.h>

#include "lnet/lnd/sock/engine/engine_fixture.h"

namespace ulnet::lnd::sock {
namespace {

using namespace std::chrono_literals;
using wire::ConnType;

class EngineRefusal : public testing::Test {
 protected:
  EngineBench bench;

  Bytes request() const { return bytes_of(wire::AcceptorRequest::to(bench.self)); }
  /// A connection whose hello is refused; the refusal is not written yet.
  Handle refused() {
    Bytes hello = bytes_of(bench.hello(ConnType::kControl));
    hello[4] = std::byte{7};
    const Handle conn = bench.accept("192.168.1.10");
    bench.feed(conn, request() + hello);
    return conn;
  }
  int peers() const {
    int count = 0;
    bench.engine.for_each_peer([&](const PeerView&) { ++count; });
    return count;
  }
};

// spec/wire-socklnd.md 10: the connection of a peer that does not read its refusal is closed in
// time
TEST_F(EngineRefusal, ARefusalIsWrittenInTime) {
  const Handle conn = refused();
  bench.advance(4900ms);
  EXPECT_FALSE(bench.closed(conn));
  bench.advance(200ms);
  EXPECT_TRUE(bench.closed(conn));
}

TEST_F(EngineRefusal, ARefusalMayBeWrittenInPieces) {
  const Handle conn = refused();
  iovec vector;
  ASSERT_EQ(bench.engine.gather(conn, &vector, 1, {}, 1 << 20), 1U);
  bench.engine.written(conn, 10);
  EXPECT_FALSE(bench.closed(conn));
  EXPECT_EQ(bench.take(conn).size(), vector.iov_len - 10);
  EXPECT_TRUE(bench.closed(conn));
}

TEST_F(EngineRefusal, AnAnswerMayBeWrittenInPieces) {
  const Handle conn = bench.accept("192.168.1.10");
  const Bytes hello = bytes_of(bench.hello(ConnType::kControl));
  bench.feed(conn, request() + hello);
  bench.put(kA);
  iovec vectors[2] = {};
  Bytes scratch(4096);
  EXPECT_EQ(bench.engine.gather(conn, vectors, 1, scratch, 1 << 20), 1U) << "no space for more";
  EXPECT_EQ(vectors[1].iov_base, nullptr);
  bench.engine.written(conn, 10);
  EXPECT_TRUE(bench.engine.has_unsent(conn));
  EXPECT_EQ(bench.take(conn).size(), hello.size() - 10 + 96);
  EXPECT_FALSE(bench.engine.has_unsent(conn));
}

// spec/wire-socklnd.md 3.3, 4.5: no peer has a NID of the loopback net
TEST_F(EngineRefusal, AHelloFromTheLoopbackNetIsClosed) {
  wire::Hello hello = bench.hello(ConnType::kControl);
  hello.src_nid = *Nid::parse("0@lo");
  EXPECT_TRUE(bench.closed(bench.accepted(hello)));
  EXPECT_EQ(bench.count(Count::kRefusedBadHello), 1U);
}

// spec/wire-socklnd.md 9: a node wins no race against itself
TEST_F(EngineRefusal, ANodeCanConnectToItself) {
  const core::Hop self{bench.self, Pid::lustre()};
  const auto tx = bench.put(self);
  const Handle out = bench.dialled();
  const Handle in = bench.accept("192.168.1.20");
  bench.feed(in, bench.take(out));
  bench.feed(out, bench.take(in));
  bench.feed(in, bench.take(out));
  EXPECT_EQ(bench.done(tx)->status, 0);
  EXPECT_EQ(bench.messages.size(), 1U);
  bool oneself = false;
  bench.engine.for_each_peer([&](const PeerView& peer) { oneself = peer.oneself(); });
  EXPECT_TRUE(oneself);
}

TEST_F(EngineRefusal, APassivePeerIsForgottenWithItsIncarnation) {
  bench.accepted(bench.hello(ConnType::kControl));
  EXPECT_EQ(peers(), 1);
  wire::Hello reborn = bench.hello(ConnType::kControl);
  reborn.src_incarnation += 1;
  bench.accepted(reborn, "192.168.1.10", 1000);
  EXPECT_EQ(peers(), 0);
  const Handle conn = bench.accepted(bench.hello(ConnType::kControl));
  EXPECT_EQ(peers(), 1) << "met anew";
  bench.engine.ended(conn, 0);
  EXPECT_EQ(peers(), 0);
}

TEST_F(EngineRefusal, OnlyTheConnectionsOfAnNiEndWithIt) {
  const Handle asked = bench.accept("192.168.1.10", 900);
  bench.feed(asked, request());
  const Handle silent = bench.accept("192.168.1.10", 901);
  bench.engine.remove_ni(bench.ni.id);
  EXPECT_TRUE(bench.closed(asked));
  EXPECT_FALSE(bench.engine.see(asked));
  EXPECT_FALSE(bench.closed(silent));
  bench.feed(silent, request());
  EXPECT_EQ(bench.count(Count::kRefusedNotMyNid), 1U);
}

// The engine ignores events for a connection that has ended.
TEST_F(EngineRefusal, CallsOnAnEndedConnectionDoNothing) {
  bench.put(kA);
  const Handle dial = bench.dialled();
  const Handle open = bench.accepted(bench.hello(ConnType::kBulkOut), "10.0.0.7");
  bench.engine.ended(dial, 0);
  for (const Handle conn : {dial, open, Handle{}}) {
    bench.engine.ended(conn, 0);
    EXPECT_FALSE(bench.engine.has_unsent(conn));
    EXPECT_EQ(bench.engine.unsent_bytes(conn), 0U);
    iovec vectors[4];
    Bytes scratch(4096);
    EXPECT_EQ(bench.engine.gather(conn, vectors, 4, scratch, 1 << 20), 0U);
    bench.engine.written(conn, 0);
    EXPECT_FALSE(bench.engine.received(conn, 0, {}));
    std::size_t direct = 9;
    std::size_t ahead = 9;
    EXPECT_EQ(bench.engine.read_plan(conn, vectors, 4, direct, ahead), 0U);
    EXPECT_EQ(direct + ahead, 0U);
    std::vector<Handle> siblings;
    bench.engine.siblings(conn, siblings);
    EXPECT_TRUE(siblings.empty());
  }
  bench.engine.work();
  EXPECT_FALSE(bench.engine.see(open));
}

}  // namespace
}  // namespace ulnet::lnd::sock

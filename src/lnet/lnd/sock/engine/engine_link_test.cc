// The link of this node's NI goes down and comes back. The test plays the peers, byte by byte.
// Source: spec/wire-socklnd.md 10.
#include <gtest/gtest.h>

#include "lnet/lnd/sock/engine/engine_fixture.h"

namespace ulnet::lnd::sock {
namespace {

using namespace std::chrono_literals;
using core::Health;
using wire::ConnType;

class EngineLink : public testing::Test {
 protected:
  EngineBench bench;

  void link(bool up) {
    bench.engine.link_changed(bench.ni.id, up);
    bench.advance(0s);
  }
  void dial_all() {
    bench.connect(kA);
    bench.opened(kA.nid, ConnType::kControl);
    bench.opened(kA.nid, ConnType::kBulkOut);  // as the peer answers
    bench.opened(kA.nid, ConnType::kBulkIn);
  }
};

TEST_F(EngineLink, ALinkFailureEndsMessagesAndAbandonsConnections) {
  dial_all();
  const auto queued = bench.put(kA);
  link(false);
  EXPECT_EQ(bench.left.size(), 3U);
  ASSERT_NE(bench.done(queued), nullptr);
  EXPECT_EQ(bench.done(queued)->status, -ENETDOWN);
  EXPECT_EQ(bench.done(queued)->health, Health::kLocalDropped) << "it can go by another NI";
  EXPECT_TRUE(bench.downs.empty()) << "the peer is not lost: the core knows that the link is down";
  EXPECT_EQ(bench.resets, 0U);
}

// The connections are kept for a while if TCP retransmits soon after the link is up again.
TEST_F(EngineLink, TheConnectionsAreKeptForAWhile) {
  bench.resends = true;
  dial_all();
  const auto tx = bench.put(kA, Bytes(100));
  link(false);
  bench.advance(10s - 1ms);
  EXPECT_TRUE(bench.left.empty());
  link(true);
  bench.take(bench.dials.front().conn);
  EXPECT_EQ(bench.done(tx)->status, 0);
  link(false);
  bench.advance(10s);
  EXPECT_EQ(bench.left.size(), 3U);
  EXPECT_EQ(bench.done(bench.put(kA))->status, -ENETDOWN);
}

// spec/multirail.md 5.2: nobody knows how many of its bytes arrived, so this node does not send it
// again
TEST_F(EngineLink, APartlyWrittenMessageIsAnNiError) {
  dial_all();
  const auto tx = bench.put(kA, Bytes(100));
  const Handle control = bench.dials.front().conn;
  EXPECT_FALSE(bench.take(control).empty());
  const auto begun = bench.put(kA, Bytes(100));
  iovec vectors[4];
  Bytes scratch(4096);
  ASSERT_NE(bench.engine.gather(control, vectors, 4, scratch, 4096), 0U);
  bench.engine.written(control, 10);
  link(false);
  EXPECT_EQ(bench.done(tx)->status, 0);
  EXPECT_EQ(bench.done(begun)->status, -ENETDOWN);
  EXPECT_EQ(bench.done(begun)->health, Health::kLocalError);
}

TEST_F(EngineLink, WhileItIsDownNothingIsDialledAndMessagesFailAtOnce) {
  bench.put(kA);
  const Handle dial = bench.dials.back().conn;
  link(false);
  EXPECT_TRUE(bench.closed(dial));
  const auto tx = bench.put(kA);
  EXPECT_EQ(bench.done(tx)->status, -ENETDOWN);
  EXPECT_EQ(bench.dials.size(), 1U);
}

TEST_F(EngineLink, WhenItIsUpAgainTheConnectionsAreResetAndThePeersAreDialled) {
  dial_all();
  link(false);
  bench.advance(10s);
  EXPECT_EQ(bench.resets, 0U) << "the reset would be lost";
  const std::size_t dials = bench.dials.size();
  link(true);
  EXPECT_EQ(bench.resets, 3U);
  EXPECT_EQ(bench.dials.size(), dials + 1) << "without a message that waits for it";
  bench.opened(kA.nid, ConnType::kControl);
  const auto tx = bench.put(kA);
  EXPECT_FALSE(bench.take(bench.dials.at(dials).conn).empty());
  EXPECT_EQ(bench.done(tx)->status, 0);
  bench.opened(kA.nid, ConnType::kBulkOut);
  bench.opened(kA.nid, ConnType::kBulkIn);
  EXPECT_EQ(bench.dials.size(), dials + 3);
}

TEST_F(EngineLink, ABackOffFromBeforeDoesNotOutliveIt) {
  bench.put(kA);
  bench.engine.dial_failed(bench.dials.back().conn, EHOSTUNREACH);
  link(false);
  link(true);
  bench.put(kA);
  EXPECT_EQ(bench.dials.size(), 2U);
}

// Such a peer dials again itself; it may be behind address translation.
TEST_F(EngineLink, APeerThatThisNodeNeverDialledIsNotDialled) {
  bench.trio();
  link(false);
  EXPECT_EQ(bench.left.size(), 3U);
  link(true);
  EXPECT_EQ(bench.resets, 3U);
  EXPECT_TRUE(bench.dials.empty());
  bench.trio();
  EXPECT_EQ(bench.count(Count::kRefusedDuplicate), 0U);
}

TEST_F(EngineLink, ANodesConnectionToItselfNeedsNoLink) {
  const core::Hop self{bench.self, Pid::lustre()};
  bench.connect(self);
  const Handle conn = bench.opened(self.nid, ConnType::kControl);
  link(false);
  EXPECT_FALSE(bench.closed(conn));
  bench.put(self);
  EXPECT_FALSE(bench.take(conn).empty());
}

TEST_F(EngineLink, OnlyTheNisOwnConnectionsAreLeft) {
  NiInfo second = bench.ni;
  second.id = core::NiId{bench.ni.id.value + 1};
  second.nid = Nid::small(bench.self.net(), 0x0a000001);
  second.address = *address_of(second.nid);
  bench.engine.add_ni(second);
  dial_all();
  bench.engine.link_changed(second.id, false);
  bench.engine.link_changed(core::NiId{99}, false);
  EXPECT_TRUE(bench.left.empty());
  bench.engine.remove_ni(second.id);
}

TEST_F(EngineLink, AnNiThatIsRemovedMeanwhileKeepsNothing) {
  dial_all();
  link(false);
  bench.engine.remove_ni(bench.ni.id);
  EXPECT_EQ(bench.resets, 3U);
  bench.engine.add_ni(bench.ni);
}

TEST_F(EngineLink, AChangeOfTunablesDoesNotBringItUp) {
  link(false);
  bench.engine.change_ni(bench.ni);
  const auto tx = bench.put(kA);
  EXPECT_EQ(bench.done(tx)->status, -ENETDOWN);
}

}  // namespace
}  // namespace ulnet::lnd::sock

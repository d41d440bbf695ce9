// Discovery of one peer as a machine. spec/multirail.md 4.1, 4.2.
#include "core/path/discovery.h"

#include <gtest/gtest.h>

#include "base/life_cycle_fixture.h"

namespace ulnet::core {
namespace {

constexpr OwnInfo kOwn{.sequence = 3, .discovery = true};
constexpr std::uint32_t kUpToDate = kPeerMultiRail | kPeerDiscovered | kPeerNidsUpToDate;

Peer peer_with(std::uint32_t state, std::uint32_t acked = 3) {
  Peer peer;
  peer.state = state;
  peer.acked_sequence = acked;
  return peer;
}

TEST(DiscoveryLife, HasTheseSteps) {
  EXPECT_EQ(ulnet::test::matrix(kDiscoveryLife),
            "idle: [ping -> pinging] [push -> pushing]\n"
            "pinging: [answered -> idle] [failed -> idle]\n"
            "pushing: [answered -> idle] [failed -> idle]\n");
}

TEST(DiscoveryLife, WhatIsNoneOfThemHasNoName) {
  EXPECT_STREQ(to_string(DiscoveryPhase::kCount), "?");
  EXPECT_STREQ(to_string(DiscoveryEvent::kCount), "?");
}

TEST(Discovery, AnUnknownPeerIsPingedAndThenPushedTo) {
  Peer peer = peer_with(0, 0);
  EXPECT_EQ(next_of(peer, kOwn), DiscoveryStep::kPing);
  peer.state = kUpToDate;
  EXPECT_EQ(next_of(peer, kOwn), DiscoveryStep::kPush);
  EXPECT_FALSE(is_up_to_date(peer, kOwn));
  peer.acked_sequence = 3;
  EXPECT_EQ(next_of(peer, kOwn), DiscoveryStep::kDone);
  EXPECT_TRUE(is_up_to_date(peer, kOwn));
}

TEST(Discovery, WhoIsPushedTo) {
  const auto next = [](std::uint32_t state, bool discovery, bool calls_only = false) {
    Peer peer = peer_with(state | kPeerDiscovered | kPeerNidsUpToDate, 1);
    peer.calls_only = calls_only;
    return next_of(peer, {3, discovery});
  };
  EXPECT_EQ(next(kPeerMultiRail, true), DiscoveryStep::kPush);
  EXPECT_EQ(next(kPeerMultiRail, true, true), DiscoveryStep::kDone) << "it cannot be called";
  EXPECT_EQ(next(kPeerMultiRail, false), DiscoveryStep::kDone) << "discovery is off here";
  EXPECT_EQ(next(kPeerMultiRail | kPeerForcePush, false), DiscoveryStep::kPush);
  EXPECT_EQ(next(kPeerMultiRail | kPeerNoDiscovery, true), DiscoveryStep::kDone);
  EXPECT_EQ(next(kPeerForcePush, true), DiscoveryStep::kDone) << "never without Multi-Rail";
}

TEST(Discovery, WhatKeepsAPeerFromBeingUpToDate) {
  EXPECT_TRUE(is_up_to_date(peer_with(kUpToDate), kOwn));
  for (const PeerBit bit : {kPeerDiscovering, kPeerForcePing, kPeerForcePush, kPeerRediscover})
    EXPECT_FALSE(is_up_to_date(peer_with(kUpToDate | bit), kOwn)) << bit;
  for (const PeerBit bit : {kPeerDiscovered, kPeerNidsUpToDate})
    EXPECT_FALSE(is_up_to_date(peer_with(kUpToDate & ~static_cast<std::uint32_t>(bit)), kOwn));
}

TEST(Discovery, AnErrorIsKeptUntilItBeginsAnew) {
  Peer peer = peer_with(0, 0);
  begin_discovery(peer, false);
  EXPECT_EQ(peer.state, kPeerDiscovering);
  end_discovery(peer, -EIO);
  EXPECT_EQ(peer.state, kPeerRediscover);
  EXPECT_EQ(peer.error, -EIO);
  begin_discovery(peer, true);
  EXPECT_EQ(peer.error, 0);
  EXPECT_TRUE(peer.has(kPeerForcePing) && peer.has(kPeerForcePush));
  end_discovery(peer, 0);
  EXPECT_FALSE(peer.has(kPeerRediscover));
  EXPECT_TRUE(peer.has(kPeerDiscovered));
}

}  // namespace
}  // namespace ulnet::core

// Discovery of one peer as a state machine. spec/multirail.md 4.1, 4.2.
#include "lnet/core/path/discovery.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "lnet/base/life_cycle_fixture.h"

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

TEST(DiscoveryLifeCycle, HasTheseSteps) {
  EXPECT_EQ(ulnet::test::matrix(kDiscoveryLifeCycle),
            "idle: [ping -> pinging] [push -> pushing]\n"
            "pinging: [answered -> idle] [failed -> idle]\n"
            "pushing: [answered -> idle] [failed -> idle]\n");
}

TEST(DiscoveryLifeCycle, OtherValuesHaveNoName) {
  EXPECT_STREQ(to_string(DiscoveryPhase::kCount), "?");
  EXPECT_STREQ(to_string(DiscoveryEvent::kCount), "?");
}

/// The table in docs/ARCHITECTURE.md has this text.
std::string rows_of_life_cycle() {
  std::string rows;
  for (int from = 0; from < static_cast<int>(DiscoveryPhase::kCount); ++from)
    for (int on = 0; on < static_cast<int>(DiscoveryEvent::kCount); ++on) {
      const auto phase = static_cast<DiscoveryPhase>(from);
      const auto event = static_cast<DiscoveryEvent>(on);
      if (!kDiscoveryLifeCycle.allows(phase, event)) continue;
      const auto padded = [](std::string text) { return text + std::string(8 - text.size(), ' '); };
      rows += "  " + padded(to_string(phase)) + " -- " + padded(to_string(event)) + " --> " +
              to_string(kDiscoveryLifeCycle.after(phase, event)) + "\n";
    }
  return rows;
}

TEST(DiscoveryLifeCycle, IsDrawnInTheArchitecture) {
  std::ifstream file(ULNET_SOURCE_DIR "/docs/ARCHITECTURE.md");
  std::stringstream page;
  page << file.rdbuf();
  EXPECT_NE(page.str().find("```\n" + rows_of_life_cycle() + "```\n"), std::string::npos)
      << "put this between two lines of three backticks:\n"
      << rows_of_life_cycle();
}

/// Every combination of the inputs of next_of(), against the sentences of 4.1 and 4.2.
TEST(Discovery, EveryStateHasItsNextStep) {  // spec/multirail.md 4.1
  constexpr std::uint32_t kBits[] = {kPeerMultiRail,    kPeerNoDiscovery, kPeerDiscovered,
                                     kPeerNidsUpToDate, kPeerForcePing,   kPeerForcePush,
                                     kPeerRediscover,   kPeerDiscovering};
  for (std::uint32_t chosen = 0; chosen < 1U << 12; ++chosen) {
    Peer peer;
    for (std::uint32_t i = 0; i < std::size(kBits); ++i)
      if ((chosen >> i & 1) != 0) peer.state |= kBits[i];
    const bool local_on = (chosen >> 8 & 1) != 0, acked = (chosen >> 9 & 1) != 0;
    peer.calls_only = (chosen >> 10 & 1) != 0;
    peer.own = (chosen >> 11 & 1) != 0;
    peer.acked_sequence = acked ? 3 : 2;
    const OwnInfo own{.sequence = 3, .discovery = local_on};
    const bool ping = peer.has(kPeerForcePing) || !peer.has(kPeerNidsUpToDate);
    const bool can_push = peer.has(kPeerMultiRail) && !peer.calls_only && !peer.own;
    const bool owed = !peer.has(kPeerNoDiscovery) && local_on && !acked;
    const bool push = can_push && (peer.has(kPeerForcePush) || owed);
    EXPECT_EQ(next_of(peer, own), ping   ? DiscoveryStep::kPing
                                  : push ? DiscoveryStep::kPush
                                         : DiscoveryStep::kDone)
        << peer.state;
    const bool settled = peer.has(kPeerDiscovered) && peer.has(kPeerNidsUpToDate) &&
                         !peer.has(kPeerDiscovering) && !peer.has(kPeerForcePing) &&
                         !peer.has(kPeerRediscover) && !push;
    EXPECT_EQ(is_up_to_date(peer, own), settled) << peer.state;
  }
}

TEST(Discovery, PushesToAPeerWithAdvertisedMultiRailWhereItOnlyVerifies) {  // spec/multirail.md 4.9
  Peer peer = peer_with(kPeerDiscovered | kPeerNidsUpToDate, 1);
  const OwnInfo own{.sequence = 3, .discovery = true, .verifies = true};
  EXPECT_EQ(next_of(peer, own), DiscoveryStep::kDone);
  peer.advertised_multi_rail = true;
  EXPECT_EQ(next_of(peer, own), DiscoveryStep::kPush);
}

TEST(Discovery, APushWithoutAReason) {  // spec/multirail.md 4.8: 16658
  Peer peer = peer_with(kPeerNoDiscovery | kPeerNidsUpToDate | kPeerForcePush);
  end_discovery(peer, 0);
  EXPECT_EQ(peer.state, 16658U) << "the state shows that it was requested";
  peer.own = true;
  end_discovery(peer, 0);
  EXPECT_EQ(peer.state, 274U);
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

TEST(Discovery, PeersThatArePushedTo) {
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

TEST(Discovery, ConditionsThatMakeAPeerOutdated) {
  EXPECT_TRUE(is_up_to_date(peer_with(kUpToDate), kOwn));
  for (const PeerBit bit : {kPeerDiscovering, kPeerForcePing, kPeerForcePush, kPeerRediscover})
    EXPECT_FALSE(is_up_to_date(peer_with(kUpToDate | bit), kOwn)) << bit;
  for (const PeerBit bit : {kPeerDiscovered, kPeerNidsUpToDate})
    EXPECT_FALSE(is_up_to_date(peer_with(kUpToDate & ~static_cast<std::uint32_t>(bit)), kOwn));
}

/// If the peer were not up to date, a caller that waits for its discovery, such as
/// LNetPeerDiscovered(), would wait forever.
TEST(Discovery, APeerThatCannotBePushedToIsUpToDate) {  // spec/multirail.md 4.2
  constexpr std::uint32_t kKnown = kPeerDiscovered | kPeerNidsUpToDate | kPeerForcePush;
  EXPECT_TRUE(is_up_to_date(peer_with(kKnown), kOwn));
  EXPECT_TRUE(is_up_to_date(peer_with(kKnown | kPeerNoDiscovery), kOwn));
  EXPECT_FALSE(is_up_to_date(peer_with(kKnown | kPeerMultiRail), kOwn));
}

TEST(Discovery, AnErrorIsKeptUntilTheNextDiscovery) {
  Peer peer = peer_with(0, 0);
  begin_discovery(peer);
  EXPECT_EQ(peer.state, kPeerDiscovering);
  end_discovery(peer, -EIO);
  EXPECT_EQ(peer.state, kPeerRediscover);
  EXPECT_EQ(peer.error, -EIO);
  begin_discovery(peer);
  EXPECT_EQ(peer.error, 0);
  end_discovery(peer, 0);
  EXPECT_FALSE(peer.has(kPeerRediscover));
  EXPECT_TRUE(peer.has(kPeerDiscovered));
}

}  // namespace
}  // namespace ulnet::core

// Which peer gets a NID that two peers claim. Source: spec/multirail.md 2.2, 4.4.
#include "lnet/core/path/peer_claim.h"

#include <gtest/gtest.h>

#include "lnet/core/contract/nids_fixture.h"

namespace ulnet::core {
namespace {

/// A peer with these NIDs; the first is its primary NID.
Peer peer_of(std::vector<Nid> nids, std::uint32_t state = 0, std::uint32_t lock_order = 0) {
  Peer peer;
  peer.primary = nids.front();
  peer.state = state;
  peer.lock_order = lock_order;
  if (nids.size() > 1)
    peer.peer_entry = std::make_shared<const PeerEntry>(PeerEntry{std::move(nids), true, 1});
  return peer;
}

constexpr auto kInfo = ClaimBy::kInfo;
constexpr auto kConfiguration = ClaimBy::kConfiguration;

TEST(PeerClaim, UnownedAndOwnNidsAreFree) {
  const Peer taker = peer_of({tcp(1), tcp(2)});
  for (const ClaimBy by : {kInfo, kConfiguration}) {
    EXPECT_EQ(claim(taker, nullptr, tcp(9), by), NidClaim::kFree);
    EXPECT_EQ(claim(taker, &taker, tcp(2), by), NidClaim::kOwn);
  }
}

TEST(PeerClaim, ATrafficPeerGivesUpItsNids) {  // spec/multirail.md 2.2, 4.4
  const Peer taker = peer_of({tcp(1)});
  const Peer owner = peer_of({tcp(5), tcp(6)});
  for (const ClaimBy by : {kInfo, kConfiguration}) {
    EXPECT_EQ(claim(taker, &owner, tcp(5), by), NidClaim::kTakesPeer);
    EXPECT_EQ(claim(taker, &owner, tcp(6), by), NidClaim::kMoves);
  }
}

TEST(PeerClaim, AConfiguredPeerKeepsItsNids) {  // spec/multirail.md 2.2, 4.4
  const Peer taker = peer_of({tcp(1)}, kPeerConfigured | kPeerLockPrimary, 1);
  for (const std::uint32_t lock : {0U, std::uint32_t{kPeerLockPrimary}}) {
    const Peer owner = peer_of({tcp(5), tcp(6)}, kPeerConfigured | lock, 2);
    for (const ClaimBy by : {kInfo, kConfiguration})
      for (const Nid& wanted : owner.nids())
        EXPECT_EQ(claim(taker, &owner, wanted, by), NidClaim::kStays);
  }
}

TEST(PeerClaim, TheOlderLockGivesThePrimaryNid) {  // spec/multirail.md 2.2
  const Peer owner = peer_of({tcp(5)}, kPeerLockPrimary, 7);
  for (const ClaimBy by : {kInfo, kConfiguration}) {
    EXPECT_EQ(claim(peer_of({tcp(1)}), &owner, tcp(5), by), NidClaim::kTakesLock);
    EXPECT_EQ(claim(peer_of({tcp(1)}, kPeerLockPrimary, 8), &owner, tcp(5), by),
              NidClaim::kTakesLock);
    EXPECT_EQ(claim(peer_of({tcp(1)}, kPeerLockPrimary, 6), &owner, tcp(5), by),
              NidClaim::kTakesPeer);
  }
}

TEST(PeerClaim, ALockedPeerWithSeveralNidsKeepsItsPrimaryOne) {  // spec/multirail.md 2.2, 4.4.6
  const Peer owner = peer_of({tcp(5), tcp(6)}, kPeerLockPrimary, 7);
  const Peer unlocked = peer_of({tcp(1)}), locked = peer_of({tcp(1)}, kPeerLockPrimary, 1);
  EXPECT_EQ(claim(unlocked, &owner, tcp(5), kConfiguration), NidClaim::kTwoLocks);
  EXPECT_EQ(claim(locked, &owner, tcp(5), kConfiguration), NidClaim::kTwoLocks);
  EXPECT_EQ(claim(unlocked, &owner, tcp(6), kConfiguration), NidClaim::kMoves);
  // Ping info takes no NID from a locked peer.
  EXPECT_EQ(claim(unlocked, &owner, tcp(5), kInfo), NidClaim::kStays);
  EXPECT_EQ(claim(unlocked, &owner, tcp(6), kInfo), NidClaim::kStays);
  EXPECT_EQ(claim(locked, &owner, tcp(5), kInfo), NidClaim::kTwoLocks);
  EXPECT_EQ(claim(locked, &owner, tcp(6), kInfo), NidClaim::kTwoLocks);
}

TEST(PeerClaim, InfoIsAboutTheLockedPeerWhosePrimaryNidItNamesFirst) {  // spec/multirail.md 4.4
  const Peer peer = peer_of({tcp(1)});
  const auto is_about = [&](std::uint32_t state, const Nid& first) {
    return info_is_about(peer, peer_of({tcp(5), tcp(6)}, state), first);
  };
  EXPECT_TRUE(is_about(kPeerLockPrimary, tcp(5)));
  EXPECT_FALSE(is_about(kPeerLockPrimary, tcp(6))) << "not its primary NID";
  EXPECT_FALSE(is_about(0, tcp(5))) << "it may be moved";
  EXPECT_FALSE(is_about(kPeerLockPrimary | kPeerConfigured, tcp(5)));
  const Peer named = peer_of({tcp(5)}, kPeerLockPrimary);
  EXPECT_FALSE(info_is_about(peer_of({tcp(1)}, kPeerLockPrimary), named, tcp(5))) << "two locks";
  EXPECT_FALSE(info_is_about(peer_of({tcp(1)}, kPeerConfigured), named, tcp(5)));
  EXPECT_FALSE(info_is_about(named, named, tcp(5)));
}

TEST(PeerClaim, WhatAConfiguredPeerAdvertisesIsCompared) {  // spec/multirail.md 2.2
  const std::vector<Nid> two{tcp(1), tcp(2)}, turned{tcp(2), tcp(1)}, one{tcp(1)};
  EXPECT_EQ(rule_for(peer_of(two), one), InfoRule::kTakeOver);
  EXPECT_EQ(rule_for(peer_of(two, kPeerLockPrimary), one), InfoRule::kTakeOver);
  EXPECT_EQ(rule_for(peer_of(two, kPeerConfigured), two), InfoRule::kAgrees);
  EXPECT_EQ(rule_for(peer_of(two, kPeerConfigured), turned), InfoRule::kAgrees);
  EXPECT_EQ(rule_for(peer_of(two, kPeerConfigured), one), InfoRule::kDiffers);
  EXPECT_EQ(rule_for(peer_of(one, kPeerConfigured), two), InfoRule::kDiffers);
}

TEST(PeerClaim, APeerConfiguredWithoutMultiRailHasNothingToPush) {  // spec/multirail.md 4.6
  EXPECT_TRUE(ignores_pushes(peer_of({tcp(1)}, kPeerConfigured)));
  EXPECT_FALSE(ignores_pushes(peer_of({tcp(1)}, kPeerConfigured | kPeerMultiRail)));
  EXPECT_FALSE(ignores_pushes(peer_of({tcp(1)})));
}

}  // namespace
}  // namespace ulnet::core

// Decides which peer gets a NID that two peers claim, and what ping info changes in a configured or
// locked peer. Source: spec/multirail.md 2.2, 4.4.
#include "lnet/core/path/peer_claim.h"

#include <algorithm>

namespace ulnet::core {

NidClaim claim(const Peer& taker, const Peer* owner, const Nid& nid, ClaimBy by) {
  if (owner == nullptr) return NidClaim::kFree;
  if (owner == &taker) return NidClaim::kOwn;
  if (owner->has(kPeerConfigured)) return NidClaim::kStays;
  const bool primary = owner->primary == nid;
  if (!owner->has(kPeerLockPrimary)) return primary ? NidClaim::kTakesPeer : NidClaim::kMoves;
  const bool by_configuration = by == ClaimBy::kConfiguration;
  if (!primary && by_configuration) return NidClaim::kMoves;
  const bool only = primary && owner->nids().size() == 1;
  if (!only) {
    const bool contradicts = by_configuration || taker.has(kPeerLockPrimary);
    return contradicts ? NidClaim::kTwoLocks : NidClaim::kStays;
  }
  const bool older = !taker.has(kPeerLockPrimary) || owner->lock_order < taker.lock_order;
  return older ? NidClaim::kTakesLock : NidClaim::kTakesPeer;
}

bool info_is_about(const Peer& peer, const Peer& named, const Nid& primary) {
  constexpr std::uint32_t kSettled = kPeerConfigured | kPeerLockPrimary;
  return &named != &peer && named.primary == primary && named.has(kPeerLockPrimary) &&
         !named.has(kPeerConfigured) && (peer.state & kSettled) == 0;
}

InfoRule rule_for(const Peer& peer, std::span<const Nid> advertised) {
  if (!peer.has(kPeerConfigured)) return InfoRule::kTakeOver;
  const std::span<const Nid> known = peer.nids();
  const bool same = std::ranges::is_permutation(known, advertised);
  return same ? InfoRule::kAgrees : InfoRule::kDiffers;
}

}  // namespace ulnet::core

// The rules of spec/multirail.md 2.2 and 4.4 as pure functions: which peer gets a NID that two
// peers claim, and whether the NIDs that a peer advertises count.
#pragma once

#include <cstdint>
#include <span>

#include "lnet/core/path/known_peer.h"

namespace ulnet::core {

enum class NidClaim : std::uint8_t {
  kFree,   ///< no peer has it
  kOwn,    ///< the peer has it already
  kMoves,  ///< a NID of an unconfigured peer, not its primary NID
  /// The primary NID of a peer that is not configured and not locked, or that was locked later and
  /// has no other NID.
  kTakesPeer,
  kTakesLock,  ///< the only NID of a locked peer: becomes the locked primary NID of `taker`
  kStays,      ///< its owner, which is configured or locked, keeps it
  kTwoLocks,   ///< its owner keeps it, and both peers get kPeerBadConfig
};
/// Where a claim comes from: the peer's ping info, or configuration.
enum class ClaimBy : std::uint8_t { kInfo, kConfiguration };
/// Decides the claim of `taker` for `nid`, which `owner` has. `owner` null: no peer has the NID.
NidClaim claim(const Peer& taker, const Peer* owner, const Nid& nid, ClaimBy by);
inline bool refused(NidClaim claim) {
  return claim == NidClaim::kStays || claim == NidClaim::kTwoLocks;
}

/// Whether ping info from `peer` is about `named`, a peer that a service has declared. The info has
/// `primary`, a NID of `named`, as its primary NID. If true, `peer` and `named` are one peer, and
/// the locked NID stays primary.
bool info_is_about(const Peer& peer, const Peer& named, const Nid& primary);

enum class InfoRule : std::uint8_t {
  kTakeOver,  ///< its ping info counts
  kAgrees,    ///< it is configured with these NIDs
  kDiffers,   ///< it is configured with other NIDs, which count
};
InfoRule rule_for(const Peer& peer, std::span<const Nid> advertised);
/// Whether this node ignores pushes from the peer, because it is configured without multi-rail
/// (4.6).
inline bool ignores_pushes(const Peer& peer) {
  return peer.has(kPeerConfigured) && !peer.has(kPeerMultiRail);
}

}  // namespace ulnet::core

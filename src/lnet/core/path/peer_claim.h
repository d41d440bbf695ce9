// Whose a NID is when two peers claim it, and whether a peer may tell which NIDs it has: the rules
// of spec/multirail.md 2.2 and 4.4, as functions of what is known.
#pragma once

#include <cstdint>
#include <span>

#include "lnet/core/path/known_peer.h"

namespace ulnet::core {

enum class NidClaim : std::uint8_t {
  kFree,       ///< no peer has it
  kOwn,        ///< the peer has it already
  kMoves,      ///< not the primary NID of its peer, which nobody has configured
  kTakesPeer,  ///< the primary NID of a peer that nobody has configured or locked, or that was
               ///< locked later and has no other NID
  kTakesLock,  ///< the only NID of a locked peer: it becomes the locked primary NID of this one
  kStays,      ///< its owner keeps it: that is configured, or locked
  kTwoLocks,   ///< its owner keeps it, and both peers have a bad configuration
};
/// Why a peer is to have a NID.
enum class ClaimBy : std::uint8_t { kInfo, kConfiguration };
/// `taker` is to have `nid`, which `owner` has; null: nobody.
NidClaim claim(const Peer& taker, const Peer* owner, const Nid& nid, ClaimBy by);
inline bool refused(NidClaim claim) {
  return claim == NidClaim::kStays || claim == NidClaim::kTwoLocks;
}

/// The info that came from `peer` names `primary` first, a NID of `named`: whether it is about
/// `named`, which was declared before. Then both are one peer, which goes by the locked NID.
bool tells_of(const Peer& peer, const Peer& named, const Nid& primary);

enum class TellRule : std::uint8_t {
  kTakeOver,  ///< what it tells counts
  kAgrees,    ///< it is configured with these NIDs
  kDiffers,   ///< it is configured with others, which count
};
TellRule rule_for(const Peer& peer, std::span<const Nid> told);
/// A peer that is configured without multi-rail has nothing to push (4.6).
inline bool ignores_pushes(const Peer& peer) {
  return peer.has(kPeerConfigured) && !peer.has(kPeerMultiRail);
}

}  // namespace ulnet::core

// Answers LNetPrimaryNID and LNetPeerDiscovered, and starts the discovery that an answer needs.
// Source: spec/core-semantics.md 15.
#include "lnet/core/flow/peer_identity.h"

#include "lnet/core/flow/discovery.h"

namespace ulnet::core {

namespace {

/// Finds the peer that has the NID, or makes it. A query is no message, so a known NID does not
/// become one that was met.
Peer& peer_of(Directory& directory, const Nid& nid) {
  Peer* known = directory.find(nid);
  return known != nullptr ? *known : directory.meet(nid);
}

}  // namespace

Check primary_nid(Step& step, call::PrimaryNid& call) {
  Directory& directory = step.s.directory;
  call.primary = directory.primary_of(call.nid);
  const bool own = step.s.nis.find(call.nid) != nullptr;
  if (own || call.nid.is_any()) return {};
  Peer& peer = peer_of(directory, call.nid);
  const bool lock = step.config().globals.lock_prim_nid;
  if (lock && !peer.has(kPeerConfigured)) directory.lock_primary(peer);
  if (peer_is_settled(step, peer)) return {};
  call.unsettled = !lock;
  if (lock) discover_in_background(step, peer);
  return {};
}

Check peer_discovered(Step& step, const call::PeerDiscovered& call) {
  if (call.nid.is_any()) return {-EINVAL, "not a NID of a peer"};
  if (step.s.nis.find(call.nid) != nullptr) return {};
  Peer& peer = peer_of(step.s.directory, call.nid);
  if (peer_is_settled(step, peer)) return {};
  if (peer.has(kPeerDiscovering) || peer.phase != DiscoveryPhase::kIdle)
    return {-EALREADY, "the discovery of the peer is under way"};
  if (peer.error != 0) return {-EHOSTUNREACH, "the discovery of the peer has failed"};
  const bool known = peer.has(kPeerDiscovered);
  discover_in_background(step, peer);
  return known ? Check{-ENETRESET, "the information on the peer is out of date"}
               : Check{-EAGAIN, "the discovery of the peer begins"};
}

}  // namespace ulnet::core

// Keeps the configuration of a peer when the peer advertises something else, and notes for the log
// what an administrator has to correct. Source: spec/multirail.md 2.2, 4.4.
#include "lnet/core/flow/configured_peer.h"

#include "lnet/core/path/peer_claim.h"

namespace ulnet::core {

bool configuration_counts(Step& step, Peer& peer, std::span<const Nid> advertised,
                          bool multi_rail) {
  if (!peer.has(kPeerConfigured)) return false;
  peer.differs = rule_for(peer, advertised) == InfoRule::kDiffers;
  if (peer.differs)
    step.note(Note::Level::kError,
              "a configured peer advertises other NIDs ({}); this node keeps the configured ones",
              peer.primary, advertised.size());
  if (multi_rail != peer.has(kPeerMultiRail))
    step.note(Note::Level::kWarning,
              multi_rail ? "a peer is configured without multi-rail, which it has"
                         : "a peer is configured with multi-rail, which it does not offer",
              peer.primary);
  return true;
}

void suspect_stale(Step& step, const Nid& nid) {
  const Peer* peer = step.s.directory.find(nid);
  if (peer == nullptr) return;
  if (peer->has(kPeerConfigured))
    step.note(Note::Level::kWarning,
              "a configured peer is suspected to be out of date: its configuration may be wrong",
              peer->primary);
  else if (step.config().globals.discovery == 0 && peer->has(kPeerDiscovered))
    step.note(Note::Level::kWarning,
              "a peer is suspected to be out of date, and discovery is off: its discovered "
              "NIDs may be wrong",
              peer->primary);
}

}  // namespace ulnet::core

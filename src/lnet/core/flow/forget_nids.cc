// Removes what this shard knows of NIDs that belong to no peer any more, and keeps the peer NIs
// that messages still use. Source: spec/multirail.md 2.2, 4.4, decision 110.
#include "lnet/core/flow/forget_nids.h"

#include "lnet/core/flow/in_recovery.h"
#include "lnet/core/flow/portal_owner.h"

namespace ulnet::core {

void forget_nids(Step& step, std::span<const Nid> nids, std::uint64_t generation) {
  ShardState& s = step.s;
  for (const Nid& nid : nids) {
    forget_peer_entry(step, nid, generation);
    s.round_trips.forget(nid);
    PeerNid* known = s.peers.find(nid);
    if (known == nullptr) continue;
    s.peers.set_peer_entry(*known, nullptr);
    known->health = kHealthMax;
    s.peers.changed(*known);
    known->discovered = false;
    if (known->ni != nullptr) forget_recovery(s, *known->ni);
    if (known->ni != nullptr && known->ni->in_flight != 0) {
      s.peers.renew_ni(*known->ni);
      continue;
    }
    if (known->ni != nullptr) s.peers.erase_ni(*known->ni);
    s.peers.erase(*known);
  }
}

}  // namespace ulnet::core

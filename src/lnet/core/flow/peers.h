// What a shard knows of the NIDs that it uses: NID entries and peer NIs. The first message makes
// them, the last one removes them. Source: spec/multirail.md 1, spec/core-semantics.md 8.8, 10.2.
#pragma once

#include "lnet/core/flow/step.h"

namespace ulnet::core {

/// The number of credits of a peer NI with this NID (10.2).
std::int32_t peer_credits_for(const ShardState& s, const Nid& nid);
/// The number of messages from a peer NI with this NID that may be in the router at once (10.3).
std::int32_t router_credits_for(const ShardState& s, const Nid& nid);
/// One shard's share of max_peers.
std::uint32_t share_of_peers(const ShardState& s);
/// Returns the entry of a NID that this shard uses. For a new NID the shard asks the control shard
/// for the shared peer entry. Until the shared peer entry comes, the NID counts as a peer of its
/// own.
PeerNid& know(Step& step, const Nid& nid);
/// Asks for the discovery of the peer that has the NID of this entry, unless this shard has asked
/// already.
void want_discovery(Step& step, PeerNid& known, Pid pid);
/// Finds the entry of a NID that only a message names; null: the NID has none. A neighbour may have
/// made the NID up, so no entry is made for it. Each call without an entry asks for the NID's
/// shared peer entry.
PeerNid* ask(Step& step, const Nid& nid);
/// Forgets a NID to which no message could be sent, if nothing is known of it.
void forget_if_unknown(ShardState& s, const Nid& nid);
/// The part of peer_ni_of() that makes a new peer NI.
PeerNi* make_peer_ni(Step& step, const Nid& nid);
/// Finds the peer NI with this NID, or makes it. Null: in this shard's configuration another shard
/// owns the NID. The host has placed the message by a newer configuration, or an older one.
inline PeerNi* peer_ni_of(Step& step, const Nid& nid) {
  PeerNi* const ni = step.s.peers.find_ni(nid);
  return ni != nullptr ? ni : make_peer_ni(step, nid);
}
/// The part of meet() for the first message, and for the first message after a failure.
void connected(Step& step, PeerNi& ni);
/// Notes that a message came from the peer NI, or that a Send to it succeeded.
inline void meet(Step& step, PeerNi& ni) {
  if (ni.life_cycle != PeerNiLifeState::kConnected) connected(step, ni);
}
/// The part of forget_if_unmet() for an idle peer NI.
void forget_idle(ShardState& s, PeerNi& ni);
/// Forgets a peer NI that no message names any more, if no message was ever exchanged with it, or
/// if another shard owns it now.
inline void forget_if_unmet(ShardState& s, PeerNi& ni) {
  if (ni.in_flight == 0 && (!ni.met || ni.moved)) forget_idle(s, ni);
}
/// The configuration is new: forgets the idle peer NIs that another shard owns now, because their
/// net was removed, or was removed and added again.
void forget_moved(ShardState& s);

}  // namespace ulnet::core

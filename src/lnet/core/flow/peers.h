// What a shard knows of the NIDs that it uses: entries and peer NIs, made with the first message
// and forgotten with the last. Source: spec/multirail.md 1, spec/core-semantics.md 8.8, 10.2.
#pragma once

#include "lnet/core/flow/step.h"

namespace ulnet::core {

/// How many credits a peer NI with this NID gets (10.2).
std::int32_t peer_credits_for(const ShardState& s, const Nid& nid);
/// How many messages from a peer NI with this NID may be in the router at once (10.3).
std::int32_t router_credits_for(const ShardState& s, const Nid& nid);
/// Of max_peers, the part of one shard.
std::uint32_t share_of_peers(const ShardState& s);
/// The entry of a NID that this shard uses. When it is new, the control shard is asked for the card
/// of its peer: until that comes, it counts as a peer of its own.
PeerNid& know(Step& step, const Nid& nid);
/// Has the peer with the NID of this entry discovered, unless this shard awaits that already.
void want_discovery(Step& step, PeerNid& known, Pid pid);
/// The same for a NID that only a message names, which a neighbour may have made up. It gets no
/// entry, and the card is asked for each time. Null: it has no entry.
PeerNid* ask(Step& step, const Nid& nid);
/// Forgets a NID to which no message could be sent, if nothing is known of it.
void forget_if_unknown(ShardState& s, const Nid& nid);
/// What peer_ni_of() does for a new one.
PeerNi* make_peer_ni(Step& step, const Nid& nid);
/// The peer NI with this NID; made if it is new. Null: by this shard's configuration its home is
/// another shard. The host has placed the message by a newer one, or an older one.
inline PeerNi* peer_ni_of(Step& step, const Nid& nid) {
  PeerNi* const ni = step.s.peers.find_ni(nid);
  return ni != nullptr ? ni : make_peer_ni(step, nid);
}
/// What meet() does the first time, and the first time after a failure.
void connected(Step& step, PeerNi& ni);
/// A message came from the peer NI, or a Send to it succeeded.
inline void meet(Step& step, PeerNi& ni) {
  if (ni.life != PeerNiLife::kConnected) connected(step, ni);
}
/// What forget_if_unmet() does with an idle one.
void forget_idle(ShardState& s, PeerNi& ni);
/// Forgets a peer NI that no message names any more, if none was ever exchanged with it, or if its
/// home is another shard now.
inline void forget_if_unmet(ShardState& s, PeerNi& ni) {
  if (ni.in_flight == 0 && (!ni.met || ni.moved)) forget_idle(s, ni);
}
/// The configuration is new: forgets the idle peer NIs whose home is another shard now, because
/// their net has gone, or has gone and come.
void forget_moved(ShardState& s);

}  // namespace ulnet::core

// Whether peers are alive, as drivers and administrators say. In the home of the peer NI. Source:
// spec/multirail.md 8.
#pragma once

#include "lnet/core/contract/api.h"
#include "lnet/core/flow/step.h"

namespace ulnet::core {

Check notify_peer(Step& step, const call::NotifyPeer& call);
/// The driver of the NI has lost its connections to the peer NI.
void peer_lost(Step& step, NiId ni, const Nid& nid);
/// Whether the peer NI is down, as drivers of all NIs that could have it, or an administrator, have
/// said. Nothing was heard of it since.
bool is_lost(const ShardState& s, const PeerNi& ni);
/// Whether a router sends on nothing to the peer NI, since it knows that it is not alive
/// (core-semantics.md 11). One message in peer_timeout it sends all the same: where health is off
/// (`health_sensitivity` 0), or a recovery has reached its limit, nothing else finds out that the
/// peer NI is there again.
bool sends_nothing_to(Step& step, const PeerNi& ni);
/// Whether this node watches which peer NIs of the net are alive: it routes, and the net's
/// peer_timeout is above 0.
bool watches_peers_on(const ShardState& s, NetId net);

}  // namespace ulnet::core

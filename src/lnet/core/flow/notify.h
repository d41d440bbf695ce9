// Whether peers are alive, as drivers and administrators report. In the owner shard of the peer NI.
// Source: spec/multirail.md 8.
#pragma once

#include "lnet/core/contract/api.h"
#include "lnet/core/flow/step.h"

namespace ulnet::core {

Check notify_peer(Step& step, const call::NotifyPeer& call);
/// Notes that the driver of the NI has lost its connections to the peer NI.
void peer_lost(Step& step, NiId ni, const Nid& nid);
/// Whether the peer NI is down: the drivers of all NIs that could have a connection to it, or an
/// administrator, have reported so, and no message has come from it since.
bool is_lost(const ShardState& s, const PeerNi& ni);
/// Whether a router drops messages to the peer NI, because it knows that the peer NI is not alive
/// (core-semantics.md 11). One message in peer_timeout is sent all the same: where health is off
/// (`health_sensitivity` 0), or a recovery has reached its limit, nothing else finds out that the
/// peer NI is alive again.
bool sends_nothing_to(Step& step, const PeerNi& ni);
/// Whether this node watches which peer NIs of the net are alive: it routes, and the net's
/// peer_timeout is above 0.
bool watches_peers_on(const ShardState& s, NetId net);

}  // namespace ulnet::core

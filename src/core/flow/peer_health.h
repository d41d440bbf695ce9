// The health of peer NIs. The home of a NID owns it, counts how messages with it ended, and tells
// the other shards, which choose among the NIDs of a peer. Source: spec/multirail.md 5.1, 5.2.
#pragma once

#include "core/flow/step.h"

namespace ulnet::core {

/// In the home of the peer NI: its health is this from now on. If its peer has other NIDs, all
/// other shards are told so.
void set_peer_health(Step& step, PeerNi& ni, std::int32_t health);
/// The same after outcomes: `balance` is the number of good ones less that of bad ones.
void change_peer_health(Step& step, PeerNi& ni, std::int32_t balance);
/// In the home of the peer NI: all other shards are told its health at the end of this step.
void tell_peer_health_soon(Step& step, const PeerNi& ni);
/// Tells what has changed in this step. Runs at its end.
void tell_peer_health(Step& step);
/// A message to the NID has ended in its home, where the health of the peer NI is `health` now.
void see_peer_health(Step& step, const Nid& nid, std::int32_t health);
/// In the control shard: a peer has told that this NID of it is down now, or up again. The health
/// of one that is down is lowered at once, in the NID's home (4.4.6).
void peer_told_status(Step& step, const Nid& nid, bool up);
void on_letter(Step& step, std::uint32_t from, const letter::PeerNiHealth& in);

}  // namespace ulnet::core

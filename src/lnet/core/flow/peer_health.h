// The health of peer NIs. The home of a NID owns it, counts how messages with it ended, and tells
// the other shards, which choose among the NIDs of a peer. Source: spec/multirail.md 5.1, 5.2.
#pragma once

#include "lnet/core/flow/step.h"

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
/// The peer has told of this NI of it, which has its home here, that it is up, or down.
void peer_ni_told(Step& step, PeerNi& ni, bool up);
/// In the control shard: a peer has told that this NI of it is up, or down. The home of the NID
/// hears of it: one that was not down is less well at once, and comes into recovery; one that is up
/// again recovers by pings alone (4.4).
void peer_told_status(Step& step, const Nid& nid, bool up);
void on_letter(Step& step, std::uint32_t from, const letter::PeerNiHealth& in);
void on_letter(Step& step, std::uint32_t from, const letter::PeerNiTold& in);

}  // namespace ulnet::core

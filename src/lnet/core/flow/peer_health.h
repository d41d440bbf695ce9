// The health of peer NIs. The owner shard of a NID counts how messages with it ended, and reports
// the health to the other shards, which choose among the NIDs of a peer. Source: spec/multirail.md
// 5.1, 5.2.
#pragma once

#include "lnet/core/flow/step.h"

namespace ulnet::core {

/// In the owner shard: sets the health of the peer NI. If its peer has other NIDs, the health is
/// reported to all other shards.
void set_peer_health(Step& step, PeerNi& ni, std::int32_t health);
/// In the owner shard: changes and reports the health of the peer NI after outcomes. `balance`: the
/// number of good outcomes less the number of bad ones.
void change_peer_health(Step& step, PeerNi& ni, std::int32_t balance);
/// In the owner shard: reports the health of the peer NI to all other shards at the end of this
/// step.
void report_peer_health_soon(Step& step, const PeerNi& ni);
/// Reports the changes of this step to the other shards. Runs at the end of the step.
void report_peer_health(Step& step);
/// Takes over the health of the peer NI from the owner shard of its NID, where a message to the NID
/// has ended.
void see_peer_health(Step& step, const Nid& nid, std::int32_t health);
/// In the owner shard: takes the peer's report that this NI of it is up, or down.
void peer_ni_reported(Step& step, PeerNi& ni, bool up);
/// In the control shard: passes on a peer's report that this NI of it is up, or down, to the owner
/// shard of the NID. The owner shard lowers the health of an NI that was not down before, so that
/// recovery begins. An NI that is up again recovers by pings alone (4.4).
void peer_reported_status(Step& step, const Nid& nid, bool up);
void on_shard_msg(Step& step, std::uint32_t from, const shard_msg::PeerNiHealth& in);
void on_shard_msg(Step& step, std::uint32_t from, const shard_msg::PeerNiReported& in);

}  // namespace ulnet::core

// Forgetting of peers that exist only because of messages or discovery. A peer is forgotten when it
// has been idle for peer_idle_timeout, or earlier when a message of an unknown node would exceed
// max_peers. A peer stays if an administrator has configured it, if a service has been given its
// primary NID, or if it is a gateway. The counters, health and recovery of a forgotten peer are
// lost: its next message makes it anew.
#pragma once

#include "lnet/core/flow/step.h"

namespace ulnet::core {

/// In the control shard: sets or cancels the timer by which idle peers are found. To be called when
/// a peer was made or the configuration is new.
void watch_for_idle_peers(Step& step);
void on_idle_peers_due(Step& step);
void on_shard_msg(Step& step, std::uint32_t from, const shard_msg::IdlePeers& in);

/// In the owner shard of `nid`, from which a message came: whether the NID may have a peer NI.
/// Returns false if nothing is known of the NID, this shard's share of max_peers is used up, and no
/// other peer NI can be forgotten instead.
bool admit_peer_ni(Step& step, const Nid& nid);
void on_shard_msg(Step& step, std::uint32_t from, const shard_msg::PeerEvicted& in);
/// In the control shard: whether an unknown node may add `more` NIDs to the directory.
bool fits_directory(const Step& step, std::size_t more);

}  // namespace ulnet::core

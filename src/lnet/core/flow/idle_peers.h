// Peers that only messages or discovery have made are forgotten again: when they are idle for
// peer_idle_timeout, and before that when a stranger's message would make more than max_peers.
// Whoever an administrator has configured, whose primary NID a service was told, and who is a
// gateway stays. What is forgotten with a peer are its counters, its health and its recovery: its
// next message makes it anew.
#pragma once

#include "lnet/core/flow/step.h"

namespace ulnet::core {

/// In the control shard: a peer was made, or the configuration is new. Looks after the timer by
/// which idle peers are found.
void watch_for_idle_peers(Step& step);
void on_idle_peers_due(Step& step);
void on_letter(Step& step, std::uint32_t from, const letter::IdlePeers& in);

/// In the home of `nid`, from which a message came. False: nothing is known of the NID, this
/// shard's share of max_peers is used up, and nobody may go for it.
bool has_room_for(Step& step, const Nid& nid);
void on_letter(Step& step, std::uint32_t from, const letter::PeerEvicted& in);
/// In the control shard: whether a stranger may add `more` NIDs to the directory.
bool has_room_in_directory(const Step& step, std::size_t more);

}  // namespace ulnet::core

// Discovery, in the control shard: what this node sends to a peer so that both nodes know each
// other's NIDs, how it takes the peer's answers and pushes, and which callers and shards wait for
// the end. lnet/core/path/discovery.h decides what is sent. Source: spec/multirail.md 3.5, 4.
#pragma once

#include "lnet/core/contract/api.h"
#include "lnet/core/flow/step.h"
#include "lnet/core/path/push.h"

namespace ulnet::core {

// ---- what starts a discovery

/// Starts the discovery of the peer that has the NID of the call. The call ends with Done{ticket}
/// in the caller's shard.
Check start_discovery(Step& step, const call::Discover& call);
/// A shard has messages for a peer. Discovered answers this inter-shard message.
void on_shard_msg(Step& step, std::uint32_t from, const shard_msg::DiscoveryWanted& in);
void on_shard_msg(Step& step, std::uint32_t from, const shard_msg::PeerRestarted& in);
/// Takes in a peer's info: from a push of `source` to this node's NID `local`, or from the answer
/// to a router check.
void info_came(Step& step, const PushReading& reading, const ProcessId& source, const Nid& local);
enum class InfoChange : std::uint8_t {
  kNone,    ///< no change that is pushed to peers at once
  kOthers,  ///< features and statuses: also pushed to peers that acknowledged the sequence number
  kNids,    ///< NIDs, and so the sequence number
};
/// Handles a change of this node's info: pushes the info to the discovered peers that have to get
/// it.
void own_info_changed(Step& step, InfoChange change);

/// Whether messages to the peer need not wait for discovery.
bool peer_is_settled(const Step& step, const Peer& peer);
/// Starts the discovery of a peer that is not settled, if none is in progress. Nothing waits for
/// its end.
void discover_in_background(Step& step, Peer& peer);

// ---- the end of a ping or a push

/// Goes on after the end of a ping. Returns whether the ping was sent again, with a larger buffer.
bool discovery_ping_ended(Step& step, Portal0Md& record);
void discovery_push_ended(Step& step, const Portal0Md& record);

// ---- removal of peers

/// To be called before these NIDs are deleted, and belong to no peer. Takes out and returns the
/// callers and shards that wait for the discovery of these NIDs, for ask_again() after the
/// deletion.
std::vector<DiscoveryAsker> take_askers(Step& step, std::span<const Nid> nids);
/// Asks again for the NIDs for which these shards wait: a peer is made anew for each NID, and
/// messages wait for its discovery. Calls end with -ENOENT instead.
void ask_again(Step& step, const std::vector<DiscoveryAsker>& askers);
/// Ends the messages and calls of these askers with -EHOSTUNREACH: this node can no longer reach
/// the peers.
void give_up(Step& step, const std::vector<DiscoveryAsker>& askers);

}  // namespace ulnet::core

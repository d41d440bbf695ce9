// Discovery, in the control shard: what this node sends to a peer so that both nodes know each
// other's NIDs, how it takes the peer's answers and pushes, and which callers and shards wait for
// the end. lnet/core/path/discovery.h decides what is sent. Source: spec/multirail.md 3.5, 4.
#pragma once

#include "lnet/core/contract/api.h"
#include "lnet/core/flow/step.h"
#include "lnet/core/path/push.h"

namespace ulnet::core {

// ---- what starts a discovery

/// A call asks for the peer that has a NID. The call ends with Done{ticket} in the caller's shard.
Check start_discovery(Step& step, const call::Discover& call);
/// A shard has messages for a peer. Discovered answers this inter-shard message.
void on_shard_msg(Step& step, std::uint32_t from, const shard_msg::DiscoveryWanted& in);
void on_shard_msg(Step& step, std::uint32_t from, const shard_msg::PeerRestarted& in);
/// A peer's info came: a push from `source` to this node's NID `local`, or the answer to a router
/// check.
void info_came(Step& step, const PushReading& reading, const ProcessId& source, const Nid& local);
enum class InfoChange : std::uint8_t {
  kNone,    ///< no change that is pushed to peers at once
  kOthers,  ///< features and statuses: also pushed to peers that have acknowledged the number
  kNids,    ///< NIDs, and so the sequence number
};
/// This node's info has changed.
void own_info_changed(Step& step, InfoChange change);

/// Whether messages to the peer need not wait for discovery.
bool peer_is_settled(const Step& step, const Peer& peer);
/// Starts the discovery of a peer that is not settled, if none is in progress. Nothing waits for
/// its end.
void discover_in_background(Step& step, Peer& peer);

// ---- the end of a ping or a push

/// Returns whether the ping was sent again, with a larger buffer.
bool discovery_ping_ended(Step& step, Portal0Md& record);
void discovery_push_ended(Step& step, const Portal0Md& record);

// ---- removal of peers

/// An administrator deletes these NIDs, so they will belong to no peer. Returns the callers and
/// shards that wait for their discovery, for ask_again() after the deletion.
std::vector<DiscoveryAsker> take_askers(Step& step, std::span<const Nid> nids);
/// Asks again for these NIDs: messages wait for the discovery of the peer that is made anew. Calls
/// end with -ENOENT.
void ask_again(Step& step, const std::vector<DiscoveryAsker>& askers);
/// This node can no longer reach the peers of these askers: messages and calls end with
/// -EHOSTUNREACH.
void give_up(Step& step, const std::vector<DiscoveryAsker>& askers);

}  // namespace ulnet::core

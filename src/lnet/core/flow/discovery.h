// Discovery, in the control shard: what is sent to a peer so that both nodes know each other's
// NIDs, what is made of its answers and of what it pushes by itself, and who waits for the end.
// lnet/core/path/discovery.h decides what is sent. Source: spec/multirail.md 3.5, 4.
#pragma once

#include "lnet/core/contract/api.h"
#include "lnet/core/flow/step.h"
#include "lnet/core/path/push.h"

namespace ulnet::core {

// ---- what makes a discovery begin

/// A call asks for the peer that has a NID. It ends with Done{ticket} of the caller's shard.
Check start_discovery(Step& step, const call::Discover& call);
/// A shard has messages for a peer. Discovered answers it.
void on_letter(Step& step, std::uint32_t from, const letter::DiscoveryWanted& in);
void on_letter(Step& step, std::uint32_t from, const letter::PeerRestarted& in);
/// A push came from `source`, to the NID `local` of this node, or the answer to a router check.
void info_came(Step& step, const PushReading& reading, const ProcessId& source, const Nid& local);
enum class InfoChange : std::uint8_t {
  kNone,    ///< nothing that peers have to be told at once
  kOthers,  ///< features and statuses: peers that have acknowledged the number are told all the same
  kNids,    ///< NIDs, and so the sequence number
};
/// This node's info is another one.
void own_info_changed(Step& step, InfoChange change);

/// Whether messages to the peer wait for nothing.
bool peer_is_settled(const Step& step, const Peer& peer);
/// The discovery of a peer that is not settled begins, if it has not begun. Nobody waits for it.
void discover_in_background(Step& step, Peer& peer);

// ---- the ends of what was sent

/// Returns whether the ping was sent again, with a larger buffer.
bool discovery_ping_ended(Step& step, Portal0Md& record);
void discovery_push_ended(Step& step, const Portal0Md& record);

// ---- the ends of peers

/// These NIDs are going to be no peer's any more, because an administrator deletes them. Those who
/// wait for their discovery, for ask_again() when they are gone.
std::vector<DiscoveryAsker> take_askers(Step& step, std::span<const Nid> nids);
/// Messages wait for the discovery of the peer that is new then; calls end with -ENOENT.
void ask_again(Step& step, const std::vector<DiscoveryAsker>& askers);
/// There is no way to the peers of these any more: messages and calls end with -EHOSTUNREACH.
void give_up(Step& step, const std::vector<DiscoveryAsker>& askers);

}  // namespace ulnet::core

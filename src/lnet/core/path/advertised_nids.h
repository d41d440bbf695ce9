// Judges ping info from a peer: to which peer it belongs, and which of its NIDs are accepted. Pure:
// lnet/core/flow/peer_info.h carries out the result. Source: spec/multirail.md 4.4, 4.9.
#pragma once

#include <vector>

#include "lnet/core/contract/route_list.h"
#include "lnet/core/path/directory.h"
#include "lnet/core/path/ping_target.h"

namespace ulnet::core {

/// Whether one of these peers is the gateway of a route of this node to the net.
bool is_beyond(const Directory& directory, const RouteList& routes, NetId net, const Peer& peer,
               const Peer& whose);

struct AdvertisedNids {
  /// The peer to which the info belongs: the peer from which it came, or another one that has its
  /// primary NID.
  Peer* peer = nullptr;
  /// The NIDs that are accepted, the primary one first. Empty: none.
  std::vector<Nid> nids;
  bool of_another = false;  ///< the NID from which the info came is unrelated to it
  std::vector<Nid> own;     ///< NIDs of this node, left out
  /// NIDs left out because they are the primary NIDs of other peers, by those peers' own info. A
  /// ping to such a NID can resolve the conflict. Empty if the peer is configured, because a
  /// configured peer takes no NID of others.
  std::vector<Nid> taken;
};
/// Judges `info`, which came from `source`, a NID of `peer`. The info need not contain `source`: a
/// node that is about to delete a NID may send its remaining NIDs from that NID. Then the info must
/// contain another known NID of the peer. A NID on a net to which one of `routes` leads through the
/// peer is accepted without a ping to it, because the peer could not answer that ping. The peer
/// takes no message for a NID that it has on another net (core-semantics.md 8.4). It would answer a
/// ping that comes through another router from the pinged NID, but has no route from there to a net
/// of its own (multirail.md 3.1). If this node pinged `peer` because another peer has advertised a
/// NID of `peer`, `claimer` is the primary NID of that other peer; else any. If each of the two
/// advertises a NID of the other, they are one peer.
AdvertisedNids judge(const Directory& directory, const NiTable& nis, const RouteList& routes,
                     Peer& peer, const wire::PingInfo& info, const Nid& source, const Nid& claimer);

/// How these NIDs, the primary one first, and the Multi-Rail flag differ from this node's entry for
/// the peer.
PeerDifferences differences_of(const Peer& peer, const std::vector<Nid>& nids, bool multi_rail);

/// The NIDs whose status in the info differs from the status advertised before. `up` has those that
/// were down, `down` the others. Records the new statuses in `peer`.
struct StatusNews {
  std::vector<Nid> up, down;
};
StatusNews learn_statuses(Peer& peer, const wire::PingInfo& info);

}  // namespace ulnet::core

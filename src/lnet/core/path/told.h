// What a peer has told of itself, judged: whose info it is, and which of its NIDs are believed to
// be that peer's. Pure: lnet/core/flow/peer_info.h carries it out. Source: spec/multirail.md 4.4,
// 4.9.
#pragma once

#include <vector>

#include "lnet/core/contract/route_list.h"
#include "lnet/core/path/directory.h"
#include "lnet/core/path/ping_target.h"

namespace ulnet::core {

/// Whether a route of this node to the net leads by one of these peers.
bool is_beyond(const Directory& directory, const RouteList& routes, NetId net, const Peer& peer,
               const Peer& whose);

struct Told {
  /// Whose info it is: the peer that it came from, or another one that goes by its primary NID.
  Peer* peer = nullptr;
  /// The NIDs that are believed, the primary one first. Empty: nothing is.
  std::vector<Nid> nids;
  bool of_another = false;  ///< the NID that it came from has nothing to do with it
  std::vector<Nid> own;     ///< NIDs of this node, left out
  /// Primary NIDs of other peers that have told them themselves, left out. Whoever has one can be
  /// asked. None if the peer is configured: that takes no NID of others.
  std::vector<Nid> taken;
};
/// `source`: the NID from which the info came, one of those of `peer`. An info need not have it:
/// a node tells its NIDs without the one that it is about to delete, over that very one. Then it
/// must have another NID that is known to be the peer's. A NID on a net to which one of `routes`
/// leads by the peer is its own when it says so, since there it cannot be asked: it takes no
/// message for a NID that it has on another net (core-semantics.md 8.4), and one that comes by
/// another router it answers by that NID, from which it has no route to a net of its own
/// (multirail.md 3.1). `claimer`: the primary NID of a peer that has told a NID of this one,
/// which was asked therefore; any: there is none. If each tells a NID of the other, both are one.
Told judge(const Directory& directory, const NiTable& nis, const RouteList& routes, Peer& peer,
           const wire::PingInfo& info, const Nid& source, const Nid& claimer);

/// How these NIDs, the primary one first, and whether there is Multi-Rail, differ from what this
/// node has of the peer.
PeerDifferences differences_of(const Peer& peer, const std::vector<Nid>& nids, bool multi_rail);

/// The NIDs in the info that have another status than the peer has told before. `up` are those that
/// were down, `down` the others. Notes in `peer` what it tells now.
struct StatusNews {
  std::vector<Nid> up, down;
};
StatusNews statuses_told(Peer& peer, const wire::PingInfo& info);

}  // namespace ulnet::core

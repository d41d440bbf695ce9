// Decides which peer a ping info is about, which of its NIDs that peer gets, and which NIDs went
// down or up. Source: spec/multirail.md 2.2, 4.4, 4.9.
#include "lnet/core/path/advertised_nids.h"

#include <algorithm>
#include <set>

namespace ulnet::core {

namespace {

bool has(const std::vector<Nid>& nids, const Nid& nid) {
  return std::find(nids.begin(), nids.end(), nid) != nids.end();
}

/// Whether the peer's NIDs come from its own ping info.
bool has_advertised_nids(const Peer& peer) {
  return peer.has(kPeerMultiRail) && peer.has(kPeerDiscovered);
}
/// Whether claim() decides about the peer's NIDs (peer_claim.h).
bool is_declared(const Peer& peer) {
  return peer.has(kPeerConfigured) || peer.has(kPeerLockPrimary);
}

/// Whether the peer keeps all its NIDs when another peer advertises them (peer_claim.h).
bool keeps_nids(const Peer& peer) {
  return peer.has(kPeerConfigured) || (peer.has(kPeerLockPrimary) && peer.nids().size() > 1);
}

}  // namespace

bool is_beyond(const Directory& directory, const RouteList& list, NetId net, const Peer& peer,
               const Peer& whose) {
  const auto routes = list.nets().find(net);
  if (routes == list.nets().end()) return false;
  return std::ranges::any_of(routes->second, [&](const Route& route) {
    const Peer* const owner = directory.find(route.gateway);
    return owner == &peer || owner == &whose;
  });
}

AdvertisedNids judge(const Directory& directory, const NiTable& nis, const RouteList& routes,
                     Peer& peer, const wire::PingInfo& info, const Nid& source,
                     const Nid& claimer) {
  AdvertisedNids advertised;
  advertised.peer = &peer;
  std::vector<Nid> nids = nids_of(info);
  std::set<Nid> seen;
  std::erase_if(nids, [&](const Nid& nid) {
    if (!seen.insert(nid).second) return true;
    const bool own = nis.find(nid) != nullptr;
    if (own) advertised.own.push_back(nid);
    return own;
  });
  const auto of_peer = [&](const Nid& nid) { return directory.find(nid) == &peer; };
  advertised.of_another = !has(nids, source) && std::none_of(nids.begin(), nids.end(), of_peer);
  if (advertised.of_another || nids.empty()) return advertised;

  // If `peer` keeps its NIDs, or `named` takes none, both peers stay as they are. A change would
  // make this node ping `peer` again and again (spec/multirail.md 2.2).
  Peer* const named = directory.find(nids.front());
  const bool is_its =
      named != nullptr && named->primary == nids.front() && has_advertised_nids(*named);
  if (is_its && !keeps_nids(peer) && !named->has(kPeerConfigured)) advertised.peer = named;
  // A configured peer takes no NID of another peer in any case, so no peer is pinged.
  const bool takes = !advertised.peer->has(kPeerConfigured);
  if (takes)
    std::erase_if(nids, [&](const Nid& nid) {
      const Peer* other = directory.find(nid);
      if (other == nullptr || other == &peer || other == advertised.peer) return false;
      if (nid == claimer) return false;
      const bool taken = has_advertised_nids(*other) && !is_declared(*other) &&
                         other->primary == nid &&
                         !is_beyond(directory, routes, nid.net(), peer, *advertised.peer);
      if (taken) advertised.taken.push_back(nid);
      return taken;
    });
  advertised.nids = std::move(nids);
  return advertised;
}

PeerDifferences differences_of(const Peer& peer, const std::vector<Nid>& nids, bool multi_rail) {
  PeerDifferences differences;
  const std::set<Nid> advertised(nids.begin(), nids.end());
  const std::set<Nid> known(peer.nids().begin(), peer.nids().end());
  for (const Nid& nid : nids)
    if (!known.contains(nid)) differences.missing.push_back(nid);
  for (const Nid& nid : peer.nids())
    if (!advertised.contains(nid)) differences.extra.push_back(nid);
  if (!nids.empty() && nids.front() != peer.primary) differences.primary = nids.front();
  differences.multi_rail = multi_rail != peer.has(kPeerMultiRail);
  return differences;
}

StatusNews learn_statuses(Peer& peer, const wire::PingInfo& info) {
  StatusNews news;
  std::set<Nid> down;
  const std::set<Nid> its_own(peer.nids().begin(), peer.nids().end());
  for (const auto* entries : {&info.legacy, &info.large})
    for (const wire::PingEntry& entry : *entries)
      if (entry.status == wire::NiStatus::kDown && its_own.contains(entry.nid))
        down.insert(entry.nid);
  if (down.empty() && peer.remarks == nullptr) return news;
  std::vector<Nid>& known = peer.remark().down;
  const std::set<Nid> before(known.begin(), known.end());
  for (const Nid& nid : down)
    if (!before.contains(nid)) news.down.push_back(nid);
  for (const Nid& nid : before)
    if (!down.contains(nid) && its_own.contains(nid)) news.up.push_back(nid);
  known.assign(down.begin(), down.end());
  return news;
}

}  // namespace ulnet::core

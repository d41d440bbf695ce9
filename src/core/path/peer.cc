#include "core/path/peer.h"

#include <algorithm>

namespace ulnet::core {

namespace {

void list_others(Peer& peer) {
  peer.other_nids.clear();
  for (const PeerNi* ni : peer.nis)
    if (ni->nid != peer.primary) peer.other_nids.push_back(ni->nid);
}

}  // namespace

PeerNi& PeerTable::use(const Nid& nid, std::int32_t credits) {
  if (PeerNi* known = find(nid)) return *known;
  auto [self, ni] = peer_nis_.make();
  ni->self = self;
  ni->nid = nid;
  ni->tx = Gate(credits);
  make_peer(*ni);
  by_nid_.insert(nid, ni);
  return *ni;
}

void PeerTable::erase(PeerNi& ni) {
  ULNET_ASSERT(ni.in_flight == 0 && ni.tx.credits() == ni.tx.max());
  leave_peer(ni);
  by_nid_.erase(ni.nid);
  if (last_ == &ni) last_ = nullptr;
  peer_nis_.erase(ni.self);
}

void PeerTable::renew(PeerNi& ni) {
  leave_peer(ni);
  make_peer(ni);
  ni.tx.reset_min();
  ni.health = 1000;
  ni.met = false;
  ni.last_heard = Instant::min();
  ni.fixed_source = {};
  ni.errors = {};
  ni.traffic = {};
}

const Nid& PeerTable::primary_of(const Nid& nid) const {
  const PeerNi* ni = find(nid);
  return ni == nullptr ? nid : ni->peer->primary;
}

Peer& PeerTable::make_peer(PeerNi& first) {
  auto [self, peer] = peers_.make();
  peer->self = self;
  peer->primary = first.nid;
  peer->nis.reserve(1);
  peer->nis.push_back(&first);
  first.peer = peer;
  order_.push_back(*peer);
  return *peer;
}

/// Takes the NID off its peer. A peer without NIDs is removed.
void PeerTable::leave_peer(PeerNi& ni) {
  Peer& peer = *ni.peer;
  std::erase(peer.nis, &ni);
  ni.peer = nullptr;
  if (peer.nis.empty()) {
    order_.erase(order_.iterator_to(peer));
    peers_.erase(peer.self);
    return;
  }
  if (peer.primary == ni.nid) peer.primary = peer.nis.front()->nid;
  list_others(peer);
}

void PeerTable::set_members(Peer& peer, const std::vector<PeerNi*>& members) {
  if (members.empty()) return;
  for (PeerNi* ni : members) {
    if (ni->peer == &peer) continue;
    leave_peer(*ni);
    ni->peer = &peer;
  }
  for (PeerNi* ni : std::exchange(peer.nis, members)) {
    if (std::find(members.begin(), members.end(), ni) != members.end()) continue;
    make_peer(*ni);
    if (ni->in_flight == 0 && !ni->met) erase(*ni);
  }
  peer.primary = members.front()->nid;
  list_others(peer);
}

}  // namespace ulnet::core

#include "lnet/lnd/sock/engine/peer_table.h"

namespace ulnet::lnd::sock {

Peer* PeerTable::find(core::NiId ni, const core::Hop& hop) {
  const PeerKey key{ni, hop};
  if (last_ != nullptr && last_->key == key) return last_;
  const auto found = peers_.find(key);
  if (found == peers_.end()) return nullptr;
  return last_ = found->second.get();
}

Peer& PeerTable::obtain(const NiInfo& ni, const core::Hop& hop) {
  if (Peer* known = find(ni.id, hop)) return *known;
  auto peer = std::make_unique<Peer>();
  peer->key = {ni.id, hop};
  peer->ni = &ni;
  if (!hop.pid.is_user()) peer->address = address_of(hop.nid);
  if (peer->address && peer->address->family != ni.address.family) peer->address.reset();
  peer->bulk = ni.conns_per_peer;
  peer->timer.peer = peer.get();
  order_.push_back(*peer);
  last_ = peer.get();
  return *(peers_[last_->key] = std::move(peer));
}

void PeerTable::forget_if_idle(Peer& peer) {
  // A peer that was ever dialled is kept, for its incarnation and its back-off.
  if (peer.initiated || !peer.conns.empty() || !peer.waiting.empty() || peer.dial != nullptr ||
      !peer.ledger.empty())
    return;
  if (last_ == &peer) last_ = nullptr;
  order_.erase(order_.iterator_to(peer));
  const PeerKey key = peer.key;
  peers_.erase(key);
}

}  // namespace ulnet::lnd::sock

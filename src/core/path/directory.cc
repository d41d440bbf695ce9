#include "core/path/directory.h"

#include <algorithm>
#include <set>
#include <utility>

namespace ulnet::core {

namespace {

/// A bit of a peer's state has come or gone: its shown life follows, where that has such a step.
void follow(Peer& peer, PeerLifeEvent event) {
  if (kPeerShownLife.allows(peer.life, event)) peer.on(event);
}

}  // namespace

void Peer::set(PeerBit bit) {
  state |= bit;
  if (bit == kPeerDiscovering) follow(*this, PeerLifeEvent::kDiscover);
  if (bit == kPeerPingSent) follow(*this, PeerLifeEvent::kPing);
  if (bit == kPeerPushSent) follow(*this, PeerLifeEvent::kPush);
}

void Peer::clear(PeerBit bit) {
  state &= ~static_cast<std::uint32_t>(bit);
  if (bit == kPeerPingSent) follow(*this, PeerLifeEvent::kPingEnded);
  if (bit == kPeerPushSent) follow(*this, PeerLifeEvent::kPushEnded);
  if (bit == kPeerDiscovering) follow(*this, PeerLifeEvent::kDiscovered);
}

Peer& Directory::make_peer(const Nid& primary) {
  auto [self, peer] = peers_.make();
  peer->self = self;
  peer->primary = primary;
  peer->on(PeerLifeEvent::kMet);
  order_.push_back(*peer);
  return *peer;
}

Directory::Entry& Directory::entry(const Nid& nid, Peer& peer) {
  Entry* known = by_nid_.find(nid);
  if (known == nullptr) {
    auto [self, made] = entries_.make();
    made->self = self;
    made->nid = nid;
    by_nid_.insert(nid, made);
    known = made;
  }
  known->peer = &peer;
  return *known;
}

void Directory::forget(const Nid& nid) {
  const Handle self = by_nid_.find(nid)->self;
  by_nid_.erase(nid);
  entries_.erase(self);
}

/// Gives the peer a card if it has more to tell than its primary NID.
void Directory::set_card(Peer& peer, std::vector<Nid> nids, bool multi_rail,
                         Changes& changes) const {
  peer.primary = nids.front();
  if (nids.size() == 1 && !multi_rail) {
    if (std::exchange(peer.card, nullptr) != nullptr) changes.alone.push_back(peer.primary);
    return;
  }
  const bool same =
      peer.card != nullptr && peer.card->nids == nids && peer.card->multi_rail == multi_rail;
  if (same) return;
  peer.card = std::make_shared<const PeerCard>(PeerCard{std::move(nids), multi_rail, generation_});
  changes.cards.push_back(peer.card);
}

void Directory::lose_nids(Peer& peer, Changes& changes) {
  std::vector<Nid> left;
  for (const Nid& nid : peer.nids())
    if (find(nid) == &peer) left.push_back(nid);
  if (!left.empty())
    return set_card(peer, std::move(left), peer.card != nullptr && peer.card->multi_rail, changes);
  order_.erase(order_.iterator_to(peer));
  peers_.erase(peer.self);
}

/// Takes out what a later part of the same change has overtaken.
void Directory::finish(Changes& changes) const {
  changes.generation = generation_;
  std::erase_if(changes.cards,
                [&](const PeerCardRef& card) { return card_of(card->primary()) != card; });
  std::erase_if(changes.alone, [&](const Nid& nid) { return card_of(nid) != nullptr; });
}

Peer& Directory::meet(const Nid& nid) {
  Entry* known = by_nid_.find(nid);
  if (known == nullptr) known = &entry(nid, make_peer(nid));
  known->met = true;
  return *known->peer;
}

Directory::Changes Directory::learn(Peer& peer, std::vector<Nid> nids, bool multi_rail) {
  Changes changes;
  ++generation_;
  const std::vector<Nid> before(peer.nids().begin(), peer.nids().end());
  std::vector<Peer*> losers;  // each gets one new card, however many of its NIDs move
  for (const Nid& nid : nids) {
    Peer* other = find(nid);
    entry(nid, peer);
    if (other == nullptr || other == &peer) continue;
    if (std::find(losers.begin(), losers.end(), other) == losers.end()) losers.push_back(other);
  }
  for (Peer* loser : losers) {
    const auto kept = [&](const Nid& nid) { return find(nid) == loser; };
    // A peer that goes by that leaves those who wait for it to the one that has its NID.
    if (std::none_of(loser->nids().begin(), loser->nids().end(), kept))
      std::move(loser->askers.begin(), loser->askers.end(), std::back_inserter(peer.askers));
    lose_nids(*loser, changes);
  }
  set_card(peer, std::move(nids), multi_rail, changes);
  const std::set<Nid> now(peer.nids().begin(), peer.nids().end());
  for (const Nid& nid : before) {
    if (now.contains(nid)) continue;
    changes.alone.push_back(nid);
    Entry& left = *by_nid_.find(nid);
    if (left.met)
      left.peer = &make_peer(nid);
    else
      forget(nid);
  }
  finish(changes);
  return changes;
}

Directory::Changes Directory::remove(std::span<const Nid> nids) {
  Changes changes;
  ++generation_;
  std::vector<Peer*> losers;
  for (const Nid& nid : nids) {
    Peer* peer = find(nid);
    if (peer == nullptr) continue;
    forget(nid);
    if (std::find(losers.begin(), losers.end(), peer) == losers.end()) losers.push_back(peer);
  }
  for (Peer* loser : losers) lose_nids(*loser, changes);
  finish(changes);
  return changes;
}

}  // namespace ulnet::core

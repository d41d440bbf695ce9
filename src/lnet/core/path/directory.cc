// Keeps the table of peers: makes and deletes peers, and gives them their NIDs and peer entries.
// Source: spec/multirail.md 1, 1.1, 2.2.
#include "lnet/core/path/directory.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "lnet/core/path/peer_claim.h"

namespace ulnet::core {

namespace {

/// Whether the creation number `number` is later than `than`. Creation numbers wrap around after
/// 2^32.
bool is_later(std::uint32_t number, std::uint64_t than) {
  return static_cast<std::int32_t>(number - static_cast<std::uint32_t>(than)) > 0;
}

}  // namespace

Peer& Directory::make_peer(const Nid& primary) {
  auto [self, peer] = peers_.make();
  peer->self = self;
  peer->number = ++created_;
  peer->primary = primary;
  peer->on(PeerLifeEvent::kMet);
  if (order_.empty()) next_ = peer;
  order_.push_back(*peer);
  grown_ = true;
  return *peer;
}

const Peer* Directory::next(PeerPlace& place) const {
  const Peer* last = peers_.find(place.last);
  auto at = last != nullptr ? std::next(order_.iterator_to(*last)) : order_.begin();
  if (last == nullptr && place.last)  // the peer at `place` was deleted
    while (at != order_.end() && !is_later(at->number, place.number)) ++at;
  if (at == order_.end()) return nullptr;
  place = {at->self, at->number};
  return &*at;
}

Peer* Directory::look_at_next() {
  Peer* const now = next_;
  if (now == nullptr)
    next_ = order_.empty() ? nullptr : &order_.front();
  else
    step_over(*now);
  return now;
}

void Directory::step_over(Peer& peer) {
  const auto after = std::next(order_.iterator_to(peer));
  next_ = after == order_.end() ? nullptr : &*after;
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

/// Gives the peer a peer entry if it needs one: several NIDs, multi-rail, or configured.
void Directory::set_peer_entry(Peer& peer, std::vector<Nid> nids, bool multi_rail,
                               Changes& changes) const {
  if (peer.primary != nids.front()) let_go(peer, changes);
  peer.primary = nids.front();
  if (nids.size() == 1 && !multi_rail && !peer.has(kPeerConfigured)) {
    if (std::exchange(peer.peer_entry, nullptr) != nullptr) changes.alone.push_back(peer.primary);
    return;
  }
  const bool same = peer.peer_entry != nullptr && peer.peer_entry->nids == nids &&
                    peer.peer_entry->multi_rail == multi_rail;
  if (same) return;
  peer.peer_entry =
      std::make_shared<const PeerEntry>(PeerEntry{std::move(nids), multi_rail, generation_});
  changes.peer_entries.push_back(peer.peer_entry);
}

void Directory::lose_nids(Peer& peer, Peer* heir, Changes& changes) {
  std::vector<Nid> left;
  for (const Nid& nid : peer.nids())
    if (find(nid) == &peer) left.push_back(nid);
  if (left.empty()) return erase(peer, heir, changes);
  set_peer_entry(peer, std::move(left), peer.peer_entry != nullptr && peer.peer_entry->multi_rail,
                 changes);
}

void Directory::let_go(Peer& peer, Changes& changes) {
  if (peer.remarks == nullptr || peer.remarks->claimer.is_any()) return;
  changes.let_go.push_back({peer.primary, std::exchange(peer.remarks->claimer, Nid::any())});
}

void Directory::erase(Peer& peer, Peer* heir, Changes& changes) {
  let_go(peer, changes);
  if (heir != nullptr) std::ranges::move(peer.askers, std::back_inserter(heir->askers));
  if (next_ == &peer) step_over(peer);
  order_.erase(order_.iterator_to(peer));
  peers_.erase(peer.self);
}

std::vector<Nid> Directory::absorb(Peer& into, Peer& from, Changes& changes) {
  std::vector<Nid> nids(from.nids().begin(), from.nids().end());
  for (const Nid& nid : nids) entry(nid, into);
  into.set(kPeerLockPrimary);
  into.lock_order = from.lock_order;
  erase(from, &into, changes);
  return nids;
}

/// Removes the results that a later part of the same change has superseded.
void Directory::finish(Changes& changes) const {
  changes.generation = generation_;
  std::erase_if(changes.peer_entries, [&](const PeerEntryRef& peer_entry) {
    return peer_entry_of(peer_entry->primary()) != peer_entry;
  });
  std::erase_if(changes.alone, [&](const Nid& nid) { return peer_entry_of(nid) != nullptr; });
  std::erase_if(changes.let_go, [&](const Changes::LetGo& each) {
    const Peer* claimer = find(each.claimer);
    return claimer == nullptr || claimer == find(each.nid);
  });
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
  std::vector<Nid> before(peer.nids().begin(), peer.nids().end());
  Nid locked = peer.has(kPeerLockPrimary) ? peer.primary : Nid::any();
  const auto take_lock_of = [&](Peer& other) {
    locked = other.primary;
    const std::vector<Nid> its = absorb(peer, other, changes);
    before.insert(before.end(), its.begin(), its.end());
  };
  if (Peer* named = find(nids.front());
      named != nullptr && info_is_about(peer, *named, nids.front()))
    take_lock_of(*named);
  std::vector<Nid> own;
  std::vector<Peer*> losers;  // each gets one new peer entry, however many of its NIDs move
  for (const Nid& nid : nids) {
    Peer* const other = find(nid);
    const NidClaim verdict = claim(peer, other, nid, ClaimBy::kInfo);
    if (refused(verdict)) {
      refuse(peer, *other, nid, verdict == NidClaim::kTwoLocks, changes);
      other->remark().claimer = peer.primary;
      continue;
    }
    own.push_back(nid);
    if (verdict == NidClaim::kTakesLock) {
      take_lock_of(*other);
      continue;
    }
    entry(nid, peer);
    if (other == nullptr || other == &peer) continue;
    if (std::ranges::find(losers, other) == losers.end()) losers.push_back(other);
  }
  // If a peer is deleted because it has no NIDs left, `peer`, which has them now, takes over its
  // askers.
  for (Peer* loser : losers) lose_nids(*loser, &peer, changes);
  if (!locked.is_any()) {
    std::erase(own, locked);
    own.insert(own.begin(), locked);
  }
  if (own.empty()) own = before;
  set_peer_entry(peer, std::move(own), multi_rail, changes);
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
  for (Peer* loser : losers) lose_nids(*loser, nullptr, changes);
  finish(changes);
  return changes;
}

}  // namespace ulnet::core

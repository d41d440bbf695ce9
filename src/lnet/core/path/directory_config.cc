// The changes of the directory that administrators and services above LNet make. Source:
// spec/multirail.md 1.1, 2.1, 2.2.
#include <algorithm>
#include <iterator>
#include <utility>

#include "lnet/core/path/directory.h"
#include "lnet/core/path/peer_claim.h"

namespace ulnet::core {

namespace {

/// The bits that describe an exchange under way, and not the peer.
constexpr std::uint32_t kUnderWay = kPeerDiscovering | kPeerPingSent | kPeerPushSent;

}  // namespace

void Directory::lock_primary(Peer& peer) {
  if (peer.has(kPeerLockPrimary)) return;
  peer.set(kPeerLockPrimary);
  peer.lock_order = ++locks_;
}

void Directory::drop(Peer& peer, Changes& changes) {
  const std::vector<Nid> nids(peer.nids().begin(), peer.nids().end());
  std::ranges::move(peer.askers, std::back_inserter(changes.askers));
  erase(peer, nullptr, changes);
  for (const Nid& nid : nids) {
    forget(nid);
    changes.gone.push_back(nid);
  }
}

void Directory::refuse(Peer& taker, Peer& owner, const Nid& nid, bool two_locks, Changes& changes) {
  changes.refused.push_back(nid);
  if (!two_locks) return;
  changes.two_locks = true;
  taker.set(kPeerBadConfig);
  owner.set(kPeerBadConfig);
}

Directory::Changes Directory::configure(const Wanted& wanted) {
  Changes changes;
  ++generation_;
  Peer* peer = find(wanted.primary);
  if (peer != nullptr && wanted.configured && !peer->has(kPeerConfigured)) {
    drop(*peer, changes);
    peer = nullptr;
  }
  const bool made = peer == nullptr;
  if (made) {
    peer = &make_peer(wanted.primary);
    entry(wanted.primary, *peer);
    if (wanted.configured) peer->set(kPeerConfigured);
  }
  if (wanted.lock && (made || !wanted.configured)) lock_primary(*peer);
  if (wanted.multi_rail) peer->set(kPeerMultiRail);
  std::vector<Nid> nids(peer->nids().begin(), peer->nids().end());
  const auto put_first = [&](const Nid& nid) {
    std::erase(nids, nid);
    nids.insert(nids.begin(), nid);
  };
  if (!wanted.configured) put_first(wanted.primary);
  for (const Nid& nid : wanted.others) {
    Peer* const other = find(nid);
    const NidClaim verdict = claim(*peer, other, nid, ClaimBy::kConfiguration);
    if (verdict == NidClaim::kOwn) continue;
    if (refused(verdict)) {
      refuse(*peer, *other, nid, verdict == NidClaim::kTwoLocks, changes);
      continue;
    }
    const std::uint32_t lock = other == nullptr ? 0 : other->lock_order;
    if (verdict == NidClaim::kTakesPeer || verdict == NidClaim::kTakesLock) drop(*other, changes);
    entry(nid, *peer);
    if (verdict == NidClaim::kMoves) lose_nids(*other, nullptr, changes);
    nids.push_back(nid);
    if (verdict != NidClaim::kTakesLock) continue;
    peer->set(kPeerLockPrimary);
    peer->lock_order = lock;
    put_first(nid);
  }
  set_peer_entry(*peer, std::move(nids), peer->has(kPeerMultiRail), changes);
  finish(changes);
  return changes;
}

Directory::Changes Directory::strip(Peer& peer) {
  Changes changes;
  ++generation_;
  changes.gone.assign(peer.nids().begin(), peer.nids().end());
  std::ranges::move(std::exchange(peer.askers, {}), std::back_inserter(changes.askers));
  let_go(peer, changes);
  for (const Nid& nid : changes.gone)
    if (nid != peer.primary) forget(nid);
  constexpr std::uint32_t kStays =
      kPeerMultiRail | kPeerConfigured | kPeerLockPrimary | kPeerPingSent | kPeerPushSent;
  peer.clear(kPeerDiscovering);
  peer.state &= kStays;
  peer.sequence = peer.acked_sequence = 0;
  peer.error = 0;
  peer.differs = false;
  const PeerEntryRef before =
      std::exchange(peer.peer_entry, nullptr);  // shards drop the entry with the NIDs
  const bool multi_rail = before != nullptr && before->multi_rail;
  set_peer_entry(peer, {peer.primary}, multi_rail, changes);
  finish(changes);
  return changes;
}

Directory::Changes Directory::leave_net(NetId net, const std::function<bool(NetId)>& local) {
  Changes changes;
  ++generation_;
  std::vector<Handle> concerned;
  for_each([&](const Peer& peer) {
    const auto here = [&](const Nid& nid) { return nid.net() == net; };
    if (std::ranges::any_of(peer.nids(), here)) concerned.push_back(peer.self);
  });
  for (const Handle self : concerned) {
    Peer& peer = *find(self);
    const bool reachable = std::ranges::any_of(
        peer.nids(), [&](const Nid& nid) { return nid.net() != net && local(nid.net()); });
    if (!reachable) {
      drop(peer, changes);
      continue;
    }
    // The peer keeps its advertised NIDs: they are used again when the net is added again.
    if (peer.primary.net() != net || peer.has(kPeerLockPrimary)) continue;
    std::vector<Nid> nids;  // reachable NIDs first, so that one of them becomes primary
    std::ranges::copy_if(peer.nids(), std::back_inserter(nids),
                         [&](const Nid& nid) { return local(nid.net()); });
    std::ranges::copy_if(peer.nids(), std::back_inserter(nids),
                         [&](const Nid& nid) { return !local(nid.net()); });
    const bool multi_rail = peer.peer_entry != nullptr && peer.peer_entry->multi_rail;
    set_peer_entry(peer, std::move(nids), multi_rail, changes);
  }
  finish(changes);
  return changes;
}

Directory::Changes Directory::set_state(Peer& peer, std::uint32_t bits) {
  Changes changes;
  ++generation_;
  const bool locked = peer.has(kPeerLockPrimary);
  peer.state = (bits & ~kUnderWay) | (peer.state & kUnderWay);
  if (!locked && peer.has(kPeerLockPrimary)) peer.lock_order = ++locks_;
  set_peer_entry(peer, {peer.nids().begin(), peer.nids().end()}, peer.has(kPeerMultiRail), changes);
  finish(changes);
  return changes;
}

}  // namespace ulnet::core

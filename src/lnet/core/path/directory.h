// The peers of this node: which NIDs form a peer, and the state of its discovery. Only the control
// shard has a directory; the other shards get peer entries from it. Source: spec/multirail.md 1,
// 1.1, 2.2.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "lnet/base/hash_index.h"
#include "lnet/base/slab.h"
#include "lnet/core/path/known_peer.h"

namespace ulnet::core {

class Directory {
 public:
  /// The peer that has this NID; null: no peer has it.
  Peer* find(const Nid& nid) const {
    const Entry* entry = by_nid_.find(nid);
    return entry == nullptr ? nullptr : entry->peer;
  }
  /// The peer with this handle; null: the peer was deleted.
  Peer* find(Handle peer) { return peers_.find(peer); }
  const Peer* find(Handle peer) const { return peers_.find(peer); }
  /// Records that a message was exchanged with this NID, or that ping info came from it. Returns
  /// the NID's peer. A new peer has this NID only.
  Peer& meet(const Nid& nid);
  /// The primary NID of the peer that has `nid`; `nid` itself if no peer has it.
  const Nid& primary_of(const Nid& nid) const {
    const Peer* peer = find(nid);
    return peer == nullptr ? nid : peer->primary;
  }
  /// The peer entry that the other shards need for the NID; null: none.
  PeerEntryRef peer_entry_of(const Nid& nid) const {
    const Peer* peer = find(nid);
    return peer == nullptr ? nullptr : peer->peer_entry;
  }

  /// At least 1; grows with each change.
  std::uint64_t generation() const { return generation_; }
  /// The new peer entries of a change; the NIDs in `alone` have no entry any more.
  struct Changes {
    std::vector<PeerEntryRef> peer_entries;
    std::vector<Nid> alone;
    std::uint64_t generation = 0;  ///< of the directory after the change
    // Deleted peers:
    std::vector<Nid> gone;               ///< the shards forget all that they know of these NIDs
    std::vector<DiscoveryAsker> askers;  ///< shards and calls that waited for their discovery
    /// A peer was deleted or got another primary NID, and another peer, which had claimed a NID of
    /// it, is pinged again.
    struct LetGo {
      Nid nid;      ///< the primary NID of the deleted or changed peer
      Nid claimer;  ///< PeerRemarks::claimer
    };
    std::vector<LetGo> let_go;
    // NIDs whose claim was refused:
    std::vector<Nid> refused;
    bool two_locks = false;  ///< for a refused NID both peers have kPeerBadConfig now
  };
  /// Takes over the NIDs that `peer` has advertised, in this order, the first as its primary NID,
  /// and whether it has multi-rail. A NID of another peer moves to `peer` if claim() allows it
  /// (peer_claim.h), and a peer that is left without NIDs is deleted. A NID that `peer` had and did
  /// not advertise becomes a separate peer if it was met; else it belongs to no peer. A locked
  /// primary NID stays even if it is not advertised. When `peer` absorbs a locked peer, the locked
  /// primary NID becomes the primary NID of `peer`.
  Changes learn(Peer& peer, std::vector<Nid> nids, bool multi_rail);
  /// Takes these NIDs from their peers. If a peer loses its primary NID, the next NID becomes
  /// primary.
  Changes remove(std::span<const Nid> nids);

  // ---- what is configured (directory_config.cc)

  /// A peer as an administrator (kPeerConfigured) or a service above LNet configures it.
  struct Wanted {
    Nid primary;
    std::vector<Nid> others{};
    bool multi_rail = true;
    bool configured = true;
    bool lock = false;
  };
  /// Makes the peer, or adds the NIDs to it. If an administrator configures a peer that only
  /// traffic has made, that peer is deleted first. The caller has checked that the change is
  /// allowed (lnet/core/flow/peer_add.cc).
  Changes configure(const Wanted& wanted);
  /// Deletes all NIDs of the peer but its primary NID, and resets the state of its discovery.
  Changes strip(Peer& peer);
  /// This node has left the net. A peer with NIDs on the net is deleted if it has none on a net for
  /// which `local` is true. Otherwise it keeps all its NIDs. If its primary NID is on the net and
  /// not locked, a NID that can be reached becomes primary.
  Changes leave_net(NetId net, const std::function<bool(NetId)>& local);
  /// `peer set --state`. The bits for steps that are under way stay as they are.
  Changes set_state(Peer& peer, std::uint32_t bits);
  /// Locks the peer's primary NID: the peer keeps it, whatever the peer advertises.
  void lock_primary(Peer& peer);

  /// Calls fn(peer) for each peer, in the order of creation.
  template <class Fn>
  void for_each(Fn&& fn) const {
    for (const Peer& peer : order_) fn(peer);
  }
  /// The peer after `place`, in the order of creation, whether the peer at `place` still exists or
  /// not. Null: there are no more peers, and `place` stays.
  const Peer* next(PeerPlace& place) const;
  std::uint32_t size() const { return peers_.size(); }
  std::uint32_t nids() const { return entries_.size(); }
  /// Returns the next peer in the order of creation; null at the end of a round, after which the
  /// first peer follows. A peer that is made during a round is part of it.
  Peer* look_at_next();
  /// Whether a peer was made since take_note_of_growth().
  bool has_grown() const { return grown_; }
  void take_note_of_growth() { grown_ = false; }

 private:
  using Order = boost::intrusive::list<
      Peer,
      boost::intrusive::member_hook<Peer,
                                    boost::intrusive::list_member_hook<
                                        boost::intrusive::link_mode<boost::intrusive::normal_link>>,
                                    &Peer::hook>,
      boost::intrusive::constant_time_size<false>>;
  struct Entry {
    Handle self;
    Nid nid;
    Peer* peer = nullptr;
    bool met = false;
  };

  Peer& make_peer(const Nid& primary);
  void step_over(Peer& peer);
  /// Gives the NID to `peer`, and takes it from any other peer.
  Entry& entry(const Nid& nid, Peer& peer);
  void forget(const Nid& nid);
  /// Removes the NIDs that the peer has lost from its peer entry. A peer without NIDs is deleted,
  /// and `heir`, unless it is null, takes over those that wait for its discovery.
  void lose_nids(Peer& peer, Peer* heir, Changes& changes);
  void erase(Peer& peer, Peer* heir, Changes& changes);
  /// Records that the peer which claimed a NID of `peer` is to be pinged again (Changes::let_go).
  static void let_go(Peer& peer, Changes& changes);
  /// `from` becomes part of `into`, which takes over its locked primary NID. Returns the NIDs of
  /// `from`.
  std::vector<Nid> absorb(Peer& into, Peer& from, Changes& changes);
  /// Records that the claim of `taker` for the NID, which `owner` has, was refused.
  static void refuse(Peer& taker, Peer& owner, const Nid& nid, bool two_locks, Changes& changes);
  /// Deletes the peer with all its NIDs.
  void drop(Peer& peer, Changes& changes);
  void finish(Changes& changes) const;
  void set_peer_entry(Peer& peer, std::vector<Nid> nids, bool multi_rail, Changes& changes) const;

  Slab<Peer> peers_;
  Slab<Entry> entries_;
  Order order_;  // declared after the slabs, so that it is destroyed before its elements
  HashIndex<Nid, Entry, NidHash, &Entry::nid> by_nid_;
  Peer* next_ = nullptr;  ///< the peer that look_at_next() returns
  bool grown_ = false;
  std::uint64_t generation_ = 1;
  std::uint32_t created_ = 0;  ///< the number of peers ever made
  std::uint32_t locks_ = 0;    ///< the number of primary NIDs ever locked
};

}  // namespace ulnet::core

// The peers of this node: which NIDs form one, and what has been said to it and by it. Only the
// control shard has entries here; the other shards get cards of them. Source: spec/multirail.md 1,
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
  /// Null: no peer has this NID.
  Peer* find(const Nid& nid) const {
    const Entry* entry = by_nid_.find(nid);
    return entry == nullptr ? nullptr : entry->peer;
  }
  /// Null: the peer has gone.
  Peer* find(Handle peer) { return peers_.find(peer); }
  const Peer* find(Handle peer) const { return peers_.find(peer); }
  /// A message was exchanged with this NID, or it has told something. Its peer; a new one has this
  /// NID only.
  Peer& meet(const Nid& nid);
  /// The primary NID of the peer that has `nid`; `nid` itself if no peer has it.
  const Nid& primary_of(const Nid& nid) const {
    const Peer* peer = find(nid);
    return peer == nullptr ? nid : peer->primary;
  }
  /// What the other shards have to be told of it; null: nothing.
  PeerCardRef card_of(const Nid& nid) const {
    const Peer* peer = find(nid);
    return peer == nullptr ? nullptr : peer->card;
  }

  /// At least 1; grows with each change.
  std::uint64_t generation() const { return generation_; }
  /// The cards that a change has made; `alone` are NIDs that have none any more.
  struct Changes {
    std::vector<PeerCardRef> cards;
    std::vector<Nid> alone;
    std::uint64_t generation = 0;  ///< of the directory after it
    // Of peers that were deleted:
    std::vector<Nid> gone;               ///< all that is known of these NIDs is void
    std::vector<DiscoveryAsker> askers;  ///< who waited for their discovery
    /// Who else tells a NID of a peer that has gone, or goes by another NID: it is asked again.
    struct LetGo {
      Nid nid;      ///< the primary one of that peer
      Nid claimer;  ///< PeerRemarks::claimer
    };
    std::vector<LetGo> let_go;
    // NIDs that were claimed, and stay where they are:
    std::vector<Nid> refused;
    bool two_locks = false;  ///< both peers of one of them have kPeerBadConfig now
  };
  /// `peer` has told its NIDs, or whether it has multi-rail: they are the peer's from now on, in
  /// this order, the first one is its primary NID. A NID of another peer moves to `peer` where
  /// claim() allows it (peer_claim.h); a peer without NIDs goes. A NID that is no longer among them
  /// becomes a peer of its own if it was met; else it is no peer's any more. A locked primary NID
  /// stays, told or not, and comes with the peer that had it.
  Changes learn(Peer& peer, std::vector<Nid> nids, bool multi_rail);
  /// These NIDs are no peer's any more. A peer that loses its primary NID goes by its next one.
  Changes remove(std::span<const Nid> nids);

  // ---- what is configured (directory_config.cc)

  /// What an administrator (kPeerConfigured), or a service above LNet, says of a peer.
  struct Wanted {
    Nid primary;
    std::vector<Nid> others{};
    bool multi_rail = true;
    bool configured = true;
    bool lock = false;
  };
  /// Makes the peer, or adds the NIDs to it. What an administrator says replaces a peer that only
  /// traffic has made: that is deleted first. The caller has looked whether it may be done
  /// (lnet/core/flow/peer_add.cc).
  Changes configure(const Wanted& wanted);
  /// Deletes all NIDs of the peer but its primary NID. It is as if nobody had talked to it yet.
  Changes strip(Peer& peer);
  /// The net is none of this node's any more. A peer with NIDs on it goes if it has none on a net
  /// for which `local` is true. Otherwise it keeps all its NIDs; if its primary NID is on the net
  /// and not locked, it goes by one that can be reached.
  Changes leave_net(NetId net, const std::function<bool(NetId)>& local);
  /// `peer set --state`. The bits that say what is under way stay as they are.
  Changes set_state(Peer& peer, std::uint32_t bits);
  /// The peer keeps its primary NID, whatever it tells.
  void lock_primary(Peer& peer);

  /// In the order of creation.
  template <class Fn>
  void for_each(Fn&& fn) const {
    for (const Peer& peer : order_) fn(peer);
  }
  /// The peer after the place, in the order of creation, whether the one at the place is still
  /// there or not. Null: there is none; the place stays.
  const Peer* next(PeerPlace& place) const;
  std::uint32_t size() const { return peers_.size(); }
  std::uint32_t nids() const { return entries_.size(); }
  /// The next peer in that order; null when all were looked at: after that the first one is next. A
  /// peer that is made meanwhile has its turn too.
  Peer* look_at_next();
  /// Whether a peer was made since it was asked last.
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
  /// The NID is `peer`'s; it is no other one's any more.
  Entry& entry(const Nid& nid, Peer& peer);
  void forget(const Nid& nid);
  /// Takes those NIDs off the peer's card that are not its any more. A peer without NIDs goes; who
  /// waits for it waits for `heir` from then on, if there is one.
  void lose_nids(Peer& peer, Peer* heir, Changes& changes);
  void erase(Peer& peer, Peer* heir, Changes& changes);
  /// NIDs of the peer may be another one's from now on.
  static void let_go(Peer& peer, Changes& changes);
  /// `from` becomes part of `into`, which takes over its locked primary NID. Its NIDs.
  std::vector<Nid> absorb(Peer& into, Peer& from, Changes& changes);
  /// A claim for the NID was refused.
  static void refuse(Peer& taker, Peer& owner, const Nid& nid, bool two_locks, Changes& changes);
  /// Deletes the peer with all its NIDs.
  void drop(Peer& peer, Changes& changes);
  void finish(Changes& changes) const;
  void set_card(Peer& peer, std::vector<Nid> nids, bool multi_rail, Changes& changes) const;

  Slab<Peer> peers_;
  Slab<Entry> entries_;
  Order order_;  // declared after the slabs, so that it is destroyed before its elements
  HashIndex<Nid, Entry, NidHash, &Entry::nid> by_nid_;
  Peer* next_ = nullptr;  ///< whom look_at_next() returns
  bool grown_ = false;
  std::uint64_t generation_ = 1;
  std::uint32_t created_ = 0;  ///< how many peers were ever made
  std::uint32_t locks_ = 0;    ///< how many primary NIDs were locked
};

}  // namespace ulnet::core

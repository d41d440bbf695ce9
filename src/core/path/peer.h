// Peers and peer NIs: a peer is another node; a peer NI is one of its NIDs, with its own credits,
// health and counters. The first message to or from a NID makes its entry. The entry goes again
// when an administrator deletes it, or when the last message to it ends and no message was ever
// exchanged. Source: spec/multirail.md 1, 1.1, 2.2, 5.1, spec/core-semantics.md 8.8, 8.10.
#pragma once

#include <boost/intrusive/list.hpp>
#include <cstdint>
#include <span>
#include <vector>

#include "base/hash_index.h"
#include "base/slab.h"
#include "core/contract/counters.h"
#include "core/path/credit.h"
#include "ulnet/nid.hpp"

namespace ulnet::core {

struct Peer;

/// Bits of a peer's state as `lnetctl` shows them (multirail.md 1.1), as far as ulnet has them.
/// Nothing sets kPeerRouterEnabled yet.
enum PeerBit : std::uint32_t {
  kPeerMultiRail = 1,
  kPeerNoDiscovery = 2,
  kPeerRouterEnabled = 4,
  kPeerDiscovered = 16,
  kPeerNidsUpToDate = 256,
  kPeerPingSent = 512,
  kPeerPushSent = 1024,
  kPeerPingFailed = 2048,
  kPeerPushFailed = 4096,
};

struct PeerNi {
  Handle self;
  Nid nid;
  Peer* peer = nullptr;
  Gate tx;
  std::uint32_t in_flight = 0;  ///< messages that name it
  std::uint32_t answers = 0;    ///< ACKs and REPLYs to it that wait for a credit or are in flight
  std::int32_t health = 1000;
  bool met = false;  ///< a message came from it, or a Send to it succeeded
  /// Bytes of headers and payload to it that wait for a credit or are in flight (`txqnob`).
  std::int64_t queued_bytes = 0;
  Instant last_heard = Instant::min();
  NiId fixed_source;  ///< without multi-rail: the NI that it always sees (multirail.md 3.4); or 0
  PeerNiErrors errors;
  Traffic traffic;
};

struct Peer {
  boost::intrusive::list_member_hook<boost::intrusive::link_mode<boost::intrusive::normal_link>>
      hook;  ///< in the order of creation
  Handle self;
  Nid primary;
  std::uint32_t state = 0;           ///< PeerBit
  std::uint32_t acked_sequence = 0;  ///< the sequence of this node's info that it has acknowledged
  std::vector<PeerNi*> nis;
  std::vector<Nid> other_nids;  ///< all but the primary; empty for most peers

  bool has(PeerBit bit) const { return (state & bit) != 0; }
  void set(PeerBit bit) { state |= bit; }
  void clear(PeerBit bit) { state &= ~static_cast<std::uint32_t>(bit); }
  std::span<const Nid> others() const { return other_nids; }
  /// The primary first, then the others in their order.
  std::vector<Nid> nids() const {
    std::vector<Nid> all{primary};
    all.insert(all.end(), other_nids.begin(), other_nids.end());
    return all;
  }
  /// Nothing is known of it but one NID, to which messages were sent without success.
  bool only_a_target() const { return nis.size() == 1 && state == 0 && !nis.front()->met; }
};

class PeerTable {
 public:
  /// Null: no entry.
  PeerNi* find(const Nid& nid) const {
    if (last_ != nullptr && last_->nid == nid) return last_;
    PeerNi* found = by_nid_.find(nid);
    if (found != nullptr) last_ = found;
    return found;
  }
  /// The peer NI with this NID. A new one gets `credits` and a peer of its own.
  PeerNi& use(const Nid& nid, std::int32_t credits);
  /// Removes the peer NI, and its peer if it has no other. No message may name it any more.
  void erase(PeerNi& ni);
  /// Makes a peer NI that messages still name as if it were new, with a peer of its own. Its
  /// credits and those messages stay.
  void renew(PeerNi& ni);
  /// The primary NID of the peer that has `nid`; `nid` itself if no peer has it (1).
  const Nid& primary_of(const Nid& nid) const;

  /// `peer` has told its NIDs: they are the peer's from now on, in this order, the first one is
  /// its primary NID. A NID of another peer moves to `peer`. A NID that is no longer among them
  /// becomes a peer of its own if it was met or messages name it; else it goes. `credits(nid)` is
  /// for new ones.
  template <class Credits>
  void learn(Peer& peer, std::span<const Nid> nids, Credits&& credits) {
    std::vector<PeerNi*> members;
    for (const Nid& nid : nids) members.push_back(&use(nid, credits(nid)));
    set_members(peer, members);
  }

  /// In the order of creation.
  template <class Fn>
  void for_each(Fn&& fn) {
    for (Peer& peer : order_) fn(peer);
  }
  template <class Fn>
  void for_each(Fn&& fn) const {
    for (const Peer& peer : order_) fn(peer);
  }
  std::uint32_t size() const { return peers_.size(); }

 private:
  using Order = boost::intrusive::list<
      Peer,
      boost::intrusive::member_hook<Peer,
                                    boost::intrusive::list_member_hook<
                                        boost::intrusive::link_mode<boost::intrusive::normal_link>>,
                                    &Peer::hook>,
      boost::intrusive::constant_time_size<false>>;

  Peer& make_peer(PeerNi& first);
  void set_members(Peer& peer, const std::vector<PeerNi*>& members);
  void leave_peer(PeerNi& ni);

  Slab<Peer> peers_;
  Slab<PeerNi> peer_nis_;
  Order order_;  // declared after the slabs, so that it is destroyed before its elements
  HashIndex<Nid, PeerNi, NidHash> by_nid_;
  mutable PeerNi* last_ = nullptr;  ///< what find() returned last, a cache
};

}  // namespace ulnet::core

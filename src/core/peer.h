// Peers and their NIDs: a peer is a node, a peer NI one NID of it, with credits, health and
// counters of its own. Created by traffic; what traffic made goes again when the traffic has ended
// and no message was exchanged, or when it is deleted. Source: spec/multirail.md 1, 1.1, 2.2, 5.1,
// spec/core-semantics.md 8.8, 8.10.
#pragma once

#include <boost/intrusive/list.hpp>
#include <cstdint>
#include <span>
#include <vector>

#include "base/slab.h"
#include "core/credit.h"
#include "core/hash_index.h"
#include "core/tally.h"
#include "ulnet/nid.hpp"

namespace ulnet::core {

struct Peer;

/// Peer state bits, as shown (multirail.md 1.1); those that something sets today.
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

struct PeerErrors {
  std::uint32_t dropped = 0, timeout = 0, error = 0, network_timeout = 0;
};

struct PeerNi {
  Handle self;
  Nid nid;
  Peer* peer = nullptr;
  Gate tx;
  std::uint32_t in_flight = 0;  ///< messages that name it
  std::uint32_t answers = 0;    ///< ACKs and REPLYs among them, waiting or in flight
  std::int32_t health = 1000;
  bool met = false;               ///< a message came from it, or one reached it
  std::int64_t queued_bytes = 0;  ///< headers and payload, waiting or in flight (`txqnob`)
  Instant last_heard = Instant::min();
  NiId
      fixed_source;  ///< the NI that a peer without multi-rail sees (multirail.md 3.4); 0: none yet
  PeerErrors errors;
  Traffic traffic;
};

struct Peer {
  boost::intrusive::list_member_hook<boost::intrusive::link_mode<boost::intrusive::normal_link>>
      hook;  ///< in the order of creation
  Handle self;
  Nid primary;
  std::uint32_t state = 0;           ///< PeerBit
  std::uint32_t acked_sequence = 0;  ///< of our info that it has taken
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
  /// Nothing is known of it but the one NID that traffic was meant for.
  bool only_a_target() const { return nis.size() == 1 && state == 0 && !nis.front()->met; }
};

class PeerTable {
 public:
  /// Null: never seen.
  PeerNi* find(const Nid& nid) const {
    if (last_ != nullptr && last_->nid == nid) return last_;
    PeerNi* found = by_nid_.find(nid);
    if (found != nullptr) last_ = found;
    return found;
  }
  /// The peer NI of this NID; made with a peer of its own when it is new.
  PeerNi& use(const Nid& nid, std::int32_t credits);
  /// The peer NI goes, and its peer with it. Nobody may name it any more.
  void erase(PeerNi& ni);
  /// The peer NI is as new, with a peer of its own, but for its credits and the messages that name
  /// it.
  void renew(PeerNi& ni);
  /// The primary NID of whoever owns `nid`; `nid` itself when nobody does (1).
  const Nid& primary_of(const Nid& nid) const;

  /// A peer told its NIDs: they are its own from now on, in this order, the first is its primary. A
  /// NID of another peer moves here, one that is not told any more becomes a peer of its own if it
  /// was met or something is under way to it.
  /// `credits(nid)` for those that are new.
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
  Order order_;  // behind the slabs: goes before them
  HashIndex<Nid, PeerNi, NidHash> by_nid_;
  mutable PeerNi* last_ = nullptr;  ///< found last
};

}  // namespace ulnet::core

// The peers of this node: which NIDs form one, and what has been said to it and by it. Only the
// control shard has entries here; the other shards get cards of them. Source: spec/multirail.md 1,
// 1.1, 2.2.
#pragma once

#include <boost/intrusive/list.hpp>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/hash_index.h"
#include "base/slab.h"
#include "core/contract/life.h"
#include "core/contract/peer_card.h"
#include "core/contract/ports.h"
#include "core/contract/stats.h"

namespace ulnet::core {

/// Bits of a peer's state as `lnetctl` shows them (multirail.md 1.1), as far as ulnet has them.
/// Nothing sets kPeerRouterEnabled yet. DATA_PRESENT, PING_FAILED and PUSH_FAILED are never seen:
/// what they announce is done in the step in which they would be set.
enum PeerBit : std::uint32_t {
  kPeerMultiRail = 1,
  kPeerNoDiscovery = 2,
  kPeerRouterEnabled = 4,
  kPeerDiscovered = 16,
  kPeerRediscover = 32,
  kPeerDiscovering = 64,
  kPeerNidsUpToDate = 256,
  kPeerPingSent = 512,
  kPeerPushSent = 1024,
  kPeerForcePing = 8192,
  kPeerForcePush = 16384,
};

/// What of the discovery of a peer is under way (discovery.h).
enum class DiscoveryPhase : std::uint8_t { kIdle, kPinging, kPushing, kCount };
enum class DiscoveryEvent : std::uint8_t { kPing, kPush, kAnswered, kFailed, kCount };

/// Who waits for the end of a peer's discovery: messages of a shard to `nid`, or a call.
struct DiscoveryAsker {
  std::uint32_t shard = 0;   ///< where the messages wait, or the caller's
  Nid nid;                   ///< by which it has asked
  Pid pid = Pid::lustre();   ///< of the process there that the messages are for
  std::uint64_t ticket = 0;  ///< of a call
  bool is_call = false;
};

/// What there is to say of few peers.
struct PeerRemarks {
  std::vector<Nid> down;        ///< those of its NIDs that it has told to be down
  PeerDifferences differences;  ///< where what it told is not taken over
};

struct Peer {
  boost::intrusive::list_member_hook<boost::intrusive::link_mode<boost::intrusive::normal_link>>
      hook;  ///< in the order of creation
  Handle self;
  Nid primary;
  std::uint32_t state = 0;  ///< PeerBit
  DiscoveryPhase phase = DiscoveryPhase::kIdle;
  PeerLife life = PeerLife::kInit;  ///< follows the bits
  bool calls_only = false;  ///< it connects from an unprivileged port, so this node cannot call it
  bool own = false;         ///< it is this node
  bool loopback = false;    ///< this node was discovered as 0@lo, which is one of its NIDs then
  bool told_multi_rail = false;      ///< its last info has Multi-Rail and discovery
  Pid pid = Pid::lustre();           ///< of its LNet, which pings and pushes are for
  std::int32_t error = 0;            ///< with which its last discovery has ended
  std::uint32_t sequence = 0;        ///< of the newest info that it has told; 0: none yet
  std::uint32_t info_bytes = 0;      ///< size of the largest info that it has told
  std::uint32_t acked_sequence = 0;  ///< the sequence of this node's info that it has acknowledged
  /// The NI of this node and the NID of the peer between which its last info came: a push takes the
  /// same way. Any: none came yet.
  NiId local;
  Nid remote;
  std::unique_ptr<PeerRemarks> remarks;  ///< null: there are none
  std::vector<DiscoveryAsker> askers;    ///< while kPeerDiscovering
  PeerCardRef card;                      ///< null: it has its primary NID only, and no multi-rail

  PeerRemarks& remark() {
    if (remarks == nullptr) remarks = std::make_unique<PeerRemarks>();
    return *remarks;
  }
  bool has(PeerBit bit) const { return (state & bit) != 0; }
  void set(PeerBit bit);
  void clear(PeerBit bit);
  void on(PeerLifeEvent event) { life = kPeerShownLife.after(life, event); }
  /// The primary first.
  std::span<const Nid> nids() const {
    return card == nullptr ? std::span<const Nid>(&primary, 1) : std::span<const Nid>(card->nids);
  }
};

class Directory {
 public:
  /// Null: no peer has this NID.
  Peer* find(const Nid& nid) const {
    const Entry* entry = by_nid_.find(nid);
    return entry == nullptr ? nullptr : entry->peer;
  }
  /// Null: the peer has gone.
  Peer* find(Handle peer) { return peers_.find(peer); }
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
  };
  /// `peer` has told its NIDs, or whether it has multi-rail: they are the peer's from now on, in
  /// this order, the first one is its primary NID. A NID of another peer moves to `peer`; a peer
  /// without NIDs goes. A NID that is no longer among them becomes a peer of its own if it was met;
  /// else it is no peer's any more.
  Changes learn(Peer& peer, std::vector<Nid> nids, bool multi_rail);
  /// These NIDs are no peer's any more. A peer that loses its primary NID goes by its next one.
  Changes remove(std::span<const Nid> nids);

  /// In the order of creation.
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
  struct Entry {
    Handle self;
    Nid nid;
    Peer* peer = nullptr;
    bool met = false;
  };

  Peer& make_peer(const Nid& primary);
  /// The NID is `peer`'s; it is no other one's any more.
  Entry& entry(const Nid& nid, Peer& peer);
  void forget(const Nid& nid);
  /// Takes those NIDs off the peer's card that are not its any more. A peer without NIDs goes.
  void lose_nids(Peer& peer, Changes& changes);
  void finish(Changes& changes) const;
  void set_card(Peer& peer, std::vector<Nid> nids, bool multi_rail, Changes& changes) const;

  Slab<Peer> peers_;
  Slab<Entry> entries_;
  Order order_;  // declared after the slabs, so that it is destroyed before its elements
  HashIndex<Nid, Entry, NidHash, &Entry::nid> by_nid_;
  std::uint64_t generation_ = 1;
};

}  // namespace ulnet::core

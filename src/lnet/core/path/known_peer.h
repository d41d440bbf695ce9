// The control shard's state of a peer: its NIDs, and the state of its discovery. Source:
// spec/multirail.md 1, 1.1.
#pragma once

#include <boost/intrusive/list.hpp>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "lnet/base/slab.h"
#include "lnet/core/contract/life_cycles.h"
#include "lnet/core/contract/peer_entry.h"
#include "lnet/core/contract/ports.h"
#include "lnet/core/contract/stats.h"

namespace ulnet::core {

/// Bits of a peer's state as `lnetctl` shows them (multirail.md 1.1), as far as ulnet has them.
/// DATA_PRESENT, PING_FAILED and PUSH_FAILED never appear, because the step that would set one of
/// them also does the work that the bit requests.
enum PeerBit : std::uint32_t {
  kPeerMultiRail = 1,
  kPeerNoDiscovery = 2,
  kPeerRouterEnabled = 4,
  kPeerConfigured = 8,
  kPeerDiscovered = 16,
  kPeerRediscover = 32,
  kPeerDiscovering = 64,
  kPeerNidsUpToDate = 256,
  kPeerPingSent = 512,
  kPeerPushSent = 1024,
  kPeerForcePing = 8192,
  kPeerForcePush = 16384,
  kPeerRouterDiscovery = 65536,
  kPeerRouterDiscovered = 131072,
  kPeerLockPrimary = 1048576,
  kPeerBadConfig = 2097152,
};

/// The ping or push of a peer's discovery that is under way (discovery.h).
enum class DiscoveryPhase : std::uint8_t { kIdle, kPinging, kPushing, kCount };
enum class DiscoveryEvent : std::uint8_t { kPing, kPush, kAnswered, kFailed, kCount };

/// A shard, or a call, that has requested the discovery of `nid`. It is notified when the discovery
/// ends.
struct DiscoveryAsker {
  std::uint32_t shard = 0;   ///< the shard that has asked, or the caller's
  Nid nid;                   ///< the NID that the shard or call named
  Pid pid = Pid::lustre();   ///< of the destination process of the messages
  std::uint64_t ticket = 0;  ///< of a call
  bool is_call = false;
};

/// The state that only few peers need.
struct PeerRemarks {
  std::vector<Nid> down;        ///< the NIDs that it has advertised as down
  PeerDifferences differences;  ///< if its ping info was not taken over
  /// The primary NID of a peer that advertises a NID of this peer, and does not get it while this
  /// peer has it (multirail.md 4.4). Any: no such peer.
  Nid claimer;
  bool must_be_pinged = false;  ///< this peer is about to be pinged because of the claim
  bool is_being_asked = false;  ///< this peer's last ping was sent because of the claim
};

struct Peer {
  boost::intrusive::list_member_hook<boost::intrusive::link_mode<boost::intrusive::normal_link>>
      hook;  ///< in the order of creation
  Handle self;
  Nid primary;
  std::uint32_t number = 0;  ///< of its creation: one more than that of the previous peer
  std::uint32_t state = 0;   ///< PeerBit
  std::int16_t error = 0;    ///< of its last discovery, a negative errno; 0: no error
  DiscoveryPhase phase : 4 = DiscoveryPhase::kIdle;
  PeerLifeState life_cycle : 4 = PeerLifeState::kInit;  ///< follows the bits
  // Bits and an int16_t, so that there is space for `seen_used`.
  /// It connects from an unprivileged port, so this node cannot connect to it.
  bool calls_only : 1 = false;
  bool own : 1 = false;       ///< the peer is this node
  bool loopback : 1 = false;  ///< this node was discovered as 0@lo, which then is one of its NIDs
  bool pushed_since_ping : 1 = false;      ///< a push from it was accepted since its last ping
  bool advertised_multi_rail : 1 = false;  ///< its last info has Multi-Rail and discovery
  bool differs : 1 = false;                ///< it is configured, and its newest info has other NIDs
  bool repeats : 1 = false;                ///< its newest info has nothing new
  /// When it was last found in use, in s of the clock; 0: not checked yet (flow/idle_peers.h).
  std::uint32_t seen_used = 0;
  Pid pid = Pid::lustre();           ///< of its LNet, to which pings and pushes go
  std::uint32_t lock_order = 0;      ///< with kPeerLockPrimary: an older lock has a smaller number
  std::uint32_t sequence = 0;        ///< of its newest info; 0: none yet
  std::uint32_t info_bytes = 0;      ///< size of its largest info so far
  std::uint32_t acked_sequence = 0;  ///< the sequence of this node's info that it has acknowledged
  /// The NI of this node and the NID of the peer between which its last info came. A push uses the
  /// same pair. Any: no info came yet.
  NiId local;
  Nid remote;
  std::unique_ptr<PeerRemarks> remarks;  ///< null: all are empty
  std::vector<DiscoveryAsker> askers;    ///< while kPeerDiscovering
  /// Null: the peer has only its primary NID, no multi-rail, and is not configured.
  PeerEntryRef peer_entry;

  PeerRemarks& remark() {
    if (remarks == nullptr) remarks = std::make_unique<PeerRemarks>();
    return *remarks;
  }
  bool has(PeerBit bit) const { return (state & bit) != 0; }
  void set(PeerBit bit);
  void clear(PeerBit bit);
  void on(PeerLifeEvent event) { life_cycle = kPeerShownLifeCycle.after(life_cycle, event); }
  /// All NIDs of the peer, the primary one first.
  std::span<const Nid> nids() const {
    return peer_entry == nullptr ? std::span<const Nid>(&primary, 1)
                                 : std::span<const Nid>(peer_entry->nids);
  }
};

}  // namespace ulnet::core

// What the control shard knows of a peer: its NIDs, what has been said to it and by it. Source:
// spec/multirail.md 1, 1.1.
#pragma once

#include <boost/intrusive/list.hpp>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "lnet/base/slab.h"
#include "lnet/core/contract/life.h"
#include "lnet/core/contract/peer_card.h"
#include "lnet/core/contract/ports.h"
#include "lnet/core/contract/stats.h"

namespace ulnet::core {

/// Bits of a peer's state as `lnetctl` shows them (multirail.md 1.1), as far as ulnet has them.
/// DATA_PRESENT, PING_FAILED and PUSH_FAILED are never seen:
/// what they announce is done in the step in which they would be set.
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

/// What of the discovery of a peer is under way (discovery.h).
enum class DiscoveryPhase : std::uint8_t { kIdle, kPinging, kPushing, kCount };
enum class DiscoveryEvent : std::uint8_t { kPing, kPush, kAnswered, kFailed, kCount };

/// Who is told of the end of a peer's discovery: a shard that has asked for `nid`, or a call.
struct DiscoveryAsker {
  std::uint32_t shard = 0;   ///< that has asked, or the caller's
  Nid nid;                   ///< by which it has asked
  Pid pid = Pid::lustre();   ///< of the process there that messages are for
  std::uint64_t ticket = 0;  ///< of a call
  bool is_call = false;
};

/// What there is to say of few peers.
struct PeerRemarks {
  std::vector<Nid> down;        ///< those of its NIDs that it has told to be down
  PeerDifferences differences;  ///< where what it told is not taken over
  /// This peer, by its primary NID, tells a NID of it, and does not get that while it is here
  /// (multirail.md 4.4). Any: none.
  Nid claimer;
  bool is_to_be_asked = false;  ///< it is about to be pinged because of that
};

struct Peer {
  boost::intrusive::list_member_hook<boost::intrusive::link_mode<boost::intrusive::normal_link>>
      hook;  ///< in the order of creation
  Handle self;
  Nid primary;
  std::uint32_t number = 0;  ///< of its creation: one more than that of the peer before
  std::uint32_t state = 0;   ///< PeerBit
  std::int16_t error = 0;    ///< with which its last discovery has ended, a negative errno
  DiscoveryPhase phase : 4 = DiscoveryPhase::kIdle;
  PeerLife life : 4 = PeerLife::kInit;  ///< follows the bits
  // Bits, and a short one, so that there is room for `seen_used`.
  /// It connects from an unprivileged port, so this node cannot call it.
  bool calls_only : 1 = false;
  bool own : 1 = false;       ///< it is this node
  bool loopback : 1 = false;  ///< this node was discovered as 0@lo, which is one of its NIDs then
  bool pushed_since_ping : 1 = false;  ///< a push of it was believed since it was pinged last
  bool told_multi_rail : 1 = false;    ///< its last info has Multi-Rail and discovery
  bool differs : 1 = false;            ///< it is configured, and its newest info names other NIDs
  bool repeats : 1 = false;            ///< it has told again what is known: nothing new comes of it
  /// When it was found in use last, in s of the clock; 0: nobody has looked yet
  /// (flow/idle_peers.h).
  std::uint32_t seen_used = 0;
  Pid pid = Pid::lustre();           ///< of its LNet, which pings and pushes are for
  std::uint32_t lock_order = 0;      ///< with kPeerLockPrimary: of two locks the smaller is older
  std::uint32_t sequence = 0;        ///< of the newest info that it has told; 0: none yet
  std::uint32_t info_bytes = 0;      ///< size of the largest info that it has told
  std::uint32_t acked_sequence = 0;  ///< the sequence of this node's info that it has acknowledged
  /// The NI of this node and the NID of the peer between which its last info came: a push takes the
  /// same way. Any: none came yet.
  NiId local;
  Nid remote;
  std::unique_ptr<PeerRemarks> remarks;  ///< null: there are none
  std::vector<DiscoveryAsker> askers;    ///< while kPeerDiscovering
  /// Null: it has its primary NID only, no multi-rail, and is not configured.
  PeerCardRef card;

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

}  // namespace ulnet::core

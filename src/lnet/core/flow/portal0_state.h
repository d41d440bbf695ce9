// What a shard keeps of LNet's own use of portal 0 (portal0.h). Source: spec/core-semantics.md 14,
// spec/wire-lnet.md 4, 5, 6.
#pragma once

#include <cstdint>
#include <vector>

#include "lnet/core/contract/letter.h"
#include "lnet/core/contract/ports.h"
#include "lnet/core/memory/shard_timer.h"
#include "lnet/core/path/ping_target.h"

namespace ulnet::core {

/// One MD of the shard's own with its memory. The timer runs for those pings that have to end in
/// time, whatever the driver does: kUserPing until its Done, kRouterCheck, kNetPing and kLoopPing.
struct Portal0Md : ShardTimer {
  Portal0Md() : ShardTimer(TimerKind::kPing) {}

  enum class Kind : std::uint8_t {
    kPingTarget,
    kPushTarget,
    kUserPing,  ///< a ping through the API
    kPeerPing,  ///< a ping of discovery
    kPush,      ///< a push of this node's info
    kRecoveryPing,
    kRouterCheck,  ///< a ping of a gateway
    kNetPing,      ///< a ping by which a router finds out whether it is reached on a net
    kLoopPing,     ///< a ping by which a router finds out whether its routes form a loop
  } kind = Kind::kPingTarget;
  Handle self;
  MdHandle md;
  std::vector<std::byte> bytes;
  ProcessId target;           ///< of a ping or push
  Nid source;                 ///< this node's NID; any: LNet chooses
  std::uint64_t ticket = 0;   ///< kUserPing: for Done
  std::uint32_t caller = 0;   ///< kUserPing: the shard that gives the Done
  Instant deadline = kNever;  ///< of the response, pings only
  /// kPeerPing, kPush: in the directory. kRecoveryPing: in ShardState::recovering.
  Handle peer;
  Nid gateway;    ///< kRouterCheck: the one that is checked. kLoopPing: by which it goes
  Nid by_router;  ///< kLoopPing: the same, the NID to which it is sent
  /// kRouterCheck: the number of the check.
  /// kPush: the sequence number of the info that is pushed. kPeerPing: that of the newest info
  /// that the peer had told when the ping was sent.
  std::uint32_t sequence = 0;
  // What the MD's events have said so far.
  int status = 0;              ///< at the end 0 only if it was answered
  bool answered = false;       ///< the REPLY or the ACK came
  Nid left_by;                 ///< the NID of the NI by which it was sent; any: there was no path
  std::uint32_t received = 0;  ///< bytes of the REPLY
  std::uint32_t repeats = 0;   ///< how often the ping was sent again, with a larger buffer
  Nid claimer;                 ///< kPeerPing: PeerRemarks::claimer
  Nid answerer;                ///< the NID from which the REPLY or the ACK came
};

/// An event of an MD of the shard's own, as a user's Post is one of a user's MD.
struct Portal0Event {
  Handle record;  ///< the Portal0Md
  Event event;
};

struct Portal0State {
  Slab<Portal0Md> mds;
  std::vector<Portal0Event> events;    ///< of this step, in their order; handle_portal0_event()
  std::size_t handled = 0;             ///< how many of them have been handled
  wire::PingInfo info{.sequence = 0};  ///< what pings read now; sequence 0 before the first Config
  bool stale = false;                  ///< refresh_node_info() has to run at the end of this step
  Handle ping_target;
  std::size_t push_bytes = 272;  ///< size of the push target
  /// The buffer of a user's ping that has ended, for the next one. So what a ping costs does not
  /// depend on the state of the heap.
  std::vector<std::byte> spare_bytes;
};

}  // namespace ulnet::core

// A shard's state for LNet's own use of portal 0 (portal0.h). Source: spec/core-semantics.md 14,
// spec/wire-lnet.md 4, 5, 6.
#pragma once

#include <cstdint>
#include <vector>

#include "lnet/core/contract/ports.h"
#include "lnet/core/contract/shard_msg.h"
#include "lnet/core/memory/shard_timer.h"
#include "lnet/core/path/ping_target.h"

namespace ulnet::core {

/// An MD of the shard's own with its memory. The timer runs for the pings that have to end in time,
/// whatever the driver does: kUserPing until its Done, kRouterCheck, kNetPing and kLoopPing.
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
    kNetPing,      ///< a ping by which a router checks whether other nodes can reach it on a net
    kLoopPing,     ///< a ping by which a router checks whether its routes form a loop
  } kind = Kind::kPingTarget;
  Handle self;
  MdHandle md;
  std::vector<std::byte> bytes;
  ProcessId target;           ///< of a ping or push
  Nid source;                 ///< this node's NID; any: LNet chooses
  std::uint64_t ticket = 0;   ///< kUserPing: for Done
  std::uint32_t caller = 0;   ///< kUserPing: the shard that posts the Done
  Instant deadline = kNever;  ///< of the response, pings only
  /// kPeerPing, kPush: handle in the directory. kRecoveryPing: handle in ShardState::recovering.
  Handle peer;
  Nid gateway;    ///< kRouterCheck: the checked gateway. kLoopPing: the gateway that the ping takes
  Nid by_router;  ///< kLoopPing: the NID of that gateway to which the ping is sent
  /// kRouterCheck: the number of the check. kPush: the sequence number of the info that is pushed.
  /// kPeerPing: the sequence number of the newest info that the peer had sent when the ping was
  /// sent.
  std::uint32_t sequence = 0;
  // What the MD's events have reported so far.
  int status = 0;              ///< at the end 0 only if the ping or push was answered
  bool answered = false;       ///< the REPLY or the ACK came
  Nid left_by;                 ///< the NID of the NI by which it was sent; any: there was no path
  std::uint32_t received = 0;  ///< bytes of the REPLY
  std::uint32_t repeats = 0;   ///< how often the ping was sent again, with a larger buffer
  Nid claimer;                 ///< kPeerPing: PeerRemarks::claimer
  Nid answerer;                ///< the NID from which the REPLY or the ACK came
};

/// An event of an MD of the shard's own. For a user's MD it would be a Post.
struct Portal0Event {
  Handle record;  ///< the Portal0Md
  Event event;
};

struct Portal0State {
  Slab<Portal0Md> mds;
  std::vector<Portal0Event> events;    ///< of this step, in their order; handle_portal0_event()
  std::size_t handled = 0;             ///< how many of `events` have been handled
  wire::PingInfo info{.sequence = 0};  ///< what pings read now; sequence 0 before the first Config
  bool stale = false;                  ///< refresh_node_info() has to run at the end of this step
  Handle ping_target;
  std::size_t push_bytes = 272;  ///< size of the push target
  /// The buffer of a user's ping that has ended, for the next ping. So the cost of a ping does not
  /// depend on the state of the heap.
  std::vector<std::byte> spare_bytes;
};

}  // namespace ulnet::core

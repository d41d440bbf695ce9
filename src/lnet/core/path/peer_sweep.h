// The state of the control shard's round over the peers of a node, a few at a time, in which
// lnet/core/flow/idle_peers.h finds idle peers.
#pragma once

#include <cstdint>

#include "lnet/base/time.h"
#include "lnet/core/memory/shard_timer.h"

namespace ulnet::core {

/// The timer fires when the next few peers are due. It runs while the node has a peer.
struct PeerSweep : ShardTimer {
  PeerSweep() : ShardTimer(TimerKind::kIdlePeers) {}

  std::uint32_t limit = 0;  ///< the longest time that a peer may be idle, in s; 0: no limit
  Duration pause{};         ///< between two slices of this round; 0: a round begins
};

}  // namespace ulnet::core

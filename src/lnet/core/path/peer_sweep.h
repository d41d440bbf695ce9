// The round over the peers of a node, a few at a time, in which those are found that are idle. In
// the control shard. lnet/core/flow/idle_peers.h goes it.
#pragma once

#include <cstdint>

#include "lnet/base/time.h"
#include "lnet/core/memory/shard_timer.h"

namespace ulnet::core {

/// The timer fires when the next few peers are looked at. It runs while there is a peer.
struct PeerSweep : ShardTimer {
  PeerSweep() : ShardTimer(TimerKind::kIdlePeers) {}

  std::uint32_t limit = 0;  ///< how long a peer may be idle, in s; 0: for ever
  Duration pause{};         ///< of this round, from one slice to the next; 0: a round begins
};

}  // namespace ulnet::core

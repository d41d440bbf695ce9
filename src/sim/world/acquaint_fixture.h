// For tests that count messages: a node that need not discover a peer first.
#pragma once

#include "lnet/core/flow/step.h"
#include "sim/world/node.h"

namespace ulnet::sim {

/// Marks the peer as discovered in all shards of the node, as if they had exchanged messages with
/// it before. The peer counts as one without multi-rail.
inline void acquaint(const SimNode& node, const Nid& peer) {
  for (std::uint32_t shard = 0; shard < node.shards(); ++shard)
    if (const core::ShardState* state = node.shard_state(shard))
      const_cast<core::ShardState*>(state)->peers.use(peer).discovered = true;
}

}  // namespace ulnet::sim

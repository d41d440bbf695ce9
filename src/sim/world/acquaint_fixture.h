// For tests that count messages: a node that need not discover a peer first.
#pragma once

#include "lnet/core/flow/step.h"
#include "sim/world/node.h"

namespace ulnet::sim {

/// All shards of the node take the peer for discovered, as if they had exchanged messages with it
/// before. It counts as a peer without multi-rail.
inline void acquaint(const SimNode& node, const Nid& peer) {
  for (std::uint32_t shard = 0; shard < node.shards(); ++shard)
    if (const core::ShardState* state = node.shard_state(shard))
      const_cast<core::ShardState*>(state)->peers.use(peer).discovered = true;
}

}  // namespace ulnet::sim

// Deletes a peer, or some of its NIDs, in every shard. Source: spec/multirail.md 2.1, 2.2.
#pragma once

#include "lnet/core/contract/api.h"
#include "lnet/core/flow/step.h"

namespace ulnet::core {

Check delete_peer(Step& step, call::PeerDel& call);
/// In the control shard: removes the peers on those nets of `before` on which this node has no NI
/// any more (2.1).
void leave_nets(Step& step, const NodeConfig& before);

}  // namespace ulnet::core

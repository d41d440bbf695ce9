// Queries of services above LNet about a peer: its primary NID, and whether that is up to date. In
// the control shard. Source: spec/core-semantics.md 15.
#pragma once

#include "lnet/core/contract/api.h"
#include "lnet/core/flow/step.h"

namespace ulnet::core {

Check primary_nid(Step& step, call::PrimaryNid& call);
Check peer_discovered(Step& step, const call::PeerDiscovered& call);

}  // namespace ulnet::core

// Peers that administrators and services above LNet configure, in the control shard. Source:
// spec/multirail.md 1.1, 2.2, spec/core-semantics.md 15.
#pragma once

#include "lnet/core/contract/api.h"
#include "lnet/core/flow/step.h"

namespace ulnet::core {

Check add_peer(Step& step, const call::PeerAdd& call);
Check declare_peer(Step& step, const call::DeclarePeer& call);
Check set_peer_state(Step& step, const call::SetPeerState& call);

}  // namespace ulnet::core

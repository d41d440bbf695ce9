// A new configuration, the state of NIs as drivers report it, restarts of peers, and shutdown.
// Source: spec/core-semantics.md 7.1, 10.1, 18.15, spec/multirail.md 2.1, 8.
#pragma once

#include "lnet/core/flow/step.h"

namespace ulnet::core {

/// Takes over a new configuration; NIs that it does not name drain (spec/core-semantics.md 18.15).
void reconfigure(Step& step, const std::shared_ptr<const NodeConfig>& snapshot);
void ni_state_changed(Step& step, const NiState& in);
void peer_down(Step& step, const PeerDown& in);
void shut_down(Step& step);

}  // namespace ulnet::core

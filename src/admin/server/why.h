// Explains why this node sends nothing to a peer, in plain words for `peer show -v`. Source:
// spec/multirail.md 1.1, 3.2, 4.7.
#pragma once

#include <string>
#include <vector>

#include "lnet/node/runtime/state.h"

namespace ulnet::node::control {

/// Returns the reason why messages to the peer cannot be sent now; empty: they can. `nis` are the
/// NIs of this node.
std::string why_unused(const core::PeerShow& peer, const std::vector<NiShow>& nis);

}  // namespace ulnet::node::control

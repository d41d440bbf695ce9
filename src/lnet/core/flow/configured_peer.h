// What discovery does with a peer that is configured: the configuration counts, and what the peer
// tells is compared with it. Source: spec/multirail.md 2.2, 4.4, 4.6.
#pragma once

#include <span>

#include "lnet/core/flow/step.h"

namespace ulnet::core {

/// False: the peer is not configured. Else it has told these NIDs, and whether it has multi-rail:
/// that changes nothing, and where it contradicts the configuration it is noted.
bool configuration_counts(Step& step, Peer& peer, std::span<const Nid> told, bool multi_rail);
/// A service above LNet, or an administrator, has discovery of the peer forced, because it believes
/// that what is known of the peer is wrong. Notes what only people can put right.
void suspect_stale(Step& step, const Nid& nid);

}  // namespace ulnet::core

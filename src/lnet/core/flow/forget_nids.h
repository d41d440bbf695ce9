// Forgetting of NIDs in every shard, when they belong to no peer any more: an administrator has
// deleted them, or their peer has turned discovery off. Source: spec/multirail.md 2.2, 4.4.
#pragma once

#include <span>

#include "lnet/core/flow/step.h"

namespace ulnet::core {

/// Forgets all that this shard knows of these NIDs, for the change of the directory to
/// `generation`. A message may have begun since the owner shard found a peer NI idle. Then this
/// peer NI stays, as if it were new. release_message() removes the peer NI with its last message,
/// unless a message was exchanged with it.
void forget_nids(Step& step, std::span<const Nid> nids, std::uint64_t generation);

}  // namespace ulnet::core

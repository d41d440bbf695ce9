// NIDs that are no peer's any more are forgotten in every shard: an administrator has deleted them,
// or their peer has discovery no more. Source: spec/multirail.md 2.2, 4.4.
#pragma once

#include <span>

#include "lnet/core/flow/step.h"

namespace ulnet::core {

/// All that this shard knows of these NIDs is void, by a change of the directory that has made it
/// `generation`. A message may have begun since the home of one found it idle. Then the peer NI
/// stays, as if it were new; release_message() removes it with the last message, unless one was
/// exchanged.
void forget_nids(Step& step, std::span<const Nid> nids, std::uint64_t generation);

}  // namespace ulnet::core

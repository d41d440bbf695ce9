// NIDs that are no peer's any more are forgotten in every shard: an administrator has deleted them,
// or their peer has discovery no more. Source: spec/multirail.md 2.2, 4.4.
#pragma once

#include <span>

#include "core/flow/step.h"

namespace ulnet::core {

/// In the control shard: all that is known of these NIDs is void, by a change of the directory that
/// has made it `generation`.
void forget_everywhere(Step& step, std::span<const Nid> nids, std::uint64_t generation);
void on_letter(Step& step, std::uint32_t from, const letter::Forget& in);

}  // namespace ulnet::core

// Forgets NIDs in every shard: those of peers that were deleted or replaced, or that went with
// their net. Source: spec/multirail.md 2.1, 2.2.
#pragma once

#include <span>

#include "core/flow/step.h"

namespace ulnet::core {

/// In the control shard: all shards, this one too, forget these NIDs.
void forget_everywhere(Step& step, std::span<const Nid> nids, std::uint64_t generation);
void on_letter(Step& step, std::uint32_t from, const letter::Forget& in);

}  // namespace ulnet::core

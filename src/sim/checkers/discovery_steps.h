// The part of a control shard's step that belongs to discovery. Source: spec/multirail.md 4.3, 4.5,
// 9.4.
#pragma once

#include "lnet/core/flow/step.h"

namespace ulnet::sim {

/// The ping or push of discovery, or the check of a gateway, that this action sends; null: it sends
/// none.
const core::Portal0Md* begun_by(const core::ShardState& state, const core::Action& action);

}  // namespace ulnet::sim

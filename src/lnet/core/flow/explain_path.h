// `ulnetctl debug path`: which path a message would take, and why. Source: spec/multirail.md 3.
#pragma once

#include "lnet/core/contract/api.h"
#include "lnet/core/flow/step.h"

namespace ulnet::core {

/// Fills in the results of the call: the path that this shard would choose now for a user's
/// request. The round-robin state does not change, and an unknown NID gets no entry.
Check explain_path(Step& step, call::ExplainPath& call);

}  // namespace ulnet::core

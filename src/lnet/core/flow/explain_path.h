// `ulnetctl debug path`: which path a message would take, and why. Source: spec/multirail.md 3.
#pragma once

#include "lnet/core/contract/api.h"
#include "lnet/core/flow/step.h"

namespace ulnet::core {

/// Fills in the results of the call, as this shard would choose now for a user's request. Nobody's
/// turn passes, and no entry is made for a NID of which nothing is known.
Check explain_path(Step& step, call::ExplainPath& call);

}  // namespace ulnet::core

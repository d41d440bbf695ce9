// API calls. Source: spec/core-semantics.md 2.3, 2.4, 3, 4, 6.1, 6.2, 7.1, 15.
#pragma once

#include "lnet/core/contract/api.h"
#include "lnet/core/flow/step.h"

namespace ulnet::core {

/// Answers an API call and writes the results into it.
void answer_call(Step& step, ApiCall& call);

}  // namespace ulnet::core

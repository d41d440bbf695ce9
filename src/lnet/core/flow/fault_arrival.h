// A message that arrives, and a delay rule that takes it. Source: spec/multirail.md 11.3.
#pragma once

#include "lnet/core/flow/landing.h"

namespace ulnet::core {

/// Whether a delay rule takes the message that arrives. Its driver stages it then (Hold::kStage),
/// and it goes on with go_on_with_arrival() (arrival.h).
bool delayed_by_fault(Step& step, const Arrival& a);

}  // namespace ulnet::core

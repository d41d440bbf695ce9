// Delay rules for a message that arrives. Source: spec/multirail.md 11.3.
#pragma once

#include "lnet/core/flow/landing.h"

namespace ulnet::core {

/// Whether a delay rule takes the message that arrives. If so, its driver stages it (Hold::kStage),
/// and go_on_with_arrival() (arrival.h) goes on with it after the delay.
bool delayed_by_fault(Step& step, const Arrival& a);

}  // namespace ulnet::core

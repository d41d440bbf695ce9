// What fault rules do to messages: whether they take one that arrives or is about to leave, and how
// one that they delay goes on. Source: spec/multirail.md 11, spec/core-semantics.md 8 (6 and 11).
//
// Whoever handles a message looks whether there are rules first, and calls nothing of this where
// there are none.
#pragma once

#include "lnet/core/flow/step.h"

namespace ulnet::core {

inline bool has_faults(const ShardState& s) { return !s.fault_rules.empty(); }

/// Whether a drop rule takes the message that arrives.
bool lost_by_fault(Step& step, const HeaderArrived& in, const LocalNi& ni);
/// Whether a delay rule takes a message, which may be delayed as long as not too many are.
bool wants_delay(Step& step, const FaultQuestion& message, FaultVerdict& verdict);
/// Has the message go on after its delay.
void delay(Step& step, Msg& msg, const FaultVerdict& verdict);
/// Whether a rule takes a message that has its credits and would go to the driver: it fails or is
/// lost at the end of this step, as if the driver had said so, or it is delayed.
bool stopped_by_fault(Step& step, Msg& msg);

/// Sets the timer for the next message that goes on.
void arm_fault_timer(Step& step);

}  // namespace ulnet::core

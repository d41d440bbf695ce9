// What fault rules do to messages: whether a rule takes a message that arrives or is about to
// leave, and how a delayed message goes on. Source: spec/multirail.md 11, spec/core-semantics.md 8
// (6 and 11).
//
// Callers check has_faults() first, and call none of the other functions without rules.
#pragma once

#include "lnet/core/flow/step.h"

namespace ulnet::core {

inline bool has_faults(const ShardState& s) { return !s.fault_rules.empty(); }

/// Whether a drop rule takes the message that arrives.
bool lost_by_fault(Step& step, const HeaderArrived& in, const LocalNi& ni);
/// Whether a delay rule delays a message; `verdict` says for how long. False if too many messages
/// are delayed already.
bool wants_delay(Step& step, const FaultQuestion& message, FaultVerdict& verdict);
/// Delays the message as `verdict` says. The message goes on afterwards.
void delay(Step& step, Msg& msg, const FaultVerdict& verdict);
/// Whether a rule stops a message that has its credits and is about to go to the driver. Such a
/// message is delayed. Or it fails or is lost at the end of this step, as if the driver had
/// reported so.
bool stopped_by_fault(Step& step, Msg& msg);

/// Sets the timer for the next delayed message.
void arm_fault_timer(Step& step);

}  // namespace ulnet::core

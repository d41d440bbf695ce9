// The router checker, in the control shard: it pings each gateway on each net that it shares with
// this node, once in an interval, whether the checks before have ended or not. An answer is taken
// over as that of a discovery is, and this node's info is pushed. Source: spec/multirail.md 9.4.
#pragma once

#include "lnet/core/flow/step.h"

namespace ulnet::core {

/// The configuration may have other routes, NIs or intervals.
void configure_gateways(Step& step);
void on_router_check_due(Step& step, KnownGateway& gateway);
/// Returns whether the ping was sent again, with a larger buffer.
bool router_check_ended(Step& step, Portal0Md& record);
/// Its deadline is over, and the driver may still have it.
void router_check_timed_out(Step& step, const Portal0Md& record);

}  // namespace ulnet::core

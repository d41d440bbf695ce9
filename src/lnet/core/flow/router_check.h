// The router checker, in the control shard. Once per interval it pings each gateway on each net
// that the gateway shares with this node, whether earlier checks have ended or not. The answer is
// taken over like the answer to a ping of discovery, and this node's info is pushed. Source:
// spec/multirail.md 9.4.
#pragma once

#include "lnet/core/flow/step.h"

namespace ulnet::core {

/// Takes over the routes, NIs and intervals of a new configuration.
void configure_gateways(Step& step);
void on_router_check_due(Step& step, KnownGateway& gateway);
/// Handles the end of a check. Returns whether its ping was sent again, with a larger buffer.
bool router_check_ended(Step& step, Portal0Md& record);
/// Ends a check whose deadline is over, although the driver may still have its ping.
void router_check_timed_out(Step& step, const Portal0Md& record);

}  // namespace ulnet::core

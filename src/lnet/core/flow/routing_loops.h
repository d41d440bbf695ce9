// Routing loops, in the control shard. LNet's header counts no hops, so no message shows that it
// goes round. A router that sends a message on from one router to another, which is not on the net
// of the destination, pings that destination by the same gateway, once in
// alive_router_check_interval. If its own ping comes back to it, the routes form a loop: the route
// is down for some intervals. Source: spec/multirail.md 9; how loops are found is ulnet's own.
#pragma once

#include "lnet/core/flow/step.h"

namespace ulnet::core {

/// Routes by this gateway that were down for long enough are up again, until the next message is a
/// reason to ask.
void try_loops_again(Step& step, KnownGateway& gateway);
/// What was found out does not count any more: there are other routes, or nobody would ask again.
void forget_loops(Step& step);
void loop_ping_ended(Step& step, const Portal0Md& record);
void on_letter(Step& step, std::uint32_t from, const letter::RouteFollowed& in);
void on_letter(Step& step, std::uint32_t from, const letter::CameBack& in);

}  // namespace ulnet::core

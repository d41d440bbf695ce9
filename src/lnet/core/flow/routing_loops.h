// Routing loops, in the control shard. LNet's header counts no hops, so a message does not show
// that it runs in a loop. When a router forwards a message from one router to another router that
// is not on the net of the destination, it pings the destination by the same gateway, once in
// alive_router_check_interval. If its own ping comes back, the routes form a loop, and the route is
// down for some intervals. Source: spec/multirail.md 9; how loops are found is ulnet's own.
#pragma once

#include "lnet/core/flow/step.h"

namespace ulnet::core {

/// Brings routes by this gateway up again that were down for long enough. The next message by such
/// a route causes a new ping.
void retry_loops(Step& step, KnownGateway& gateway);
/// Discards all loops that were found: the routes have changed, or pings are off, so that nothing
/// would check the loops again.
void forget_loops(Step& step);
void loop_ping_ended(Step& step, const Portal0Md& record);
void on_shard_msg(Step& step, std::uint32_t from, const shard_msg::RouteFollowed& in);
void on_shard_msg(Step& step, std::uint32_t from, const shard_msg::CameBack& in);

}  // namespace ulnet::core

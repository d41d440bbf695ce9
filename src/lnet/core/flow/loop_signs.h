// How a router detects signs of a routing loop, in every shard: a message that goes from router to
// router, and a message of this router that comes back. routing_loops.h handles them.
#pragma once

#include "lnet/core/flow/step.h"
#include "lnet/core/path/select.h"

namespace ulnet::core {

/// This node forwards the message by a route: reports the route to the control shard if the message
/// came from a router, at most once in alive_router_check_interval.
void watch_for_loop(Step& step, const Msg& msg, const Choice& choice);
/// A message of this node has come back to it: reports the message to the control shard if it is a
/// ping of this incarnation.
void came_back(Step& step, const wire::LnetHeader& header);

}  // namespace ulnet::core

// Routes and routing as lnetctl's trees. Source: spec/cli-lnetctl.md 4.3, 4.4.
#pragma once

#include "admin/server/reply.h"
#include "lnet/node/node.h"

namespace ulnet::node::control {

/// Makes an item of `route:` of route show. ulnet's own key `why` has the reason why a route is
/// down.
Json route_tree(const core::RouteRow& row);
/// Makes `routing:` and `buffers:` of routing show; `routing` is empty if the node has never
/// routed. ulnet's own key `wanted` has the configured state, which comes into force later while
/// routing starts or stops.
Json routing_tree(const Node::RoutingShow& shown);

}  // namespace ulnet::node::control

// /v1/route, /v1/routing, /v1/buffers: routes, and the node as a router. Source:
// spec/cli-lnetctl.md 3.6, 3.7, spec/multirail.md 9.1, 9.2.
#include <nlohmann/json.hpp>

#include "admin/server/handlers.h"
#include "admin/server/pieces.h"
#include "admin/server/routing_trees.h"

namespace ulnet::node::control {

Reply show_routes(Context& context, const NodePtr& node, const Request&) {
  const std::scoped_lock turn(context.lists.reading);
  auto shown = std::make_shared<const core::call::ShowRoutes>(routes_of(*node));
  const std::uint64_t bytes = bytes_of(*shown);
  return reply_in_pieces(context, node, kJson, bytes, [shown](Node&, Pieces& to) {
    to.add(R"({"route":[)");
    JsonItems items(to);
    for (const core::RouteRow& row : shown->routes)
      if (!items.next().add(text_of(route_tree(row)))) return;
    to.add("]}\n");
  });
}

Reply show_routing(Context&, const NodePtr& node, const Request&) {
  return reply_tree(routing_tree(node->routing()));
}

}  // namespace ulnet::node::control

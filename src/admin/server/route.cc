// /v1/route, /v1/routing, /v1/buffers: routes, and the node as a router. Source:
// spec/cli-lnetctl.md 3.6, 3.7, spec/multirail.md 9.1, 9.2.
#include <nlohmann/json.hpp>

#include "admin/conf/route_entry.h"
#include "admin/server/fields.h"
#include "admin/server/handlers.h"
#include "admin/server/pieces.h"
#include "admin/server/routing_trees.h"

namespace ulnet::node::control {

namespace {

core::Route route_of(const conf::RouteItem& item) {
  return {item.net, item.gateway, item.hops, item.priority};
}

/// Returns the routes of the body: to one net, or to a pattern of nets, by each of the gateways.
Result<std::vector<conf::RouteItem>> read_routes(const Json& body, bool with_values) {
  Fields fields(body);
  conf::RouteEntry entry;
  const auto net = fields.text("net"), gateway = fields.text("gateway");
  if (with_values) {
    entry.hop = fields.integer("hop", INT64_MIN, INT64_MAX);
    entry.priority = fields.integer("priority", INT64_MIN, INT64_MAX);
  }
  if (!net || !gateway)
    fields.refuse(-EINVAL, std::string("'") + (net ? "gateway" : "net") + "' is missing");
  if (const auto finished = fields.finish(); !finished) return tl::unexpected(finished.error());
  entry.net = *net;
  entry.gateway = *gateway;
  return conf::routes_of(entry);
}

/// Adds all routes, or none.
Result<void> add_all(Node& node, const std::vector<conf::RouteItem>& routes) {
  for (std::size_t i = 0; i < routes.size(); ++i) {
    auto added = node.route_add(route_of(routes[i]));
    if (added) continue;
    while (i-- > 0) (void)node.route_del(routes[i].net, routes[i].gateway);
    return added;
  }
  return {};
}

/// Deletes the routes that exist. If there are several routes, the reason names the first that did
/// not exist.
Result<void> delete_all(Node& node, const std::vector<conf::RouteItem>& routes) {
  Result<void> first;
  for (const conf::RouteItem& route : routes) {
    auto gone = node.route_del(route.net, route.gateway);
    if (gone || !first) continue;
    first = std::move(gone);
    if (routes.size() > 1)
      first.error().reason += ": no route to " + route.net.to_string() + " through " +
                              route.gateway.to_string() + "; the routes that existed are deleted";
  }
  return first;
}

Reply change_routes(Context& context, const Request& request, bool add) {
  const auto node = context.slot.node();
  if (node == nullptr) return reply_not_configured();
  const auto body = parse_body(request.body);
  if (!body) return reply_error(body.error());
  const auto routes = read_routes(*body, add);
  if (!routes) return reply_error(routes.error());
  Result<void> done;
  const auto change = [&] { done = add ? add_all(*node, *routes) : delete_all(*node, *routes); };
  // Makes several changes in one snapshot, as a batch does anyway.
  if (routes->size() == 1)
    change();
  else if (const auto together = node->change_together(change); !together)
    return reply_error(together.error());
  return reply_result(done);
}

}  // namespace

Reply show_routes(Context& context, const Request&) {
  const auto node = context.slot.node();
  if (node == nullptr) return reply_not_configured();
  const std::scoped_lock turn(context.lists.reading);
  auto shown = std::make_shared<const core::call::ShowRoutes>(node->routes());
  const std::uint64_t bytes = bytes_of(*shown);
  return reply_in_pieces(context, node, kJson, bytes, [shown](Node&, Pieces& to) {
    to.add(R"({"route":[)");
    JsonItems items(to);
    for (const core::RouteRow& row : shown->routes)
      if (!items.next().add(text_of(route_tree(row)))) return;
    to.add("]}\n");
  });
}

Reply add_route(Context& context, const Request& request) {
  return change_routes(context, request, true);
}

Reply delete_route(Context& context, const Request& request) {
  return change_routes(context, request, false);
}

Reply show_routing(Context& context, const Request&) {
  const auto node = context.slot.node();
  if (node == nullptr) return reply_not_configured();
  return reply_tree(routing_tree(node->routing()));
}

Reply set_routing(Context& context, const Request& request) {
  const auto node = context.slot.node();
  if (node == nullptr) return reply_not_configured();
  const auto body = parse_body(request.body);
  if (!body) return reply_error(body.error());
  if (body->empty()) return reply_error(400, -EINVAL, "nothing to set");
  Fields fields(*body);
  const auto enable = fields.integer("enable", 0, 1);
  std::array<std::optional<std::int32_t>, 3> buffers;
  bool any = false;
  std::size_t pool = 0;
  for (const char* name : {"tiny", "small", "large"}) {
    const auto count = fields.integer(name, 0, INT32_MAX);
    if (count) buffers[pool] = static_cast<std::int32_t>(*count);
    any |= count.has_value();
    ++pool;
  }
  if (const auto finished = fields.finish(); !finished) return reply_error(finished.error());
  if (any)
    if (const auto set = node->set_buffers(buffers); !set) return reply_error(set.error());
  if (!enable) return reply_done();
  return reply_result(node->set_routing(*enable == 1));
}

}  // namespace ulnet::node::control

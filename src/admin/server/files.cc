// /v1/file/NAME: the runtime files as text. Source: spec/core-semantics.md 16.
#include "admin/server/handlers.h"
#include "admin/server/pieces.h"
#include "admin/server/reply.h"
#include "admin/server/runtime_files.h"

namespace ulnet::node::control {

namespace {

/// Returns the file `routes` or `routers`.
Reply show_route_file(Context& context, const std::shared_ptr<Node>& node,
                      const std::string& name) {
  const std::scoped_lock turn(context.lists.reading);
  auto shown = std::make_shared<const core::call::ShowRoutes>(routes_of(*node));
  const std::uint64_t bytes = bytes_of(*shown);
  return reply_in_pieces(context, node, kPlainText, bytes,
                         [shown, routes = name == "routes"](Node& of, Pieces& to) {
                           if (routes)
                             write_routes_file(to, of.routing().now.state, *shown);
                           else
                             write_routers_file(to, *shown, of);
                         });
}

}  // namespace

Reply show_file(Context& context, const NodePtr& node, const Request& request) {
  const std::string name = request.path.substr(request.path.rfind('/') + 1);
  if (name == "stats") return reply_text(stats_file(node->state()));
  if (name == "nis") return reply_text(nis_file(node->state()));
  if (name == "peers")
    return reply_in_pieces(context, node, kPlainText, 0,
                           [](Node& shown, Pieces& to) { write_peers_file(to, shown); });
  if (name == "routes" || name == "routers") return show_route_file(context, node, name);
  if (name == "buffers") return reply_text(buffers_file(node->routing()));
  if (name == "portal_rotor") return reply_text(portal_rotor_file(node->state()));
  if (name == "cpu_partition_table") return reply_text(node->cpt_table().table_text());
  if (name == "cpu_partition_distance") return reply_text(node->cpt_table().distance_text());
  return reply_error(
      404, -ENOENT,
      "unknown file '" + name +
          "': stats, nis, peers, routes, routers, buffers, portal_rotor, cpu_partition_table, "
          "cpu_partition_distance");
}

}  // namespace ulnet::node::control

// /v1/file/NAME: the runtime files as text. Source: spec/core-semantics.md 16.
#include "control/handlers.h"
#include "control/reply.h"
#include "control/runtime_files.h"

namespace ulnet::node::control {

Reply show_file(Context& context, const Request& request) {
  const auto node = context.slot.node();
  if (node == nullptr) return reply_not_configured();
  const std::string name = request.path.substr(request.path.rfind('/') + 1);
  if (name == "stats") return reply_text(stats_file(node->state()));
  if (name == "nis") return reply_text(nis_file(node->state()));
  if (name == "peers") return reply_text(peers_file(node->state()));
  if (name == "routes") return reply_text(routes_file(node->routing().now.state, node->routes()));
  if (name == "routers") return reply_text(routers_file(node->routes(), node->state()));
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

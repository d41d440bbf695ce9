// GET /v1/net: local nets and their interfaces. Source: spec/cli-lnetctl.md 4.1; the errno and the
// text of an error are those of production nodes.
#include <nlohmann/json.hpp>

#include "admin/server/handlers.h"
#include "admin/server/trees.h"

namespace ulnet::node::control {

Reply show_nets(Context&, const NodePtr& node, const Request& request) {
  if (!request.has_param("net")) return reply_tree(net_tree(node->state()));
  const auto net = NetId::parse(request.param("net"));
  if (!net) return reply_error(404, -ENOENT, "Object not found");
  const Json tree = net_tree(node->state(), &*net);
  if (tree["net"].empty()) return reply_error(404, -ESRCH, "Network is down");
  return reply_tree(tree);
}

}  // namespace ulnet::node::control

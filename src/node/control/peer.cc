// /v1/peer: the nodes that this one knows. Source: spec/cli-lnetctl.md 3.9, 4.2.
#include <nlohmann/json.hpp>

#include "node/control/handlers.h"
#include "node/control/trees.h"

namespace ulnet::node::control {

Reply show_peers(Context& context, const Request& request) {
  const auto node = context.slot.node();
  if (node == nullptr) return reply_not_configured();
  if (!request.has_param("nid")) return reply_tree(peer_tree(node->state()));
  const auto nid = Nid::parse(request.param("nid"));
  if (!nid)
    return reply_error(400, -EINVAL, "invalid NID '" + std::string(request.param("nid")) + "'");
  const Json tree = peer_tree(node->state(), &*nid);
  if (tree["peer"].empty())
    return reply_error(404, -ENOENT, "cannot find peer " + nid->to_string());
  return reply_tree(tree);
}

}  // namespace ulnet::node::control

// /v1/peer: the nodes that this one knows. Source: spec/cli-lnetctl.md 3.8, 3.9, 4.2.
#include <nlohmann/json.hpp>

#include "conf/model.h"
#include "control/fields.h"
#include "control/handlers.h"
#include "control/trees.h"

namespace ulnet::node::control {

Reply show_peers(Context& context, const Request& request) {
  const auto node = context.slot.node();
  if (node == nullptr) return reply_not_configured();
  if (!request.has_param("nid")) return reply_tree(peer_tree(node->state()));
  const auto nid = read_nid(request.param("nid"));
  if (!nid) return reply_error(nid.error());
  const Json tree = peer_tree(node->state(), &*nid);
  if (tree["peer"].empty())
    return reply_error(404, -ENOENT, "cannot find peer " + nid->to_string());
  return reply_tree(tree);
}

Reply delete_peer(Context& context, const Request& request) {
  const auto node = context.slot.node();
  if (node == nullptr) return reply_not_configured();
  const auto body = parse_body(request.body);
  if (!body) return reply_error(body.error());
  Fields fields(*body);
  const auto primary = fields.nid("primary nid");
  const auto nids = fields.nids("nids", conf::kPeerNidsMax);
  const bool force = fields.boolean("force").value_or(false);
  if (!primary) fields.refuse(-EINVAL, "'primary nid' is missing");
  if (const auto finished = fields.finish(); !finished) return reply_error(finished.error());
  return reply_result(node->peer_del(*primary, nids.value_or(std::vector<Nid>{}), force));
}

}  // namespace ulnet::node::control

// /v1/cpt: which CPU partition a peer belongs to. Source: spec/cli-lnetctl.md 3.17,
// spec/core-semantics.md 13.2.
#include <nlohmann/json.hpp>

#include "node/control/handlers.h"
#include "node/control/reply.h"

namespace ulnet::node::control {

Reply show_cpt(Context& context, const Request& request) {
  const auto node = context.slot.node();
  if (node == nullptr) return reply_not_configured();
  if (!request.has_param("nid")) return reply_error(400, -EINVAL, "'nid' is missing");
  const std::string text(request.param("nid"));
  const auto nid = Nid::parse(text);
  if (!nid || nid->is_any()) return reply_error(400, -EINVAL, "invalid NID '" + text + "'");
  Json item = {{"nid", nid->to_string()}, {"cpt", node->cpt_of_nid(*nid)}};
  return reply_tree(Json{{"cpt-of-nid", Json::array({std::move(item)})}});
}

}  // namespace ulnet::node::control

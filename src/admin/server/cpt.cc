// /v1/cpt: which CPU partition a peer belongs to. Source: spec/cli-lnetctl.md 3.17,
// spec/core-semantics.md 13.2.
#include <nlohmann/json.hpp>

#include "admin/api/fields.h"
#include "admin/server/handlers.h"
#include "admin/server/reply.h"

namespace ulnet::node::control {

Reply show_cpt(Context&, const NodePtr& node, const Request& request) {
  if (!request.has_param("nid")) return reply_error(400, -EINVAL, "'nid' is missing");
  const auto nid = api::read_one_nid(request.param("nid"));
  if (!nid) return reply_error(nid.error());
  Json item = {{"nid", nid->to_string()}, {"cpt", node->cpt_of_nid(*nid)}};
  return reply_tree(Json{{"cpt-of-nid", Json::array({std::move(item)})}});
}

}  // namespace ulnet::node::control

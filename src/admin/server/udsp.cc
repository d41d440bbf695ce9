// /v1/udsp: the node's selection policies. Source: spec/cli-lnetctl.md 3.14, 4.8, spec/multirail.md
// 10.
#include <nlohmann/json.hpp>

#include "admin/conf/policy_trees.h"
#include "admin/server/handlers.h"

namespace ulnet::node::control {

Reply show_selections(Context&, const NodePtr& node, const Request&) {
  return reply_tree(conf::selection_tree(*node->state().udsp));
}

Reply show_udsps(Context&, const NodePtr& node, const Request&) {
  return reply_tree(conf::udsp_tree(*node->state().udsp));
}

}  // namespace ulnet::node::control

// GET /v1/global: the settings of the whole node. Source: spec/cli-lnetctl.md 4.6, 11.1.
#include <nlohmann/json.hpp>

#include "admin/server/handlers.h"
#include "admin/server/trees.h"

namespace ulnet::node::control {

Reply show_globals(Context& context, const Request&) {
  const auto node = context.slot.node();
  if (node == nullptr) return reply_not_configured();
  return reply_tree(global_tree(node->state()));
}

}  // namespace ulnet::node::control

// /v1/stats and /v1/counters: the node's counters. Source: spec/cli-lnetctl.md 3.12, 4.5.
#include <nlohmann/json.hpp>

#include "admin/server/handlers.h"
#include "admin/server/trees.h"

namespace ulnet::node::control {

Reply show_stats(Context& context, const Request&) {
  const auto node = context.slot.node();
  if (node == nullptr) return reply_not_configured();
  return reply_tree(statistics_tree(node->state()));
}

Reply show_counters(Context& context, const Request&) {
  const auto node = context.slot.node();
  if (node == nullptr) return reply_not_configured();
  return reply_tree(counters_tree(node->state()));
}

}  // namespace ulnet::node::control

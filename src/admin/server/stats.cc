// /v1/stats and /v1/counters: the node's counters. Source: spec/cli-lnetctl.md 3.12, 4.5.
#include <nlohmann/json.hpp>

#include "admin/server/fields.h"
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

Reply reset_stats(Context& context, const Request& request) {
  const auto node = context.slot.node();
  if (node == nullptr) return reply_not_configured();
  const auto body = parse_body(request.body);
  if (!body) return reply_error(body.error());
  if (const auto finished = Fields(*body).finish(); !finished) return reply_error(finished.error());
  node->reset_stats();
  return reply_done();
}

}  // namespace ulnet::node::control

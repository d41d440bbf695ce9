// /v1/global: the settings of the whole node. Source: spec/cli-lnetctl.md 4.6, 11.1; the node
// checks names and ranges.
#include <nlohmann/json.hpp>

#include "admin/server/fields.h"
#include "admin/server/handlers.h"
#include "admin/server/trees.h"
#include "lnet/config/params.h"

namespace ulnet::node::control {

Reply show_globals(Context& context, const Request&) {
  const auto node = context.slot.node();
  if (node == nullptr) return reply_not_configured();
  return reply_tree(global_tree(node->state()));
}

Reply set_globals(Context& context, const Request& request) {
  const auto node = context.slot.node();
  if (node == nullptr) return reply_not_configured();
  const auto body = parse_body(request.body);
  if (!body) return reply_error(body.error());
  if (body->empty()) return reply_error(400, -EINVAL, "nothing to set");
  // All settings are checked before any of them is set: an unknown name or a value that is not an
  // integer changes nothing.
  for (const auto& [name, value] : body->items()) {
    if (conf::find_global(name) == nullptr)
      return reply_error(400, -EINVAL, "unknown key '" + name + "'");
    if (!value.is_number_integer())
      return reply_error(400, -EINVAL, "'" + name + "' must be an integer");
  }
  for (const auto& [name, value] : body->items()) {
    const bool huge = value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX;
    const auto set = node->set_global(name, huge ? INT64_MAX : value.get<std::int64_t>());
    if (!set) return reply_error(set.error());
  }
  return reply_done();
}

}  // namespace ulnet::node::control

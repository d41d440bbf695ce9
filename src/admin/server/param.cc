// /v1/param: module parameters while the node runs. Source: spec/cli-lnetctl.md 11.3, 11.4; the
// registry is lnet/config/params.h.
#include <nlohmann/json.hpp>

#include "admin/server/fields.h"
#include "admin/server/handlers.h"
#include "admin/server/reply.h"
#include "lnet/config/params.h"

namespace ulnet::node::control {

namespace {

/// Returns the text of a parameter's JSON value, which may be "7", 7 or true.
std::optional<std::string> value_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "1" : "0";
  if (value.is_number_integer()) return value.dump();
  return {};
}

}  // namespace

Reply show_params(Context& context, const Request&) {
  const auto node = context.slot.node();
  if (node == nullptr) return reply_not_configured();
  const auto values = node->params();
  Json list = Json::object();
  for (const conf::Param& param : conf::all_params()) {
    const std::string name(param.name);
    const auto value = values.find(name);
    list[name] = Json{{"value", value != values.end() ? value->second : std::string(param.initial)},
                      {"default", param.initial},
                      {"start_only", param.start_only},
                      {"help", param.help}};
    if (!param.warning.empty()) list[name]["note"] = param.warning;
  }
  return reply_tree(Json{{"param", std::move(list)}});
}

Reply set_params(Context& context, const Request& request) {
  const auto node = context.slot.node();
  if (node == nullptr) return reply_not_configured();
  const auto body = parse_body(request.body);
  if (!body) return reply_error(body.error());
  if (body->empty()) return reply_error(400, -EINVAL, "nothing to set");
  // All values are checked before any of them is set.
  std::vector<std::pair<std::string, std::string>> wanted;
  for (const auto& [name, value] : body->items()) {
    const auto text = value_text(value);
    if (!text) return reply_error(400, -EINVAL, "'" + name + "' must be a text or a number");
    const auto checked = conf::check_param(name, *text);
    if (!checked) return reply_error(checked.error());
    wanted.emplace_back(name, *checked);
  }
  for (const auto& [name, value] : wanted)
    if (const auto set = node->set_param(name, value); !set) return reply_error(set.error());
  return reply_done();
}

}  // namespace ulnet::node::control

// /v1/param: module parameters while the node runs. Source: spec/cli-lnetctl.md 11.3, 11.4; the
// registry is lnet/config/params.h.
#include <nlohmann/json.hpp>

#include "admin/server/handlers.h"
#include "admin/server/reply.h"
#include "lnet/config/params.h"

namespace ulnet::node::control {

Reply show_params(Context&, const NodePtr& node, const Request&) {
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

}  // namespace ulnet::node::control

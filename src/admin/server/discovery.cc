// /v1/discovery: the last steps of discoveries, for users who watch a discovery. LNet has no such
// request. Source: spec/multirail.md 4.2.
#include <charconv>
#include <nlohmann/json.hpp>

#include "admin/server/handlers.h"
#include "admin/server/reply.h"

namespace ulnet::node::control {

Reply show_discovery_steps(Context&, const NodePtr& node, const Request& request) {
  std::uint64_t after = 0;
  if (request.has_param("after")) {
    const std::string_view text = request.param("after");
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), after);
    if (error != std::errc() || end != text.data() + text.size())
      return reply_error(400, -EINVAL, "'after' must be a number");
  }
  Json steps = Json::array();
  for (const NodeEvent& event : node->events()->discovery_steps(after)) {
    Json step = {{"number", event.number},
                 {"unix_ns", event.unix_ns},
                 {"primary nid", event.nid.to_string()},
                 {"step", event.text}};
    if (event.detail != 0) step["detail"] = event.detail;
    steps.push_back(std::move(step));
  }
  return reply_tree(Json{{"discovery", std::move(steps)}});
}

}  // namespace ulnet::node::control

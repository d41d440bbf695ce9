// /v1/lst/COMMAND: the console of LNet selftest in this node. Source: docs/CONTROL-API.md,
// spec/cli-lst.md.
#include <nlohmann/json.hpp>

#include "admin/api/fields.h"
#include "admin/server/handlers.h"

namespace ulnet::node::control {

Reply run_lst(Context& context, const Request& request) {
  const auto body = parse_body(request.body);
  if (!body) return reply_error(body.error());
  const auto selftest = context.slot.selftest();
  if (!selftest) return reply_error(selftest.error());
  const std::string command = request.path.substr(std::string_view("/v1/lst/").size());
  const std::optional<Result<Json>> result = (*selftest)->run(command, *body);
  if (!result) return reply_error(503, -ESHUTDOWN, "the node is stopping");
  return *result ? reply_tree(**result) : reply_error(result->error());
}

}  // namespace ulnet::node::control

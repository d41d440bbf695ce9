// /v1/lst/COMMAND: the console of LNet selftest in this node. Source: docs/DOOR.md,
// spec/cli-lst.md.
#include <nlohmann/json.hpp>
#include <optional>

#include "control/fields.h"
#include "control/handlers.h"
#include "control/lst_api.h"

namespace ulnet::node::control {

Reply run_lst(Context& context, const Request& request) {
  auto body = parse_body(request.body);
  if (!body) return reply_error(body.error());
  const auto selftest = context.slot.selftest();
  if (!selftest) return reply_error(selftest.error());
  // Shared with the command: when the node stops, this thread waits no longer, but the answer may
  // still come.
  const auto answer = std::make_shared<std::optional<Result<Json>>>();
  const bool over = (*selftest)->run(
      [answer, command = request.path.substr(std::string_view("/v1/lst/").size()),
       arguments = std::move(*body)](auto& console, const std::function<void()>& done) {
        console_command(console, command, arguments, [answer, done](Result<Json> result) {
          *answer = std::move(result);
          done();
        });
      });
  if (!over) return reply_error(503, -ESHUTDOWN, "the node is stopping");
  const Result<Json>& result = **answer;
  return result ? reply_tree(*result) : reply_error(result.error());
}

}  // namespace ulnet::node::control

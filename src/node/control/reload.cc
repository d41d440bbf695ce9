#include "node/control/reload.h"

#include <nlohmann/json.hpp>

#include "node/control/fields.h"
#include "node/control/handlers.h"

namespace ulnet::node::control {

Reply reload_configuration(Context& context, const Request& request) {
  const auto body = parse_body(request.body);
  if (!body) return reply_error(body.error());
  if (const auto finished = Fields(*body).finish(); !finished) return reply_error(finished.error());
  if (!context.reload)
    return reply_error(501, -EOPNOTSUPP, "this program has no configuration to read again");
  const auto done = context.reload();
  if (!done) return reply_error(done.error());
  Json tree = {
      {"changes", done->changes}, {"failures", Json::array()}, {"warnings", done->warnings}};
  for (const Error& failure : done->failures)
    tree["failures"].push_back({{"errno", failure.code}, {"descr", failure.reason}});
  return reply_tree(tree);
}

}  // namespace ulnet::node::control

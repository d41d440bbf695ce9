#include "admin/server/reload.h"

#include <nlohmann/json.hpp>

#include "admin/api/fields.h"
#include "admin/server/handlers.h"

namespace ulnet::node::control {

namespace {

/// Returns the first failure and the number of others: "no such interface (-2), and 2 failures
/// more".
std::string first_of(const std::vector<Error>& failures) {
  const std::string first =
      failures.front().reason + " (" + std::to_string(failures.front().code) + ")";
  const std::size_t more = failures.size() - 1;
  if (more == 0) return first;
  return first + ", and " + std::to_string(more) + (more == 1 ? " failure more" : " failures more");
}

}  // namespace

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
  Reply reply = reply_tree(tree);
  if (!done->failures.empty()) reply.problem = first_of(done->failures);
  reply.in_part = done->changes != 0 && !done->failures.empty();
  return reply;
}

}  // namespace ulnet::node::control

// /v1/batch: several changes in one request. The node takes all of them into use together; an
// import is such a batch. Source: spec/cli-lnetctl.md 5.1; docs/CONTROL-API.md.
#include <nlohmann/json.hpp>

#include "admin/api/fields.h"
#include "admin/server/endpoints.h"
#include "admin/server/handlers.h"

namespace ulnet::node::control {

namespace {

/// Returns the request that an item of the list describes. -EINVAL with the reason.
Result<Request> request_of(const Json& item, const Caller& caller) {
  if (!item.is_object()) return fail(-EINVAL, "each of 'requests' must be an object");
  Fields fields(item);
  const auto method = fields.text("method");
  const auto path = fields.text("path");
  (void)fields.object("body");  // its keys are for the handler
  if (!method || !path) fields.refuse(-EINVAL, "'method' or 'path' is missing");
  if (const auto finished = fields.finish(); !finished) return tl::unexpected(finished.error());
  Request request{.method = *method, .path = *path, .query = {}, .body = {}, .caller = caller};
  if (item.contains("body")) request.body = item["body"].dump();
  return request;
}

}  // namespace

Reply run_batch(Context& context, const NodePtr&, const Request& request) {
  const auto body = parse_body(request.body);
  if (!body) return reply_error(body.error());
  for (const auto& [key, value] : body->items())
    if (key != "requests") return reply_error(400, -EINVAL, "unknown key '" + key + "'");
  const auto requests = body->find("requests");
  if (requests == body->end() || !requests->is_array())
    return reply_error(400, -EINVAL, "a batch is a list of 'requests'");
  std::vector<Reply> replies;
  std::vector<Request> good;
  std::vector<std::size_t> which;
  for (const Json& item : *requests) {
    auto one = request_of(item, request.caller);
    replies.push_back(one ? Reply{} : reply_error(one.error()));
    if (!one) continue;
    which.push_back(replies.size() - 1);
    good.push_back(*std::move(one));
  }
  std::vector<Reply> answered = answer_together(context, good);
  for (std::size_t i = 0; i < answered.size(); ++i) replies[which[i]] = std::move(answered[i]);
  std::string answers;
  for (const Reply& reply : replies) answers += (answers.empty() ? "" : ",") + reply.body;
  return {.body = "{\"answers\": [" + answers + "]}\n"};
}

}  // namespace ulnet::node::control

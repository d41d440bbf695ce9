// /v1/batch: several changes in one request. The node takes all of them into use together; an
// import is such a batch. Source: spec/cli-lnetctl.md 5.1; docs/CONTROL-API.md.
#include <nlohmann/json.hpp>

#include "admin/server/endpoints.h"
#include "admin/server/fields.h"
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

Reply answer_item(Context& context, const Json& item, const Caller& caller) {
  const auto request = request_of(item, caller);
  if (!request) return reply_error(request.error());
  if (!may_be_in_batch(*request))
    return reply_error(400, -EINVAL,
                       request->method + " " + request->path + " cannot be in a batch");
  return answer(context, *request);
}

}  // namespace

Reply run_batch(Context& context, const Request& request) {
  const auto node = context.slot.node();
  if (node == nullptr) return reply_not_configured();
  const auto body = parse_body(request.body);
  if (!body) return reply_error(body.error());
  for (const auto& [key, value] : body->items())
    if (key != "requests") return reply_error(400, -EINVAL, "unknown key '" + key + "'");
  const auto requests = body->find("requests");
  if (requests == body->end() || !requests->is_array())
    return reply_error(400, -EINVAL, "a batch is a list of 'requests'");
  // The answers as text. Each is the answer that its request would get alone.
  std::string answers;
  const auto together = node->change_together([&] {
    for (const Json& item : *requests) {
      if (!answers.empty()) answers += ",";
      answers += answer_item(context, item, request.caller).body;
    }
  });
  if (!together) return reply_error(together.error());
  return {.body = "{\"answers\": [" + answers + "]}\n"};
}

}  // namespace ulnet::node::control

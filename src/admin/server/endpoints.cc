#include "admin/server/endpoints.h"

#include <algorithm>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <variant>

#include "admin/server/changes.h"
#include "admin/server/counters.h"
#include "admin/server/limits.h"
#include "admin/server/trees.h"

namespace ulnet::node::control {

namespace {

/// The path of a batch, the only one whose body may be long (limits::kBatchBytes).
constexpr std::string_view kBatchPath = "/v1/batch";

struct Endpoint {
  std::string_view method;
  std::string_view path;  ///< if it ends in '/', it stands for all paths below it
  Access needs;
  std::variant<Handler, NodeHandler> handler;
  std::string_view query = {};   ///< the query keys that it takes, separated by spaces
  std::string_view change = {};  ///< what it changes, for the log, in lnetctl's words
  /// The request is not allowed in a batch: it waits for other requests, or a batch could not go on
  /// after it.
  bool alone = false;
};
constexpr bool kAlone = true;

/// The handler of a path that shows a tree of the node's state.
template <Json (*kTree)(const NodeState&)>
Reply show(Context&, const NodePtr& node, const Request&) {
  return reply_tree(kTree(node->state()));
}

constexpr Endpoint kEndpoints[] = {
    {"GET", "/v1/version", Access::kRead, show_version},
    {"GET", "/v1/net", Access::kRead, show_nets, "net"},
    {"GET", "/v1/peer", Access::kRead, show_peers, "nid"},
    {"POST", "/v1/peer/debug", Access::kWrite, log_peer},
    {"POST", "/v1/log/mark", Access::kWrite, mark_log},
    {"GET", "/v1/stats", Access::kRead, show<statistics_tree>},
    {"GET", "/v1/counters", Access::kRead, show<counters_tree>},
    {"GET", "/v1/global", Access::kRead, show<global_tree>},
    {"GET", "/v1/udsp", Access::kRead, show_udsps},
    {"GET", "/v1/selection", Access::kRead, show_selections},
    {"GET", "/v1/param", Access::kRead, show_params},
    {"GET", "/v1/nids", Access::kRead, show<nids_tree>},
    {"GET", "/v1/cpt", Access::kRead, show_cpt, "nid"},
    {"GET", "/v1/path", Access::kRead, show_path, "to from cpt"},
    {"POST", "/v1/ping", Access::kWrite, ping_nids, {}, {}, kAlone},
    {"POST", "/v1/discover", Access::kWrite, discover_nids, {}, {}, kAlone},
    {"GET", "/v1/discovery", Access::kRead, show_discovery_steps, "after"},
    {"GET", "/v1/events", Access::kRead, show_events, "after level types wait"},
    {"GET", "/v1/route", Access::kRead, show_routes},
    {"GET", "/v1/routing", Access::kRead, show_routing},
    {"GET", "/v1/fault", Access::kRead, show_faults},
    {"GET", "/v1/recovery", Access::kRead, show_recovery},
    {"GET", "/v1/file/", Access::kRead, show_file},
    {"POST", "/v1/lnet", Access::kWrite, configure_lnet, {}, "lnet", kAlone},
    {"POST", "/v1/reload", Access::kWrite, reload_configuration, {}, "reload", kAlone},
    {"POST", kBatchPath, Access::kWrite, run_batch, {}, {}, kAlone},
    {"POST", "/v1/lst/new_session", Access::kWrite, run_lst, {}, "lst new_session", kAlone},
    {"POST", "/v1/lst/end_session", Access::kWrite, run_lst, {}, "lst end_session", kAlone},
    {"POST", "/v1/lst/", Access::kWrite, run_lst, {}, {}, kAlone},
    {"GET", "/metrics", Access::kMetrics, show_metrics},
    {"GET", "/healthz", Access::kMetrics, show_health},
};

bool matches(const Endpoint& endpoint, std::string_view path) {
  if (endpoint.path.back() == '/')
    return path.size() > endpoint.path.size() && path.starts_with(endpoint.path);
  return path == endpoint.path;
}

Reply no_route(const Request& request) {
  std::string allow;
  const auto allows = [&](std::string_view method) {
    if (allow.find(method) == std::string::npos)
      allow += (allow.empty() ? "" : ", ") + std::string(method);
  };
  for (const Endpoint& endpoint : kEndpoints)
    if (matches(endpoint, request.path)) allows(endpoint.method);
  for (const api::ChangeEndpoint& endpoint : api::change_endpoints())
    if (endpoint.path == request.path) allows(endpoint.method);
  if (allow.empty()) return reply_error(404, -ENOENT, "no such path: " + request.path);
  Reply reply =
      reply_error(405, -EOPNOTSUPP, request.path + " has no " + request.method + ", but " + allow);
  reply.headers = {{"Allow", allow}};
  return reply;
}

const Endpoint* find_endpoint(const Request& request) {
  for (const Endpoint& endpoint : kEndpoints)
    if (endpoint.method == request.method && matches(endpoint, request.path)) return &endpoint;
  return nullptr;
}

bool takes(const Endpoint& endpoint, std::string_view key) {
  std::string_view rest = endpoint.query;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    if (rest.substr(0, end) == key) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

Reply answer_on(const Endpoint& endpoint, Context& context, const Request& request) {
  for (const auto& [key, value] : request.query)
    if (!takes(endpoint, key)) return reply_error(400, -EINVAL, "unknown query key '" + key + "'");
  if (const auto* handler = std::get_if<Handler>(&endpoint.handler))
    return (*handler)(context, request);
  const auto node = context.slot.node();
  if (node == nullptr) return reply_not_configured();
  return std::get<NodeHandler>(endpoint.handler)(context, node, request);
}

std::size_t body_limit(const Request& request) {
  if (request.caller.access != Access::kWrite) return limits::kFreeBodyBytes;
  return request.path == kBatchPath ? limits::kBatchBytes : limits::kBodyBytes;
}

/// The memory that a long body and its parsed form take from the node's budget.
struct BodyMemory {
  std::shared_ptr<Node> node;
  MemoryTaken taken{node->memory(), MemoryPart::kControl};
};

std::optional<Reply> take_memory(Context& context, std::size_t bytes, std::shared_ptr<void>& held) {
  if (bytes <= limits::kFreeBodyBytes) return {};
  auto node = context.slot.node();
  if (node == nullptr) return reply_not_configured();
  auto memory = std::make_shared<BodyMemory>(std::move(node));
  if (!memory->taken.more(bytes * limits::kBodyMakes))
    return reply_no_memory(context, "a long request");
  held = std::move(memory);
  return {};
}

/// Returns the answer to a caller who must not make the request. `change` and `endpoint`: what the
/// request asks for, each null if it is not that.
std::optional<Reply> refuse(Context& context, const Request& request,
                            const api::ChangeEndpoint* change, const Endpoint* endpoint) {
  if (request.caller.access == Access::kNone) {
    log_refusal(context.log, request, "a request");
    return reply_error(403, -EACCES, request.caller.refusal);
  }
  const Access needs = change != nullptr     ? Access::kWrite
                       : endpoint != nullptr ? endpoint->needs
                                             : Access::kNone;
  if (request.caller.access >= needs) return std::nullopt;
  const std::string_view what = change != nullptr          ? change->words
                                : endpoint->change.empty() ? endpoint->path
                                                           : endpoint->change;
  log_refusal(context.log, request, what);
  return reply_error(403, -EPERM, request.caller.refusal);
}

/// Logs a request with its answer. A requested change, which has `words`, is an event, too.
void log_answer(Context& context, const Request& request, const Reply& reply,
                std::string_view words) {
  const std::string change = words.empty() ? std::string() : change_line(request, reply, words);
  log_request(context.log, request, reply, change);
  if (const auto node = change.empty() ? nullptr : context.slot.node())
    node->events()->add({.type = NodeEvent::Type::kConfig, .text = change});
}

}  // namespace

http::Service service_of(Context& context) {
  return {.name = "the control API",
          .counters = context.counters,
          .threads = limits::kThreads,
          .answer = [&](const Request& request) { return answer(context, request); },
          .refuse = [](int status,
                       const Error& why) { return reply_error(status, why.code, why.reason); },
          .no_memory = [&](std::string_view what) { return reply_no_memory(context, what); },
          .body_limit = body_limit,
          .take_memory = [&](std::size_t bytes,
                             auto& held) { return take_memory(context, bytes, held); }};
}

Reply reply_no_memory(Context& context, std::string_view what) {
  ++context.counters.no_memory;
  log_no_memory(context.log, what);
  Reply reply = reply_error(503, -ENOMEM, "there is no memory for the request: ask again");
  reply.headers = {{"Retry-After", "1"}};
  return reply;
}

Reply answer(Context& context, const Request& request) try {
  const auto* const change = find_change(request);
  const Endpoint* const endpoint = find_endpoint(request);
  if (auto refusal = refuse(context, request, change, endpoint)) return *std::move(refusal);
  if (change != nullptr) {
    const ChangeAsked asked{&request, change};
    Reply reply = std::move(make_changes(context, {&asked, 1}).front());
    log_answer(context, request, reply, change->words);
    return reply;
  }
  Reply reply = endpoint != nullptr ? answer_on(*endpoint, context, request) : no_route(request);
  log_answer(context, request, reply, endpoint != nullptr ? endpoint->change : "");
  return reply;
} catch (const std::bad_alloc&) {
  return reply_no_memory(context, "a request");
}

std::vector<Reply> answer_together(Context& context, std::span<const Request> requests) {
  std::vector<Reply> replies(requests.size());
  std::vector<ChangeAsked> changes;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const Request& request = requests[i];
    const auto* const change = find_change(request);
    const Endpoint* const endpoint = find_endpoint(request);
    if (change != nullptr)
      changes.push_back({&request, change});
    else if (request.method == "GET" || (endpoint != nullptr && endpoint->alone))
      replies[i] =
          reply_error(400, -EINVAL, request.method + " " + request.path + " cannot be in a batch");
    else
      replies[i] = answer(context, request);
  }
  std::vector<Reply> made = make_changes(context, changes);
  for (std::size_t i = 0; i < changes.size(); ++i) {
    log_answer(context, *changes[i].request, made[i], changes[i].endpoint->words);
    replies[static_cast<std::size_t>(changes[i].request - requests.data())] = std::move(made[i]);
  }
  return replies;
}

}  // namespace ulnet::node::control

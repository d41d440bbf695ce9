#include "admin/server/endpoints.h"

#include <algorithm>
#include <new>

#include "admin/server/counters.h"
#include "admin/server/reply.h"

namespace ulnet::node::control {

namespace {

struct Endpoint {
  std::string_view method;
  std::string_view path;  ///< if it ends in '/', it stands for all paths below it
  Access needs;
  Handler handler;
  std::string_view query = {};   ///< the query keys that it takes, separated by spaces
  std::string_view change = {};  ///< what it changes, for the log, in lnetctl's words
  /// The request is not allowed in a batch: it waits for other requests, or a batch could not go on
  /// after it.
  bool alone = false;
};
constexpr bool kAlone = true;

constexpr Endpoint kEndpoints[] = {
    {"GET", "/v1/version", Access::kRead, show_version},
    {"GET", "/v1/net", Access::kRead, show_nets, "net"},
    {"POST", "/v1/net", Access::kWrite, add_net, {}, "net add"},
    {"DELETE", "/v1/net", Access::kWrite, delete_net, {}, "net del"},
    {"PATCH", "/v1/net", Access::kWrite, set_net, {}, "net set"},
    {"GET", "/v1/peer", Access::kRead, show_peers, "nid"},
    {"POST", "/v1/peer", Access::kWrite, add_peer, {}, "peer add"},
    {"DELETE", "/v1/peer", Access::kWrite, delete_peer, {}, "peer del"},
    {"PATCH", "/v1/peer", Access::kWrite, set_peers, {}, "peer set"},
    {"POST", "/v1/peer/debug", Access::kWrite, log_peer},
    {"POST", "/v1/log/mark", Access::kWrite, mark_log},
    {"GET", "/v1/stats", Access::kRead, show_stats},
    {"GET", "/v1/counters", Access::kRead, show_counters},
    {"DELETE", "/v1/stats", Access::kWrite, reset_stats, {}, "stats reset"},
    {"GET", "/v1/global", Access::kRead, show_globals},
    {"PATCH", "/v1/global", Access::kWrite, set_globals, {}, "set"},
    {"GET", "/v1/udsp", Access::kRead, show_udsps},
    {"POST", "/v1/udsp", Access::kWrite, add_udsp, {}, "udsp add"},
    {"DELETE", "/v1/udsp", Access::kWrite, delete_udsp, {}, "udsp del"},
    {"GET", "/v1/selection", Access::kRead, show_selections},
    {"POST", "/v1/selection", Access::kWrite, add_selection, {}, "selection add"},
    {"DELETE", "/v1/selection", Access::kWrite, delete_selection, {}, "selection del"},
    {"GET", "/v1/param", Access::kRead, show_params},
    {"PATCH", "/v1/param", Access::kWrite, set_params, {}, "param set"},
    {"GET", "/v1/nids", Access::kRead, show_nids},
    {"GET", "/v1/cpt", Access::kRead, show_cpt, "nid"},
    {"GET", "/v1/path", Access::kRead, show_path, "to from cpt"},
    {"POST", "/v1/ping", Access::kWrite, ping_nids, {}, {}, kAlone},
    {"POST", "/v1/discover", Access::kWrite, discover_nids, {}, {}, kAlone},
    {"GET", "/v1/discovery", Access::kRead, show_discovery_steps, "after"},
    {"GET", kEventsPath, Access::kRead, show_events, "after level types wait"},
    {"GET", "/v1/route", Access::kRead, show_routes},
    {"POST", "/v1/route", Access::kWrite, add_route, {}, "route add"},
    {"DELETE", "/v1/route", Access::kWrite, delete_route, {}, "route del"},
    {"GET", "/v1/routing", Access::kRead, show_routing},
    {"PATCH", "/v1/routing", Access::kWrite, set_routing, {}, "set routing"},
    {"PATCH", "/v1/buffers", Access::kWrite, set_routing, {}, "set buffers"},
    {"GET", "/v1/fault", Access::kRead, show_faults},
    {"POST", "/v1/fault", Access::kWrite, add_fault, {}, "fault add"},
    {"DELETE", "/v1/fault", Access::kWrite, delete_fault, {}, "fault del"},
    {"PATCH", "/v1/fault", Access::kWrite, reset_faults, {}, "fault reset"},
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
  for (const Endpoint& endpoint : kEndpoints)
    if (matches(endpoint, request.path) && allow.find(endpoint.method) == std::string::npos)
      allow += (allow.empty() ? "" : ", ") + std::string(endpoint.method);
  if (allow.empty()) return reply_error(404, -ENOENT, "no such path: " + request.path);
  Reply reply =
      reply_error(405, -EOPNOTSUPP, request.path + " has no " + request.method + ", but " + allow);
  reply.allow = allow;
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
  return endpoint.handler(context, request);
}

}  // namespace

bool may_be_in_batch(const Request& request) {
  const Endpoint* const endpoint = find_endpoint(request);
  return request.method != "GET" && (endpoint == nullptr || !endpoint->alone);
}

Reply reply_no_memory(Context& context, std::string_view what) {
  ++context.counters.no_memory;
  log_no_memory(context.log, what);
  Reply reply = reply_error(503, -ENOMEM, "there is no memory for the request: ask again");
  reply.retry_after_s = 1;
  return reply;
}

Reply answer(Context& context, const Request& request) try {
  if (request.caller.access == Access::kNone) {
    log_refusal(context.log, request, "a request");
    return reply_error(403, -EACCES, request.caller.refusal);
  }
  const Endpoint* const endpoint = find_endpoint(request);
  if (endpoint != nullptr && request.caller.access < endpoint->needs) {
    log_refusal(context.log, request, endpoint->change.empty() ? endpoint->path : endpoint->change);
    return reply_error(403, -EPERM, request.caller.refusal);
  }
  Reply reply = endpoint != nullptr ? answer_on(*endpoint, context, request) : no_route(request);
  const std::string change = endpoint != nullptr && !endpoint->change.empty()
                                 ? change_line(request, reply, endpoint->change)
                                 : std::string();
  log_request(context.log, request, reply, change);
  // A requested change is an event, too.
  if (const auto node = change.empty() ? nullptr : context.slot.node())
    node->events()->add({.type = NodeEvent::Type::kConfig, .text = change});
  return reply;
} catch (const std::bad_alloc&) {
  return reply_no_memory(context, "a request");
}

}  // namespace ulnet::node::control

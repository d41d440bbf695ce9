// Requests to the control API, after HTTP. The first line of the input is METHOD, path and query,
// the rest is the body. Every answer has the shape that docs/CONTROL-API.md promises, a caller with
// read access changes nothing, and a real node survives all requests that need no network.
#include <nlohmann/json.hpp>

#include "admin/conf/yaml_in.h"
#include "admin/server/counters.h"
#include "admin/server/endpoints.h"
#include "admin/server/fake_node_fixture.h"
#include "admin/server/pieces_fixture.h"
#include "admin/server/reply.h"
#include "input.h"
#include "lnet/base/text.h"
#include "selftest/api/lst_service.h"

using namespace ulnet;
using namespace ulnet::node::control;

namespace {

/// Parses "METHOD path?key=value&key=value\nbody".
Request request_of(std::string_view text) {
  Request request;
  std::string_view line = text.substr(0, text.find('\n'));
  request.body = text.substr(std::min(text.size(), line.size() + 1));
  request.method = line.substr(0, line.find(' '));
  line.remove_prefix(std::min(line.size(), request.method.size() + 1));
  request.path = line.substr(0, line.find('?'));
  line.remove_prefix(std::min(line.size(), request.path.size() + 1));
  while (!line.empty()) {
    const std::string_view pair = line.substr(0, line.find('&'));
    const std::string_view key = pair.substr(0, pair.find('='));
    request.query.emplace_back(key, pair.substr(std::min(pair.size(), key.size() + 1)));
    line.remove_prefix(std::min(line.size(), pair.size() + 1));
  }
  return request;
}

void check_shape(const Reply& reply) {
  ULNET_ASSERT(reply.status >= 200 && reply.status < 600);
  if (std::string_view(reply.content_type) != "application/json") return;
  const Json tree = Json::parse(reply.make ? whole(reply.make) : reply.body);
  if (reply.status < 400) return;
  ULNET_ASSERT(tree.is_object());
  if (!tree.contains("errno")) return;  // a list of results
  ULNET_ASSERT(tree["errno"].get<int>() < 0 && !tree["descr"].get<std::string>().empty());
  ULNET_ASSERT((reply.status == 405) == !reply.allow.empty());
}

/// A control API with a node behind it.
struct Behind {
  explicit Behind(NodeSlot& slot)
      : context{.slot = slot, .counters = counters, .name = "fuzz", .version = "0"} {}
  Reply ask(Request request, Access access) {
    request.caller = {.access = access, .refusal = "not you"};
    const Reply reply = answer(context, request);
    check_shape(reply);
    return reply;
  }
  ControlCounters counters;
  Context context;
};

void ask_fake(const Request& request) {
  FakeSlot slot(start_lst);
  Behind behind(slot.slot);
  for (const Access access : {Access::kNone, Access::kRead}) {
    const Reply reply = behind.ask(request, access);
    ULNET_ASSERT(slot.fake->recorded().empty() && slot.fake->stops == 0);
    ULNET_ASSERT(access == Access::kRead || reply.status == 403);
  }
  behind.ask(request, Access::kWrite);
  // The node still answers, also after requests that replaced it.
  ULNET_ASSERT(behind.ask({.method = "GET", .path = "/v1/version"}, Access::kRead).status == 200);
}

/// The fuzzer does not make requests that would open sockets, wait for others, or stop the node.
bool needs_network(const Request& request) {
  return request.method == "POST" && request.path != "/v1/peer";
}

void ask_real(const Request& request) {
  static NodeSlot slot(
      [](const ConfigureOptions&) -> Result<std::unique_ptr<node::Node>> {
        node::NodeOptions options;
        options.mode = node::Mode::kInline;
        return node::Node::start(options);
      },
      start_lst);
  static const bool there = slot.configure({}).has_value();
  ULNET_ASSERT(there);
  if (needs_network(request)) return;
  Behind behind(slot);
  behind.ask(request, Access::kWrite);
  if (request.method == "GET") return;
  for (const char* path :
       {"/v1/net", "/v1/peer", "/v1/stats", "/v1/counters", "/v1/global", "/v1/param", "/v1/nids",
        "/v1/file/stats", "/v1/file/portal_rotor", "/metrics", "/healthz"})
    ULNET_ASSERT(behind.ask({.method = "GET", .path = path}, Access::kRead).status == 200);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Request request = request_of(fuzz::text_of(data, size));
  // The HTTP layer refuses such texts (admin/server/http_session.cc).
  if (!text::is_utf8(request.path)) return 0;
  for (const auto& [key, value] : request.query)
    if (!text::is_utf8(key) || !text::is_utf8(value)) return 0;
  ask_fake(request);
  ask_real(request);
  return 0;
}

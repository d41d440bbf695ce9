// /v1/ping and /v1/discover: ask nodes for their NIDs. Source: spec/cli-lnetctl.md 3.10, 3.11, 4.7.
#include <nlohmann/json.hpp>

#include "admin/api/fields.h"
#include "admin/server/handlers.h"
#include "admin/server/limits.h"
#include "admin/server/targets.h"

namespace ulnet::node::control {

namespace {

constexpr std::int64_t kLongestPingMs = 180'000;
constexpr std::int64_t kDefaultPingMs = 1000;

}  // namespace

Reply ping_nids(Context&, const NodePtr& node, const Request& request) {
  const auto body = parse_body(request.body);
  if (!body) return reply_error(body.error());
  Fields fields(*body);
  const auto nids = fields.texts("nids", limits::kPingNids);
  const auto source = fields.nid("source");
  const bool with_times = fields.boolean("rtt").value_or(false);
  // ulnetctl translates the unusual times of a command line (spec/cli-lnetctl.md 3.10).
  const std::chrono::milliseconds timeout(
      fields.integer("timeout_ms", 1, kLongestPingMs).value_or(kDefaultPingMs));
  if (!nids) fields.refuse(-EINVAL, "'nids' is missing");
  if (const auto finished = fields.finish(); !finished) return reply_error(finished.error());
  auto targets = parse_targets(*nids, true);
  if (!targets) return reply_error(targets.error());
  ask_all(*targets, [&](const ProcessId& id) {
    return node->ping({.target = id, .source = source.value_or(Nid::any()), .timeout = timeout});
  });
  return reply_tree(answers_tree("ping", *targets, with_times));
}

Reply discover_nids(Context&, const NodePtr& node, const Request& request) {
  const auto body = parse_body(request.body);
  if (!body) return reply_error(body.error());
  Fields fields(*body);
  const auto nids = fields.texts("nids", limits::kPingNids);
  const bool force = fields.boolean("force").value_or(false);
  if (!nids) fields.refuse(-EINVAL, "'nids' is missing");
  if (const auto finished = fields.finish(); !finished) return reply_error(finished.error());
  auto targets = parse_targets(*nids, false);
  if (!targets) return reply_error(targets.error());
  ask_all(*targets, [&](const ProcessId& id) { return node->discover(id.nid, force); });
  return reply_tree(answers_tree("discover", *targets));
}

}  // namespace ulnet::node::control

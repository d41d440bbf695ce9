// /v1/ping: asks nodes for their NIDs. Several targets are asked at the same time, so that dead
// ones do not cost a time-out each. Source: spec/cli-lnetctl.md 3.10, 4.7.
#include <atomic>
#include <charconv>
#include <nlohmann/json.hpp>
#include <system_error>
#include <thread>

#include "control/fields.h"
#include "control/handlers.h"
#include "control/limits.h"

namespace ulnet::node::control {

namespace {

constexpr std::int64_t kLongestPingMs = 180'000;
constexpr std::int64_t kDefaultPingMs = 1000;

struct Target {
  std::string text;  ///< as the request has it, for the error
  ProcessId id;
  Result<PingReply> answer = fail(-EINTR);
};

/// "NID" or "PID-NID".
Result<ProcessId> parse_target(const std::string& text) {
  ProcessId id;
  std::string_view nid = text;
  std::uint32_t pid = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), pid);
  if (error == std::errc() && end != text.data() + text.size() && *end == '-') {
    id.pid = Pid{pid};
    nid.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
  }
  const auto parsed = Nid::parse(nid);
  if (!parsed) return fail(-EINVAL, "invalid NID '" + text + "'");
  id.nid = *parsed;
  return id;
}

Result<std::vector<Target>> parse_targets(const std::vector<std::string>& texts) {
  std::vector<Target> targets;
  targets.reserve(texts.size());
  for (const std::string& text : texts) {
    const auto id = parse_target(text);
    if (!id) return tl::unexpected(id.error());
    targets.push_back({.text = text, .id = *id});
  }
  return targets;
}

/// Each thread pings the next target until none is left. The calling thread is one of them, so
/// this works even if the system gives us no further thread.
void ping_all(Node& node, std::vector<Target>& targets, const Nid& source,
              std::chrono::milliseconds timeout) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < targets.size(); i = next++)
      targets[i].answer =
          node.ping({.target = targets[i].id, .source = source, .timeout = timeout});
  };
  std::vector<std::thread> helpers;
  const std::size_t wanted = std::min(targets.size(), limits::kPingsAtOnce);
  for (std::size_t i = 1; i < wanted; ++i) {
    try {
      helpers.emplace_back(work);
    } catch (const std::system_error&) {
      break;
    }
  }
  work();
  for (std::thread& helper : helpers) helper.join();
}

/// A NID as ping shows it: with the PID in front when that is not Lustre's.
std::string shown(const Nid& nid, Pid pid) {
  if (pid == Pid::lustre() || pid.is_any()) return nid.to_string();
  return std::to_string(pid.value) + "-" + nid.to_string();
}

Json success(const PingReply& reply) {
  Json nids = Json::array();
  for (const Nid& nid : reply.nids) {
    if (nid.is_loopback()) continue;
    nids.push_back(Json{{"nid", shown(nid, reply.pid)}});
  }
  return {{"primary nid", shown(reply.primary, reply.pid)},
          {"Multi-Rail", reply.multi_rail},
          {"peer_ni", std::move(nids)}};
}

Json failure(const Target& target) {
  const Error& error = target.answer.error();
  Json item = {{"nid", target.text}, {"errno", error.code}};
  if (!error.reason.empty() && error.reason != system_text(error.code)) item["hint"] = error.reason;
  return item;
}

}  // namespace

Reply ping_nids(Context& context, const Request& request) {
  const auto node = context.slot.node();
  if (node == nullptr) return reply_not_configured();
  const auto body = parse_body(request.body);
  if (!body) return reply_error(body.error());
  Fields fields(*body);
  const auto nids = fields.texts("nids", limits::kPingNids);
  const auto source = fields.nid("source");
  // ulnetctl translates the unusual times of a command line (spec/cli-lnetctl.md 3.10).
  const std::int64_t timeout_ms =
      fields.integer("timeout_ms", 1, kLongestPingMs).value_or(kDefaultPingMs);
  if (!nids) fields.refuse(-EINVAL, "'nids' is missing");
  if (const auto finished = fields.finish(); !finished) return reply_error(finished.error());
  auto targets = parse_targets(*nids);
  if (!targets) return reply_error(targets.error());
  ping_all(*node, *targets, source.value_or(Nid::any()), std::chrono::milliseconds(timeout_ms));
  Json good = Json::array();
  Json bad = Json::array();
  for (const Target& target : *targets) {
    if (target.answer)
      good.push_back(success(*target.answer));
    else
      bad.push_back(failure(target));
  }
  return reply_tree(Json{{"ping", std::move(good)}, {"failed", std::move(bad)}});
}

}  // namespace ulnet::node::control

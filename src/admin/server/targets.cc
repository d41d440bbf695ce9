#include "admin/server/targets.h"

#include <atomic>
#include <charconv>
#include <exception>
#include <new>
#include <nlohmann/json.hpp>
#include <thread>

#include "admin/server/limits.h"

namespace ulnet::node::control {

namespace {

Result<ProcessId> parse_target(const std::string& text, bool pids) {
  ProcessId id;
  std::string_view nid = text;
  std::uint32_t pid = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), pid);
  if (pids && error == std::errc() && end != text.data() + text.size() && *end == '-') {
    id.pid = Pid{pid};
    nid.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
  }
  const auto parsed = Nid::parse(nid);
  if (!parsed) return fail(-EINVAL, "invalid NID '" + text + "'");
  id.nid = *parsed;
  return id;
}

/// Returns a NID as lnetctl shows it, with the PID in front when it is not Lustre's PID.
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

Result<std::vector<Target>> parse_targets(const std::vector<std::string>& texts, bool pids) {
  std::vector<Target> targets;
  targets.reserve(texts.size());
  for (const std::string& text : texts) {
    const auto id = parse_target(text, pids);
    if (!id) return tl::unexpected(id.error());
    targets.push_back({.text = text, .id = *id});
  }
  return targets;
}

/// Asks all targets. Each thread asks the next target until none is left. The calling thread is one
/// of these threads, so this works even if the system gives no other thread.
void ask_all(std::vector<Target>& targets,
             const std::function<Result<PingReply>(const ProcessId&)>& ask) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < targets.size(); i = next++) {
      const auto begun = std::chrono::steady_clock::now();
      try {
        targets[i].answer = ask(targets[i].id);
      } catch (const std::bad_alloc&) {  // the other threads may have memory
        targets[i].answer = fail(-ENOMEM, "");
      }
      targets[i].took = std::chrono::duration_cast<std::chrono::microseconds>(
          std::chrono::steady_clock::now() - begun);
    }
  };
  std::vector<std::thread> helpers;
  const std::size_t wanted = std::min(targets.size(), limits::kPingsAtOnce);
  try {
    while (helpers.size() + 1 < wanted) helpers.emplace_back(work);
  } catch (const std::exception&) {  // the system has no thread or no memory for more
  }
  work();
  for (std::thread& helper : helpers) helper.join();
}

Json answers_tree(const char* section, const std::vector<Target>& targets, bool with_times) {
  Json good = Json::array();
  Json bad = Json::array();
  for (const Target& target : targets) {
    if (!target.answer) {
      bad.push_back(failure(target));
      continue;
    }
    good.push_back(success(*target.answer));
    if (with_times) good.back()["rtt_us"] = target.took.count();
  }
  return Json{{section, std::move(good)}, {"failed", std::move(bad)}};
}

}  // namespace ulnet::node::control

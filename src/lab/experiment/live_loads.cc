#include "lab/experiment/live_loads.h"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>

#include "admin/client/tree_fields.h"

namespace ulnet::tools::lab {
namespace {

using ctl::Tree;

/// The session time-out of the nodes is the time of the experiment plus this margin, which covers
/// the time before and after it. A node ends a session that gets no command for that long.
constexpr std::chrono::seconds kAround{120};
/// The longest time that a node without an answer delays the others.
constexpr int kWaitMs = 500;
constexpr int kAnswerSeconds = 1;
constexpr int kEndSeconds = 5;
constexpr std::chrono::seconds kConsoleTimeout{60};

std::string batch_of(LoadNumber load) { return "load" + std::to_string(load); }
std::string group_of(const char* role, LoadNumber load) { return role + std::to_string(load); }

}  // namespace

Result<Tree> LiveLoads::ask(const std::string& command, Tree body) {
  body["key"] = static_cast<std::uint32_t>(::getpid());
  auto answer = console_.post("/v1/lst/" + command, body, kConsoleTimeout);
  if (answer) return answer;
  return fail(answer.error().code, "selftest, " + command + ": " + answer.error().reason);
}

Result<Tree> LiveLoads::ask_nodes(const std::string& command, Tree body) {
  auto answer = ask(command, std::move(body));
  if (!answer) return answer;
  std::optional<Error> silent;
  for (const Tree& node : ctl::list_in(*answer, "nodes")) {
    const int error = ctl::number_in(node, "errno", 0), status = ctl::number_in(node, "status", 0);
    const std::string who = ctl::text_in(node, "id");
    if (status != 0)
      return fail(-status,
                  "selftest, " + command + ": " + who + " refused (" + std::strerror(status) + ")");
    if (error != 0)
      silent = {kSilent, "selftest, " + command + ": no answer from " + who + " (" +
                             std::strerror(-error) + ")"};
  }
  if (silent) return tl::unexpected(*silent);
  return answer;
}

std::string LiveLoads::id_of(NodeNumber node) const {
  const Topology& topology = lab_.topology;
  const Rail* rail = &topology.nodes[node].rails.front();
  bool shared = false;
  for (const Rail& own : topology.nodes[experiment_.console].rails)
    for (const Rail& each : topology.nodes[node].rails)
      if (own.net == each.net && !std::exchange(shared, true)) rail = &each;
  return "12345-" + topology.nid_of(*rail).to_string();
}

Result<void> LiveLoads::add_group(const std::string& name, const std::vector<NodeNumber>& nodes) {
  std::vector<std::string> ids;
  for (const NodeNumber node : nodes) ids.push_back(id_of(node));
  const auto added = ask_nodes("add_group", {{"name", name}, {"nodes", ids}});
  if (!added) return tl::unexpected(added.error());
  return {};
}

Result<void> LiveLoads::begin() {
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(experiment_.lasts) + kAround;
  const auto session = ask(
      "new_session",
      {{"name", experiment_.topology.name}, {"session_timeout", seconds.count()}, {"force", true}});
  if (!session) return tl::unexpected(session.error());
  begun_ = true;
  for (LoadNumber load = 0; load < experiment_.loads.size(); ++load)
    if (const auto added = add_load(load); !added) return added;
  return {};
}

Result<void> LiveLoads::add_load(LoadNumber number) {
  const ExperimentLoad& load = experiment_.loads[number];
  if (const auto added = add_group(group_of("clients", number), load.from); !added) return added;
  if (const auto added = add_group(group_of("servers", number), load.to); !added) return added;
  if (const auto added = ask("add_batch", {{"name", batch_of(number)}}); !added)
    return tl::unexpected(added.error());
  const bool pings = load.what == ExperimentLoad::What::kPing;
  Tree test = {{"batch", batch_of(number)},
               {"from", group_of("clients", number)},
               {"to", group_of("servers", number)},
               {"loop", -1},
               {"concurrency", load.concurrency},
               {"distribute", {1, load.to.size()}},
               {"keep_going", true},
               {"type", pings ? "ping" : "brw"}};
  if (!pings)
    test["brw"] = {{"write", load.what == ExperimentLoad::What::kWrite}, {"size", load.size}};
  const auto added = ask_nodes("add_test", std::move(test));
  if (!added) return tl::unexpected(added.error());
  return {};
}

Result<void> LiveLoads::command_all(const std::string& command, LoadNumber load, const Tree& more) {
  Tree body = {{"name", batch_of(load)}, {"wait_ms", kWaitMs}};
  if (more.is_object()) body.update(more);
  const auto done = ask_nodes(command, std::move(body));
  if (!done) return tl::unexpected(done.error());
  const std::size_t reached = ctl::list_in(*done, "nodes").size();
  if (const std::size_t all = experiment_.loads[load].from.size(); reached < all)
    return fail(-ENOTCONN, "selftest, " + command + ": " + std::to_string(all - reached) +
                               " of the clients of " + experiment_.loads[load].name +
                               " have left, since they could not be reached for too long");
  return {};
}

Result<void> LiveLoads::stop(LoadNumber load, bool force) {
  return command_all("stop", load, {{"force", force}});
}

Result<std::uint64_t> LiveLoads::running(LoadNumber load) {
  const auto answer =
      ask_nodes("query", {{"name", batch_of(load)}, {"test", 1}, {"timeout", kAnswerSeconds}});
  if (!answer) return tl::unexpected(answer.error());
  std::uint64_t units = 0;
  for (const Tree& node : ctl::list_in(*answer, "nodes"))
    units += static_cast<std::uint64_t>(std::max(ctl::number_in(node, "active", 0), 0));
  return units;
}

Result<LiveLoads::Ended> LiveLoads::ended(LoadNumber load) {
  const auto answer = ask_nodes("latency", {{"name", batch_of(load)}, {"timeout", kAnswerSeconds}});
  if (!answer) return tl::unexpected(answer.error());
  Ended ended;
  for (const Tree& node : ctl::list_in(*answer, "nodes")) {
    const Tree& latency = ctl::field_in(node, "latency");
    if (!latency.is_object()) continue;
    ended.well += latency.value("rpcs", std::uint64_t{0});
    ended.failed += latency.value("failed", std::uint64_t{0});
  }
  return ended;
}

void LiveLoads::end() {
  if (!std::exchange(begun_, false)) return;
  // Dead nodes do not answer. The other nodes have ended their session by then.
  static_cast<void>(ask("end_session", {{"timeout", kEndSeconds}}));
}

}  // namespace ulnet::tools::lab

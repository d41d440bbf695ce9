#include "selftest/ulst/run/session_driver.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "admin/client/tree_fields.h"

namespace ulnet::tools::lst::run {

namespace {

/// A node ends its session when it gets no command for this long. Commands come every --interval or
/// every burst.
constexpr int kSessionSeconds = 120;
/// The longest time that the other nodes wait for a node that does not answer.
constexpr int kWaitMs = 500;
/// The same time for requests for latencies, whose answers are larger.
constexpr int kLatencyMs = 1000;
/// The console gives up a request after this time, which is the least that it may use
/// (spec/wire-selftest.md 1.3). It then repeats the request: perhaps the network lost it and has
/// recovered since.
constexpr int kAnswerSeconds = 3;
/// A node without selftest silently drops requests.
constexpr const char* kServes =
    "; does it serve selftest? ('ulnetd --selftest' there, or 'modprobe lnet_selftest')";
/// How long nodes have to end their session, and to report their latencies.
constexpr int kEndSeconds = 30;
/// How long nodes have to report whose session they are in.
constexpr int kHolderSeconds = 5;

}  // namespace

std::optional<Tree> SessionDriver::ask(const std::string& command, Tree arguments) {
  auto answer = tool_.call(command, std::move(arguments));
  if (answer) return std::move(*answer);
  give_up(answer.error().reason);
  return std::nullopt;
}

std::string SessionDriver::trouble_of(const Tree& node) {
  const int error = ctl::number_in(node, "errno", 0), status = ctl::number_in(node, "status", 0);
  if (error != 0) return std::string("no answer (") + std::strerror(-error) + ")";
  return status == 0 ? "" : std::string("refused (") + std::strerror(status) + ")";
}

std::string SessionDriver::trouble_of(const Tree& node, const std::string& what) {
  const std::string why = trouble_of(node);
  return why.empty() ? "" : what + ": " + why;
}

void SessionDriver::lose(Node& node, const std::string& why) {
  node.lost = why;
  outcome_.problems.push_back({node.id, why});
}

int SessionDriver::wait_for_silent() const {
  const bool all_answer = !node_list_.any_silent() && !node_list_.any_lost();
  return all_answer && !outcome_.interrupted ? 0 : kWaitMs;
}

void SessionDriver::give_up(const std::string& why) {
  outcome_.problems.push_back({"", why});
  outcome_.broken = true;
}

/// Describes who holds the session of this console, and how to end it.
std::string SessionDriver::holder_of_console() {
  const auto session = tool_.call("show_session", Tree::object());
  if (!session) return "another session of this console has just ended: try again";
  const auto key = ctl::field_in(*session, "key").dump();
  return "the console of " + shown(plan_, ctl::text_in(*session, "nid")) + " has the session '" +
         ctl::text_in(*session, "name") + "' (key " + key +
         ") already: wait until it ends; 'LST_SESSION=" + key +
         " ulst end_session' there ends it, and so does --force here";
}

/// Adds a problem for each of these nodes, which are in sessions of other consoles: who holds the
/// session, and how to end it.
void SessionDriver::report_holders_of(const std::vector<std::string>& ids) {
  const auto answer =
      tool_.call("ping", {{"nodes", ids}, {"target", "nodes"}, {"timeout", kHolderSeconds}});
  for (const std::string& id : ids) {
    std::string name, console;
    for (const Tree& node : answer ? ctl::list_in(*answer, "nodes") : Tree::array())
      if (ctl::text_in(node, "id") == id) {
        name = ctl::text_in(node, "session_name");
        console = ctl::text_in(node, "session_nid");
      }
    const std::string whose =
        console.empty() ? "another session"
                        : "the session '" + name + "' of the console " + shown(plan_, console) +
                              ": wait until it ends; there 'ulst show_session' prints its key, and "
                              "'LST_SESSION=KEY ulst end_session' ends it";
    outcome_.problems.push_back(
        {id, "is in " + whose + "; --force here takes the node away from there"});
  }
}

bool SessionDriver::begin() {
  const std::string name = "ulst run " + std::to_string(::getpid());
  const auto made =
      tool_.call("new_session",
                 {{"name", name}, {"session_timeout", kSessionSeconds}, {"force", plan_.force}});
  begun_ = made.has_value();
  if (!made) give_up(made.error().code == -EEXIST ? holder_of_console() : made.error().reason);
  return begun_ && add_group("clients", plan_.from) && add_group("servers", plan_.to);
}

bool SessionDriver::add_group(const std::string& name, const std::vector<std::string>& ids) {
  const auto answer = ask("add_group", {{"name", name}, {"nodes", ids}});
  if (!answer) return false;
  std::vector<std::string> taken;
  for (const Tree& node : ctl::list_in(*answer, "nodes")) {
    std::string why = trouble_of(node, "cannot be taken into the test");
    if (why.empty()) continue;
    outcome_.broken = true;
    if (ctl::number_in(node, "errno", 0) == -ETIMEDOUT) why += kServes;
    if (ctl::number_in(node, "status", 0) == EBUSY)
      taken.push_back(ctl::text_in(node, "id"));
    else
      outcome_.problems.push_back({ctl::text_in(node, "id"), why});
  }
  if (!taken.empty()) report_holders_of(taken);
  return !outcome_.broken;
}

void SessionDriver::end() {
  if (!begun_) return;
  begun_ = false;
  const auto answer =
      tool_.call("end_session", {{"timeout", kEndSeconds}, {"wait_ms", wait_for_silent()}});
  if (!answer) return outcome_.problems.push_back({"", answer.error().reason});
  for (const Tree& node : ctl::list_in(*answer, "nodes")) {
    const Node* known = node_list_.find(ctl::text_in(node, "id"));
    const std::string why = trouble_of(node, "did not end its session");
    if (known != nullptr && known->there() && !known->silent && !why.empty())
      outcome_.problems.push_back({known->id, why});
  }
}

bool SessionDriver::add_test(const std::string& batch, const Step& step, const Pace& pace) {
  if (!ask("add_batch", {{"name", batch}})) return false;
  Tree arguments = {{"batch", batch},
                    {"from", "clients"},
                    {"to", "servers"},
                    {"loop", pace.loop},
                    {"concurrency", pace.concurrency},
                    {"distribute", {plan_.spread.clients, plan_.spread.servers}},
                    {"keep_going", !plan_.stop_on_error},
                    {"timeout", plan_.timeout},
                    {"wait_ms", wait_for_silent()},
                    {"type", step.operation == Operation::kPing ? "ping" : "brw"}};
  if (step.operation != Operation::kPing)
    arguments["brw"] = {{"write", step.operation == Operation::kWrite},
                        {"size", step.size},
                        {"check", plan_.check},
                        {"nodes_are_safe", plan_.nodes_are_safe}};
  for (Node& node : node_list_.nodes()) {
    node.start_acknowledged = node.stop_acknowledged = false;
    node.silence = {};
  }
  const auto answer = ask("add_test", std::move(arguments));
  const Tree nodes = answer ? ctl::list_in(*answer, "nodes") : Tree::array();
  bool taken = answer.has_value();
  for (const Tree& node : nodes) {
    const std::string why = trouble_of(node, "does not take the test " + title_of(step));
    if (why.empty()) continue;
    outcome_.problems.push_back({ctl::text_in(node, "id"), why});
    taken = false;
  }
  // The results of earlier tests stay valid.
  outcome_.broken = !taken && outcome_.steps.empty();
  return taken;
}

bool SessionDriver::start(const std::string& batch) {
  const auto answer = ask("run", {{"name", batch}, {"wait_ms", kWaitMs}});
  if (!answer) return false;
  for (const Tree& said : ctl::list_in(*answer, "nodes")) {
    Node* node = node_list_.find(ctl::text_in(said, "id"));
    if (node == nullptr || !node->there()) continue;
    node->start_acknowledged = trouble_of(said).empty();
    if (ctl::number_in(said, "status", 0) != 0) lose(*node, trouble_of(said, "does not begin"));
  }
  return true;
}

bool SessionDriver::stop(const std::string& batch, bool force) {
  for (Node& node : node_list_.nodes()) node.stop_acknowledged = false;
  const auto answer = ask("stop", {{"name", batch}, {"force", force}, {"wait_ms", kWaitMs}});
  if (!answer) return false;
  for (const Tree& said : ctl::list_in(*answer, "nodes"))
    if (Node* node = node_list_.find(ctl::text_in(said, "id")))
      node->stop_acknowledged = trouble_of(said).empty();
  return true;
}

void SessionDriver::heard(Node& node) {
  ++node.answers;
  node.trouble.clear();
  if (!node.silent) return;
  node.silence = std::max(node.silence, watch().now() - *node.silent);
  node.silent.reset();
}

void SessionDriver::not_heard(Node& node, Instant asked) {
  if (!node.silent) node.silent = asked;
  if (watch().now() - *node.silent < std::chrono::seconds(plan_.timeout)) return;
  lose(node, "lost: no answer for " + std::to_string(plan_.timeout) + " s" +
                 (node.trouble.empty() ? "" : " (" + node.trouble + ")"));
}

bool SessionDriver::sample(const std::string& batch, std::vector<std::optional<Counts>>& counts) {
  counts.assign(node_list_.nodes().size(), std::nullopt);
  const auto ids = node_list_.there();
  if (ids.empty()) return true;
  const Instant asked = watch().now();
  const auto answer =
      ask("look",
          {{"nodes", ids}, {"batch", batch}, {"wait_ms", kWaitMs}, {"timeout", kAnswerSeconds}});
  if (!answer) return false;
  for (const Tree& said : ctl::list_in(*answer, "nodes")) {
    Node* node = node_list_.find(ctl::text_in(said, "id"));
    if (node == nullptr) continue;
    const int error = ctl::number_in(said, "errno", 0);
    if (ctl::field_in(said, "counters").is_object()) {
      heard(*node);
      counts[static_cast<std::size_t>(node - node_list_.nodes().data())] =
          counts_of(said, node->answers);
    } else if (error == 0) {
      lose(*node, "lost: the node is no longer in this session (did it restart?)");
    } else {
      if (error != -EINPROGRESS) node->trouble = std::strerror(-error);
      not_heard(*node, asked);
    }
  }
  return true;
}

bool SessionDriver::latencies(const std::string& batch, Latencies& latencies) {
  const int patience = std::min(plan_.timeout, kEndSeconds);
  const auto answer =
      ask("latency", {{"name", batch}, {"timeout", patience}, {"wait_ms", kLatencyMs}});
  if (!answer) return false;
  latencies.all = percentiles_of(ctl::field_in(*answer, "all"));
  for (const Tree& said : ctl::list_in(*answer, "nodes")) {
    const Tree& latency = ctl::field_in(said, "latency");
    Latencies::Client client{.percentiles = percentiles_of(latency), .why_none = trouble_of(said)};
    if (latency.is_object()) {
      client.rpcs = latency.value("rpcs", std::uint64_t{0});
      client.failed = latency.value("failed", std::uint64_t{0});
    }
    if (client.rpcs == 0U) client.why_none = "no RPC ended well";
    if (!ctl::bool_in(said, "ulnet")) client.why_none = "not ulnet";
    latencies.clients[ctl::text_in(said, "id")] = std::move(client);
  }
  return true;
}

}  // namespace ulnet::tools::lst::run

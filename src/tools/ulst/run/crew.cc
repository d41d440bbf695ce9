#include "tools/ulst/run/crew.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "ctl/tree_fields.h"

namespace ulnet::tools::lst::run {

namespace {

/// Commands come every --interval or every burst: a console that hears none for so long is alone.
constexpr int kSessionSeconds = 120;

}  // namespace

std::optional<Tree> Crew::ask(const std::string& command, Tree arguments) {
  auto answer = tool_.call(command, std::move(arguments));
  if (answer) return std::move(*answer);
  outcome_.problems.push_back({"", answer.error().reason});
  outcome_.broken = true;
  return std::nullopt;
}

std::string Crew::trouble_of(const Tree& node, const std::string& what) {
  const int error = ctl::number_in(node, "errno", 0), status = ctl::number_in(node, "status", 0);
  if (error != 0) return what + ": no answer (" + std::strerror(-error) + ")";
  return status == 0 ? "" : what + ": refused (" + std::strerror(status) + ")";
}

void Crew::lose(Node& node, const std::string& why) {
  node.lost = why;
  outcome_.problems.push_back({node.id, why});
}

bool Crew::begin() {
  const std::string name = "ulst run " + std::to_string(::getpid());
  begun_ = ask("new_session",
               {{"name", name}, {"session_timeout", kSessionSeconds}, {"force", plan_.force}})
               .has_value();
  return begun_ && add_group("clients", plan_.from) && add_group("servers", plan_.to);
}

bool Crew::add_group(const std::string& name, const std::vector<std::string>& ids) {
  const auto answer = ask("add_group", {{"name", name}, {"nodes", ids}});
  if (!answer) return false;
  for (const Tree& node : ctl::list_in(*answer, "nodes")) {
    std::string why = trouble_of(node, "cannot be had for the test");
    if (why.empty()) continue;
    if (ctl::number_in(node, "status", 0) == EBUSY)
      why = "is in another session; --force takes it away from there";
    outcome_.problems.push_back({ctl::text_in(node, "id"), why});
    outcome_.broken = true;
  }
  return !outcome_.broken;
}

void Crew::end() {
  if (!begun_) return;
  begun_ = false;
  const auto answer = tool_.call("end_session", Tree::object());
  if (!answer) return outcome_.problems.push_back({"", answer.error().reason});
  for (const Tree& node : ctl::list_in(*answer, "nodes")) {
    const Node* known = roster_.find(ctl::text_in(node, "id"));
    const std::string why = trouble_of(node, "did not end its session");
    if (known != nullptr && known->there() && !why.empty())
      outcome_.problems.push_back({known->id, why});
  }
}

bool Crew::add_test(const std::string& batch, const Step& step, const Pace& pace) {
  if (!ask("add_batch", {{"name", batch}})) return false;
  Tree arguments = {{"batch", batch},
                    {"from", "clients"},
                    {"to", "servers"},
                    {"loop", pace.loop},
                    {"concurrency", pace.concurrency},
                    {"distribute", {plan_.spread.clients, plan_.spread.servers}},
                    {"type", step.operation == Operation::kPing ? "ping" : "brw"}};
  if (step.operation != Operation::kPing)
    arguments["brw"] = {{"write", step.operation == Operation::kWrite},
                        {"size", step.size},
                        {"check", plan_.check}};
  const auto answer = ask("add_test", std::move(arguments));
  if (!answer) return false;
  for (const Tree& node : ctl::list_in(*answer, "nodes")) {
    const std::string why = trouble_of(node, "does not take the test " + title_of(step));
    if (why.empty()) continue;
    outcome_.problems.push_back({ctl::text_in(node, "id"), why});
    outcome_.broken = true;
  }
  return !outcome_.broken;
}

bool Crew::start(const std::string& batch) {
  const auto answer = ask("run", {{"name", batch}});
  if (!answer) return false;
  for (const Tree& node : ctl::list_in(*answer, "nodes")) {
    Node* known = roster_.find(ctl::text_in(node, "id"));
    const std::string why = trouble_of(node, "does not begin");
    if (known != nullptr && known->there() && !why.empty()) lose(*known, why);
  }
  return true;
}

bool Crew::stop(const std::string& batch, bool force) {
  // Who did not hear it is found when it is asked what it does.
  return ask("stop", {{"name", batch}, {"force", force}}).has_value();
}

bool Crew::sample(const std::string& batch, std::vector<std::optional<Counts>>& counts) {
  counts.assign(roster_.nodes().size(), std::nullopt);
  const auto ids = roster_.there();
  if (ids.empty()) return true;
  const auto answer = ask("stat", {{"nodes", ids}, {"batch", batch}, {"timeout", plan_.timeout}});
  if (!answer) return false;
  ++asked_;
  for (const Tree& said : ctl::list_in(*answer, "nodes")) {
    Node* node = roster_.find(ctl::text_in(said, "id"));
    if (node == nullptr) continue;
    const auto place = static_cast<std::size_t>(node - roster_.nodes().data());
    if (ctl::field_in(said, "counters").is_object())
      counts[place] = counts_of(said, asked_);
    else if (ctl::number_in(said, "errno", 0) != 0)
      lose(*node, trouble_of(said, "lost"));
    else
      lose(*node, "lost: it is in this session no more (was it started anew?)");
  }
  return true;
}

}  // namespace ulnet::tools::lst::run

#include "selftest/ulst/run/benchmark.h"

#include <utility>

#include "selftest/ulst/run/drive.h"

namespace ulnet::tools::lst::run {

namespace {

/// How long RPCs that are under way at the end of a test may take. A run ends within 3 s after its
/// last test's time: these 1.5 s, and the console's last requests to nodes that may be silent.
constexpr Duration kGrace = std::chrono::milliseconds(1500);

Outcome run_plan_with(const Tool& tool, const Plan& plan, Progress& progress, Duration& grace) {
  Outcome outcome;
  SessionDriver session(tool, plan, outcome, grace);
  progress.begin(session.node_list().nodes().size());
  bool goes_on = session.begin();
  for (std::size_t i = 0; i < plan.steps.size() && goes_on; ++i) {
    if (tool.watch().interrupted()) break;
    goes_on = session.node_list().any_there(&Node::client) &&
              session.node_list().any_there(&Node::server) &&
              Drive(session, plan, i, progress).run();
  }
  outcome.interrupted = tool.watch().interrupted();
  progress.close();
  session.end();
  return outcome;
}

using Pair = std::pair<std::string, std::string>;

std::vector<Pair> pairs_of(const Plan& plan) {
  std::vector<Pair> pairs;
  for (const std::string& from : plan.from)
    for (const std::string& to : plan.to)
      if (from != to) pairs.emplace_back(from, to);
  return pairs;
}

}  // namespace

Outcome run_plan(const Tool& tool, const Plan& plan, Progress& progress) {
  Duration grace = kGrace;
  return run_plan_with(tool, plan, progress, grace);
}

Outcome run_pairs(const Tool& tool, const Plan& plan, Progress& progress) {
  Outcome all;
  Duration grace = kGrace;
  const std::vector<Pair> pairs = pairs_of(plan);
  for (std::size_t i = 0; i < pairs.size() && !all.interrupted && !all.broken; ++i) {
    Plan one = plan;
    one.from = {pairs[i].first};
    one.to = {pairs[i].second};
    one.place = "pair " + std::to_string(i + 1) + " of " + std::to_string(pairs.size()) + ": ";
    Outcome outcome = run_plan_with(tool, one, progress, grace);
    for (StepResult& step : outcome.steps) all.steps.push_back(std::move(step));
    for (Problem& problem : outcome.problems) {
      // A problem without a node is a problem of the console, and concerns every pair.
      all.broken = all.broken || (outcome.broken && problem.node.empty());
      if (!problem.node.empty())
        problem.why +=
            " (" + shown(plan, pairs[i].first) + " to " + shown(plan, pairs[i].second) + ")";
      all.problems.push_back(std::move(problem));
    }
    for (Problem& remark : outcome.remarks) all.remarks.push_back(std::move(remark));
    all.interrupted = outcome.interrupted;
  }
  return all;
}

}  // namespace ulnet::tools::lst::run

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "selftest/ulst/run/summary.h"

namespace ulnet::tools::lst::run {

namespace {

/// increase it when readers of the previous version would not understand the output
constexpr int kShape = 1;

const char* type_of(const Step& step) {
  if (step.operation == Operation::kPing) return "ping";
  return step.operation == Operation::kWrite ? "write" : "read";
}

/// Rounds to three decimals. They suffice, and give the same text on every machine.
double rounded(double value) { return std::round(value * 1e3) / 1e3; }
Tree number_or_null(const std::optional<double>& value) {
  return value ? Tree(rounded(*value)) : Tree();
}

Tree tree_of(const Flow& flow) {
  const auto percentile = [&](double Percentiles::*which) {
    return flow.percentiles ? number_or_null((*flow.percentiles).*which) : Tree();
  };
  Tree tree = {{"rpcs", flow.rpcs},
               {"errors", flow.errors},
               {"wrong_data", flow.wrong},
               {"seconds_without_data", rounded(flow.no_data)},
               {"rpcs_per_s", flow.rated ? Tree(rounded(flow.rpcs_per_s)) : Tree()},
               {"bytes_per_s", flow.rated ? Tree(rounded(flow.bytes_per_s)) : Tree()}};
  if (flow.role == Role::kClient)
    tree["latency_us"] = {{"mean", number_or_null(flow.mean_us)},
                          {"p50", percentile(&Percentiles::p50)},
                          {"p99", percentile(&Percentiles::p99)},
                          {"p99.9", percentile(&Percentiles::p999)}};
  return tree;
}

Tree text_or_null(const std::string& text) { return text.empty() ? Tree() : Tree(text); }

/// Returns the node, with its name if the plan has one.
Tree node_tree(const Plan& plan, const std::string& node) {
  Tree tree = {{"node", text_or_null(short_id(node))}};
  if (const std::string name = name_of(plan, node); !name.empty()) tree["name"] = name;
  return tree;
}

Tree trees_of(const Plan& plan, const std::vector<Flow>& flows) {
  Tree list = Tree::array();
  for (const Flow& flow : flows) {
    Tree tree = node_tree(plan, flow.node);
    tree["lost"] = text_or_null(flow.lost);
    tree.update(tree_of(flow));
    if (flow.role == Role::kClient)
      tree["latency_us"]["no_percentiles"] = text_or_null(flow.no_percentiles);
    list.push_back(std::move(tree));
  }
  return list;
}

Tree tree_of(const Plan& plan, const StepResult& step) {
  Tree tree = {{"test", type_of(step.step)},
               {"size", step.step.size},
               {"check", step.step.size == 0 ? "none" : plan.check},
               {"seconds", rounded(step.seconds)},
               {"concurrency", step.pace.concurrency},
               {"limited", step.pace.limited()}};
  tree.update(tree_of(step.total));
  tree["clients"] = trees_of(plan, step.clients);
  tree["servers"] = trees_of(plan, step.servers);
  return tree;
}

Tree tree_of(const Plan& plan, const std::vector<Problem>& problems) {
  Tree list = Tree::array();
  for (const Problem& problem : problems) {
    Tree& tree = list.emplace_back(node_tree(plan, problem.node));
    tree["why"] = problem.why;
  }
  return list;
}

std::string csv_row(const Plan& plan, const StepResult& step, const Flow& flow,
                    std::string_view role) {
  const auto text = [](const std::optional<double>& us) {
    return us ? fmt::format("{:.3f}", *us) : "";
  };
  const auto percentile = [&](double Percentiles::*which) {
    return flow.percentiles ? text((*flow.percentiles).*which) : "";
  };
  // Only the last field, a reason, may contain a comma.
  return fmt::format("{},{},{},{},{},{:.3f},{},{},{},{},{:.3f},{},{},{},{},{},{},{},{},{}\n",
                     type_of(step.step), step.step.size, step.step.size == 0 ? "none" : plan.check,
                     role, flow.node, step.seconds, step.pace.concurrency, flow.rpcs, flow.errors,
                     flow.wrong, flow.no_data, flow.rated ? text(flow.rpcs_per_s) : "",
                     flow.rated ? text(flow.bytes_per_s) : "", text(flow.mean_us),
                     percentile(&Percentiles::p50), percentile(&Percentiles::p99),
                     percentile(&Percentiles::p999), flow.lost.empty() ? 0 : 1,
                     name_of(plan, flow.node), flow.no_percentiles);
}

}  // namespace

std::string json_of(const Plan& plan, const Outcome& outcome) {
  Tree tests = Tree::array();
  for (const StepResult& step : outcome.steps) tests.push_back(tree_of(plan, step));
  const Tree tree = {{"version", kShape},
                     {"ok", exit_code(outcome) == 0},
                     {"interrupted", outcome.interrupted},
                     {"problems", tree_of(plan, outcome.problems)},
                     {"remarks", tree_of(plan, outcome.remarks)},
                     {"tests", std::move(tests)}};
  return tree.dump(2, ' ', false, Tree::error_handler_t::replace) + "\n";
}

std::string csv_of(const Plan& plan, const Outcome& outcome) {
  std::string text =
      "test,size,check,role,node,seconds,concurrency,rpcs,errors,wrong_data,seconds_without_data,"
      "rpcs_per_s,bytes_per_s,"
      "mean_us,p50_us,p99_us,p99.9_us,lost,name,no_percentiles\n";
  for (const StepResult& step : outcome.steps) {
    text += csv_row(plan, step, step.total, "all");
    for (const auto* rows : {&step.clients, &step.servers})
      for (const Flow& flow : *rows) text += csv_row(plan, step, flow, to_string(flow.role));
  }
  return text;
}

}  // namespace ulnet::tools::lst::run

#include "selftest/ulst/run/outcome.h"

#include <algorithm>

#include "selftest/ulst/tool.h"

namespace ulnet::tools::lst::run {

int exit_code(const Outcome& outcome) {
  if (outcome.interrupted) return kInterrupted;
  if (outcome.broken) return kFailed;
  return outcome.problems.empty() ? 0 : kSomethingFailed;
}

std::string about(const Plan& plan, const StepResult& step) {
  const std::string check = step.step.size == 0 ? "" : ", check " + plan.check;
  return title_of(step.step) + check + ", concurrency " + std::to_string(step.pace.concurrency);
}

Matrix matrix_of(const Plan& plan, const Outcome& outcome) {
  Matrix matrix;
  for (const std::string& id : plan.from) matrix.rows.push_back(shown(plan, id));
  for (const std::string& id : plan.to) matrix.columns.push_back(shown(plan, id));
  matrix.values.assign(matrix.rows.size(),
                       std::vector<std::optional<double>>(matrix.columns.size()));
  const bool ping = plan.steps.front().operation == Operation::kPing;
  matrix.unit = ping ? "RPC/s" : "MiB/s";
  for (const StepResult& step : outcome.steps) {
    const auto place = [&](const std::vector<std::string>& names, const Flow& flow) {
      return static_cast<std::size_t>(std::ranges::find(names, shown(plan, flow.node)) -
                                      names.begin());
    };
    const std::size_t row = place(matrix.rows, step.clients.front());
    const std::size_t column = place(matrix.columns, step.servers.front());
    if (step.total.rated)
      matrix.values[row][column] =
          ping ? step.total.rpcs_per_s : step.total.bytes_per_s / (1 << 20);
    matrix.about = about(plan, step) + ", one pair after the other";
  }
  return matrix;
}

std::string lines_of(const Plan& plan, const std::vector<Problem>& problems) {
  std::string lines;
  for (const Problem& problem : problems)
    lines +=
        (problem.node.empty() ? "ulst" : shown(plan, problem.node)) + ": " + problem.why + "\n";
  return lines;
}

}  // namespace ulnet::tools::lst::run

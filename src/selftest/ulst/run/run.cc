// The command line of `ulst run --from NIDS --to NIDS`.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "selftest/ulst/command.h"
#include "selftest/ulst/run/benchmark.h"
#include "selftest/ulst/run/summary.h"

namespace ulnet::tools::lst {

namespace {

std::string results_of(const run::Plan& plan, const run::Outcome& outcome) {
  if (plan.format == run::Format::kJson) return json_of(plan, outcome);
  if (plan.format == run::Format::kCsv) return csv_of(plan, outcome);
  if (plan.shape == run::Shape::kMatrix) return matrix_table(plan, outcome);
  return plan.shape == run::Shape::kSweep ? sweep_table(plan, outcome) : table_of(plan, outcome);
}

/// Writes the picture. Returns false, after a message, when that fails.
bool draw(const Tool& tool, const run::Plan& plan, const run::Outcome& outcome,
          std::ofstream& file) {
  file << (plan.shape == run::Shape::kMatrix ? matrix_picture(plan, outcome)
                                             : sweep_picture(plan, outcome));
  if (file.flush()) return true;
  tool.fail("cannot write " + plan.svg + ": " + std::strerror(errno));
  return false;
}

}  // namespace

int run_benchmark(Tool& tool, const Command& self, Words words) {
  if (std::find(words.begin(), words.end(), "--help") != words.end())
    return run_command(tool, {"help", words.front()});
  const auto arguments = run::plan_arguments(words);
  if (!arguments || !arguments->rest().empty()) return usage(tool, self);
  const auto plan = run::plan_of(*arguments);
  if (!plan) return tool.fail(plan.error().reason, kUsage);
  // Only this command uses the session, so any key will do.
  const Tool own =
      tool.with_key(tool.key() != 0 ? tool.key() : static_cast<std::uint32_t>(::getpid()));
  std::ofstream picture;  // opened before the tests: if that fails, no test runs in vain
  if (!plan->svg.empty()) picture.open(plan->svg);
  if (!plan->svg.empty() && !picture)
    return tool.fail("cannot write " + plan->svg + ": " + std::strerror(errno));
  const Heeding heeding(tool.watch());
  const auto progress = run::progress_for(plan->format);
  const run::Outcome outcome = plan->shape == run::Shape::kMatrix ? run_pairs(own, *plan, *progress)
                                                                  : run_plan(own, *plan, *progress);
  out(results_of(*plan, outcome));
  err(lines_of(*plan, outcome.problems));
  if (!plan->svg.empty() && !outcome.steps.empty() && !draw(tool, *plan, outcome, picture))
    return kFailed;
  return exit_code(outcome);
}

}  // namespace ulnet::tools::lst

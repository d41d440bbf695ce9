// The command line of `ulst run --from NIDS --to NIDS`.
#include <unistd.h>

#include "tools/ulst/command.h"
#include "tools/ulst/run/benchmark.h"
#include "tools/ulst/run/summary.h"

namespace ulnet::tools::lst {

namespace {

std::string results_of(const run::Plan& plan, const run::Outcome& outcome) {
  if (plan.format == run::Format::kJson) return json_of(plan, outcome);
  return plan.format == run::Format::kCsv ? csv_of(plan, outcome) : table_of(outcome);
}

}  // namespace

int run_benchmark(Tool& tool, const Command& self, Words words) {
  const auto arguments = run::plan_arguments(words);
  if (!arguments || !arguments->rest().empty()) return usage(tool, self);
  const auto plan = run::plan_of(*arguments);
  if (!plan) return tool.fail(plan.error().reason);
  // A session of its own needs no name that others know.
  const Tool own =
      tool.with_key(tool.key() != 0 ? tool.key() : static_cast<std::uint32_t>(::getpid()));
  const auto progress = run::progress_for(plan->format);
  const run::Outcome outcome = run_plan(own, *plan, *progress);
  out(results_of(*plan, outcome));
  err(problems_shown(outcome));
  return exit_code(outcome);
}

}  // namespace ulnet::tools::lst

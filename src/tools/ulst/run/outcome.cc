#include "tools/ulst/run/outcome.h"

#include "tools/ulst/tool.h"

namespace ulnet::tools::lst::run {

int exit_code(const Outcome& outcome) {
  if (outcome.interrupted) return kInterrupted;
  if (outcome.broken) return kFailed;
  return outcome.problems.empty() ? 0 : kSomethingFailed;
}

std::string problems_shown(const Outcome& outcome) {
  std::string lines;
  for (const Problem& problem : outcome.problems)
    lines += (problem.node.empty() ? "" : short_id(problem.node) + ": ") + problem.why + "\n";
  return lines;
}

}  // namespace ulnet::tools::lst::run

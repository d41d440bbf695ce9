#include "tools/ulst/run/benchmark.h"

#include "tools/ulst/run/drive.h"

namespace ulnet::tools::lst::run {

Outcome run_plan(const Tool& tool, const Plan& plan, Progress& progress) {
  Outcome outcome;
  const Heeding heeding(tool.watch());
  Crew crew(tool, plan, outcome);
  progress.begin(crew.roster().nodes().size());
  bool goes_on = crew.begin();
  for (std::size_t i = 0; i < plan.steps.size() && goes_on; ++i) {
    if (tool.watch().interrupted()) break;
    goes_on = crew.roster().any_there(&Node::client) && crew.roster().any_there(&Node::server) &&
              Drive(crew, plan, i, progress).run();
  }
  outcome.interrupted = tool.watch().interrupted();
  progress.close();
  crew.end();
  return outcome;
}

}  // namespace ulnet::tools::lst::run

#include "hunt.h"

#include "sim/scenario/draw.h"
#include "sim/scenario/run.h"
#include "sim/tool/swarm.h"

namespace ulnet::sim {

Hunt hunt(const planted::Row& bug, std::uint64_t first, std::uint64_t most) {
  tools::SwarmCommand command;
  command.first = first;
  command.stop_after = 1;
  while (*command.first < first + most) {
    command.seeds = first + most - *command.first;
    planted::active = bug.bug;
    const tools::SwarmResult result = tools::run_swarm(command, [](std::uint64_t seed) {
      const Scenario scenario = draw_scenario(seed);
      return Run(scenario).go();
    });
    planted::active = planted::Bug::kNone;
    if (result.failures.empty()) break;
    command.first = result.failures.front().seed + 1;
    const Report& report = result.failures.front().report;
    if (report.checker == bug.checker) return {*command.first - first, report.what};
  }
  return {};
}

}  // namespace ulnet::sim

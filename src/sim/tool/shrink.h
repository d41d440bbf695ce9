// Makes a failing scenario smaller and plainer while it fails in the same way: fewer loads, faults,
// operations, nodes, nets, NIs and routes; settings with their defaults; round times (simplify.h).
// It tries all changes of a kind at once, then each half of them, and so on to single changes, and
// starts again until no change succeeds. The run then ends at the step where the failure is found.
#pragma once

#include <functional>
#include <string>

#include "sim/scenario/run.h"

namespace ulnet::tools {

struct Shrunk {
  sim::Scenario scenario;
  sim::Report report;    ///< of the scenario
  std::size_t runs = 0;  ///< of attempts
};

/// `attempt` runs a scenario in a child process; `report` is the report of `scenario`. At most
/// `most` attempts are made.
using Attempt = std::function<sim::Report(const sim::Scenario&)>;
Shrunk shrink(sim::Scenario scenario, sim::Report report, const Attempt& attempt,
              std::size_t most = 1000);

/// "2 of 5 nodes, 4 of 12 faults, 1 of 3 loads, 25 of 300 operations, 812 of 54322 steps".
std::string difference(const sim::Scenario& from, const sim::Report& before, const Shrunk& shrunk);

}  // namespace ulnet::tools

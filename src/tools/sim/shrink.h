// Makes a scenario that fails smaller while it fails in the same way: fewer loads, fewer faults
// (first the shortest beginning of the list that fails, by bisection, then each one alone), fewer
// operations, fewer nodes; and the steps end where the failure is found.
#pragma once

#include <functional>
#include <string>

#include "sim/scenario/run.h"

namespace ulnet::tools {

struct Shrunk {
  sim::Scenario scenario;
  sim::Report report;    ///< of the scenario
  std::size_t runs = 0;  ///< tried
};

/// `attempt` runs a scenario apart; `report` is what `scenario` came to. At most `most` runs.
using Attempt = std::function<sim::Report(const sim::Scenario&)>;
Shrunk shrink(sim::Scenario scenario, sim::Report report, const Attempt& attempt,
              std::size_t most = 200);

/// "2 of 5 nodes, 4 of 12 faults, 1 of 3 loads, 25 of 300 operations, 812 of 54322 steps".
std::string difference(const sim::Scenario& from, const sim::Report& before, const Shrunk& shrunk);

}  // namespace ulnet::tools

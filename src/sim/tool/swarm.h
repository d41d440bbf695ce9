// Runs random worlds, one seed after the other, in several processes, until the seeds or the
// minutes are used up, or enough seeds have failed. Source: DESIGN.md 6.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/tool/options.h"
#include "sim/tool/table.h"

namespace ulnet::tools {

struct Failure {
  std::uint64_t seed = 0;
  sim::Report report;
};
/// The checker that failed, and the first line of its reason.
std::string reason_of(const Failure& failure);

struct SwarmResult {
  Totals totals;
  std::vector<Failure> failures;  ///< by seed
  double seconds = 0;             ///< of real time
};

/// Runs the world of a seed.
using SeedRun = std::function<sim::Report(std::uint64_t seed)>;

/// Receives the report of each world, in any order.
using SeedEnded = std::function<void(std::uint64_t seed, const sim::Report& report)>;

/// `command.first` must be set. Shows the progress. `ended` may be empty.
SwarmResult run_swarm(const SwarmCommand& command, const SeedRun& world,
                      const SeedEnded& ended = {});

}  // namespace ulnet::tools

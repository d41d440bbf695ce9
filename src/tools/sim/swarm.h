// Random worlds, one seed after the other, in several processes, until one fails or the seeds or
// the minutes are over. Source: DESIGN.md 6.
#pragma once

#include <functional>
#include <optional>

#include "tools/sim/options.h"
#include "tools/sim/table.h"

namespace ulnet::tools {

struct Failure {
  std::uint64_t seed = 0;
  sim::Report report;
};
struct SwarmResult {
  Totals totals;
  std::optional<Failure> failure;  ///< the first that was found
  double seconds = 0;              ///< of real time
};

/// What a seed's world comes to.
using SeedRun = std::function<sim::Report(std::uint64_t seed)>;

/// `command.first` is given. Shows its progress.
SwarmResult run_swarm(const SwarmCommand& command, const SeedRun& world);

}  // namespace ulnet::tools

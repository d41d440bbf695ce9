// A small world with a mixed load and faults, different for each seed, watched by every checker.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/node.h"
#include "sim/verdict.h"

namespace ulnet::sim {

struct SwarmRun {
  std::optional<Violation> violation;
  bool ended = false;  ///< it became quiet and every node stopped
  std::string words;
  std::uint64_t digest = 0;
  std::uint64_t operations = 0;
};

SwarmRun run_swarm(std::uint64_t seed, EdgeKind edge = EdgeKind::kPipe);

}  // namespace ulnet::sim

// The planted bugs. The table of docs/TESTING.md repeats them (canaries_test compares) and says
// how to plant another.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "lnet/base/canary_bugs.h"
#include "sim/scenario/run.h"

namespace ulnet::sim {

struct Planted {
  canary::Bug bug;
  const char* name;     ///< the name in ULNET_CANARY(k`name`)
  const char* where;    ///< a file under src/
  const char* what;     ///< what goes wrong
  const char* checker;  ///< the checker that finds it
  std::uint64_t bound;  ///< at least one world of the seeds 1 to `bound` shows it
};
std::span<const Planted> planted_bugs();

struct Hunt {
  std::uint64_t worlds = 0;  ///< worlds until the checker found the bug; 0: it never did
  std::string said;          ///< the last failure's checker
};
/// Runs worlds of the swarm from seed `first` on, at most `most`. Skips worlds in which another
/// checker fails or the program dies.
Hunt hunt(const Planted& planted, std::uint64_t first, std::uint64_t most);

}  // namespace ulnet::sim

// The planted bugs: the table of docs/TESTING.md, which canaries_test compares with this one and
// which says how to plant another.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/canary_bugs.h"
#include "sim/scenario/run.h"

namespace ulnet::sim {

struct Planted {
  canary::Bug bug;
  const char* name;     ///< ULNET_CANARY(k`name`)
  const char* where;    ///< under src/
  const char* what;     ///< goes wrong
  const char* checker;  ///< that says so
  std::uint64_t bound;  ///< one of the worlds of seeds 1 to `bound` shows it
};
std::span<const Planted> planted_bugs();

struct Hunt {
  std::uint64_t worlds = 0;  ///< until its checker noticed the bug; 0: never
  std::string said;          ///< the checker, last
};
/// Runs worlds of the swarm from seed `first` on, at most so many. A world that ends by another
/// checker, or in which the program dies, is passed over.
Hunt hunt(const Planted& planted, std::uint64_t first, std::uint64_t most);

}  // namespace ulnet::sim

// Runs the worlds of the swarm until a planted bug is found. docs/TESTING.md has the table of the
// bugs, and says how to plant another.
#pragma once

#include <cstdint>
#include <string>

#include "planted_bugs.h"

namespace ulnet::sim {

struct Hunt {
  std::uint64_t worlds = 0;  ///< worlds until the checker found the bug; 0: it never did
  std::string violation;     ///< of the last failure
};
/// Runs worlds of the swarm from seed `first` on, at most `most`. Skips worlds in which another
/// checker fails or the program dies.
Hunt hunt(const planted::Row& bug, std::uint64_t first, std::uint64_t most);

}  // namespace ulnet::sim

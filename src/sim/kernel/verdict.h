// How a run of a world ended. Running out of time or steps is an outcome too, not a hang. Source:
// DESIGN.md 6.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "lnet/base/time.h"

namespace ulnet::sim {

/// A property did not hold: which checker found it, at which node, and why. `checker` is static
/// text.
struct Violation {
  const char* checker = "";
  std::uint32_t node = ~0U;  ///< kNoNode: not at one node
  std::string what;
  std::uint64_t step = 0;  ///< World::steps() when it was found
  Instant at{};
};

enum class Outcome : std::uint8_t {
  kReached,     ///< the condition became true
  kTimeUp,      ///< virtual time ran out first
  kStepsUp,     ///< the steps ran out first
  kNothingDue,  ///< the condition is false, and no task is due any more
  kViolated,    ///< a checker found a violation: see World::violation()
};
const char* to_string(Outcome outcome);

struct Verdict {
  Outcome outcome = Outcome::kReached;
  std::uint64_t steps = 0;  ///< of this run
  Instant at{};             ///< the world's time at its end

  bool reached() const { return outcome == Outcome::kReached; }
};

struct Limits {
  std::uint64_t steps = std::numeric_limits<std::uint64_t>::max();
  Duration time = std::chrono::hours(24);  ///< virtual, from the start of the run
};

}  // namespace ulnet::sim

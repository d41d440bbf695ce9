// How a run ended. Running out of time or steps is a verdict, not a hang. Source: DESIGN.md 6.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "base/time.h"

namespace ulnet::sim {

/// A property that does not hold: which checker says so, of which node, and why. `checker` is
/// static text.
struct Violation {
  const char* checker = "";
  std::uint32_t node = ~0U;  ///< kNoNode: of the world
  std::string what;
  std::uint64_t step = 0;  ///< the world's step after which it was found
  Instant at{};
};

enum class Outcome : std::uint8_t {
  kReached,     ///< what was asked for came true
  kTimeUp,      ///< virtual time ran out before it did
  kStepsUp,     ///< the steps ran out before it did
  kNothingDue,  ///< it did not, and nothing is left that could happen
  kViolated,    ///< a checker found a violation: World::violation() says which
};
const char* to_string(Outcome outcome);

struct Verdict {
  Outcome outcome = Outcome::kReached;
  std::uint64_t steps = 0;  ///< taken in this run
  Instant at{};             ///< the world's time at its end

  bool reached() const { return outcome == Outcome::kReached; }
};

struct Limits {
  std::uint64_t steps = std::numeric_limits<std::uint64_t>::max();
  Duration time = std::chrono::hours(24);  ///< virtual, from the start of the run
};

}  // namespace ulnet::sim

// How a run of a world ended. A run that exhausts its time or its steps also has an outcome; it
// does not hang. Source: DESIGN.md 6.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "lnet/base/time.h"

namespace ulnet::sim {

/// A property did not hold: the checker that found it, the node, and the reason. `checker` is
/// static text.
struct Violation {
  const char* checker = "";
  std::uint32_t node = ~0U;  ///< kNoNode: not at one node
  std::string what;
  std::uint64_t step = 0;  ///< World::steps() when the checker found it
  Instant at{};
};

enum class Outcome : std::uint8_t {
  kReached,     ///< the condition became true
  kTimeUp,      ///< virtual time reached its limit first
  kStepsUp,     ///< the number of steps reached its limit first
  kNothingDue,  ///< the condition is false, and no task is due any more
  kViolated,    ///< a checker found a violation: see World::violation()
};
inline constexpr std::array kOutcomeWords = {"reached", "out of virtual time", "out of steps",
                                             "nothing left to happen", "violated"};
static_assert(kOutcomeWords.size() == static_cast<std::size_t>(Outcome::kViolated) + 1);
inline const char* to_string(Outcome outcome) {
  return kOutcomeWords[static_cast<std::size_t>(outcome)];
}

struct Verdict {
  Outcome outcome = Outcome::kReached;
  std::uint64_t steps = 0;  ///< of this run
  Instant at{};             ///< the world's time at the end of the run

  bool reached() const { return outcome == Outcome::kReached; }
};

struct Limits {
  std::uint64_t steps = std::numeric_limits<std::uint64_t>::max();
  Duration time = std::chrono::hours(24);  ///< virtual, from the start of the run
};

}  // namespace ulnet::sim

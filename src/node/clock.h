// The one place where the real street reads the time line of the floors below.
#pragma once

#include <chrono>

#include "base/time.h"

namespace ulnet::node {

/// The monotonic clock as an Instant (its origin is the machine's, as std::chrono::steady_clock's).
inline Instant now() {
  return Instant(
      std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch()));
}

/// For condition variables. kNever stays the far end.
inline std::chrono::steady_clock::time_point to_steady(Instant instant) {
  return std::chrono::steady_clock::time_point(
      std::chrono::duration_cast<std::chrono::steady_clock::duration>(instant.time_since_epoch()));
}

}  // namespace ulnet::node

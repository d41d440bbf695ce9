// The clock of a real node. The core gets the time as an argument; drivers that use real time read
// the same clock themselves.
#pragma once

#include <chrono>

#include "lnet/base/time.h"

namespace ulnet::node {

/// The monotonic clock as an Instant (its origin is the machine's, as std::chrono::steady_clock's).
inline Instant now() {
  return Instant(
      std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch()));
}

/// Converts an instant for a condition variable. kNever becomes the latest time that its clock has.
inline std::chrono::steady_clock::time_point to_steady(Instant instant) {
  return std::chrono::steady_clock::time_point(
      std::chrono::duration_cast<std::chrono::steady_clock::duration>(instant.time_since_epoch()));
}

}  // namespace ulnet::node

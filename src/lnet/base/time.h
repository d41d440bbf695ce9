// Time as a value. The core, the decoders and the drivers' state machines read no clock: they get
// an Instant as an argument (DESIGN.md 2).
#pragma once

#include <chrono>

namespace ulnet {

using Duration = std::chrono::nanoseconds;

/// The clock of one node: nanoseconds since an origin that the node chooses, never decreasing. It
/// has no now().
struct NodeTime {
  using duration = Duration;
  using rep = Duration::rep;
  using period = Duration::period;
  using time_point = std::chrono::time_point<NodeTime>;
  static constexpr bool is_steady = true;
};

using Instant = NodeTime::time_point;

inline constexpr Instant kNever = Instant::max();

}  // namespace ulnet

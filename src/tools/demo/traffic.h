// The driver's half of the demo's traffic: PUTs and GETs of one size against a Target, checked byte
// for byte, then timed. Public interface only (ulnet/lnet.hpp).
#pragma once

#include <chrono>
#include <cstdint>

#include "tools/demo/target.h"
#include "ulnet/lnet.hpp"

namespace ulnet::demo {

/// What the traffic of one size came to. `wrong_bytes` counts at both ends.
struct Figures {
  std::uint32_t size = 0;
  std::uint64_t checked_messages = 0;
  std::uint64_t checked_bytes = 0;
  std::uint64_t wrong_bytes = 0;
  double round_trip_us = 0;  ///< a PUT there and a PUT of the same bytes back, mean
  double put_mb_s = 0;       ///< 10^6 bytes a second, kSlots in flight
  double get_mb_s = 0;
};

/// Moves `size` bytes a message to and from the node at `target`; each of the timed parts takes
/// `seconds`. Waits. An error is a failed operation, or one that did not end in time.
Result<Figures> move(Lnet& lnet, const ProcessId& target, std::uint32_t size,
                     std::chrono::duration<double> seconds);

}  // namespace ulnet::demo

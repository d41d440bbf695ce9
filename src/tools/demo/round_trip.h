// A PUT there, a PUT of the same bytes back: how long it takes. Public interface only
// (ulnet/lnet.hpp).
#pragma once

#include <chrono>
#include <cstdint>

#include "ulnet/lnet.hpp"

namespace ulnet::demo {

struct RoundTrips {
  double mean_us = 0;
  std::uint64_t count = 0;
  std::uint64_t wrong_bytes = 0;  ///< in what came back last
};

/// Plays ping-pong with the echo of the Target at `target`, from handler to handler, for `seconds`.
/// Waits.
Result<RoundTrips> round_trips(Lnet& lnet, const ProcessId& target, std::uint32_t size,
                               std::chrono::duration<double> seconds);

}  // namespace ulnet::demo

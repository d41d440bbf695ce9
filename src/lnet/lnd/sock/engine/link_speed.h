// How many bulk connections a link of a given speed gets. Source: spec/wire-socklnd.md 5.1,
// vectors.md 30.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace ulnet::lnd::sock {

/// Connections per peer and bulk direction on a link of `mbit_per_s`; 0 or less: unknown.
constexpr std::int32_t conns_for_speed(std::int64_t mbit_per_s) {
  const auto thousands =
      static_cast<std::uint64_t>(std::max<std::int64_t>(mbit_per_s, 1000) / 1000);
  return (std::bit_width(thousands) - 1) / 2 + 1;
}

/// The same, but a configured `setting` above 0 is used instead; at most 255.
constexpr std::int32_t conns_per_peer(std::int32_t setting, std::int64_t mbit_per_s) {
  return setting > 0 ? std::min(setting, 255) : conns_for_speed(mbit_per_s);
}

}  // namespace ulnet::lnd::sock

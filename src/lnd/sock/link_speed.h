// How many bulk connections a link deserves. Source: spec/wire-socklnd.md 5.1, vectors.md 30.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace ulnet::lnd::sock {

/// `mbit_per_s` 0 or less: unknown. With C so many, a peer gets C connections per bulk direction.
constexpr std::int32_t conns_for_speed(std::int64_t mbit_per_s) {
  if (mbit_per_s <= 0) return 1;
  const auto thousands =
      static_cast<std::uint64_t>(std::max<std::int64_t>(mbit_per_s, 1000) / 1000);
  return (std::bit_width(thousands) - 1) / 2 + 1;
}

/// `setting` as configured: 0 takes the link's speed, at most 255.
constexpr std::int32_t conns_per_peer(std::int32_t setting, std::int64_t mbit_per_s) {
  return setting > 0 ? std::min(setting, 255) : conns_for_speed(mbit_per_s);
}

}  // namespace ulnet::lnd::sock

// Health: what the end of a message says about the NI and the peer NI that it used. Source:
// spec/multirail.md 5.1, 5.2.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/ni.h"
#include "core/peer.h"
#include "core/ports.h"

namespace ulnet::core {

/// One row of the table in 5.2.
struct HealthRow {
  bool blames_ni = false;
  bool blames_peer = false;
  bool resend = false;
  std::uint64_t GlobalStats::*counter = nullptr;
  std::uint64_t NiErrors::*ni_counter = nullptr;
  std::uint32_t PeerErrors::*peer_counter = nullptr;
};
/// For every value but kOk.
const HealthRow& health_row(Health health);

constexpr std::int32_t worse(std::int32_t value, std::int32_t sensitivity) {
  return std::max(value - sensitivity, 0);
}
constexpr std::int32_t better(std::int32_t value, std::int32_t sensitivity) {
  return std::min(value + sensitivity, kHealthMax);
}

/// Sets an NI's value; at 0 it is down, at 1000 up again (5.1). True when that changed its status.
bool set_health(LocalNi& ni, std::int32_t value);

}  // namespace ulnet::core

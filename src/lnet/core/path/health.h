// How the end of a message changes the health of the NI and the peer NI that it used. Source:
// spec/multirail.md 5.1, 5.2.
#pragma once

#include <algorithm>
#include <cstdint>

#include "lnet/core/contract/ports.h"
#include "lnet/core/path/ni.h"
#include "lnet/core/path/peer.h"

namespace ulnet::core {

/// One row of the table in 5.2: whose health goes down and which counters go up.
struct HealthRow {
  bool blames_ni = false;
  bool blames_peer = false;
  bool resend = false;  ///< the message may be sent again, if there is another path
  std::uint64_t GlobalStats::*counter = nullptr;
  std::uint64_t NiErrors::*ni_counter = nullptr;
  std::uint64_t PeerNiErrors::*peer_counter = nullptr;
};
/// `health` is not kOk.
const HealthRow& health_row(Health health);

/// Whether a message that ended with `health` lowers the health of the NI.
inline bool blames_ni(Health health) {
  return health != Health::kOk && health_row(health).blames_ni;
}

/// The health after outcomes: `balance` is the number of successes less the number of failures.
constexpr std::int32_t health_after(std::int32_t value, std::int32_t balance,
                                    std::int32_t sensitivity) {
  const std::int64_t change = static_cast<std::int64_t>(balance) * sensitivity;
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(value + change, 0, kHealthMax));
}

/// The text of a Note on a change of health: the health has left the maximum, is back at it, or is
/// 0. Null: no Note is due.
const char* health_news(std::int32_t before, std::int32_t now);

/// Sets an NI's health. At 0 the NI goes down; it comes up again at kHealthMax only (5.1). Returns
/// whether the NI went down or came up.
bool set_health(LocalNi& ni, std::int32_t value);

}  // namespace ulnet::core

// Lists what each result of a message changes: health, re-sending and counters. Sets the health of
// an NI. Source: spec/multirail.md 5.1, 5.2.
#include "lnet/core/path/health.h"

#include "lnet/base/assert.h"

namespace ulnet::core {

const HealthRow& health_row(Health health) {
  using G = GlobalStats;
  using N = NiErrors;
  using P = PeerNiErrors;
  static constexpr HealthRow kRows[] = {
      {},
      {true, false, true, &G::local_interrupt_count, &N::interrupts, nullptr},
      {true, false, true, &G::local_dropped_count, &N::dropped, nullptr},
      {true, false, true, &G::local_aborted_count, &N::aborted, nullptr},
      {true, false, true, &G::local_no_route_count, &N::no_route, nullptr},
      {true, false, true, &G::local_timeout_count, &N::timeouts, nullptr},
      {true, false, false, &G::local_error_count, &N::error, nullptr},
      {false, true, true, &G::remote_dropped_count, nullptr, &P::dropped},
      {false, true, false, &G::remote_error_count, nullptr, &P::error},
      {false, true, false, &G::remote_timeout_count, nullptr, &P::timeout},
      {true, true, false, &G::network_timeout_count, nullptr, &P::network_timeout},
  };
  const auto row = static_cast<std::size_t>(health);
  ULNET_ASSERT(health != Health::kOk && row < std::size(kRows));
  return kRows[row];
}

const char* health_news(std::int32_t before, std::int32_t now) {
  if (now == before) return nullptr;
  if (now == 0) return "its health is 0";
  if (now == kHealthMax) return "its health is full again";
  return before == kHealthMax ? "its health is not full: {}" : nullptr;
}

bool set_health(LocalNi& ni, std::int32_t value) {
  const bool was_down = ni.health_down;
  ni.health = value;
  if (value == 0) ni.health_down = true;
  if (value == kHealthMax) ni.health_down = false;
  return was_down != ni.health_down;
}

}  // namespace ulnet::core

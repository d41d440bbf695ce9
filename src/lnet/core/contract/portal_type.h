// The type of a portal. It decides in which shard the portal's MEs live. Source:
// spec/core-semantics.md 3.
#pragma once

#include <cstdint>

#include "lnet/core/contract/ports.h"

namespace ulnet::core {

/// Fixed by the first ME that was ever attached to the portal (3).
enum class PortalType : std::uint8_t { kUnused, kUnique, kWildcard };

/// The type that an ME asks for.
constexpr PortalType portal_type_of(const ProcessId& match_id, MatchBits ignore) {
  const bool specific = ignore.value == 0 && !match_id.nid.is_any() && !match_id.pid.is_any();
  return specific ? PortalType::kUnique : PortalType::kWildcard;
}

}  // namespace ulnet::core

// The modes of the portal rotor by name. Source: spec/core-semantics.md 7.3.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "lnet/base/assert.h"
#include "lnet/core/contract/config.h"

namespace ulnet::node {

struct RotorMode {
  core::PortalRotor rotor;
  std::string_view name;         ///< as the parameter portal_rotor has it
  std::string_view description;  ///< as the runtime file has it
};

inline constexpr auto kRotorModes = std::to_array<RotorMode>({
    {core::PortalRotor::kOff, "OFF",
     "a message looks for a buffer in the partition where it came in"},
    {core::PortalRotor::kOn, "ON", "messages look for a buffer in each partition in turn"},
    {core::PortalRotor::kRoundRobinRouted, "RR_RT",
     "routed messages look for a buffer in each partition in turn, others where they came in"},
    {core::PortalRotor::kHashRouted, "HASH_RT",
     "routed messages look for a buffer in the partition of their source, others where they came "
     "in"},
});

/// Asserts that there is such a name.
inline const RotorMode& rotor_mode(std::string_view name) {
  const auto* mode = std::find_if(kRotorModes.begin(), kRotorModes.end(),
                                  [&](const RotorMode& m) { return m.name == name; });
  ULNET_ASSERT(mode != kRotorModes.end());
  return *mode;
}

inline const RotorMode& rotor_mode(core::PortalRotor rotor) {
  return kRotorModes[static_cast<std::size_t>(rotor)];
}

}  // namespace ulnet::node

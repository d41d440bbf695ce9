// What a step notes of the health of NIs and peer NIs. A checker sees the state after a step only;
// the Notes of the step tell which health was reached, and left again, within it.
#pragma once

#include <string_view>

#include "core/contract/actions.h"
#include "core/path/health.h"

namespace ulnet::sim {

/// Whether the note says that the health of its NI has become `health`, which is 0 or kHealthMax.
inline bool says_health(const core::Note& note, std::int32_t health) {
  return std::string_view(note.text) == core::health_news(core::kHealthMax - health, health);
}

}  // namespace ulnet::sim

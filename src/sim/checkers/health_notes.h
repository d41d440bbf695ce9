// The Notes of a step about the health of NIs and peer NIs. A checker sees the state only after a
// step; the Notes show which health an NI reached, and left again, within the step.
#pragma once

#include <algorithm>
#include <string_view>

#include "lnet/core/contract/actions.h"
#include "lnet/core/path/health.h"
#include "sim/checkers/per_node.h"

namespace ulnet::sim {

/// Whether the note reports that the health of its NI has become `health`, which is 0 or
/// kHealthMax.
inline bool says_health(const core::Note& note, std::int32_t health) {
  return std::string_view(note.text) == core::health_news(core::kHealthMax - health, health);
}

/// Whether the health of this peer NI has become full in the step.
inline bool has_been_full(const ShardStep& step, const Nid& nid) {
  return std::ranges::any_of(notes_about(step, core::Note::About::kPeerNi),
                             [&](const core::Note& note) {
                               return note.nid == nid && says_health(note, core::kHealthMax);
                             });
}

}  // namespace ulnet::sim

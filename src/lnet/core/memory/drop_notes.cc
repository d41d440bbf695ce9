// Decides whether a shard logs a dropped message: once a minute for each text and NID, and a
// limited number of them in a minute. Source: decision 132.
#include "lnet/core/memory/drop_notes.h"

#include <algorithm>

namespace ulnet::core {

bool DropNotes::admit(const char* text, const Nid& peer, Instant now) {
  std::erase_if(entries_, [&](const Entry& entry) { return entry.until <= now; });
  const bool noted = std::ranges::any_of(
      entries_, [&](const Entry& entry) { return entry.text == text && entry.peer == peer; });
  if (noted || entries_.size() == kRemembered) return false;
  entries_.push_back({text, peer, now + kQuiet});
  return true;
}

}  // namespace ulnet::core

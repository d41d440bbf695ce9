#include "lnet/node/runtime/log_limit.h"

#include <algorithm>

namespace ulnet::node {

std::optional<LogLimit::Admitted> LogLimit::admit(const lnd::RepeatKey& key, Instant now) {
  const auto known = std::ranges::find(entries_, key, &Entry::key);
  if (known != entries_.end()) {
    if (now < known->until) {
      ++known->left_out;
      return std::nullopt;
    }
    const std::uint64_t left_out = std::exchange(known->left_out, 0);
    known->length = left_out == 0 ? kFirst : std::min(known->length * 2, kMax);
    known->until = now + known->length;
    return Admitted{left_out, false};
  }
  const auto over = [&] {
    return std::find_if(entries_.begin(), entries_.end(),
                        [&](const Entry& entry) { return entry.until <= now; });
  };
  const auto full = [&] { return entries_.size() == kRemembered && over() == entries_.end(); };
  if (full()) return std::nullopt;
  if (entries_.size() == kRemembered) entries_.erase(over());
  entries_.push_back({key, now + kFirst, kFirst});
  return Admitted{0, full()};
}

}  // namespace ulnet::node

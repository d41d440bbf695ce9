#include "node/log_limit.h"

#include <algorithm>

namespace ulnet::node {

std::optional<LogLimit::Admitted> LogLimit::admit(lnd::sock::Count what,
                                                  const lnd::sock::Address& address, Instant now) {
  const auto known = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.what == what && entry.address == address;
  });
  if (known != entries_.end()) {
    if (now < known->until) {
      ++known->left_out;
      return std::nullopt;
    }
    const std::uint64_t left_out = std::exchange(known->left_out, 0);
    known->length = left_out == 0 ? kFirst : std::min(known->length * 2, kMost);
    known->until = now + known->length;
    return Admitted{left_out, false};
  }
  if (entries_.size() == kRemembered) {
    const auto over = std::find_if(entries_.begin(), entries_.end(),
                                   [&](const Entry& entry) { return entry.until <= now; });
    if (over == entries_.end()) return std::nullopt;
    entries_.erase(over);
  }
  entries_.push_back({what, address, now + kFirst, kFirst});
  return Admitted{0, entries_.size() == kRemembered};
}

}  // namespace ulnet::node

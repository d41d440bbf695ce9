// Counts the ACKs and REPLYs that an MD expects, arms their deadline and measures round-trip times.
// Source: spec/multirail.md 6, spec/cli-lnetctl.md 12.2.
#include "lnet/core/memory/responses.h"

namespace ulnet::core {

void ResponseTable::begin(Awaited& awaited, bool get, Instant now, Instant deadline) {
  if (!awaited.measuring) {
    awaited.measuring = true;
    awaited.ahead = awaited.count();
    awaited.begun = now;
  }
  ++(get ? awaited.replies : awaited.acks);
  if (deadline == kNever) return;
  tracked_ += awaited.armed() ? 0 : 1;
  timers_.arm(awaited, deadline);
}

std::optional<Duration> ResponseTable::end(Awaited& awaited, bool get, Instant now) {
  std::uint32_t& open = get ? awaited.replies : awaited.acks;
  if (open == 0) return std::nullopt;
  --open;
  if (awaited.count() == 0) disarm(awaited);
  if (!awaited.measuring) return std::nullopt;
  if (awaited.ahead > 0) {
    --awaited.ahead;
    return std::nullopt;
  }
  awaited.measuring = false;
  return now - awaited.begun;
}

void ResponseTable::disarm(Awaited& awaited) {
  tracked_ -= awaited.armed() ? 1 : 0;
  awaited.cancel();
}

void ResponseTable::cancel(Awaited& awaited) {
  disarm(awaited);
  awaited.acks = awaited.replies = 0;
  awaited.measuring = false;
}

}  // namespace ulnet::core

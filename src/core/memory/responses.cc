#include "core/memory/responses.h"

namespace ulnet::core {

void ResponseTable::begin(Awaited& awaited, bool get, Instant now, Instant deadline) {
  if (!awaited.measuring) {
    awaited.measuring = true;
    awaited.ahead = awaited.count();
    awaited.begun = now;
  }
  ++(get ? awaited.replies : awaited.acks);
  if (deadline != kNever) wheel_.arm(awaited, deadline);
}

std::optional<Duration> ResponseTable::end(Awaited& awaited, bool get, Instant now) {
  std::uint32_t& open = get ? awaited.replies : awaited.acks;
  if (open == 0) return std::nullopt;
  --open;
  if (awaited.count() == 0) awaited.cancel();
  if (!awaited.measuring) return std::nullopt;
  if (awaited.ahead > 0) {
    --awaited.ahead;
    return std::nullopt;
  }
  awaited.measuring = false;
  return now - awaited.begun;
}

void ResponseTable::cancel(Awaited& awaited) {
  awaited.cancel();
  awaited.acks = awaited.replies = 0;
  awaited.measuring = false;
}

}  // namespace ulnet::core

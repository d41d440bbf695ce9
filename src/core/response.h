// Responses that are awaited: how many ACKs and REPLYs an MD may still get, until when, and how
// long they took. Source: spec/multirail.md 6, spec/cli-lnetctl.md 12.2.
#pragma once

#include <cstdint>
#include <optional>

#include "base/time.h"
#include "base/timer_wheel.h"
#include "core/ports.h"

namespace ulnet::core {

struct PeerNi;

/// Part of an MD. One tracker serves all its operations: each one that begins moves the deadline,
/// the last response ends it.
struct Awaited : Timer {
  Handle md;
  std::uint32_t acks = 0;
  std::uint32_t replies = 0;
  Nid peer;  ///< who is to answer the newest operation
  // A round trip that is being measured: the response to come after `ahead` others.
  bool measuring = false;
  std::uint32_t ahead = 0;
  Instant begun{};

  std::uint32_t count() const { return acks + replies; }
};

/// Whether an operation is watched (multirail.md 6): bit 0 of the tunable stands for GET, bit 1 for
/// PUT; the MD's options decide first.
constexpr bool is_tracked(std::uint32_t md_options, bool get, std::int32_t response_tracking) {
  if (md_options & kTrackResponse) return true;
  if (md_options & kNoTrackResponse) return false;
  return (response_tracking & (get ? 1 : 2)) != 0;
}

/// All trackers of a shard, in the order of their deadlines.
class ResponseTable {
 public:
  /// An operation begins whose response is awaited. `deadline` is kNever when it is not tracked.
  void begin(Awaited& awaited, bool get, Instant now, Instant deadline);
  /// A response came, or will not come. The time it took, if it was the one being measured.
  std::optional<Duration> end(Awaited& awaited, bool get, Instant now);
  /// The MD goes: nothing is awaited any more.
  void cancel(Awaited& awaited);
  /// The next tracker whose time is over, or null; call until null.
  Awaited* expired(Instant now) { return static_cast<Awaited*>(wheel_.pop(now)); }
  Instant next_deadline() const { return wheel_.next_deadline(); }
  /// Trackers that exist (`rst_alloc`).
  std::size_t size() const { return wheel_.size(); }

 private:
  TimerWheel wheel_;
};

}  // namespace ulnet::core

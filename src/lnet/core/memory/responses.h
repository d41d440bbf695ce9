// Response tracking: the number of ACKs and REPLYs that an MD still expects, their deadline, and
// their round-trip times. Source: spec/multirail.md 6, spec/cli-lnetctl.md 12.2.
#pragma once

#include <cstdint>
#include <optional>

#include "lnet/base/time.h"
#include "lnet/core/contract/ports.h"
#include "lnet/core/memory/shard_timer.h"

namespace ulnet::core {

/// The tracker of an MD, and a member of it. The timer runs while a deadline is set. One tracker
/// serves all operations of the MD: each tracked operation that begins resets the deadline, and the
/// last response clears it.
struct Awaited : ShardTimer {
  Awaited() : ShardTimer(TimerKind::kResponse) {}

  Handle md;
  std::uint32_t acks = 0;
  std::uint32_t replies = 0;
  Nid peer;  ///< the next hop of the newest operation; its health falls if no response comes
  // One round trip at a time is measured. `ahead` other responses come before its response.
  bool measuring = false;
  std::uint32_t ahead = 0;
  Instant begun{};

  std::uint32_t count() const { return acks + replies; }
};

/// Whether an operation has a deadline for its response (multirail.md 6). The MD's options
/// kTrackResponse and kNoTrackResponse decide. Without them `response_tracking` decides: bit 0 for
/// GETs, bit 1 for PUTs.
constexpr bool is_tracked(std::uint32_t md_options, bool get, std::int32_t response_tracking) {
  if (md_options & kTrackResponse) return true;
  if (md_options & kNoTrackResponse) return false;
  return (response_tracking & (get ? 1 : 2)) != 0;
}

/// Begins and ends the trackers of a shard, and counts those that have a deadline.
class ResponseTable {
 public:
  /// `timers`: the shard's; it must outlive this object.
  explicit ResponseTable(TimerWheel& timers) : timers_(timers) {}

  /// Counts the awaited response of a GET (`get`) or a PUT with ACK that begins. `deadline` is
  /// kNever if the operation is not tracked.
  void begin(Awaited& awaited, bool get, Instant now, Instant deadline);
  /// Counts a response that came, or will not come. Returns the round-trip time if it was measured
  /// for this response.
  std::optional<Duration> end(Awaited& awaited, bool get, Instant now);
  /// Expects no response any more, because the MD is unlinked.
  void cancel(Awaited& awaited);
  /// Counts a tracker as one without deadline: its deadline has passed, and its timer has fired.
  void expire(const Awaited&) { --tracked_; }
  /// The number of trackers that have a deadline (`rst_alloc`).
  std::size_t size() const { return tracked_; }

 private:
  void disarm(Awaited& awaited);

  TimerWheel& timers_;
  std::size_t tracked_ = 0;
};

}  // namespace ulnet::core

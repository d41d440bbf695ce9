// The port by which a switch sends over a link to another switch: one direction of that link. It
// sends one piece after the other, in the order in which they came, at the link's bandwidth. Its
// queue has no limit: what waits there is bounded by the windows of streams and by the credits of
// messages, and nothing is lost but by a cut. Source: DESIGN.md 6.
#pragma once

#include <cstdint>
#include <deque>

#include "lnet/base/time.h"

namespace ulnet::sim {

/// A link between two switches. Each direction has the whole bandwidth for itself.
struct SwitchLinkModel {
  std::uint64_t bytes_per_second = 0;  ///< not zero
  Duration latency{};
  bool operator==(const SwitchLinkModel&) const = default;
};

/// What has gone over one direction of a link, up to a given time.
struct PortCounters {
  std::uint64_t pieces = 0, bytes = 0;  ///< that were sent; headers count
  std::uint64_t lost = 0;               ///< pieces that were on their way when it was cut
  std::uint64_t highest_queue = 0;      ///< bytes that waited or were being sent at a time, at most
  Duration busy{};                      ///< for so long it was sending
  bool operator==(const PortCounters&) const = default;
};

class SwitchPort {
 public:
  explicit SwitchPort(const SwitchLinkModel& model) : latency_(model.latency) {
    set_rate(model.bytes_per_second);
  }

  /// A piece comes to the port at `now`, which never goes back. Returns when it comes to the other
  /// switch.
  Instant send(Instant now, std::uint32_t bytes);
  /// A piece that was on its way came to a cut link, or waited when it was cut.
  void lose() { ++lost_; }

  /// Holds for what comes to the port from now on. It must not be zero.
  void set_rate(std::uint64_t bytes_per_second);
  std::uint64_t rate() const { return rate_; }
  /// What a piece takes if nothing is before it.
  Duration takes(std::uint32_t bytes) const;
  Duration latency() const { return latency_; }

  /// While it is cut nothing may be sent. What waits at that moment is gone: it does not count as
  /// sent. Who sent it calls lose() when it would have come to the other switch.
  void cut(Instant now, bool cut);
  bool is_cut() const { return cut_; }
  /// How often it was cut: a piece that was sent before the last time is gone.
  std::uint64_t cuts() const { return cuts_; }

  PortCounters counters(Instant now) const;

 private:
  struct Waiting {
    Instant leaves;
    std::uint32_t bytes = 0;
  };
  std::uint64_t rate_ = 1;
  const Duration latency_;
  bool cut_ = false;
  std::uint64_t cuts_ = 0;
  Instant free_at_{};  ///< when all that it was given is sent
  std::deque<Waiting> queue_;
  std::uint64_t queued_ = 0;  ///< bytes in `queue_`
  std::uint64_t pieces_ = 0, bytes_ = 0, lost_ = 0, highest_ = 0;
  Duration busy_{};  ///< up to `free_at_`
};

}  // namespace ulnet::sim

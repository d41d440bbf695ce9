// The port by which a switch sends over a link to another switch: one direction of that link. It
// sends one piece after the other, in the order of their arrival, at the link's bandwidth. Its
// queue has no limit: the windows of streams and the credits of messages bound what waits there.
// Only a cut loses a piece. Source: DESIGN.md 6.
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

/// What one direction of a link has carried up to a given time.
struct PortCounters {
  std::uint64_t pieces = 0, bytes = 0;  ///< what was sent; headers count
  std::uint64_t lost = 0;               ///< pieces that were on their way when it was cut
  std::uint64_t highest_queue = 0;  ///< the most bytes that waited or were being sent at one time
  Duration busy{};                  ///< for how long it was sending
  bool operator==(const PortCounters&) const = default;
};

class SwitchPort {
 public:
  explicit SwitchPort(const SwitchLinkModel& model) : latency_(model.latency) {
    set_rate(model.bytes_per_second);
  }

  /// A piece comes to the port at `now`, which never decreases. Returns when the piece comes to the
  /// other switch.
  Instant send(Instant now, std::uint32_t bytes);
  /// Counts a lost piece: it was on its way and came to a cut link, or it waited when the link was
  /// cut.
  void lose() { ++lost_; }

  /// Sets the bandwidth for pieces that come to the port from now on. It must not be zero.
  void set_rate(std::uint64_t bytes_per_second);
  std::uint64_t rate() const { return rate_; }
  /// How long a piece takes if no other is before it.
  Duration takes(std::uint32_t bytes) const;
  Duration latency() const { return latency_; }

  /// While the port is cut, nothing may be sent. The pieces that wait at that moment are lost: they
  /// do not count as sent. The sender of such a piece calls lose() when the piece would have come
  /// to the other switch.
  void cut(Instant now, bool cut);
  bool is_cut() const { return cut_; }
  /// How often the port was cut: a piece that was sent before the last cut is lost.
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
  Instant free_at_{};  ///< when everything given to the port is sent
  std::deque<Waiting> queue_;
  std::uint64_t queued_ = 0;  ///< bytes in `queue_`
  std::uint64_t pieces_ = 0, bytes_ = 0, lost_ = 0, highest_ = 0;
  Duration busy_{};  ///< up to `free_at_`
};

}  // namespace ulnet::sim

// What the daemon logs from time to time, without an event that it would belong to.
#pragma once

#include <chrono>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lnet/core/contract/stats.h"
#include "ulnet/nid.hpp"

namespace ulnet::tools {

/// Logs how many messages failed after their deadline, if any did. They affect no health value and
/// no counter of `stats show`, so nothing else reports them. Source: spec/multirail.md 5.2, "late
/// messages" console report.
class LateReport {
 public:
  using Time = std::chrono::steady_clock::time_point;
  explicit LateReport(Time now) : last_(now) {}

  /// Whether it is time to look at the counters: once a minute.
  bool is_due(Time now) const { return now - last_ >= kGap; }
  /// The line for messages that failed since the last look, by the node's present count; empty:
  /// none did. A node whose statistics were reset, or a new node, has counted less than before.
  std::string look(Time now, const core::LateMessages& counted);

 private:
  static constexpr std::chrono::seconds kGap{60};
  Time last_;
  core::LateMessages before_;
};

/// Logs when the process becomes short of memory and when it no longer is, and makes the reserve
/// take its memory again.
class MemoryReport {
 public:
  using Time = std::chrono::steady_clock::time_point;
  /// Does what node::MemoryReserve::restore() does.
  using Restore = std::function<bool()>;
  explicit MemoryReport(Restore restore) : restore_(std::move(restore)) {}

  /// Call this at least once a second. `is_short`: the process is short of memory now. Returns the
  /// line to log; empty: nothing is new. It tries to restore the reserve a second after memory
  /// became short, and then once a second.
  std::string look(Time now, bool is_short);

 private:
  static constexpr std::chrono::seconds kGap{1};
  const Restore restore_;
  bool reported_ = false;
  Time since_{};  ///< when it last tried to restore the reserve, or found memory short
};

/// Logs which NIs are in recovery, as long as any are. Source: spec/multirail.md 7, console report.
class RecoveryReport {
 public:
  using Time = std::chrono::steady_clock::time_point;
  explicit RecoveryReport(Time now) : next_(now + kFirstGap) {}

  /// Whether it is time to look at the queues: after a minute, and while NIs are in recovery after
  /// twice as long each time, at most after five minutes.
  bool is_due(Time now) const { return now >= next_; }
  /// The lines for the NIs and the peer NIs that are in recovery now. A line names at most 20 NIDs,
  /// and counts the others.
  std::vector<std::string> look(Time now, std::span<const Nid> own, std::span<const Nid> peers);

 private:
  static constexpr std::chrono::seconds kFirstGap{60}, kLargestGap{300};
  std::chrono::seconds gap_ = kFirstGap;
  Time next_;
};

}  // namespace ulnet::tools

// Logs which NIs are in recovery, as long as any are. Source: spec/multirail.md 7, console report.
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "ulnet/nid.hpp"

namespace ulnet::tools {

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

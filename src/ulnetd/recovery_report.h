// Says in the log which NIs are being recovered, as long as there are any. Source:
// spec/multirail.md 7, console report.
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

  /// Whether the queues are to be looked at: after a minute, and as long as NIs are in recovery
  /// after twice as long each time, at most after five minutes.
  bool is_due(Time now) const { return now >= next_; }
  /// The lines for what is in recovery now: of this node's NIs, and of peer NIs. A line names 20
  /// NIDs at most, and says how many more there are.
  std::vector<std::string> look(Time now, std::span<const Nid> own, std::span<const Nid> peers);

 private:
  static constexpr std::chrono::seconds kFirstGap{60}, kLargestGap{300};
  std::chrono::seconds gap_ = kFirstGap;
  Time next_;
};

}  // namespace ulnet::tools

// Logs how many messages failed after their deadline, if any did. They affect no health value and
// no counter of `stats show`, so nothing else reports them. Source: spec/multirail.md 5.2, "late
// messages" console report.
#pragma once

#include <chrono>
#include <string>

#include "lnet/core/contract/stats.h"

namespace ulnet::tools {

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

}  // namespace ulnet::tools

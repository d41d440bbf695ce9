// Says in the log how many messages failed after their deadline, when there were any. They count
// for nobody's health and in no counter of `stats show`, so nothing else tells of them. Source:
// spec/multirail.md 5.2, "late messages" console report.
#pragma once

#include <chrono>
#include <string>

#include "lnet/core/contract/stats.h"

namespace ulnet::tools {

class LateReport {
 public:
  using Time = std::chrono::steady_clock::time_point;
  explicit LateReport(Time now) : last_(now) {}

  /// Whether the counters are to be looked at: once a minute.
  bool is_due(Time now) const { return now - last_ >= kGap; }
  /// The line for what failed since the last look, as the node counts it now; empty: nothing did.
  /// A node whose statistics were reset, or that is a new one, has counted less than before.
  std::string look(Time now, const core::LateMessages& counted);

 private:
  static constexpr std::chrono::seconds kGap{60};
  Time last_;
  core::LateMessages before_;
};

}  // namespace ulnet::tools

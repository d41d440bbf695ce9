// The counters of one node before a test, while it ran, and after it.
#pragma once

#include <optional>

#include "selftest/ulst/run/measure.h"

namespace ulnet::tools::lst::run {

struct Track {
  /// `idle` is the sample before the test, else the first sample. `first` is from the beginning of
  /// the test, or from before it. `over` is from the end of the test's time. `last` is the node's
  /// last answer while the test ran. `end` is from after the test stopped. A lost node keeps its
  /// last samples.
  std::optional<Counts> idle, first, over, last, end;
  bool hung = false;  ///< some of its RPCs were given up

  void begin(const std::optional<Counts>& said) {
    *this = {};
    idle = first = last = end = said;
  }
  void started(const std::optional<Counts>& said) {
    ran(said);
    if (said) first = said;
  }
  void ran(const std::optional<Counts>& said) {
    if (!said) return;
    if (!idle) idle = said;
    last = said;
  }
  void stopped(const std::optional<Counts>& said) {
    if (said) end = said;
  }
  /// Returns the latest of all samples.
  const Counts& latest() const { return end && end->asked > last->asked ? *end : *last; }
};

}  // namespace ulnet::tools::lst::run

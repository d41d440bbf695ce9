// The counters of one node during a test: what they were before it, while it ran, and after it.
#pragma once

#include <optional>

#include "selftest/ulst/run/measure.h"

namespace ulnet::tools::lst::run {

struct Track {
  /// Samples before the test, or the first one; when it began, or before; when its time was over;
  /// when the node last answered while it ran; when it had stopped. A lost node keeps its last.
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
  /// The latest of all samples.
  const Counts& latest() const { return end && end->asked > last->asked ? *end : *last; }
};

}  // namespace ulnet::tools::lst::run

// The counters of one node before a test, while it ran, and after it.
#pragma once

#include <optional>

#include "selftest/ulst/run/measure.h"

namespace ulnet::tools::lst::run {

struct Track {
  /// idle: the sample before the test, or else the first one. first: when the test began, or
  /// earlier. over: when its time was over. last: the node's last answer while the test ran. end:
  /// when the test had stopped. A lost node keeps its last samples.
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

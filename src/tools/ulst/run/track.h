// What one node said during a test, and what that makes of its part in it.
#pragma once

#include <optional>

#include "tools/ulst/run/measure.h"

namespace ulnet::tools::lst::run {

struct Track {
  /// Before it began, when it ran, when it was last heard while it ran, when it had stopped. Who is
  /// lost keeps what it said last; who said nothing before is known from its first word on.
  std::optional<Counts> idle, first, last, end;
  bool hung = false;  ///< RPCs of it were given up

  void begin(const std::optional<Counts>& said) {
    idle = first = last = end = said;
    hung = false;
  }
  void started(const std::optional<Counts>& said) {
    ran(said);
    if (said) first = said;
  }
  void ran(const std::optional<Counts>& said) {
    if (!said) return;
    if (!idle) idle = first = said;
    last = said;
  }
  void stopped(const std::optional<Counts>& said) {
    if (said) end = said;
  }
  /// The last of all.
  const Counts& latest() const { return end && end->asked > last->asked ? *end : *last; }
};

}  // namespace ulnet::tools::lst::run

// How a limit is kept, also by production clients, which know no limits: a test of so many RPCs
// ends by itself and is started anew, so that every burst is of a known size.
//
// What is promised: in any time T a client begins at most rate x T and two bursts more; a burst is
// what it may do in kWindow, or one RPC to each of its servers where that is more.
#pragma once

#include <cstdint>

#include "tools/ulst/run/plan.h"

namespace ulnet::tools::lst::run {

inline constexpr Duration kWindow = std::chrono::milliseconds(100);

struct Pace {
  std::uint32_t concurrency = 1;
  std::int32_t loop = -1;  ///< RPCs of each unit in a burst; -1: without end
  Duration window{};       ///< from the end of starting one burst to the next

  bool limited() const { return loop > 0; }
};

Pace pace_of(const Plan& plan, const Step& step);

}  // namespace ulnet::tools::lst::run

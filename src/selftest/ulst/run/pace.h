// Keeps a rate limit, even at production clients, which cannot limit rates: a test of a fixed
// number of RPCs ends by itself and is started again, so that every burst has a known size.
//
// The promise: in any time T a client begins at most rate x T RPCs and two bursts more. A burst is
// the RPCs that the client may begin in kWindow, or one RPC to each of its servers if that is more.
#pragma once

#include <cstdint>

#include "selftest/ulst/run/plan.h"

namespace ulnet::tools::lst::run {

inline constexpr Duration kWindow = std::chrono::milliseconds(100);

struct Pace {
  std::uint32_t concurrency = 1;
  std::int32_t loop = -1;  ///< RPCs of each unit in a burst; -1: no limit
  Duration window{};       ///< time from the start of one burst to the start of the next

  bool limited() const { return loop > 0; }
};

Pace pace_of(const Plan& plan, const Step& step);

}  // namespace ulnet::tools::lst::run

#include "selftest/ulst/run/pace.h"

#include <algorithm>

namespace ulnet::tools::lst::run {

namespace {

constexpr double kLoopMax = 1e9;
constexpr double kWindowMax = 86'400;  ///< seconds

/// Returns how many RPCs a client may begin in a second; 0: no limit.
double rpcs_of(const Limits& limits, const Step& step) {
  if (limits.rpcs_per_s) return *limits.rpcs_per_s;
  return limits.bytes_per_s ? *limits.bytes_per_s / step.size : 0;
}

}  // namespace

Pace pace_of(const Plan& plan, const Step& step) {
  Pace pace{.concurrency = plan.concurrency};
  const std::uint32_t servers = plan.spread.servers;
  if (plan.limits.concurrency)
    pace.concurrency = std::min(pace.concurrency, *plan.limits.concurrency / servers);
  const double rate = rpcs_of(plan.limits, step);
  if (rate == 0) return pace;
  const double seconds = std::chrono::duration<double>(kWindow).count();
  // The number of RPCs to each server in one window.
  const double each = std::clamp(rate * seconds / servers, 1.0, kLoopMax);
  pace.concurrency = std::min(pace.concurrency, static_cast<std::uint32_t>(each));
  pace.loop = static_cast<std::int32_t>(each / pace.concurrency);
  const double burst = static_cast<double>(pace.loop) * pace.concurrency * servers;
  pace.window = std::chrono::duration_cast<Duration>(
      std::chrono::duration<double>(std::min(burst / rate, kWindowMax)));
  return pace;
}

}  // namespace ulnet::tools::lst::run

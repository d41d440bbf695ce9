#include "selftest/ulst/run/figures.h"

#include <fmt/format.h>

namespace ulnet::tools::lst::run {

std::string time_text(double microseconds) {
  constexpr const char* kUnits[] = {"us", "ms", "s"};
  int unit = 0;
  double value = microseconds;
  // A value that would be rounded to 1000 gets the next unit.
  for (; unit < 2 && value >= 999.5; ++unit) value /= 1000;
  const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f}{}", value, decimals, kUnits[unit]);
}

std::string mib_text(double bytes_per_s) {
  return fmt::format("{:.{}f}", bytes_per_s / (1 << 20), bytes_per_s < (100 << 20) ? 2 : 1);
}

std::string seconds_text(double seconds) { return fmt::format("{:.1f} s", seconds); }

}  // namespace ulnet::tools::lst::run

#include "ulnetd/late_report.h"

#include <fmt/format.h>

#include <utility>

namespace ulnet::tools {

std::string LateReport::look(Time now, const core::LateMessages& counted) {
  const auto before = std::exchange(before_, counted);
  const auto past =
      std::chrono::duration_cast<std::chrono::seconds>(now - std::exchange(last_, now));
  const bool anew = counted.count < before.count;
  const std::uint64_t count = counted.count - (anew ? 0 : before.count);
  if (count == 0) return {};
  const std::uint64_t nsec = counted.nsec - (anew ? 0 : before.nsec);
  const double average = static_cast<double>(nsec) / static_cast<double>(count) / 1e9;
  return fmt::format(
      "{} messages failed past their deadline in the last {} s, by {:.3f} s on average", count,
      past.count(), average);
}

}  // namespace ulnet::tools

// Quantities as users write them in scenario files: "20us", "4KiB", "1.5GB/s", "1%", "3..7".
// Computed with integers only, so that a text is the same value with every compiler.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "lnet/base/time.h"
#include "ulnet/result.hpp"

namespace ulnet::sim {

/// "0", "20us", "1.5s", "2min": not negative, at most a year. All errors are -EINVAL with the
/// reason.
Result<Duration> parse_duration(std::string_view text);
/// "4096", "4KiB", "1MB".
Result<std::uint64_t> parse_bytes(std::string_view text);
/// "100MB/s"; "0" means no limit.
Result<std::uint64_t> parse_rate(std::string_view text);
/// "1%", "0.05%", "20ppm", "0": in parts per million.
Result<std::uint32_t> parse_chance(std::string_view text);

/// Both bounds are in the range.
struct Range {
  std::uint64_t least = 0;
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  bool holds(std::uint64_t value) const { return least <= value && value <= most; }
  bool operator==(const Range&) const = default;
};
/// "5", "5..", "..9", "5..9".
Result<Range> parse_range(std::string_view text);

// The shortest text that parses as the same value.
std::string duration_text(Duration duration);
std::string range_text(const Range& range);

}  // namespace ulnet::sim

// Quantities as users write them in scenario files: "20us", "4KiB", "1.5GB/s", "1%", "3..7". They
// are computed with integers only, because a text must mean the same value with every compiler.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "lnet/base/time.h"
#include "ulnet/result.hpp"

namespace ulnet::text {

/// Parses a time: "0", "20us", "1.5s", "2min". It is not negative and at most a year. All errors of
/// these functions are -EINVAL with the reason.
Result<Duration> parse_duration(std::string_view text);
/// Parses a size: "4096", "4KiB", "1MB".
Result<std::uint64_t> parse_bytes(std::string_view text);
/// Parses a rate: "100MB/s"; "0" means no limit.
Result<std::uint64_t> parse_rate(std::string_view text);
/// Parses a chance, in parts per million: "1%", "0.05%", "20ppm", "0".
Result<std::uint32_t> parse_chance(std::string_view text);

/// Parses a text that is a decimal number as a whole, with an optional sign; nothing for any other
/// text.
std::optional<std::int64_t> parse_number(std::string_view text);
/// Parses true, yes, on and their opposites.
std::optional<bool> parse_truth(std::string_view text);

/// A range that includes its two bounds.
struct Range {
  std::uint64_t least = 0;
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  bool holds(std::uint64_t value) const { return least <= value && value <= most; }
  bool operator==(const Range&) const = default;
};
/// Parses "5", "5..", "..9" or "5..9".
Result<Range> parse_range(std::string_view text);

// Each function returns the shortest text that parses as the same value.
std::string duration_text(Duration duration);
std::string range_text(const Range& range);

/// Returns a count for people: "1 node", "4 nodes", "2 switches".
std::string counted(std::size_t count, std::string_view one);

}  // namespace ulnet::text

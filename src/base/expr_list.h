// Lists of numbers as administrators write them: 7, *, [1-10/2,13]. Source: spec/cli-lnetctl.md 8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ulnet/result.hpp"

namespace ulnet {

/// lo, lo + stride, ... up to hi.
struct NumberRange {
  std::uint32_t lo = 0;
  std::uint32_t hi = 0;
  std::uint32_t stride = 1;

  constexpr bool contains(std::uint32_t value) const {
    return value >= lo && value <= hi && (value - lo) % stride == 0;
  }
  bool operator==(const NumberRange&) const = default;
};

class ExprList {
 public:
  /// "*", a number, or a bracketed list; every number at most `max`. -EINVAL with the reason:
  /// empty, lo > hi, stride 0, out of range, anything behind the list.
  static Result<ExprList> parse(std::string_view text, std::uint32_t max);
  /// The one value.
  static ExprList of(std::uint32_t value);
  /// "*": every value.
  static ExprList all();

  bool matches(std::uint32_t value) const;
  bool is_all() const { return all_; }
  /// True for a plain number (with or without brackets).
  bool is_single() const;
  const std::vector<NumberRange>& ranges() const { return ranges_; }

  /// Every value once, in the order written. -EINVAL for "*", -E2BIG for more than `limit` values.
  Result<std::vector<std::uint32_t>> expand(std::size_t limit) const;
  /// Parses back to an equal list.
  std::string to_string() const;

  bool operator==(const ExprList&) const = default;

 private:
  bool all_ = false;
  std::vector<NumberRange> ranges_;
};

}  // namespace ulnet

// Expression lists, as administrators write them: 7, *, [1-10/2,13]. Source: spec/cli-lnetctl.md 8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ulnet/result.hpp"

namespace ulnet {

/// The numbers lo, lo + stride, ..., at most hi.
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
  /// Reads "*", a number, or a list in brackets; no number above `max`. -EINVAL: empty, lo > hi,
  /// stride 0, out of range, or text behind the list; the reason says which.
  static Result<ExprList> parse(std::string_view text, std::uint32_t max);
  /// The list of this one value.
  static ExprList of(std::uint32_t value);
  /// The list of all values, "*".
  static ExprList all();

  bool matches(std::uint32_t value) const;
  bool is_all() const { return all_; }
  /// True for one number (with or without brackets).
  bool is_single() const;
  const std::vector<NumberRange>& ranges() const { return ranges_; }

  /// How expand() treats a value that is written twice, as 2 in [1-3,2].
  enum class Repeats : bool { kDropped, kRefused };
  /// The values, each once, in the order written. -EINVAL for "*", -E2BIG for more than `limit`,
  /// -EEXIST for a value that is written twice, with kRefused.
  Result<std::vector<std::uint32_t>> expand(std::size_t limit,
                                            Repeats repeats = Repeats::kDropped) const;
  /// A text that parse() reads as an equal list.
  std::string to_string() const;

  bool operator==(const ExprList&) const = default;

 private:
  bool all_ = false;
  std::vector<NumberRange> ranges_;
};

}  // namespace ulnet

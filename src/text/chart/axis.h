// Axes of charts: where a value lies between the two ends, and which ticks the axis has.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ulnet::tools::chart {

struct Tick {
  double value = 0;
  std::string text;

  bool operator==(const Tick&) const = default;
};

/// Shows values from `low` to `high`; low < high. On a logarithmic axis both ends are positive.
struct Axis {
  double low = 0, high = 1;
  bool logarithmic = false;
  std::vector<Tick> ticks;  ///< ascending, all within low and high

  /// Returns where `value` lies on the axis: 0 at `low`, 1 at `high`.
  double place(double value) const;
};

/// Whether `value` is finite and of a size that any axis can show. Charts leave out other values.
bool is_drawable(double value);

/// The least and the greatest drawable value that was added. Both are empty if no value was added.
struct Span {
  std::optional<double> low, high;

  void add(double value);
};

/// Makes an axis for sizes in bytes (1 or more), from a power of two to a power of two. It has at
/// most about ten ticks, at powers of two.
Axis size_axis(const Span& span);
/// Makes an axis from 0, or from below 0 if a value is negative, to a round number. It has a few
/// round ticks.
Axis linear_axis(const Span& span);
/// Makes an axis for positive values. Its ends are 1, 2 or 5 times a power of ten. Ticks are at
/// such values, or at powers of ten only.
Axis log_axis(const Span& span);

/// Formats a value in few digits, with the number of decimals that suits `largest`: 3.42, 12.5,
/// 1234. Values of a million or more have an exponent.
std::string value_text(double value, double largest);
/// Formats 2^exponent (0 or more): 1, 512, 4k, 1M, 2G.
std::string size_text(int exponent);

}  // namespace ulnet::tools::chart

// Axes: where a value lies between two ends, and which values are worth a tick with which words.
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

/// What an axis shows: from `low` to `high`, low < high; both positive when it is logarithmic.
struct Axis {
  double low = 0, high = 1;
  bool logarithmic = false;
  std::vector<Tick> ticks;  ///< ascending, all of them within

  /// 0 at low, 1 at high.
  double place(double value) const;
};

/// Finite, and of a size that any axis can show; charts leave out what is not.
bool is_drawable(double value);

/// The ends of drawable values: both nothing when there were none.
struct Span {
  std::optional<double> low, high;

  void add(double value);
};

/// Bytes (1 or more), from a power of two to a power of two, with at most about ten ticks at powers
/// of two.
Axis size_axis(const Span& span);
/// From 0 (or below, when a value is) to a round number, with a handful of round ticks.
Axis linear_axis(const Span& span);
/// For positive values. From a 1, 2 or 5 times a power of ten to such a one, ticks at them, or at
/// powers of ten only.
Axis log_axis(const Span& span);

/// A value in a few digits: as many decimals as a value of this size deserves. 3.42, 12.5, 1234,
/// and with an exponent from a million on.
std::string value_text(double value, double largest);
/// 1, 512, 4k, 1M, 2G: `exponent` is that of two, 0 or more.
std::string size_text(int exponent);

}  // namespace ulnet::tools::chart

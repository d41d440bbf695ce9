#include "text/chart/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ulnet::tools::chart {
namespace {

/// Returns the smallest of 1, 2, 5 times a power of ten that is at least `value`, which is
/// positive.
double round_up(double value) {
  const double decade = std::pow(10.0, std::floor(std::log10(value)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * decade >= value * (1 - 1e-9)) return factor * decade;
  return 10 * decade;
}

/// Returns the largest of 1, 2, 5 times a power of ten that is at most `value`, which is positive.
double round_down(double value) {
  const double decade = std::pow(10.0, std::floor(std::log10(value)));
  for (const double factor : {5.0, 2.0})
    if (factor * decade <= value * (1 + 1e-9)) return factor * decade;
  return decade;
}

}  // namespace

bool is_drawable(double value) {
  return value == 0 || (std::abs(value) >= 1e-15 && std::abs(value) <= 1e15);
}

double Axis::place(double value) const {
  if (logarithmic) return std::log(value / low) / std::log(high / low);
  return (value - low) / (high - low);
}

void Span::add(double value) {
  low = std::min(low.value_or(value), value);
  high = std::max(high.value_or(value), value);
}

Axis size_axis(const Span& span) {
  constexpr int kTicksMax = 11;
  int first = static_cast<int>(std::floor(std::log2(span.low.value_or(1))));
  int last = static_cast<int>(std::ceil(std::log2(span.high.value_or(2))));
  if (first == last) first > 0 ? --first : ++last;
  const int step = (last - first) / kTicksMax + 1;
  Axis axis{std::exp2(first), std::exp2(last), true, {}};
  // Ticks are at multiples of the step, so that axes that differ a little have the same ticks.
  for (int each = first; each <= last; ++each)
    if (each % step == 0) axis.ticks.push_back({std::exp2(each), size_text(each)});
  return axis;
}

Axis linear_axis(const Span& span) {
  const double low = std::min(span.low.value_or(0), 0.0);
  double high = std::max(span.high.value_or(0), 0.0);
  if (!(low < high)) high = 1;
  const double step = round_up((high - low) / 6);
  const double first = std::floor(low / step);
  const double last = std::max(std::ceil(high / step - 1e-9), first + 1);
  Axis axis{first * step, last * step, false, {}};
  for (double each = first; each <= last; ++each)
    axis.ticks.push_back({each * step, fmt::format("{:.10g}", each * step)});
  return axis;
}

Axis log_axis(const Span& span) {
  constexpr double kFewDecades = 4;
  double low = round_down(span.low.value_or(1));
  double high = round_up(span.high.value_or(10));
  if (!(low < high)) {
    low = round_down(low / 2);
    high = round_up(high * 2);
  }
  Axis axis{low, high, true, {}};
  const bool few = std::log10(high / low) < kFewDecades;
  for (double decade = std::pow(10.0, std::floor(std::log10(low) + 1e-9)); decade <= high;
       decade *= 10)
    for (const double factor : {1.0, 2.0, 5.0})
      if ((few || factor == 1) && factor * decade >= low * (1 - 1e-9) &&
          factor * decade <= high * (1 + 1e-9))
        axis.ticks.push_back({factor * decade, fmt::format("{:.10g}", factor * decade)});
  return axis;
}

std::string value_text(double value, double largest) {
  const double size = std::abs(largest);
  if (size >= 1e6) return fmt::format("{:.3g}", value);
  return fmt::format("{:.{}f}", value, size >= 100 ? 0 : size >= 10 ? 1 : 2);
}

std::string size_text(int exponent) {
  constexpr std::string_view kPrefixes[] = {"", "k", "M", "G", "T", "P", "E"};
  return fmt::format("{}{}", 1 << exponent % 10, kPrefixes[exponent / 10]);
}

}  // namespace ulnet::tools::chart

// Draws curves over message size or over time: one panel, or several below each other with the same
// x axis.
#pragma once

#include <string>
#include <vector>

namespace ulnet::tools::chart {

struct Point {
  double x = 0;  ///< bytes, or seconds
  double y = 0;  ///< in the unit that the panel's title names
};

/// Points in the order of x. A point is left out, and the line has a gap there, when x or y is
/// not finite or beyond 1e15, when x is a size below 1, and in a logarithmic panel when y is not
/// positive.
struct Series {
  std::string name;
  std::vector<Point> points;
};

/// A time that is marked over a panel's whole height, from `from` to `to` on the x axis, within the
/// limits of that axis. Its text stands above the panel; texts do not overlap.
struct Mark {
  double from = 0, to = 0;
  std::string text;
};

/// Series at the same index of their panels have the same colour. A linear axis begins at 0, or
/// below when a value is negative.
struct Panel {
  std::string y_title;  ///< with the unit: "bandwidth (MB/s)"
  bool log_y = false;
  std::vector<Series> series;
  std::vector<Mark> marks = {};
};

/// Sizes are logarithmic, with ticks at powers of two of bytes (1, 4k, 1M); times are linear, from
/// 0. The x axis is the same in all panels.
struct LineChart {
  enum class X { kSizes, kTimes };
  std::string title;
  std::string subtitle;  ///< a line below the title; empty: none
  std::string x_title;   ///< "message size (bytes)"
  std::vector<Panel> panels;
  X x = X::kSizes;
};

/// SVG 1.1. The colours are those of Okabe and Ito, which colour-blind people can distinguish.
std::string draw(const LineChart& chart);

}  // namespace ulnet::tools::chart

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

/// Points are in the order of x. The chart leaves out a point if x or y is not finite or beyond
/// 1e15, or if x is a size below 1. In a logarithmic panel it also leaves out a point whose y is
/// not positive. The line has a gap at a point that is left out.
struct Series {
  std::string name;
  std::vector<Point> points;
};

/// Marks the time from `from` to `to` on the x axis, within the limits of that axis, over the whole
/// height of a panel. The text of the mark is above the panel; texts do not overlap.
struct Mark {
  double from = 0, to = 0;
  std::string text;
};

/// Series at the same index of their panels have the same colour. A linear y axis begins at 0, or
/// below 0 if a value is negative.
struct Panel {
  std::string y_title;  ///< with the unit: "bandwidth (MB/s)"
  bool log_y = false;
  std::vector<Series> series;
  std::vector<Mark> marks = {};
};

/// The x axis is the same in all panels. An axis of sizes is logarithmic, with ticks at powers of
/// two of bytes (1, 4k, 1M). An axis of times is linear and begins at 0.
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

// Curves over message size as a picture: one panel, or several below each other with the same
// sizes.
#pragma once

#include <string>
#include <vector>

namespace ulnet::tools::chart {

struct Point {
  double x = 0;  ///< bytes
  double y = 0;  ///< in the unit that the panel's title names
};

/// Points in the order of x. A point is left out, and the line has a gap there, when x or y is
/// not finite or beyond 1e15, when x is below 1, and in a logarithmic panel when y is not
/// positive.
struct Series {
  std::string name;
  std::vector<Point> points;
};

/// Series at the same index of their panels have the same colour. A linear axis begins at 0, or
/// below when a value is negative.
struct Panel {
  std::string y_title;  ///< with the unit: "bandwidth (MB/s)"
  bool log_y = false;
  std::vector<Series> series;
};

/// x is logarithmic, with ticks at powers of two of bytes (1, 4k, 1M), and the same in all panels.
struct LineChart {
  std::string title;
  std::string subtitle;  ///< a line below the title; empty: none
  std::string x_title;   ///< "message size (bytes)"
  std::vector<Panel> panels;
};

/// SVG 1.1. The colours are those of Okabe and Ito, which colour-blind people can tell apart.
std::string draw(const LineChart& chart);

}  // namespace ulnet::tools::chart

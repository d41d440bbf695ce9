// Draws a bar chart of figures, with the bars of a group side by side.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ulnet::tools::chart {

struct Bar {
  std::string label;
  std::optional<double> value;  ///< a dash replaces the bar of a missing or not drawable value
  std::string group = {};       ///< consecutive bars with the same group stand together
  std::optional<double> second = {};  ///< a bar beside that of `value`: the figure of another case
  bool marked = false;                ///< outlined, and its label is bold
};

/// A line across all bars.
struct Level {
  double value = 0;
  std::string text;
};

/// Labels may be any text. The picture grows with them and with the number of bars; a row has as
/// many bars as fit on a wide page. The value axis is linear and the same in all rows. It begins at
/// 0, or below 0 if a value is negative.
struct BarChart {
  std::string title;
  std::string subtitle;     ///< a line below the title; empty: none
  std::string unit;         ///< the unit of the values, as shown at the axis: "GB/s"
  std::string value_name;   ///< the meaning of `value`, for the legend; empty: no legend
  std::string second_name;  ///< the same for `second`
  std::vector<Bar> bars;
  std::vector<Level> levels = {};
};

/// Draws the chart as SVG 1.1. Adjacent groups have bars of different shades, and each group has a
/// line with its name below its bars. Second values are hatched. A reader can therefore distinguish
/// the bars without colours.
std::string draw(const BarChart& chart);

}  // namespace ulnet::tools::chart

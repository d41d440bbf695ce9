// Bars of figures, those of a group side by side, as a picture.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ulnet::tools::chart {

struct Bar {
  std::string label;
  std::optional<double> value;  ///< a missing or not drawable one is a dash in the place of the bar
  std::string group = {};       ///< bars one after the other with the same group stand together
  std::optional<double> second = {};  ///< a bar beside it: the figure of another case
  bool marked = false;                ///< outlined, and its label is bold
};

/// A line across all bars.
struct Level {
  double value = 0;
  std::string text;
};

/// Labels may be any text; the picture grows with them and with the number of bars, of which so
/// many are in a row as fit a wide page. The value axis is linear, begins at 0, or below when a
/// value is negative, and is the same in all rows.
struct BarChart {
  std::string title;
  std::string subtitle;     ///< a line below the title; empty: none
  std::string unit;         ///< of the values, as the axis says it: "GB/s"
  std::string value_name;   ///< what `value` is, for the legend; empty: no legend for it
  std::string second_name;  ///< the same of `second`
  std::vector<Bar> bars;
  std::vector<Level> levels = {};
};

/// SVG 1.1. Groups next to each other have bars of different shades, and a line with their name
/// below; second values are hatched. So all is told apart without colours.
std::string draw(const BarChart& chart);

}  // namespace ulnet::tools::chart

// Draws a matrix of values: a coloured cell with its value for each pair, and a legend of the
// colours.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "text/chart/axis.h"

namespace ulnet::tools::chart {

/// `values` has a row for each of `rows`. Each row has an entry for each of `columns`. draw()
/// asserts both. A missing or not drawable entry is grey, with a dash. Labels may be any text. The
/// picture grows with the labels and with the number of cells.
struct HeatMap {
  std::string title;
  std::string subtitle;      ///< a line below the title; empty: none
  std::string unit;          ///< unit of the values: "MB/s"
  std::string row_title;     ///< meaning of the rows: "from"
  std::string column_title;  ///< meaning of the columns: "to"
  std::vector<std::string> rows, columns;
  std::vector<std::vector<std::optional<double>>> values;
  Span scale = {};  ///< the values of the first colour and of the last; empty: draw() chooses them
};

/// Draws the map as SVG 1.1. The colours (cividis) get lighter with the value. People who cannot
/// distinguish red from green can distinguish them. Without `scale` the colours span the values,
/// and at least a fifth of the largest value: values that differ only by noise then look alike.
std::string draw(const HeatMap& map);

}  // namespace ulnet::tools::chart

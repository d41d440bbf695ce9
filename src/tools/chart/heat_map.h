// A matrix of figures as a picture: a cell for each pair, coloured by its value, which stands in
// it, with a legend of the colours.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ulnet::tools::chart {

/// `values` has a row for each of `rows` (asserted), in it an entry for each of `columns`
/// (asserted). An entry that is missing or not a finite number is drawn grey, with a dash. Labels
/// are anybody's text; the picture grows with them and with the number of cells.
struct HeatMap {
  std::string title;
  std::string subtitle;      ///< a line below the title; empty: none
  std::string unit;          ///< of the values: "MB/s"
  std::string row_title;     ///< what rows are: "from"
  std::string column_title;  ///< what columns are: "to"
  std::vector<std::string> rows, columns;
  std::vector<std::vector<std::optional<double>>> values;
};

/// SVG 1.1. The colours (cividis) look the same to those who do not tell red from green, and get
/// lighter with the value. They span at least a fifth of the largest value: what differs by noise
/// only shall not look different.
std::string draw(const HeatMap& map);

}  // namespace ulnet::tools::chart

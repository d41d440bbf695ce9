// Sheets of paper on which the pictures of a plan are drawn, one sheet below the other.
#pragma once

#include <cstddef>
#include <string_view>

#include "text/chart/svg.h"

namespace ulnet::tools::fgr {

/// In pixels, 96 to the inch.
struct Paper {
  static constexpr double kEdge = 38;  ///< a centimetre, the margin that printers cannot print on
  static constexpr double kHead = 44;  ///< height of the output of sheet_head()

  double width = 0, height = 0;

  double inner_width() const { return width - 2 * kEdge; }
  double usable_height() const {
    return height - 2 * kEdge - kHead;
  }                                                        ///< the height below a sheet's head
  static constexpr double top() { return kEdge + kHead; }  ///< top of that space, on each sheet
  Paper landscape() const { return {height, width}; }
};
inline constexpr Paper kA4 = {794, 1123}, kA3 = {1123, 1587};

/// The text sizes of these pictures: no text on paper is smaller than 8 points.
inline constexpr int kSheetText = 11, kSheetTitle = 14;

/// Returns a document of this many sheets, which is printed with one sheet per page.
chart::Svg sheets_of(const Paper& paper, std::size_t sheets);

/// Draws the title, "sheet 2 of 9" on the right, a grey line below, and a dashed line between
/// sheets.
void sheet_head(chart::Svg& svg, const Paper& paper, std::size_t sheet, std::size_t sheets,
                std::string_view title, std::string_view about);

/// Returns the width that a sheet needs for this title.
double width_of_head(std::string_view title, std::string_view about);

}  // namespace ulnet::tools::fgr

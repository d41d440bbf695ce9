#include "fgr/picture/paper.h"

#include <fmt/format.h>

#include <algorithm>

#include "fgr/picture/group_marks.h"
#include "fgr/picture/names.h"

namespace ulnet::tools::fgr {

chart::Svg sheets_of(const Paper& paper, std::size_t sheets) {
  chart::Svg svg(paper.width, paper.height * static_cast<double>(sheets));
  svg.pages(paper.width, paper.height);
  return svg;
}

void sheet_head(chart::Svg& svg, const Paper& paper, std::size_t sheet, std::size_t sheets,
                std::string_view title, std::string_view about) {
  const double top = static_cast<double>(sheet) * paper.height;
  if (sheet != 0) svg.line({0, top}, {paper.width, top}, {.colour = "#bbbbbb", .dashes = "6,6"});
  svg.text({Paper::kEdge, top + Paper::kEdge + 11}, title, {.size = kSheetTitle, .bold = true});
  svg.text({paper.width - Paper::kEdge, top + Paper::kEdge + 11},
           fmt::format("sheet {} of {}", sheet + 1, sheets),
           {.anchor = chart::Anchor::kEnd, .size = kSheetText, .fill = kGrey});
  svg.text({Paper::kEdge, top + Paper::kEdge + 28}, about, {.size = kSheetText, .fill = kGrey});
}

double width_of_head(std::string_view title, std::string_view about) {
  return 2 * Paper::kEdge + std::max(padded_width(title, kSheetTitle) + 20 +
                                         padded_width("sheet 1000 of 1000", kSheetText),
                                     padded_width(about, kSheetText));
}

}  // namespace ulnet::tools::fgr

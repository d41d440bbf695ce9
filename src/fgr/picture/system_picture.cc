#include <algorithm>

#include "fgr/picture/client_lines.h"
#include "fgr/picture/group_marks.h"
#include "fgr/picture/pictures.h"
#include "fgr/picture/system_layout.h"
#include "text/chart/svg.h"

namespace ulnet::tools::fgr {
namespace {

using chart::Anchor;
using chart::Spot;
using chart::Svg;

class SystemDrawing {
 public:
  explicit SystemDrawing(const plan::Plan& plan)
      : marks_(plan), layout_(lay_out_system(plan, marks_)) {}

  std::string draw() && {
    Svg svg = sheets_of(layout_.paper, layout_.sheets);
    marks_.define(svg);
    for (std::size_t i = 0; i < layout_.sheets; ++i)
      sheet_head(svg, layout_.paper, i, layout_.sheets, layout_.title, layout_.about);
    for (const Columns* const columns : {&layout_.overview, &layout_.details}) {
      if (columns->bands.empty()) continue;
      draw_client_lines(svg, layout_, *columns);
      for (std::size_t i = 0; i < columns->bands.size(); ++i)
        if (columns->bands[i].has_rack) rack(svg, *columns, i);
      for (const Band& band : columns->bands) draw_band(svg, *columns, band);
    }
    layout_.table.draw(svg, layout_.paper);
    return std::move(svg).finish();
  }

 private:
  double above(const Band& band) const {
    return layout_.paper.height * static_cast<double>(band.sheet);
  }

  /// Draws the frame around the servers of this band and of the next ones in its rack.
  void rack(Svg& svg, const Columns& columns, std::size_t first) const {
    const Band& band = columns.bands[first];
    std::size_t last = first;
    while (last + 1 < columns.bands.size()) {
      const Band& next = columns.bands[last + 1];
      if (next.has_rack || next.has_heading || next.rack != band.rack) break;
      ++last;
    }
    const double left = columns.servers_left(band.column) - Columns::kFramePad;
    const double top = above(band) + columns.frame_top(band);
    const double bottom =
        above(band) + columns.bands[last].top + columns.bands[last].height() + Columns::kFramePad;
    svg.box({left, top}, columns.servers + 2 * Columns::kFramePad, bottom - top, "#fafafa",
            {.colour = kGrey, .width = 1.5});
    svg.text({left + Columns::kFramePad, top + 16}, band.rack, {.size = 12, .bold = true});
  }

  void draw_band(Svg& svg, const Columns& columns, const Band& band) const {
    const double up = above(band), left = columns.switch_left(band.column);
    const double right = left + columns.switches;
    const double top_of_all = band.has_rack ? columns.frame_top(band)
                                            : band.top - (band.sides.empty() ? 0 : Columns::kSides);
    if (band.has_heading)
      svg.text({columns.routers_left(band.column), up + top_of_all - 10}, band.heading,
               {.size = 13, .bold = true});
    svg.text({columns.servers_left(band.column), up + band.top - 5}, band.sides,
             {.size = kSheetText, .fill = kGrey});
    for (const Block& block : band.routers) {
      const double from = columns.routers_left(band.column);
      cables(svg, block, up, from + columns.routers, left);
      draw_block(svg, block, up, {from, columns.routers, columns.router_about});
    }
    for (const Block& block : band.servers) {
      const double to = columns.servers_left(band.column);
      cables(svg, block, up, right, to);
      draw_block(svg, block, up, {to, columns.servers, columns.server_about});
    }
    svg.box({left, up + band.top}, columns.switches, band.height(), "#d5d9e0",
            {.colour = kInk, .width = 2});
    name(svg, band, up, (left + right) / 2);
  }

  static void name(Svg& svg, const Band& band, double up, double middle) {
    constexpr double kLine = 15;
    double y =
        up + band.top + 11 +
        (band.height() - kLine * static_cast<double>(band.name.size() + band.about.size())) / 2;
    for (const auto* const lines : {&band.name, &band.about})
      for (const std::string& line : *lines) {
        svg.text({middle, y}, line,
                 {.anchor = Anchor::kMiddle, .size = kSheetText, .bold = lines == &band.name});
        y += kLine;
      }
  }

  /// Draws the cables of a block. `up`: where the block's sheet begins.
  void cables(Svg& svg, const Block& block, double up, double from, double to) const {
    const std::string_view colour = block.groups.empty() ? kGrey : marks_.ink(block.groups.back());
    for (std::size_t i = 0; i < block.lines.size(); ++i) {
      const std::size_t count = block.lines[i].cables;
      const double y = up + block.line_y(i);
      if (block.bundle && count != 0) {
        svg.line({from, y}, {to, y}, {.colour = kGrey, .width = 4});
        svg.text({(from + to) / 2, y - 4}, std::to_string(count),
                 {.anchor = Anchor::kMiddle, .size = kSheetText, .fill = kGrey});
        continue;
      }
      const double step = std::min(5.0, 14.0 / static_cast<double>(count));
      for (std::size_t k = 0; k < count; ++k) {
        const double shift = step * (static_cast<double>(k) - (static_cast<double>(count) - 1) / 2);
        svg.line({from, y + shift}, {to, y + shift}, {.colour = colour, .width = 1.8});
      }
    }
  }

  struct Slot {
    double left, width, about;
  };

  void draw_block(Svg& svg, const Block& block, double up, const Slot& slot) const {
    const std::string_view pale =
        block.groups.empty() || block.bundle ? "#ffffff" : marks_.pale(block.groups.back());
    const double tags = marks_.width_of(block.groups.size());
    svg.box({slot.left, up + block.top}, slot.width, block.height(), pale,
            {.colour = kInk, .width = 1});
    marks_.tags(svg, block.groups, {slot.left, up + block.top}, block.height());
    svg.text({slot.left + tags + 8, up + block.top + Block::kPad + 13}, block.caption,
             {.size = kSheetText, .fill = kGrey});
    for (std::size_t i = 0; i < block.lines.size(); ++i) {
      const double y = up + block.line_y(i) + 4;
      svg.text({slot.left + tags + 8, y}, block.lines[i].name, {.size = kSheetText, .bold = true});
      svg.text({slot.left + slot.about, y}, block.lines[i].about,
               {.size = kSheetText, .fill = kGrey});
    }
  }

  GroupMarks marks_;
  SystemLayout layout_;
};

}  // namespace

std::string system_picture(const plan::Plan& plan) { return SystemDrawing(plan).draw(); }

}  // namespace ulnet::tools::fgr

#include "fgr/picture/client_lines.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "fgr/picture/group_marks.h"

namespace ulnet::tools::fgr {
namespace {

using chart::Anchor;
using chart::Spot;
using chart::Svg;

constexpr std::array<std::string_view, 4> kDashes = {"", "6,3", "2,2", "9,3,2,3"};
constexpr double kDot = 2.2, kNear = 4, kCut = 14;

/// Draws the lines of one sheet.
class ClientLines {
 public:
  ClientLines(Svg& svg, const SystemLayout& layout, const Columns& columns, std::size_t sheet)
      : svg_(svg),
        layout_(layout),
        columns_(columns),
        above_(layout.paper.height * static_cast<double>(sheet)),
        stubs_(columns.count, std::vector<std::vector<double>>(layout.clients.size())) {
    for (const Band& band : columns.bands)
      if (band.sheet == sheet)
        for (const Block& block : band.routers)
          for (std::size_t i = 0; i < block.lines.size(); ++i)
            stubs_[band.column][block.client].push_back(block.line_y(i));
  }

  void draw() {
    const bool boxes = &columns_ == &layout_.beside_clients();
    for (std::size_t client = 0; client < layout_.clients.size(); ++client) {
      for (std::size_t column = 0; column < columns_.count; ++column)
        for (const double y : stubs_[column][client]) stub(column, client, y);
      boxes ? from_box(client) : from_name(client);
    }
  }

 private:
  chart::Stroke stroke(std::size_t client, double width) const {
    return {.colour = kGrey, .width = width, .dashes = kDashes[client % kDashes.size()]};
  }
  Spot at(double x, double y) const { return {x, above_ + y}; }

  void stub(std::size_t column, std::size_t client, double y) {
    const double x = columns_.trunk_x(column, client);
    svg_.line(at(x, y), at(columns_.routers_left(column), y), stroke(client, 1.2));
    svg_.dot(at(x, y), kDot, kGrey);
  }

  /// Draws an upright line from the highest to the lowest of these points and of the stubs.
  void trunk(std::size_t column, std::size_t client, std::vector<double> ends) {
    ends.insert(ends.end(), stubs_[column][client].begin(), stubs_[column][client].end());
    const auto [high, low] = std::ranges::minmax(ends);
    const double x = columns_.trunk_x(column, client);
    if (high < low) svg_.line(at(x, high), at(x, low), stroke(client, 2));
  }

  void from_name(std::size_t client) {
    for (std::size_t column = 0; column < columns_.count; ++column) {
      if (stubs_[column][client].empty()) continue;
      const double y = Paper::top() + SystemLayout::kClientName * static_cast<double>(client) + 11;
      svg_.text(at(columns_.trunk_x(column, client) - 3, y), layout_.clients[client].lines.front(),
                {.size = kSheetText, .bold = true});
      trunk(column, client, {y + 4});
    }
  }

  void from_box(std::size_t client) {
    box(client);
    const double bus = layout_.bus_y(client), out = exit_of(client);
    std::size_t last = 0;
    bool any = !stubs_[0][client].empty();
    for (std::size_t column = 1; column < columns_.count; ++column)
      if (!stubs_[column][client].empty()) {
        trunk(column, client, {bus});
        last = column;
        any = true;
      }
    if (!any) return;
    const double left = Paper::kEdge + layout_.clients_width, x = columns_.trunk_x(0, client);
    svg_.line(at(left, out), at(x, out), stroke(client, 2));
    if (last == 0) return trunk(0, client, {out});
    trunk(0, client, {out, bus});
    svg_.line(at(x, bus), at(columns_.trunk_x(last, client), bus), stroke(client, 2));
  }

  /// Returns the middle of the box, or a place near it that no line to a router uses.
  double exit_of(std::size_t client) const {
    const ClientBox& box = layout_.clients[client];
    const auto taken = [&](double y) {
      return std::ranges::any_of(stubs_[0], [&](const std::vector<double>& ys) {
        return std::ranges::any_of(ys, [&](double each) { return std::abs(each - y) < kNear; });
      });
    };
    const double middle = box.top + box.height / 2;
    for (double y = middle; y < box.top + box.height - 2; y += 2)
      if (!taken(y)) return y;
    return middle;
  }

  void box(std::size_t client) {
    const ClientBox& box = layout_.clients[client];
    const double left = Paper::kEdge, right = left + layout_.clients_width;
    const double top = above_ + box.top, bottom = top + box.height;
    const double cut = std::min(kCut, box.height / 3);
    svg_.shape({{left + cut, top},
                {right - cut, top},
                {right, top + cut},
                {right, bottom - cut},
                {right - cut, bottom},
                {left + cut, bottom},
                {left, bottom - cut},
                {left, top + cut}},
               "#f2f4f7",
               {.colour = kInk, .width = 1.5, .dashes = kDashes[client % kDashes.size()]});
    double y =
        (top + bottom - SystemLayout::kClientRow * static_cast<double>(box.lines.size())) / 2;
    for (const std::string& line : box.lines) {
      svg_.text(
          {(left + right) / 2, y + 12}, line,
          {.anchor = Anchor::kMiddle, .size = kSheetText, .bold = &line == &box.lines.front()});
      y += SystemLayout::kClientRow;
    }
  }

  Svg& svg_;
  const SystemLayout& layout_;
  const Columns& columns_;
  const double above_;                                   ///< the sheets before
  std::vector<std::vector<std::vector<double>>> stubs_;  ///< by column and client, on the sheet
};

}  // namespace

void draw_client_lines(Svg& svg, const SystemLayout& layout, const Columns& columns) {
  for (std::size_t i = 0; i < columns.sheets; ++i)
    ClientLines(svg, layout, columns, columns.first_sheet + i).draw();
}

}  // namespace ulnet::tools::fgr

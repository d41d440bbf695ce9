#include "text/chart/heat_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "lnet/base/assert.h"
#include "text/chart/axis.h"
#include "text/chart/svg.h"

namespace ulnet::tools::chart {
namespace {

using Colour = std::array<double, 3>;  ///< red, green, blue, each from 0 to 255

/// Cividis at equal distances, from dark to light.
constexpr std::array<Colour, 9> kScale = {{{0, 34, 78},
                                           {31, 56, 110},
                                           {65, 77, 107},
                                           {95, 100, 110},
                                           {124, 123, 120},
                                           {155, 147, 119},
                                           {188, 173, 108},
                                           {221, 201, 84},
                                           {254, 232, 56}}};
constexpr std::string_view kMissing = "#e4e4e4";
constexpr int kCellText = 11;
constexpr int kLabelText = 12;
constexpr double kCellHeight = 26;
constexpr double kBorder = 20;
constexpr double kLegendWidth = 240;
constexpr double kLegendHeight = 14;

Colour colour_at(double part) {
  const double place = std::clamp(part, 0.0, 1.0) * (kScale.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(place), kScale.size() - 2);
  const double rest = place - static_cast<double>(below);
  Colour mixed;
  for (std::size_t k = 0; k < mixed.size(); ++k)
    mixed[k] = kScale[below][k] * (1 - rest) + kScale[below + 1][k] * rest;
  return mixed;
}

std::string text_of(const Colour& colour) {
  return fmt::format("#{:02x}{:02x}{:02x}", std::lround(colour[0]), std::lround(colour[1]),
                     std::lround(colour[2]));
}

/// The text colour: white on dark cells, near black on light ones.
std::string_view ink_on(const Colour& colour) {
  const double light = 0.299 * colour[0] + 0.587 * colour[1] + 0.114 * colour[2];
  return light < 118 ? "#ffffff" : "#111111";
}

double widest(const std::vector<std::string>& labels) {
  double width = 0;
  for (const std::string& each : labels) width = std::max(width, width_of(each, kLabelText));
  return width;
}

class Picture {
 public:
  explicit Picture(const HeatMap& map) : map_(map) {
    ULNET_ASSERT(map.values.size() == map.rows.size());
    for (const auto& row : map.values) {
      ULNET_ASSERT(row.size() == map.columns.size());
      for (const auto& value : row)
        if (shown(value)) span_.add(*value);
    }
    lay_out();
  }

  std::string draw() {
    Svg svg(width_, height_);
    svg.text({kBorder, 30}, map_.title, {.size = 16, .bold = true});
    if (!map_.subtitle.empty()) svg.text({kBorder, 50}, map_.subtitle, {.fill = "#555555"});
    labels(svg);
    for (std::size_t row = 0; row < map_.rows.size(); ++row)
      for (std::size_t column = 0; column < map_.columns.size(); ++column) cell(svg, row, column);
    if (span_.low)
      legend(svg);
    else
      svg.text({kBorder, bottom_ + 30}, "no values", {.fill = "#555555"});
    return std::move(svg).finish();
  }

 private:
  static bool shown(const std::optional<double>& value) { return value && is_drawable(*value); }

  void lay_out() {
    if (map_.scale.low && map_.scale.high) {
      low_ = *map_.scale.low;
      high_ = *map_.scale.high;
      largest_ = std::max(std::abs(low_), std::abs(high_));
    } else if (span_.low) {
      largest_ = std::max(std::abs(*span_.low), std::abs(*span_.high));
      low_ = std::min(*span_.low, *span_.high - largest_ / 5);
      high_ = *span_.high;
    }
    double text = 0;
    for (const auto& row : map_.values)
      for (const auto& value : row) text = std::max(text, width_of(words(value), kCellText));
    cell_ = std::max(44.0, text + 10);
    const double column = widest(map_.columns);
    upright_ = column + 8 > cell_;
    left_ = kBorder + widest(map_.rows) + 10;
    if (!map_.row_title.empty()) left_ += 20;
    top_ = (map_.subtitle.empty() ? 42 : 62) + (upright_ ? column + 12 : 24);
    if (!map_.column_title.empty()) top_ += 20;
    bottom_ = top_ + kCellHeight * static_cast<double>(map_.rows.size());
    right_ = left_ + cell_ * static_cast<double>(map_.columns.size());
    width_ = std::max({right_, left_ + kLegendWidth + width_of(map_.unit, kLabelText) + 12,
                       kBorder + width_of(map_.title, 16) * 1.1,
                       kBorder + width_of(map_.subtitle, kLabelText)}) +
             kBorder;
    height_ = bottom_ + 78;
  }

  std::string words(const std::optional<double>& value) const {
    return shown(value) ? value_text(*value, largest_) : "–";
  }

  void labels(Svg& svg) const {
    const double middle_x = (left_ + right_) / 2;
    const double middle_y = (top_ + bottom_) / 2;
    const double above = map_.subtitle.empty() ? 56 : 76;
    svg.text({middle_x, above}, map_.column_title, {.anchor = Anchor::kMiddle, .bold = true});
    svg.text({kBorder + 8, middle_y}, map_.row_title,
             {.anchor = Anchor::kMiddle, .bold = true, .turn = -90});
    for (std::size_t row = 0; row < map_.rows.size(); ++row)
      svg.text({left_ - 8, y_of(row) + kCellHeight / 2 + 4}, map_.rows[row],
               {.anchor = Anchor::kEnd, .size = kLabelText});
    for (std::size_t column = 0; column < map_.columns.size(); ++column) {
      const double x = x_of(column) + cell_ / 2;
      if (upright_)
        svg.text({x + 4, top_ - 8}, map_.columns[column], {.size = kLabelText, .turn = -90});
      else
        svg.text({x, top_ - 8}, map_.columns[column],
                 {.anchor = Anchor::kMiddle, .size = kLabelText});
    }
  }

  void cell(Svg& svg, std::size_t row, std::size_t column) const {
    const std::optional<double>& value = map_.values[row][column];
    const Spot corner{x_of(column), y_of(row)};
    const Colour colour = shown(value) ? colour_at(part_of(*value)) : Colour{};
    // The cell is one pixel smaller than its place; the grid shows there.
    svg.rect(corner, cell_ - 1, kCellHeight - 1, shown(value) ? text_of(colour) : kMissing);
    svg.text({corner.x + cell_ / 2, corner.y + kCellHeight / 2 + 4}, words(value),
             {.anchor = Anchor::kMiddle,
              .size = kCellText,
              .fill = shown(value) ? ink_on(colour) : "#555555"});
  }

  /// Draws a bar of the colours, with values at its ends and its middle.
  void legend(Svg& svg) const {
    constexpr int kSteps = 48;
    const double y = bottom_ + 22;
    const double step = kLegendWidth / kSteps;
    for (int k = 0; k < kSteps; ++k)
      // Each step reaches under the next one, because a viewer that rounds would otherwise show
      // seams.
      svg.rect({left_ + k * step, y}, k + 1 < kSteps ? step + 1 : step, kLegendHeight,
               text_of(colour_at((k + 0.5) / kSteps)));
    const auto mark = [&](double part, Anchor anchor) {
      svg.text({left_ + part * kLegendWidth, y + kLegendHeight + 16},
               value_text(low_ + part * (high_ - low_), largest_),
               {.anchor = anchor, .size = kCellText});
    };
    mark(0, Anchor::kStart);
    mark(0.5, Anchor::kMiddle);
    mark(1, Anchor::kEnd);
    svg.text({left_ + kLegendWidth + 10, y + 12}, map_.unit, {.size = kLabelText});
  }

  double x_of(std::size_t column) const { return left_ + cell_ * static_cast<double>(column); }
  double y_of(std::size_t row) const { return top_ + kCellHeight * static_cast<double>(row); }
  double part_of(double value) const { return low_ < high_ ? (value - low_) / (high_ - low_) : 0; }

  const HeatMap& map_;
  Span span_;
  double largest_ = 0;         ///< the largest magnitude of the values
  double low_ = 0, high_ = 0;  ///< the values of the first colour and of the last
  double cell_ = 0;            ///< width
  bool upright_ = false;
  double left_ = 0, right_ = 0, top_ = 0, bottom_ = 0;  ///< edges of the cells
  double width_ = 0, height_ = 0;
};

}  // namespace

std::string draw(const HeatMap& map) { return Picture(map).draw(); }

}  // namespace ulnet::tools::chart

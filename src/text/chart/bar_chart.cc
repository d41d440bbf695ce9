#include "text/chart/bar_chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "text/chart/axis.h"
#include "text/chart/svg.h"

namespace ulnet::tools::chart {
namespace {

/// A bar with its place in the picture.
struct PlacedBar {
  const Bar* bar;
  double x;           ///< position of its left edge
  std::size_t group;  ///< counted from the first
};
using BarRow = std::vector<PlacedBar>;

class BarPicture {
 public:
  explicit BarPicture(const BarChart& chart) : chart_(chart) {
    Span span;
    for (const Bar& bar : chart.bars) {
      for (const auto& value : {bar.value, bar.second})
        if (shown(value)) span.add(*value);
      two_ = two_ || bar.second;
      labels_ = std::max(labels_, width_of(bar.label, kSmall) * 1.1);
    }
    for (const Level& level : chart.levels) {
      if (is_drawable(level.value)) span.add(level.value);
      level_text_ = std::max(level_text_, width_of(level.text, kSmall) + 8);
    }
    axis_ = linear_axis(span);
    choose_width();
    place_bars();
    lay_out();
  }

  std::string draw() {
    Svg svg(width_, height_);
    svg.text({kMargin, 30}, chart_.title, {.size = 16, .bold = true});
    if (!chart_.subtitle.empty()) svg.text({kMargin, 50}, chart_.subtitle, {.fill = "#555555"});
    legend(svg);
    double top = head_;
    for (const BarRow& row : rows_) {
      draw_row(svg, row, top);
      top += row_height();
    }
    if (chart_.bars.empty()) svg.text({kLeft, head_ + 20}, "no values", {.fill = "#555555"});
    return std::move(svg).finish();
  }

 private:
  /// The blue and the sky blue of Okabe and Ito. Groups have these colours in turn.
  static constexpr std::array<std::string_view, 2> kColours = {"#0072b2", "#56b4e9"};
  static constexpr std::string_view kSecondColour = "#e69f00";
  static constexpr std::string_view kMarkColour = "#d55e00";
  static constexpr Stroke kGrid = {.colour = "#e2e2e2"};
  static constexpr Stroke kFrame = {.colour = "#777777"};
  static constexpr Stroke kLevel = {.colour = "#d55e00", .width = 1.5, .dashes = "7,4"};
  static constexpr Stroke kHatch = {.colour = "#7a5400", .width = 1};
  static constexpr double kMargin = 20;
  static constexpr double kLeft = 90;
  static constexpr double kPlotHeight = 250;
  static constexpr double kNarrowBar = 14, kWideBar = 40;
  static constexpr double kBetweenBars = 5;
  static constexpr double kBetweenGroups = 16;
  static constexpr double kHatchStep = 5;
  static constexpr double kRowWidth = 1300;  ///< a row ends with the bar that passes this width
  static constexpr double kMinWidth = 300;
  static constexpr int kSmall = 11;

  static bool shown(const std::optional<double>& value) { return value && is_drawable(*value); }
  double bars() const { return two_ ? 2 : 1; }  ///< the number of bars side by side for each label
  double pitch() const { return bars() * bar_ + kBetweenBars; }
  double row_height() const { return kPlotHeight + labels_ + 62; }

  /// Chooses the width of a bar. If there are few bars, they fill the least width of a picture.
  void choose_width() {
    const auto count = static_cast<double>(chart_.bars.size());
    std::size_t groups = 1;
    for (std::size_t k = 1; k < chart_.bars.size(); ++k)
      groups += chart_.bars[k].group != chart_.bars[k - 1].group;
    const double gaps = kBetweenBars * count + kBetweenGroups * static_cast<double>(groups);
    if (count > 0)
      bar_ = std::clamp(std::floor((kMinWidth - gaps) / count / bars()), kNarrowBar, kWideBar);
  }

  /// Places the bars in rows; a group that does not fit into a row continues on the next.
  void place_bars() {
    double x = kLeft, group_end = 0;
    std::size_t group = 0;
    for (std::size_t k = 0; k < chart_.bars.size(); ++k) {
      const bool new_group = k != 0 && chart_.bars[k].group != chart_.bars[k - 1].group;
      group += new_group;
      if (rows_.empty() || x + pitch() > kLeft + kRowWidth) {
        rows_.emplace_back();
        x = kLeft + kBetweenGroups / 2;
        group_end = 0;
      } else if (new_group) {
        x = std::max(x, group_end) + kBetweenGroups;
      }
      if (new_group || k == 0 || group_end == 0)
        group_end = x + width_of(chart_.bars[k].group, kSmall);
      rows_.back().push_back({&chart_.bars[k], x, group});
      x += pitch();
      right_ = std::max({right_, x + kBetweenGroups / 2, group_end});
    }
    right_ = std::max(right_, kLeft + kMinWidth);
  }

  void lay_out() {
    legend_ = !chart_.value_name.empty() || (two_ && !chart_.second_name.empty());
    head_ = 52 + (chart_.subtitle.empty() ? 0 : 20) + (legend_ ? 24 : 0);
    width_ = std::max({right_ + level_text_, kMargin + width_of(chart_.title, 16) * 1.1,
                       kMargin + width_of(chart_.subtitle, 12),
                       kLeft + width_of(chart_.value_name + chart_.second_name, 12) + 70}) +
             kMargin;
    height_ = head_ + std::max(row_height() * static_cast<double>(rows_.size()), 40.0);
  }

  double y_of(double value, double top) const {
    return top + (1 - axis_.place(value)) * kPlotHeight;
  }

  void legend(Svg& svg) const {
    if (!legend_) return;
    const double y = head_ - 22;
    double x = kLeft;
    if (!chart_.value_name.empty()) {
      svg.rect({x, y - 10}, 12, 12, kColours[0]);
      svg.text({x + 18, y}, chart_.value_name, {});
      x += 18 + width_of(chart_.value_name, 12) + 22;
    }
    if (two_ && !chart_.second_name.empty()) {
      second(svg, {x, y - 10}, 12, 12);
      svg.text({x + 18, y}, chart_.second_name, {});
    }
  }

  static void second(Svg& svg, Spot corner, double width, double height) {
    svg.rect(corner, width, height, kSecondColour);
    for (double y = corner.y + kHatchStep; y < corner.y + height; y += kHatchStep)
      svg.line({corner.x, y}, {corner.x + width, y}, kHatch);
  }

  void draw_row(Svg& svg, const BarRow& row, double top) const {
    for (const Tick& tick : axis_.ticks) {
      const double y = y_of(tick.value, top);
      svg.line({kLeft, y}, {right_, y}, kGrid);
      svg.text({kLeft - 7, y + 4}, tick.text, {.anchor = Anchor::kEnd, .size = kSmall});
    }
    svg.line({kLeft, top}, {kLeft, top + kPlotHeight}, kFrame);
    svg.text({kMargin + 6, top + kPlotHeight / 2}, chart_.unit,
             {.anchor = Anchor::kMiddle, .turn = -90});
    for (const PlacedBar& placed : row) bar(svg, placed, top);
    svg.line({kLeft, y_of(0, top)}, {right_, y_of(0, top)}, kFrame);
    for (const Level& level : chart_.levels) {
      if (!is_drawable(level.value)) continue;
      const double y = y_of(level.value, top);
      svg.line({kLeft, y}, {right_, y}, kLevel);
      svg.text({right_ + 6, y + 4}, level.text, {.size = kSmall, .fill = kMarkColour});
    }
    groups(svg, row, top + kPlotHeight + labels_ + 18);
  }

  void bar(Svg& svg, const PlacedBar& placed, double top) const {
    const Bar& bar = *placed.bar;
    const double zero = y_of(0, top), width = bars() * bar_;
    const auto box = [&](double value) {
      const double y = y_of(value, top);
      return std::pair{std::min(y, zero), std::abs(zero - y)};
    };
    const auto dash = [&](double x) {
      svg.text({x + bar_ / 2, zero - 4}, "–",
               {.anchor = Anchor::kMiddle, .size = kSmall, .fill = "#555555"});
    };
    if (shown(bar.value)) {
      const auto [y, height] = box(*bar.value);
      svg.rect({placed.x, y}, bar_, height, kColours[placed.group % kColours.size()]);
    } else {
      dash(placed.x);
    }
    if (bar.second && shown(bar.second)) {
      const auto [y, height] = box(*bar.second);
      second(svg, {placed.x + bar_, y}, bar_, height);
    } else if (two_) {
      dash(placed.x + bar_);
    }
    if (bar.marked) mark(svg, placed, top);
    svg.text({placed.x + width / 2 + 4, top + kPlotHeight + 8}, bar.label,
             {.anchor = Anchor::kEnd,
              .size = kSmall,
              .fill = bar.marked ? kMarkColour : "#222222",
              .bold = bar.marked,
              .turn = -90});
  }

  /// Draws an outline around a marked bar, over the whole height of the plot, because the bar
  /// itself may have no height.
  void mark(Svg& svg, const PlacedBar& placed, double top) const {
    const double left = placed.x - 2, right = placed.x + bars() * bar_ + 2;
    const Stroke stroke{.colour = kMarkColour, .width = 2};
    svg.path({{left, top + kPlotHeight}, {left, top}, {right, top}, {right, top + kPlotHeight}},
             stroke);
  }

  /// Draws a line below the bars of each group, with the group's name.
  void groups(Svg& svg, const BarRow& row, double y) const {
    for (std::size_t from = 0; from < row.size();) {
      std::size_t to = from;
      while (to + 1 < row.size() && row[to + 1].group == row[from].group) ++to;
      if (const std::string& name = row[from].bar->group; !name.empty()) {
        const double left = row[from].x, right = row[to].x + pitch() - kBetweenBars;
        svg.line({left, y}, {right, y}, kFrame);
        svg.text({left, y + 15}, name, {.size = kSmall});
      }
      from = to + 1;
    }
  }

  const BarChart& chart_;
  Axis axis_;
  std::vector<BarRow> rows_;
  bool two_ = false, legend_ = false;
  double bar_ = kNarrowBar;  ///< width
  double labels_ = 0;        ///< the longest label's length
  double level_text_ = 0;
  double right_ = 0, head_ = 0, width_ = 0, height_ = 0;
};

}  // namespace

std::string draw(const BarChart& chart) { return BarPicture(chart).draw(); }

}  // namespace ulnet::tools::chart

#include "text/chart/line_chart.h"

#include <algorithm>
#include <array>

#include "text/chart/axis.h"
#include "text/chart/svg.h"

namespace ulnet::tools::chart {
namespace {

/// The colours of Okabe and Ito, without yellow, which is too light for a line on white.
constexpr std::array<std::string_view, 7> kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                      "#56b4e9", "#e69f00", "#000000"};
/// Dash patterns distinguish series when all colours are used, and on grey prints.
constexpr std::array<std::string_view, 4> kDashes = {"", "7,4", "2,3", "10,3,2,3"};
constexpr Stroke kGrid = {.colour = "#e2e2e2"};
constexpr Stroke kFrame = {.colour = "#777777"};
constexpr double kMargin = 20;
constexpr double kLeft = 90;
constexpr double kPlotWidth = 620;
constexpr double kPlotHeight = 250;
constexpr double kBetween = 40;
constexpr double kLegendSample = 28;
constexpr int kSmall = 11;
constexpr double kMarkLine = 15;
constexpr std::string_view kMarkInk = "#8a4b1f";

Stroke stroke_of(std::size_t series) {
  const std::size_t round = series / kColours.size() % kDashes.size();
  return {.colour = kColours[series % kColours.size()], .width = 2, .dashes = kDashes[round]};
}

bool is_shown(const Point& point, const Panel& panel, LineChart::X x) {
  return is_drawable(point.x) && point.x >= (x == LineChart::X::kSizes ? 1 : 0) &&
         is_drawable(point.y) && (!panel.log_y || point.y > 0);
}

Axis x_axis_of(const LineChart& chart) {
  Span span;
  for (const Panel& panel : chart.panels)
    for (const Series& series : panel.series)
      for (const Point& point : series.points)
        if (is_shown(point, panel, chart.x)) span.add(point.x);
  return chart.x == LineChart::X::kSizes ? size_axis(span) : linear_axis(span);
}

Axis y_axis_of(const Panel& panel, LineChart::X x) {
  Span span;
  for (const Series& series : panel.series)
    for (const Point& point : series.points)
      if (is_shown(point, panel, x)) span.add(point.y);
  return panel.log_y ? log_axis(span) : linear_axis(span);
}

double legend_width(const LineChart& chart) {
  double width = 0;
  for (const Panel& panel : chart.panels)
    for (const Series& series : panel.series) width = std::max(width, width_of(series.name, 12));
  return kLegendSample + 8 + width;
}

double x_of(const Axis& axis, double value) {
  return kLeft + std::clamp(axis.place(value), 0.0, 1.0) * kPlotWidth;
}

/// A mark with its place: the band behind the curves, and above the plot a line for its text.
struct PlacedMark {
  const Mark* mark = nullptr;
  double left = 0, right = 0;  ///< edges of the band
  double text_end = 0;
  std::size_t line = 0;  ///< counted from above
};

/// Returns the visible marks, from the left. The text of a mark is on a line below all texts that
/// reach beyond the mark. Texts therefore do not overlap, and no text is between another text and
/// its band.
std::vector<PlacedMark> placed_marks(const Panel& panel, const Axis& x) {
  std::vector<PlacedMark> placed;
  for (const Mark& mark : panel.marks) {
    if (!is_drawable(mark.from) || !is_drawable(mark.to) || mark.from > mark.to ||
        mark.to < x.low || mark.from > x.high)
      continue;
    const double left = x_of(x, mark.from);
    placed.push_back({&mark, left, std::max(x_of(x, mark.to), left + 1),
                      left + 8 + 1.04 * width_of(mark.text, kSmall)});
  }
  std::ranges::sort(placed, {}, [](const PlacedMark& each) {
    return std::pair(each.left, each.mark);  // marks at one place keep the order of the panel
  });
  std::vector<double> ends;  // the end of the last text on each line
  for (PlacedMark& each : placed) {
    const auto beyond =
        std::find_if(ends.rbegin(), ends.rend(), [&](double end) { return end > each.left; });
    each.line = static_cast<std::size_t>(ends.rend() - beyond);
    ends.resize(std::max(ends.size(), each.line + 1));
    ends[each.line] = each.text_end;
  }
  return placed;
}

/// Returns the height of the texts of the marks.
double strip_of(const std::vector<PlacedMark>& marks) {
  std::size_t lines = 0;
  for (const PlacedMark& each : marks) lines = std::max(lines, each.line + 1);
  return kMarkLine * static_cast<double>(lines);
}

/// One panel; `top` is the upper edge of its marks' texts.
class Plot {
 public:
  Plot(Svg& svg, const Panel& panel, LineChart::X kind, const Axis& x, double top)
      : svg_(svg),
        panel_(panel),
        kind_(kind),
        x_(x),
        y_(y_axis_of(panel, kind)),
        marks_(placed_marks(panel, x)),
        top_(top + strip_of(marks_)) {}

  void draw() {
    for (const PlacedMark& each : marks_) mark(each);
    grid();
    for (std::size_t k = 0; k < panel_.series.size(); ++k) {
      curve(panel_.series[k], stroke_of(k));
      legend(panel_.series[k], k);
    }
  }

 private:
  Spot place(const Point& point) const {
    return {kLeft + x_.place(point.x) * kPlotWidth, bottom() - y_.place(point.y) * kPlotHeight};
  }
  double bottom() const { return top_ + kPlotHeight; }

  /// Draws a mark; a line leads from its text down to its band.
  void mark(const PlacedMark& each) {
    const double text = top_ - strip_of(marks_) + kMarkLine * static_cast<double>(each.line);
    svg_.rect({each.left, top_}, each.right - each.left, kPlotHeight, "#fbe9dd");
    svg_.line({each.left, text + 2}, {each.left, top_}, {.colour = kMarkInk});
    svg_.text({each.left + 4, text + 11}, each.mark->text, {.size = kSmall, .fill = kMarkInk});
  }

  void grid() {
    const double right = kLeft + kPlotWidth;
    for (const Tick& tick : x_.ticks) {
      const double x = kLeft + x_.place(tick.value) * kPlotWidth;
      svg_.line({x, top_}, {x, bottom()}, kGrid);
      svg_.text({x, bottom() + 16}, tick.text, {.anchor = Anchor::kMiddle, .size = kSmall});
    }
    for (const Tick& tick : y_.ticks) {
      const double y = bottom() - y_.place(tick.value) * kPlotHeight;
      svg_.line({kLeft, y}, {right, y}, kGrid);
      svg_.text({kLeft - 7, y + 4}, tick.text, {.anchor = Anchor::kEnd, .size = kSmall});
    }
    svg_.line({kLeft, top_}, {kLeft, bottom()}, kFrame);
    svg_.line({kLeft, bottom()}, {right, bottom()}, kFrame);
    svg_.text({kMargin + 6, top_ + kPlotHeight / 2}, panel_.y_title,
              {.anchor = Anchor::kMiddle, .turn = -90});
  }

  /// Draws lines from gap to gap, and a dot at each point, so that a single point is visible too.
  void curve(const Series& series, const Stroke& stroke) {
    std::vector<Spot> run;
    for (const Point& point : series.points) {
      if (!is_shown(point, panel_, kind_)) {
        svg_.path(run, stroke);
        run.clear();
        continue;
      }
      run.push_back(place(point));
      svg_.dot(run.back(), 3, stroke.colour);
    }
    svg_.path(run, stroke);
  }

  void legend(const Series& series, std::size_t number) {
    const double x = kLeft + kPlotWidth + 20;
    const double y = top_ + 8 + 20 * static_cast<double>(number);
    const Stroke stroke = stroke_of(number);
    svg_.line({x, y}, {x + kLegendSample, y}, stroke);
    svg_.dot({x + kLegendSample / 2, y}, 3, stroke.colour);
    svg_.text({x + kLegendSample + 8, y + 4}, series.name, {});
  }

  Svg& svg_;
  const Panel& panel_;
  const LineChart::X kind_;
  const Axis& x_;
  const Axis y_;
  const std::vector<PlacedMark> marks_;
  const double top_;  ///< upper edge of the plot
};

/// Returns the height of the plot or of the legend, whichever is larger.
double height_of(const Panel& panel) {
  return std::max(kPlotHeight, 20 * static_cast<double>(panel.series.size()));
}

}  // namespace

std::string draw(const LineChart& chart) {
  const double head = chart.subtitle.empty() ? 52 : 72;
  double height = head;
  const Axis x = x_axis_of(chart);
  double texts = 0;
  for (const Panel& panel : chart.panels) {
    const auto marks = placed_marks(panel, x);
    height += strip_of(marks) + height_of(panel) + kBetween;
    for (const PlacedMark& each : marks) texts = std::max(texts, each.text_end);
  }
  const double width = std::max({texts, kLeft + kPlotWidth + 20 + legend_width(chart),
                                 kMargin + width_of(chart.title, 16) * 1.1,
                                 kMargin + width_of(chart.subtitle, 12)}) +
                       kMargin;
  Svg svg(width, height + kMargin);
  svg.text({kMargin, 30}, chart.title, {.size = 16, .bold = true});
  if (!chart.subtitle.empty()) svg.text({kMargin, 50}, chart.subtitle, {.fill = "#555555"});
  double top = head;
  for (const Panel& panel : chart.panels) {
    Plot(svg, panel, chart.x, x, top).draw();
    top += strip_of(placed_marks(panel, x)) + height_of(panel) + kBetween;
  }
  svg.text({kLeft + kPlotWidth / 2, top + 4}, chart.x_title, {.anchor = Anchor::kMiddle});
  return std::move(svg).finish();
}

}  // namespace ulnet::tools::chart

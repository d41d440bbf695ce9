#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fgr/picture/names.h"
#include "fgr/simulate/report.h"
#include "text/chart/axis.h"
#include "text/chart/svg.h"

namespace ulnet::tools::fgr {
namespace {

using chart::Anchor;
using chart::Spot;
using chart::Stroke;
using chart::Svg;

class TimesPicture {
 public:
  explicit TimesPicture(const Simulated& simulated)
      : simulated_(simulated),
        groups_(shown_groups(simulated)),
        subtitle_(wrapped_lines(subtitle(), kLetters)),
        top_(kTitle + kLine * static_cast<double>(subtitle_.size() + 1)) {
    chart::Span span;
    for (const Outcome& outcome : simulated.outcomes)
      for (const OssOutcome& oss : outcome.osss)
        if (oss.seconds) span.add(*oss.seconds);
    axis_ = chart::linear_axis(span);
    place_bars();
  }

  std::string draw() && {
    const double panel_height = kPanelHead + kPlotHeight + below_ + kPanelGap;
    const double latencies = top_ + panel_height * static_cast<double>(simulated_.outcomes.size());
    Svg svg(kLeft + width_ + kRight, latencies + kPanelHead + kPlotHeight + 40);
    svg.text({kLeft, 26}, "seconds until each OSS has moved its amount",
             {.size = 16, .bold = true});
    for (std::size_t i = 0; i < subtitle_.size(); ++i)
      svg.text({kLeft, kTitle + kLine * static_cast<double>(i)}, subtitle_[i],
               {.size = 12, .fill = kGrey});
    legend(svg, top_ - kLine);
    for (std::size_t i = 0; i < simulated_.outcomes.size(); ++i)
      panel(svg, simulated_.outcomes[i], top_ + static_cast<double>(i) * panel_height);
    latencies_panel(svg, latencies);
    return std::move(svg).finish();
  }

 private:
  static constexpr double kLeft = 64, kRight = 24, kTitle = 46, kLine = 18;
  static constexpr double kPlotHeight = 210, kPanelHead = 24, kPanelGap = 24;
  static constexpr double kMinWidth = 640;
  static constexpr double kNarrowBar = 4, kWideBar = 60, kGap = 6;
  static constexpr double kNumbered = 13, kNumbers = 30;  // wider bars have their OSSs' numbers
  static constexpr int kSmall = 11;
  static constexpr std::size_t kLetters = 64;
  static constexpr double kSlow = 1.1;  // share of the median
  static constexpr std::string_view kInk = "#222222", kGrey = "#777777";
  /// From Okabe and Ito's colours: two that alternate between groups, and one for slow OSSs.
  static constexpr std::string_view kColours[] = {"#0072b2", "#56b4e9"};
  static constexpr std::string_view kSlowColour = "#d55e00";

  std::string subtitle() const {
    const Outcome& first = simulated_.outcomes.front();
    std::string text = fmt::format("{:.3g} GB, which clients {}", first.bytes_per_oss / 1e9,
                                   simulated_.setup.write ? "write" : "read");
    if (!simulated_.losses.empty())
      text += fmt::format("; lost: {}", fmt::join(simulated_.losses, ", "));
    return text;
  }

  bool numbered() const { return bar_ >= kNumbered; }

  /// Bars and the gaps between groups fill the plot's width.
  void place_bars() {
    const auto osss =
        static_cast<double>(std::max<std::size_t>(simulated_.outcomes.front().osss.size(), 1));
    const auto groups = static_cast<double>(std::max<std::size_t>(groups_.size(), 1));
    bar_ = std::clamp(std::floor((kMinWidth - kGap * groups) / osss), kNarrowBar, kWideBar);
    width_ = std::max(bar_ * osss + kGap * groups, kMinWidth);
    gap_ = (width_ - bar_ * osss) / groups;
    double longest = 0;
    for (const ShownGroup& group : groups_) {
      const double name = 1.04 * chart::width_of(name_of(simulated_.plan, *group.group), kSmall);
      longest = std::max(longest, name);
      upright_ = upright_ || name + 4 > slot_of(group);
    }
    below_ = (upright_ ? longest : kSmall + 4) + (numbered() ? kNumbers : 0) + 14;
  }

  /// Returns the width of its bars with the gap to the next group.
  double slot_of(const ShownGroup& group) const {
    return bar_ * static_cast<double>(group.osss.size()) + gap_;
  }

  void legend(Svg& svg, double top) const {
    hatched(svg, {kLeft, top + 2}, 12, 12);
    svg.text({kLeft + 18, top + 2}, "more than a tenth above the median", {.size = kSmall});
    cross(svg, {kLeft + 290, top + 2}, 9);
    svg.text({kLeft + 306, top + 2}, "lost, or has not moved it", {.size = kSmall});
    if (numbered())
      svg.text({kLeft + 520, top + 2}, "numbers: OSSs", {.size = kSmall, .fill = kGrey});
  }

  double median(const Outcome& outcome) const {
    std::vector<double> times;
    for (const OssOutcome& oss : outcome.osss)
      if (oss.seconds) times.push_back(*oss.seconds);
    std::ranges::sort(times);
    return times.empty() ? 0 : times[(times.size() - 1) / 2];
  }

  void panel(Svg& svg, const Outcome& outcome, double top) const {
    const double low = top + kPanelHead + kPlotHeight;
    svg.text({kLeft, top + 12},
             fmt::format("{}: {:.1f} % crosses links between switches", mode_of(outcome),
                         100 * outcome.crossing),
             {.size = 13, .bold = true});
    upright_axis(svg, axis_, low);
    const double slow = median(outcome) * kSlow;
    double x = kLeft;
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      const double begin = x;
      x += gap_ / 2;
      const auto& servers =
          simulated_.plan.site.file_systems[groups_[i].group->file_system].servers;
      for (std::size_t k = 0; k < groups_[i].osss.size(); ++k) {
        bar(svg, outcome.osss[groups_[i].osss[k]], {x, low}, kColours[i % 2], slow);
        if (numbered())
          svg.text({x + bar_ / 2 + 4, low + 6},
                   std::to_string(servers[groups_[i].servers[k]].number),
                   {.anchor = Anchor::kEnd, .size = kSmall, .fill = kGrey, .turn = -90});
        x += bar_;
      }
      x += gap_ / 2;
      const double middle = (begin + x) / 2, under = low + 8 + (numbered() ? kNumbers : 0);
      const std::string name = name_of(simulated_.plan, *groups_[i].group);
      if (upright_)
        svg.text({middle + 4, under}, name, {.anchor = Anchor::kEnd, .size = kSmall, .turn = -90});
      else
        svg.text({middle, under + 8}, name, {.anchor = Anchor::kMiddle, .size = kSmall});
    }
  }

  void upright_axis(Svg& svg, const chart::Axis& axis, double low) const {
    for (const chart::Tick& tick : axis.ticks) {
      const double y = low - axis.place(tick.value) * kPlotHeight;
      svg.line({kLeft, y}, {kLeft + width_, y}, {.colour = "#e2e2e2"});
      svg.text({kLeft - 7, y + 4}, tick.text, {.anchor = Anchor::kEnd, .size = kSmall});
    }
    svg.line({kLeft, low}, {kLeft + width_, low}, {.colour = kGrey});
  }

  /// A curve for each outcome: the share of its messages that took at most each time.
  void latencies_panel(Svg& svg, double top) const {
    const double low = top + kPanelHead + kPlotHeight;
    svg.text({kLeft, top + 12}, "% of the messages that took at most this time (seconds)",
             {.size = 13, .bold = true});
    chart::Span shares, seconds;
    for (const double share : {0.0, 100.0}) shares.add(share);
    for (const Outcome& outcome : simulated_.outcomes)
      for (const double each : outcome.latencies.percentiles)
        if (each > 0) seconds.add(each);
    const chart::Axis upright = chart::linear_axis(shares), level = chart::log_axis(seconds);
    upright_axis(svg, upright, low);
    for (const chart::Tick& tick : level.ticks) {
      const double x = kLeft + level.place(tick.value) * width_;
      svg.line({x, low}, {x, low - kPlotHeight}, {.colour = "#e2e2e2"});
      svg.text({x, low + 16}, tick.text, {.anchor = Anchor::kMiddle, .size = kSmall});
    }
    for (std::size_t i = 0; i < simulated_.outcomes.size(); ++i) {
      const Outcome& outcome = simulated_.outcomes[i];
      const Stroke stroke = {.colour = outcome.flat ? kSlowColour : kColours[0],
                             .width = 2,
                             .dashes = outcome.flat ? "6,4" : ""};
      std::vector<Spot> spots;
      for (std::size_t share = 0; share < outcome.latencies.percentiles.size(); ++share)
        if (const double each = outcome.latencies.percentiles[share]; each > 0)
          spots.push_back({kLeft + level.place(each) * width_,
                           low - upright.place(static_cast<double>(share)) * kPlotHeight});
      svg.path(spots, stroke);
      const double x = kLeft + 120 * static_cast<double>(i);
      svg.line({x, low + 30}, {x + 26, low + 30}, stroke);
      svg.text({x + 32, low + 34}, mode_of(outcome), {.size = kSmall});
    }
  }

  static void cross(Svg& svg, Spot foot, double wide) {
    const Stroke stroke{.colour = kInk, .width = 1.5};
    svg.line({foot.x, foot.y - wide}, {foot.x + wide, foot.y}, stroke);
    svg.line({foot.x, foot.y}, {foot.x + wide, foot.y - wide}, stroke);
  }

  static void hatched(Svg& svg, Spot foot, double wide, double height) {
    svg.rect({foot.x, foot.y - height}, wide, height, kSlowColour);
    for (double y = 6; y < height; y += 6)
      svg.line({foot.x, foot.y - y}, {foot.x + wide, foot.y - y}, {.colour = "#ffffff"});
  }

  /// Slow bars differ without colours too: they have lines across.
  void bar(Svg& svg, const OssOutcome& oss, Spot foot, std::string_view colour, double slow) const {
    const double wide = bar_ - 1;
    if (!oss.seconds) return cross(svg, foot, std::min(wide, 9.0));
    const double height = axis_.place(*oss.seconds) * kPlotHeight;
    if (*oss.seconds > slow) return hatched(svg, foot, wide, height);
    svg.rect({foot.x, foot.y - height}, wide, height, colour);
  }

  const Simulated& simulated_;
  const std::vector<ShownGroup> groups_;
  const std::vector<std::string> subtitle_;
  const double top_;  ///< of the first panel
  chart::Axis axis_;
  double bar_ = 0, width_ = 0;
  double gap_ = 0;        ///< between the bars of two groups
  bool upright_ = false;  ///< groups' names are upright, if they are wider than the bars
  double below_ = 0;      ///< height of the parts below the bars
};

}  // namespace

std::string simulated_picture(const Simulated& simulated) { return TimesPicture(simulated).draw(); }

}  // namespace ulnet::tools::fgr

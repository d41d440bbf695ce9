#include <fmt/format.h>

#include <algorithm>

#include "tools/chart/axis.h"
#include "tools/chart/svg.h"
#include "tools/fgr/simulate/report.h"

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
        bar_(simulated.outcomes.front().osss.size() > kMany ? kNarrowBar : kBar) {
    chart::Span span;
    for (const Outcome& outcome : simulated.outcomes)
      for (const OssOutcome& oss : outcome.osss)
        if (oss.seconds) span.add(*oss.seconds);
    axis_ = chart::linear_axis(span);
    for (const ShownGroup& group : groups_)
      width_ += bar_ * static_cast<double>(group.osss.size()) + kGap;
    width_ = std::max(width_, kLeastWidth);
  }

  std::string draw() && {
    const auto panels = static_cast<double>(simulated_.outcomes.size());
    Svg svg(kLeft + width_ + kRight, kTop + panels * kPanel);
    svg.text({kLeft, 26}, "seconds until each OSS has moved its amount",
             {.size = 16, .bold = true});
    svg.text({kLeft, 46}, subtitle(), {.size = 12, .fill = kGrey});
    for (std::size_t i = 0; i < simulated_.outcomes.size(); ++i)
      panel(svg, simulated_.outcomes[i], kTop + static_cast<double>(i) * kPanel);
    return std::move(svg).finish();
  }

 private:
  static constexpr double kLeft = 64, kRight = 24, kTop = 74;
  static constexpr double kPlotHeight = 210, kPanel = 320;  // from panel to panel
  static constexpr double kLeastWidth = 520;
  static constexpr double kBar = 9, kNarrowBar = 4, kGap = 10;
  static constexpr std::size_t kMany = 120;  // OSSs: then bars are narrow
  static constexpr double kSlow = 1.1;       // of the median
  static constexpr std::string_view kInk = "#222222", kGrey = "#777777";
  /// Of Okabe and Ito: groups by turns, and what is slow.
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

  double median(const Outcome& outcome) const {
    std::vector<double> times;
    for (const OssOutcome& oss : outcome.osss)
      if (oss.seconds) times.push_back(*oss.seconds);
    std::ranges::sort(times);
    return times.empty() ? 0 : times[(times.size() - 1) / 2];
  }

  void panel(Svg& svg, const Outcome& outcome, double top) const {
    const double low = top + 24 + kPlotHeight;
    svg.text({kLeft, top + 12},
             fmt::format("{}: {:.1f} % crosses links between switches", mode_of(outcome),
                         100 * outcome.crossing),
             {.size = 13, .bold = true});
    for (const chart::Tick& tick : axis_.ticks) {
      const double y = low - axis_.place(tick.value) * kPlotHeight;
      svg.line({kLeft, y}, {kLeft + width_, y}, {.colour = "#e2e2e2"});
      svg.text({kLeft - 7, y + 4}, tick.text, {.anchor = Anchor::kEnd, .size = 11});
    }
    svg.line({kLeft, low}, {kLeft + width_, low}, {.colour = kGrey});
    const double slow = median(outcome) * kSlow;
    double x = kLeft + kGap / 2;
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      const double begin = x;
      for (const std::size_t each : groups_[i].osss) {
        bar(svg, outcome.osss[each], {x, low}, kColours[i % 2], slow);
        x += bar_;
      }
      svg.text({(begin + x) / 2 + 4, low + 8}, name_of(simulated_.plan, *groups_[i].group),
               {.anchor = Anchor::kEnd, .size = 10, .turn = -90});
      x += kGap;
    }
  }

  /// What is slow is told apart without colours too: it has lines across.
  void bar(Svg& svg, const OssOutcome& oss, Spot foot, std::string_view colour, double slow) const {
    const double wide = bar_ - 1;
    if (!oss.seconds) {
      const Stroke stroke{.colour = kInk, .width = 1.5};
      svg.line({foot.x, foot.y - wide}, {foot.x + wide, foot.y}, stroke);
      svg.line({foot.x, foot.y}, {foot.x + wide, foot.y - wide}, stroke);
      return;
    }
    const double height = axis_.place(*oss.seconds) * kPlotHeight;
    const bool hatched = *oss.seconds > slow;
    svg.rect({foot.x, foot.y - height}, wide, height, hatched ? kSlowColour : colour);
    for (double y = 6; hatched && y < height; y += 6)
      svg.line({foot.x, foot.y - y}, {foot.x + wide, foot.y - y}, {.colour = "#ffffff"});
  }

  const Simulated& simulated_;
  const std::vector<ShownGroup> groups_;
  const double bar_;
  chart::Axis axis_;
  double width_ = 0;
};

}  // namespace

std::string simulated_picture(const Simulated& simulated) { return TimesPicture(simulated).draw(); }

}  // namespace ulnet::tools::fgr

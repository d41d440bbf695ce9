#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "fgr/measure/report.h"
#include "text/chart/bar_chart.h"
#include "text/chart/line_chart.h"

namespace ulnet::tools::fgr {
namespace {

constexpr double kMib = 1 << 20;

std::string about(const MeasureReport& report) {
  std::uint32_t concurrency = 0;
  for (const Measured& test : report.measurement.measured)
    concurrency = std::max(concurrency, test.concurrency);
  const std::size_t clients = report.measurement.clients.size();
  return fmt::format("LNet selftest, {}, {} client{}, concurrency {}",
                     lst::run::title_of(report.measurement.step), clients, clients == 1 ? "" : "s",
                     concurrency);
}

const JudgedCase* case_named(const MeasureReport& report, std::string_view title) {
  const auto at = std::ranges::find_if(
      report.cases, [&](const JudgedCase& each) { return each.what.title == title; });
  return at == report.cases.end() ? nullptr : &*at;
}

bool is_suspect(const JudgedCase& judged, const plan::Oss& oss) {
  return std::ranges::any_of(judged.verdict.suspects, [&](const plan::MeasureSuspect& each) {
    return each.group == oss.group && (!each.server || *each.server == oss.server);
  });
}

/// The two cases whose bars stand side by side; the second may be null.
struct BarCases {
  const JudgedCase* first;
  const JudgedCase* second;
};

chart::BarChart bars_of_osss(const MeasureReport& report, const BarCases& cases) {
  chart::BarChart picture{
      .title = "Bandwidth of each OSS",
      .subtitle = about(report),
      .unit = "MiB/s",
      .value_name = std::string(cases.first->what.title),
      .second_name = cases.second != nullptr ? std::string(cases.second->what.title) : "",
      .bars = {}};
  const auto in_mib = [](const JudgedCase& judged, const plan::Oss& oss) {
    const auto figure = figure_in(judged.what, oss);
    return figure ? std::optional(*figure / kMib) : std::nullopt;
  };
  for (const plan::OssFigure& each : cases.first->what.figures)
    picture.bars.push_back(
        {.label = plan::server_of(report.plan, each.oss).host,
         .value = in_mib(*cases.first, each.oss),
         .group = report.plan.name_of(report.plan.groups[each.oss.group]),
         .second = cases.second ? in_mib(*cases.second, each.oss) : std::nullopt,
         .marked = is_suspect(*cases.first, each.oss) ||
                   (cases.second != nullptr && is_suspect(*cases.second, each.oss))});
  if (cases.first->verdict.median > 0)
    picture.levels.push_back({report.share * cases.first->verdict.median / kMib,
                              fmt::format("{:.0f} % of the median", 100 * report.share)});
  return picture;
}

chart::BarChart bars_of_groups(const MeasureReport& report, const BarCases& cases) {
  chart::BarChart picture{
      .title = "Bandwidth of each group",
      .subtitle = about(report),
      .unit = "MiB/s",
      .value_name = std::string(cases.first->what.title),
      .second_name = cases.second != nullptr ? std::string(cases.second->what.title) : "",
      .bars = {}};
  const auto rate_in = [](const JudgedCase* judged, std::size_t number) -> std::optional<double> {
    if (judged == nullptr) return std::nullopt;
    const auto groups = by_group(judged->what.figures);
    const auto at = std::ranges::find(groups, number, &GroupFigure::group);
    return at == groups.end() ? std::nullopt : std::optional(at->bytes_per_s / kMib);
  };
  const auto suspected = [](const JudgedCase* judged, std::size_t number) {
    return judged != nullptr &&
           std::ranges::find(judged->verdict.suspects, number, &plan::MeasureSuspect::group) !=
               judged->verdict.suspects.end();
  };
  for (const GroupFigure& group : by_group(cases.first->what.figures)) {
    const plan::Group& planned = report.plan.groups[group.group];
    picture.bars.push_back(
        {.label = fmt::format("{:03}", planned.suffix),
         .value = group.bytes_per_s / kMib,
         .group = report.plan.site.file_systems[planned.file_system].name,
         .second = rate_in(cases.second, group.group),
         .marked = suspected(cases.first, group.group) || suspected(cases.second, group.group)});
  }
  return picture;
}

/// Returns the OSSs' rates as one curve for each group.
std::vector<chart::Series> over_time(const MeasureReport& report, const Measured& test) {
  std::vector<chart::Series> curves;
  for (const GroupFigure& group : by_group(test.figures)) {
    chart::Series curve{.name = report.plan.name_of(report.plan.groups[group.group]), .points = {}};
    for (const RateSample& sample : test.samples) {
      double sum = 0;
      for (std::size_t i = 0; i < test.figures.size(); ++i)
        if (test.figures[i].oss.group == group.group) sum += sample.bytes_per_s[i].value_or(0);
      curve.points.push_back({sample.seconds, sum / kMib});
    }
    curves.push_back(std::move(curve));
  }
  return curves;
}

/// One curve for each group, from all concurrencies of the runs of a case.
std::vector<chart::Series> over_concurrency(const MeasureReport& report, const MeasuredCase& of) {
  std::vector<chart::Series> curves;
  for (const Measured* last : of.tests)
    for (const GroupFigure& group : by_group(last->figures)) {
      chart::Series curve{.name = report.plan.name_of(report.plan.groups[group.group]),
                          .points = {}};
      for (const Measured& test : report.measurement.measured) {
        if (test.run != last->run) continue;
        const auto groups = by_group(test.figures);
        const auto at = std::ranges::find(groups, group.group, &GroupFigure::group);
        curve.points.push_back({static_cast<double>(test.concurrency), at->bytes_per_s / kMib});
      }
      std::ranges::sort(curve.points, {}, &chart::Point::x);
      curves.push_back(std::move(curve));
    }
  return curves;
}

/// Names the curves of OSSs that were measured one after the other, when nothing else was measured.
void name_osss(const MeasureReport& report, const MeasuredCase& of,
               std::vector<chart::Series>& curves) {
  for (std::size_t i = 0; i < curves.size() && i < of.tests.size(); ++i)
    curves[i].name = plan::server_of(report.plan, of.tests[i]->figures.front().oss).host;
}

}  // namespace

std::string measure_bars(const MeasureReport& report) {
  const JudgedCase* each_oss = case_named(report, kEachOss);
  const JudgedCase* each_group = case_named(report, kEachGroup);
  const JudgedCase* at_once = case_named(report, kAtOnce);
  if (each_oss != nullptr) return chart::draw(bars_of_osss(report, {each_oss, at_once}));
  const bool osss_requested = std::ranges::any_of(report.measurement.runs, [](const auto& run) {
    return run.is_for(plan::MeasureScope::kAllOsss);
  });
  if (at_once != nullptr && osss_requested)
    return chart::draw(bars_of_osss(report, {at_once, nullptr}));
  if (each_group != nullptr) return chart::draw(bars_of_groups(report, {each_group, at_once}));
  if (at_once != nullptr) return chart::draw(bars_of_groups(report, {at_once, nullptr}));
  return chart::draw(chart::BarChart{.title = "Nothing was measured"});
}

std::string measure_curves(const MeasureReport& report) {
  std::vector<std::uint32_t> concurrencies;
  for (const Measured& test : report.measurement.measured)
    if (std::ranges::find(concurrencies, test.concurrency) == concurrencies.end())
      concurrencies.push_back(test.concurrency);
  const bool several = concurrencies.size() > 1;
  chart::LineChart picture{
      .title = "Bandwidth of LNet groups",
      .subtitle = about(report),
      .x_title = several ? "concurrency (RPCs of a client at a time to an OSS)" : "time (seconds)",
      .panels = {},
      .x = several ? chart::LineChart::X::kSizes : chart::LineChart::X::kTimes};
  const bool only_osss = report.cases.size() == 1 && case_named(report, kEachOss) != nullptr;
  for (const std::string_view title : {kAtOnce, kEachGroup, kEachOss}) {
    const JudgedCase* judged = case_named(report, title);
    if (judged == nullptr || (title == kEachOss && !only_osss)) continue;
    chart::Panel panel{.y_title = fmt::format("{} (MiB/s)", title), .series = {}};
    if (several)
      panel.series = over_concurrency(report, judged->what);
    else
      for (const Measured* test : judged->what.tests)
        for (chart::Series& curve : over_time(report, *test))
          panel.series.push_back(std::move(curve));
    if (only_osss) name_osss(report, judged->what, panel.series);
    picture.panels.push_back(std::move(panel));
  }
  return chart::draw(picture);
}

}  // namespace ulnet::tools::fgr

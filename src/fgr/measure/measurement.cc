#include "fgr/measure/measurement.h"

#include <algorithm>
#include <span>

namespace ulnet::tools::fgr {
namespace {

constexpr plan::MeasureScope kOfAll[] = {plan::MeasureScope::kAllOsss,
                                         plan::MeasureScope::kAllGroups};

bool is_for_any(const plan::MeasureRun& run, std::span<const plan::MeasureScope> scopes) {
  return std::ranges::any_of(scopes, [&](plan::MeasureScope scope) { return run.is_for(scope); });
}

}  // namespace

std::vector<MeasuredCase> cases_of(const Measurement& measurement) {
  std::vector<MeasuredCase> cases;
  std::uint32_t last = 0;
  for (const Measured& test : measurement.measured) last = std::max(last, test.concurrency);
  const auto add = [&](std::string_view title, std::span<const plan::MeasureScope> scopes) {
    MeasuredCase found{.title = title, .tests = {}, .figures = {}};
    for (const Measured& test : measurement.measured) {
      if (test.concurrency != last || !is_for_any(measurement.runs[test.run], scopes)) continue;
      found.tests.push_back(&test);
      found.figures.insert(found.figures.end(), test.figures.begin(), test.figures.end());
    }
    if (!found.tests.empty()) cases.push_back(std::move(found));
  };
  const plan::MeasureScope each_oss[] = {plan::MeasureScope::kEachOss},
                           each_group[] = {plan::MeasureScope::kEachGroup};
  add(kEachOss, each_oss);
  add(kEachGroup, each_group);
  add(kAtOnce, kOfAll);
  return cases;
}

std::vector<GroupFigure> by_group(const std::vector<plan::OssFigure>& figures) {
  std::vector<GroupFigure> groups;
  for (const plan::OssFigure& figure : figures) {
    auto at = std::ranges::find(groups, figure.oss.group, &GroupFigure::group);
    if (at == groups.end()) at = groups.insert(at, GroupFigure{.group = figure.oss.group});
    ++at->osss;
    at->bytes_per_s += figure.bytes_per_s;
  }
  return groups;
}

std::optional<double> figure_in(const MeasuredCase& measured, const plan::Oss& oss) {
  const auto at = std::ranges::find(measured.figures, oss, &plan::OssFigure::oss);
  if (at == measured.figures.end() || !at->failed.empty()) return std::nullopt;
  return at->bytes_per_s;
}

}  // namespace ulnet::tools::fgr

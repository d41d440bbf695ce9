#include "fgr/measure/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "lnet/base/text_table.h"
#include "selftest/ulst/run/figures.h"
#include "text/quantity.h"

namespace ulnet::tools::fgr {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string mib_or_dash(const std::optional<double>& bytes_per_s) {
  return bytes_per_s ? lst::run::mib_text(*bytes_per_s) : "-";
}

/// Returns all OSSs that were measured, in the order of the groups; within a group in the order of
/// the site.
std::vector<plan::Oss> osss_in(const MeasureReport& report) {
  std::vector<plan::Oss> osss;
  for (const JudgedCase& each : report.cases)
    for (const plan::OssFigure& figure : each.what.figures)
      if (std::ranges::find(osss, figure.oss) == osss.end()) osss.push_back(figure.oss);
  std::ranges::sort(osss, {},
                    [](const plan::Oss& oss) { return std::pair(oss.group, oss.server); });
  return osss;
}

std::vector<std::string> head_of(const MeasureReport& report, std::vector<std::string> row) {
  for (const JudgedCase& each : report.cases) row.emplace_back(each.what.title);
  return row;
}

std::string oss_table(const MeasureReport& report) {
  Rows rows = {head_of(report, {"GROUP", "OSS", "NID"})};
  for (const plan::Oss& oss : osss_in(report)) {
    auto& row = rows.emplace_back();
    row = {report.plan.name_of(report.plan.groups[oss.group]),
           plan::server_of(report.plan, oss).host, report.nid_of(oss)};
    for (const JudgedCase& each : report.cases)
      row.push_back(mib_or_dash(figure_in(each.what, oss)));
  }
  return text::text_table(rows);
}

std::string group_table(const MeasureReport& report) {
  Rows rows = {{"GROUP", "OSSs"}};
  std::map<std::size_t, std::vector<std::string>> groups;
  std::vector<std::string> all = {"all", ""};
  for (const JudgedCase& each : report.cases) {
    // OSSs of a group that were measured one after the other have no sum.
    if (each.what.title == kEachOss) continue;
    rows.front().emplace_back(each.what.title);
    double sum = 0;
    for (const GroupFigure& group : by_group(each.what.figures)) {
      auto& row = groups[group.group];
      if (row.empty())
        row = {report.plan.name_of(report.plan.groups[group.group]), std::to_string(group.osss)};
      row.push_back(lst::run::mib_text(group.bytes_per_s));
      sum += group.bytes_per_s;
    }
    all.push_back(each.what.tests.size() == 1 ? lst::run::mib_text(sum) : "");
  }
  for (auto& [number, row] : groups) rows.push_back(std::move(row));
  if (std::ranges::any_of(all.begin() + 2, all.end(),
                          [](const auto& text) { return !text.empty(); }))
    rows.push_back(std::move(all));
  return groups.empty() ? std::string() : "\n" + text::text_table(rows);
}

std::string routers_of(const plan::Plan& plan, const plan::Group& group) {
  std::vector<std::string> names;
  for (std::size_t client = 0; client < group.routers.size(); ++client)
    for (const std::size_t router : group.routers[client].primary)
      names.push_back(plan.site.clients[client].routers[router].host);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// Returns the suspect's name, and where to look.
std::string head_of(const MeasureReport& report, const plan::MeasureSuspect& suspect) {
  const plan::Group& group = report.plan.groups[suspect.group];
  const std::string name = report.plan.name_of(group);
  if (!suspect.server)
    return fmt::format("{} is out of line; its routers: {}{}", name, routers_of(report.plan, group),
                       group.at_switch.empty() ? "" : "; its switch: " + group.at_switch);
  const plan::Oss oss{suspect.group, *suspect.server};
  const plan::Server& server = plan::server_of(report.plan, oss);
  return fmt::format("{} of {} is out of line; its NID: {}{}", server.host, name,
                     report.nid_of(oss),
                     server.at_switch.empty() ? "" : "; its switch: " + server.at_switch);
}

std::vector<std::string> distinct_lines(const MeasureReport& report,
                                        std::vector<std::string> Measured::*which) {
  std::vector<std::string> lines;
  for (const Measured& test : report.measurement.measured)
    for (const std::string& line : test.*which)
      if (std::ranges::find(lines, line) == lines.end()) lines.push_back(line);
  return lines;
}

}  // namespace

MeasureReport::MeasureReport(const plan::Plan& site, const Measurement& results, double least_share,
                             std::function<std::string(const plan::Oss&)> nid)
    : plan(site), measurement(results), share(least_share), nid_of(std::move(nid)) {
  for (MeasuredCase& each : cases_of(results)) {
    plan::MeasureVerdict verdict = plan::judge_measured(
        site, each.figures, {.share = share, .together = each.title != kEachOss});
    cases.push_back({std::move(each), std::move(verdict)});
  }
}

bool MeasureReport::ok() const {
  return !measurement.interrupted && measurement.stopped.empty() &&
         std::ranges::all_of(
             cases, [](const JudgedCase& each) { return each.verdict.suspects.empty(); }) &&
         std::ranges::all_of(measurement.measured,
                             [](const Measured& test) { return test.troubles.empty(); });
}

std::string measure_tables(const MeasureReport& report) {
  const Measurement& all = report.measurement;
  if (report.cases.empty()) return {};
  std::uint32_t concurrency = 0, most = 0;
  for (const Measured& test : all.measured) {
    concurrency = std::max(concurrency, test.concurrency);
    most = std::max(most, test.osss_of_a_client);
  }
  return fmt::format("{} from {}, {} at a time to each of up to {}; MiB/s\n\n",
                     lst::run::title_of(all.step), text::counted(all.clients.size(), "client"),
                     text::counted(concurrency, "RPC"), text::counted(most, "OSS")) +
         oss_table(report) + group_table(report);
}

std::string measure_verdict(const MeasureReport& report) {
  std::string text;
  std::map<std::pair<std::size_t, std::optional<std::size_t>>, std::string> suspects;
  std::vector<std::string> alone;
  for (const JudgedCase& each : report.cases) {
    for (const plan::MeasureSuspect& suspect : each.verdict.suspects) {
      std::string& lines = suspects[{suspect.group, suspect.server}];
      if (lines.empty()) lines = head_of(report, suspect) + "\n";
      lines += fmt::format("    {}: {}\n", each.what.title, suspect.why);
    }
    for (const std::string& line : each.verdict.not_compared)
      if (std::ranges::find(alone, line) == alone.end()) alone.push_back(line);
  }
  for (const auto& [who, lines] : suspects) text += lines;
  for (const std::string& line : distinct_lines(report, &Measured::troubles)) text += line + "\n";
  for (const std::string& line : distinct_lines(report, &Measured::remarks))
    text += "remark: " + line + "\n";
  for (const std::string& line : alone) text += "not compared: " + line + "\n";
  if (!report.measurement.stopped.empty()) text += "stopped: " + report.measurement.stopped + "\n";
  if (report.measurement.interrupted) text += "interrupted: not all was measured\n";
  if (report.ok())
    text +=
        fmt::format("all in line: nobody has less than {:.0f} % of the median of its siblings\n",
                    100 * report.share);
  return text;
}

}  // namespace ulnet::tools::fgr

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "selftest/ulst/run/figures.h"
#include "selftest/ulst/run/summary.h"

namespace ulnet::tools::lst::run {

namespace {

constexpr std::size_t kMinNodeWidth = 12;

std::size_t node_width(const Plan& plan, const Outcome& outcome) {
  std::size_t width = kMinNodeWidth;
  for (const StepResult& step : outcome.steps)
    for (const auto* rows : {&step.clients, &step.servers})
      for (const Flow& flow : *rows) width = std::max(width, shown(plan, flow.node).size());
  return width;
}

/// Returns "15 of 16 clients" when the rates of one client are not known.
std::string clients_text(const std::vector<Flow>& clients) {
  const auto rated = std::ranges::count_if(clients, &Flow::rated);
  const std::string all =
      fmt::format("{} client{}", clients.size(), clients.size() == 1 ? "" : "s");
  return std::cmp_equal(rated, clients.size()) ? all : fmt::format("{} of {}", rated, all);
}

std::string time_or_dash(const std::optional<double>& us) { return us ? time_text(*us) : "-"; }

/// `node`: the node's text in the row.
std::string row(std::string_view test, const Flow& flow, const std::string& node,
                std::string_view role, std::size_t width) {
  const auto percentile = [&](double Percentiles::*which) {
    return flow.percentiles ? time_text((*flow.percentiles).*which) : "-";
  };
  std::string line = fmt::format(
      "{:<10} {:<{}} {:<7} {:>9} {:>9} {:>7} {:>7} {:>7} {:>7} {:>7} {:>6} {:>9}", test, node,
      width, role, flow.rated ? fmt::format("{:.0f}", flow.rpcs_per_s) : "-",
      flow.rated ? mib_text(flow.bytes_per_s) : "-", time_or_dash(flow.mean_us),
      percentile(&Percentiles::p50), percentile(&Percentiles::p99), percentile(&Percentiles::p999),
      flow.errors, flow.wrong, fmt::format("{:.1f}", flow.no_data));
  if (!flow.lost.empty()) line += "  " + flow.lost;
  return line + "\n";
}

std::string step_text(const Plan& plan, const StepResult& step, std::size_t width,
                      bool with_nodes) {
  std::string text = row(title_of(step.step), step.total, clients_text(step.clients), "all", width);
  if (!with_nodes) return text;
  for (const auto* rows : {&step.clients, &step.servers})
    for (const Flow& flow : *rows)
      text += row("", flow, shown(plan, flow.node), to_string(flow.role), width);
  return text;
}

/// Describes the conditions of a test that the rows do not show.
std::string condition(const Pace& pace) {
  std::string text = fmt::format("concurrency {}", pace.concurrency);
  const std::int64_t rpcs = std::int64_t{pace.loop} * pace.concurrency;
  if (pace.limited())
    text += fmt::format(", limited: {} RPC{} to each server, then none for {}", rpcs,
                        rpcs == 1 ? "" : "s",
                        time_text(std::chrono::duration<double, std::micro>(pace.window).count()));
  return text;
}

/// Returns "0.2 s", or "0.2 s to 0.3 s" when the tests lasted differently.
std::string time_of(const std::vector<StepResult>& steps) {
  const auto [least, most] = std::minmax_element(
      steps.begin(), steps.end(),
      [](const StepResult& a, const StepResult& b) { return a.seconds < b.seconds; });
  const std::string from = seconds_text(least->seconds), to = seconds_text(most->seconds);
  return from == to ? from : from + " to " + to;
}

/// Returns one line, or one line for each test if the tests differ in more than their times.
std::string conditions(const std::vector<StepResult>& steps) {
  const std::string first = condition(steps.front().pace);
  if (std::all_of(steps.begin(), steps.end(),
                  [&](const StepResult& step) { return condition(step.pace) == first; }))
    return fmt::format("{}{}, {}\n", steps.size() == 1 ? "" : "Each test: ", time_of(steps), first);
  std::string text;
  for (const StepResult& step : steps)
    text += fmt::format("{:<10} {}, {}\n", title_of(step.step), seconds_text(step.seconds),
                        condition(step.pace));
  return text;
}

/// Returns a line for each reason why percentiles are missing, with the clients that it concerns.
std::string missing_percentiles(const Plan& plan, const Outcome& outcome) {
  std::map<std::string, std::vector<std::string>> nodes;
  bool some = false;
  for (const StepResult& step : outcome.steps) {
    for (const Flow& flow : step.clients) {
      some = some || flow.percentiles;
      auto& list = nodes[flow.no_percentiles];
      const std::string node = shown(plan, flow.node);
      const bool known = std::find(list.begin(), list.end(), node) != list.end();
      if (!flow.percentiles && !known) list.push_back(node);
    }
  }
  std::string text;
  for (const auto& [why, list] : nodes)
    if (!list.empty())
      text += fmt::format("No P50, P99 and P99.9 of {}: {}.\n", fmt::join(list, ", "),
                          why.empty() ? "not reported" : why);
  return some && !text.empty()
             ? text + "The percentiles of all clients are those of the other clients.\n"
             : text;
}

const char* const kSoFar = "Interrupted: these are the results so far.\n";

std::string table(const Plan& plan, const Outcome& outcome, bool with_nodes) {
  if (outcome.steps.empty()) return "";
  const std::size_t width = node_width(plan, outcome);
  std::string text =
      fmt::format("{:<10} {:<{}} {:<7} {:>9} {:>9} {:>7} {:>7} {:>7} {:>7} {:>7} {:>6} {:>9}\n",
                  "TEST", "NODE", width, "ROLE", "RPC/s", "MiB/s", "MEAN", "P50", "P99", "P99.9",
                  "ERRORS", "WRONG", "NO DATA s");
  for (const StepResult& step : outcome.steps) text += step_text(plan, step, width, with_nodes);
  text += "\n" + conditions(outcome.steps) + missing_percentiles(plan, outcome) +
          lines_of(plan, outcome.remarks);
  if (outcome.interrupted) text += kSoFar;
  return text;
}

}  // namespace

std::string table_of(const Plan& plan, const Outcome& outcome) {
  return table(plan, outcome, true);
}
std::string sweep_table(const Plan& plan, const Outcome& outcome) {
  return table(plan, outcome, false);
}

std::string matrix_table(const Plan& plan, const Outcome& outcome) {
  if (outcome.steps.empty()) return "";
  const Matrix matrix = matrix_of(plan, outcome);
  std::size_t wide = 0;
  for (const std::string& row : matrix.rows) wide = std::max(wide, row.size());
  std::string text = fmt::format("{:<{}}", "FROM", wide);
  for (const std::string& column : matrix.columns) text += fmt::format("  {:>9}", column);
  for (std::size_t i = 0; i < matrix.rows.size(); ++i) {
    text += fmt::format("\n{:<{}}", matrix.rows[i], wide);
    for (std::size_t j = 0; j < matrix.columns.size(); ++j) {
      const auto& value = matrix.values[i][j];
      text += fmt::format("  {:>{}}", value ? fmt::format("{:.1f}", *value) : "-",
                          std::max<std::size_t>(matrix.columns[j].size(), 9));
    }
  }
  return text + "\n\n" + matrix.unit + ", " + matrix.about + "\n" +
         lines_of(plan, outcome.remarks) + (outcome.interrupted ? kSoFar : "");
}

}  // namespace ulnet::tools::lst::run

// The tables of a run as pictures.
#include "selftest/ulst/run/summary.h"
#include "text/chart/heat_map.h"
#include "text/chart/line_chart.h"

namespace ulnet::tools::lst::run {

namespace {

std::string count_of(std::size_t count, std::string what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

/// The tests of one operation that have a size.
std::vector<const StepResult*> steps_of(const Outcome& outcome, Operation operation) {
  std::vector<const StepResult*> steps;
  for (const StepResult& step : outcome.steps)
    if (step.step.operation == operation && step.step.size != 0) steps.push_back(&step);
  return steps;
}

/// Adds a curve; `value` returns nothing for a step without a value.
template <class Value>
void add_curve(chart::Panel& panel, const std::string& name,
               const std::vector<const StepResult*>& steps, Value value) {
  chart::Series series{.name = name};
  for (const StepResult* step : steps)
    if (const std::optional<double> y = value(*step))
      series.points.push_back({static_cast<double>(step->step.size), *y});
  if (!series.points.empty()) panel.series.push_back(std::move(series));
}

}  // namespace

std::string matrix_picture(const Plan& plan, const Outcome& outcome) {
  const Matrix matrix = matrix_of(plan, outcome);
  return chart::draw(chart::HeatMap{.title = "ulst run --matrix",
                                    .subtitle = matrix.about,
                                    .unit = matrix.unit,
                                    .row_title = "from (client)",
                                    .column_title = "to (server)",
                                    .rows = matrix.rows,
                                    .columns = matrix.columns,
                                    .values = matrix.values});
}

std::string sweep_picture(const Plan& plan, const Outcome& outcome) {
  chart::Panel bandwidth{.y_title = "bandwidth of all clients (MiB/s)"};
  chart::Panel latency{.y_title = "latency (us)", .log_y = true};
  const auto reads = steps_of(outcome, Operation::kRead);
  const auto writes = steps_of(outcome, Operation::kWrite);
  const auto bytes = [](const StepResult& step) {
    return std::optional(step.total.bytes_per_s / (1 << 20));
  };
  const auto mean = [](const StepResult& step) { return step.total.mean_us; };
  const auto p99 = [](const StepResult& step) {
    const auto& known = step.total.percentiles;
    return known ? std::optional(known->p99) : std::nullopt;
  };
  // Reads and writes are at the same index in both panels, so they have the same colours.
  add_curve(bandwidth, "read", reads, bytes);
  add_curve(bandwidth, "write", writes, bytes);
  add_curve(latency, "read, mean", reads, mean);
  add_curve(latency, "write, mean", writes, mean);
  add_curve(latency, "read, p99", reads, p99);
  add_curve(latency, "write, p99", writes, p99);
  chart::LineChart picture{
      .title = "ulst run --sweep",
      .subtitle = count_of(plan.from.size(), "client") + ", " + count_of(plan.to.size(), "server") +
                  ", check " + plan.check + ", concurrency " + std::to_string(plan.concurrency),
      .x_title = "size of an RPC's data (bytes)"};
  for (chart::Panel* panel : {&bandwidth, &latency})
    if (!panel->series.empty()) picture.panels.push_back(std::move(*panel));
  return chart::draw(picture);
}

}  // namespace ulnet::tools::lst::run

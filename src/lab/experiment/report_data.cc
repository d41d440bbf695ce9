// JSON, CSV and the picture of an experiment.
#include <fmt/format.h>

#include "lab/experiment/report.h"
#include "text/chart/line_chart.h"

namespace ulnet::tools::lab {
namespace {

using nlohmann::json;
using What = ExperimentLoad::What;

const char* where_word(Measured::Where where) {
  return where == Measured::Where::kSimulator    ? "simulator"
         : where == Measured::Where::kNamespaces ? "namespaces"
                                                 : "loopback";
}

json or_null(std::optional<double> value) { return value ? json(*value) : json(); }
json or_null(std::optional<Duration> value) { return value ? json(seconds_of(*value)) : json(); }

json intervals_json(const ExperimentLoad& load, const LoadRecord& record) {
  json list = json::array();
  for (const Interval& each : record.intervals)
    list.push_back({{"from_s", seconds_of(each.from)},
                    {"to_s", seconds_of(each.to)},
                    {"operations", each.operations},
                    {"bytes", each.bytes},
                    {"rate", rate_of(load, each)}});
  return list;
}

json load_json(const ExperimentLoad& load, const LoadRecord& record, const LoadEffect& effect) {
  json faults = json::array();
  for (const FaultEffect& each : effect.faults)
    faults.push_back({{"rate_during", or_null(each.during)},
                      {"share_during", or_null(each.share_during)},
                      {"rate_after", or_null(each.after)},
                      {"share_after", or_null(each.share_after)},
                      {"back_after_s", or_null(each.back_after)}});
  return {{"name", load.name},
          {"what", to_string(load.what)},
          {"unit", load.what == What::kPing ? "operations/s" : "bytes/s"},
          {"operations", record.operations},
          {"lost", record.lost},
          {"seconds_without_data", seconds_of(effect.no_data)},
          {"rate_before", or_null(effect.before)},
          {"faults", std::move(faults)},
          {"intervals", intervals_json(load, record)}};
}

json trial_json(const Experiment& experiment, const Trial& trial) {
  json loads = json::array(), faults = json::array(), expectations = json::array();
  for (LoadNumber i = 0; i < experiment.loads.size(); ++i)
    loads.push_back(
        load_json(experiment.loads[i], trial.measured.loads[i], trial.judgement.loads[i]));
  for (const FaultRecord& fault : trial.measured.faults)
    faults.push_back({{"from_s", seconds_of(fault.from)}, {"to_s", seconds_of(fault.to)}});
  for (const Verdict& verdict : trial.judgement.verdicts)
    expectations.push_back(
        {{"expected", verdict.expected},
         {"met",
          verdict.is == Verdict::Is::kNotJudged ? json() : json(verdict.is == Verdict::Is::kMet)},
         {"found", verdict.found}});
  json tree = {{"where", where_word(trial.measured.where)},
               {"faults", std::move(faults)},
               {"loads", std::move(loads)},
               {"expectations", std::move(expectations)},
               {"remarks", trial.measured.remarks}};
  if (trial.measured.live())
    tree["late_s"] = seconds_of(trial.measured.late);
  else
    tree["seed"] = trial.measured.seed;
  return tree;
}

/// Returns for each load and fault the first trial's share divided by the second trial's share.
json ratios_json(const Experiment& experiment, const Trial& first, const Trial& second) {
  json list = json::array();
  for (LoadNumber i = 0; i < experiment.loads.size(); ++i)
    for (std::size_t k = 0; k < experiment.faults.size(); ++k) {
      const FaultEffect& a = first.judgement.loads[i].faults[k];
      const FaultEffect& b = second.judgement.loads[i].faults[k];
      list.push_back({{"load", experiment.loads[i].name},
                      {"fault", description(experiment.faults[k])},
                      {"share_during", or_null(ratio(a.share_during, b.share_during))},
                      {"share_after", or_null(ratio(a.share_after, b.share_after))}});
    }
  return list;
}

/// Returns a curve for each load of this kind; no curves: there is no such load.
chart::Panel panel_of(const Experiment& experiment, const Trial& trial, bool pings) {
  constexpr double kMega = 1e6;
  chart::Panel panel{.y_title = pings ? "pings a second" : "MB/s", .series = {}};
  for (LoadNumber i = 0; i < experiment.loads.size(); ++i) {
    const ExperimentLoad& load = experiment.loads[i];
    if ((load.what == What::kPing) != pings) continue;
    chart::Series series{load.name + (trial.measured.live() ? " (live)" : " (simulated)"), {}};
    for (const Interval& each : trial.measured.loads[i].intervals) {
      if (!in_time(load, each)) continue;
      const double rate = rate_of(load, each);
      series.points.push_back(
          {seconds_of(each.from + (each.to - each.from) / 2), pings ? rate : rate / kMega});
    }
    panel.series.push_back(std::move(series));
  }
  for (std::size_t k = 0; k < experiment.faults.size(); ++k)
    panel.marks.push_back({seconds_of(trial.measured.faults[k].from),
                           seconds_of(trial.measured.faults[k].to),
                           description(experiment.faults[k])});
  return panel;
}

}  // namespace

json report_json(const Experiment& experiment, const std::vector<Trial>& trials) {
  json faults = json::array(), list = json::array();
  bool good = true;
  for (const ExperimentFault& fault : experiment.faults)
    faults.push_back({{"what", to_string(fault.what)},
                      {"target", fault.target},
                      {"at_s", seconds_of(fault.at)},
                      {"until_s", seconds_of(fault.end)}});
  for (const Trial& trial : trials) {
    list.push_back(trial_json(experiment, trial));
    good = good && trial.judgement.good();
  }
  json tree = {{"name", experiment.name},
               {"about", experiment.about},
               {"lasts_s", seconds_of(experiment.lasts)},
               {"faults", std::move(faults)},
               {"good", good},
               {"trials", std::move(list)}};
  if (trials.size() == 2) tree["ratios"] = ratios_json(experiment, trials[0], trials[1]);
  return tree;
}

std::string report_csv(const Experiment& experiment, const std::vector<Trial>& trials) {
  std::string text = "where,load,from_s,to_s,operations,bytes,rate\n";
  for (const Trial& trial : trials)
    for (LoadNumber i = 0; i < experiment.loads.size(); ++i)
      for (const Interval& each : trial.measured.loads[i].intervals)
        text += fmt::format("{},{},{:.3f},{:.3f},{},{},{:.0f}\n", where_word(trial.measured.where),
                            experiment.loads[i].name, seconds_of(each.from), seconds_of(each.to),
                            each.operations, each.bytes, rate_of(experiment.loads[i], each));
  return text;
}

std::string report_picture(const Experiment& experiment, const std::vector<Trial>& trials) {
  chart::LineChart picture{.title = experiment.name,
                           .subtitle = experiment.about,
                           .x_title = "seconds",
                           .panels = {},
                           .x = chart::LineChart::X::kTimes};
  for (const Trial& trial : trials)
    for (const bool pings : {false, true}) {
      chart::Panel panel = panel_of(experiment, trial, pings);
      if (!panel.series.empty()) picture.panels.push_back(std::move(panel));
    }
  return draw(picture);
}

}  // namespace ulnet::tools::lab

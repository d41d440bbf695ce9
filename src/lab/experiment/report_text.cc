#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "lab/experiment/report.h"
#include "lab/topology/rate.h"

namespace ulnet::tools::lab {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string verdict_word(Verdict::Is is) {
  return is == Verdict::Is::kMet ? "met" : is == Verdict::Is::kNotMet ? "NOT MET" : "not judged";
}

std::string head_of(const Experiment& experiment) {
  std::string text = experiment.name;
  if (!experiment.about.empty()) text += ": " + experiment.about;
  return text + "\n";
}

/// Returns the time at which the fault came. It is later than in the file, because changing the
/// laboratory takes time.
std::string came(const ExperimentFault& fault, const FaultRecord& record) {
  return fmt::format("{} {}: there from {:.1f} s to {:.1f} s\n", description(fault),
                     time_words(fault), seconds_of(record.from), seconds_of(record.to));
}

/// Returns groups of faults that begin and end at the same times: for each group the numbers of its
/// first and its last fault.
std::vector<std::pair<std::size_t, std::size_t>> simultaneous_faults(const Experiment& experiment) {
  std::vector<std::pair<std::size_t, std::size_t>> groups;
  for (std::size_t k = 0; k < experiment.faults.size(); ++k) {
    const ExperimentFault& fault = experiment.faults[k];
    const bool same = k != 0 && experiment.faults[k - 1].at == fault.at &&
                      experiment.faults[k - 1].end == fault.end;
    same ? void(groups.back().second = k) : void(groups.emplace_back(k, k));
  }
  return groups;
}

std::string no_data_words(const LoadEffect& effect) {
  return fmt::format("{:.1f} s", seconds_of(effect.no_data));
}

std::string verdicts_text(const Trial& trial) {
  std::string text;
  for (const Verdict& verdict : trial.judgement.verdicts)
    text += fmt::format("{:<11} {}   ({})\n", verdict_word(verdict.is), verdict.expected,
                        verdict.found);
  return text.empty() ? "" : "\nexpected\n" + text;
}

}  // namespace

std::string rate_words(const ExperimentLoad& load, std::optional<double> rate) {
  if (!rate) return "-";
  if (load.what == ExperimentLoad::What::kPing) return fmt::format("{:.0f} /s", *rate);
  return size_words(static_cast<std::uint64_t>(std::llround(*rate))) + "/s";
}

std::string share_words(std::optional<double> share) {
  return share ? fmt::format("{:.2f}", *share) : "-";
}

std::string back_words(const FaultEffect& effect) {
  if (effect.back_after) return fmt::format("{:.1f} s", seconds_of(*effect.back_after));
  return effect.share_during || effect.share_after ? "never" : "-";
}

std::optional<double> ratio(std::optional<double> a, std::optional<double> b) {
  if (!a || !b || *b == 0) return {};
  return *a / *b;
}

std::string time_words(const ExperimentFault& fault) {
  const std::string at = text::duration_text(fault.at);
  return fault.mended ? "at " + at + " for " + text::duration_text(fault.end - fault.at)
                      : "from " + at + " on";
}

std::string columns(const Rows& rows, std::size_t left) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (widths.size() <= i) widths.push_back(0);
      widths[i] = std::max(widths[i], row[i].size());
    }
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i != 0) text += "  ";
      text += i < left ? fmt::format("{:<{}}", row[i], widths[i])
                       : fmt::format("{:>{}}", row[i], widths[i]);
    }
    text += '\n';
  }
  return text;
}

std::string report_text(const Experiment& experiment, const Trial& trial) {
  std::string text = head_of(experiment);
  text +=
      fmt::format("{}; {}, a sample each {}\n\n", description(trial.measured),
                  text::duration_text(experiment.lasts), text::duration_text(experiment.sample));
  Rows rows = {{"LOAD", "WHAT", "OPERATIONS", "LOST", "NO DATA", "BEFORE"}};
  for (LoadNumber i = 0; i < experiment.loads.size(); ++i) {
    const ExperimentLoad& load = experiment.loads[i];
    const LoadRecord& record = trial.measured.loads[i];
    rows.push_back({load.name, to_string(load.what), std::to_string(record.operations),
                    std::to_string(record.lost), no_data_words(trial.judgement.loads[i]),
                    rate_words(load, trial.judgement.loads[i].before)});
  }
  text += columns(rows, 2);
  for (const auto& [first, last] : simultaneous_faults(experiment)) {
    text += "\n";
    for (std::size_t k = first; k <= last; ++k)
      text += came(experiment.faults[k], trial.measured.faults[k]);
    rows = {{"LOAD", "MEANWHILE", "SHARE", "AFTERWARDS", "SHARE", "BACK AFTER"}};
    for (LoadNumber i = 0; i < experiment.loads.size(); ++i) {
      const ExperimentLoad& load = experiment.loads[i];
      const FaultEffect& effect = trial.judgement.loads[i].faults[last];
      rows.push_back({load.name, rate_words(load, effect.during), share_words(effect.share_during),
                      rate_words(load, effect.after), share_words(effect.share_after),
                      back_words(effect)});
    }
    text += columns(rows, 1);
  }
  text += verdicts_text(trial);
  for (const std::string& remark : trial.measured.remarks) text += "note: " + remark + "\n";
  return text;
}

std::string side_by_side(const Experiment& experiment, const Trial& live, const Trial& simulated) {
  std::string text = "side by side: " + description(live.measured) + ", and " +
                     description(simulated.measured) + "\n";
  Rows rows = {{"LOAD", "", "LIVE", "SIMULATED", "RATIO"}};
  const auto add = [&](const ExperimentLoad& load, const std::string& what, std::string a,
                       std::string b, std::optional<double> c) {
    rows.push_back({load.name, what, std::move(a), std::move(b), share_words(c)});
  };
  for (LoadNumber i = 0; i < experiment.loads.size(); ++i) {
    const ExperimentLoad& load = experiment.loads[i];
    const LoadEffect &a = live.judgement.loads[i], &b = simulated.judgement.loads[i];
    add(load, "rate before", rate_words(load, a.before), rate_words(load, b.before),
        ratio(a.before, b.before));
    for (const auto& [first, last] : simultaneous_faults(experiment)) {
      const FaultEffect &x = a.faults[last], &y = b.faults[last];
      const std::string more = first == last ? "" : fmt::format(" and {} more", last - first);
      const std::string name = description(experiment.faults[first]) + more;
      add(load, name + ": share meanwhile", share_words(x.share_during),
          share_words(y.share_during), ratio(x.share_during, y.share_during));
      add(load, "share afterwards", share_words(x.share_after), share_words(y.share_after),
          ratio(x.share_after, y.share_after));
      add(load, "back after", back_words(x), back_words(y), {});
    }
    add(load, "operations lost", std::to_string(live.measured.loads[i].lost),
        std::to_string(simulated.measured.loads[i].lost), {});
    add(load, "without data", no_data_words(a), no_data_words(b), {});
  }
  return text + columns(rows, 2);
}

}  // namespace ulnet::tools::lab

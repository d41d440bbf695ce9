#include "lab/experiment/judge.h"

#include <fmt/format.h>

#include <algorithm>

namespace ulnet::tools::lab {
namespace {

/// The intervals of a load that lie between two times, with their rates.
struct Stretch {
  std::vector<Interval> intervals;
  std::vector<double> rates;
};

Stretch stretch_of(const ExperimentLoad& load, const LoadRecord& record, Duration from,
                   Duration to) {
  Stretch stretch;
  for (const Interval& each : record.intervals) {
    if (!in_time(load, each) || each.from < from || each.to > to) continue;
    stretch.intervals.push_back(each);
    stretch.rates.push_back(rate_of(load, each));
  }
  return stretch;
}

/// Replaces each value by the median of it and its two neighbours, so that one odd value changes
/// nothing. The last value is raised to the median of the last three, so that one low value at the
/// end does not count as a relapse.
std::vector<double> smoothed(const std::vector<double>& values) {
  std::vector<double> smooth = values;
  for (std::size_t i = 1; i + 1 < values.size(); ++i)
    smooth[i] = *median({values[i - 1], values[i], values[i + 1]});
  if (values.size() >= 3) smooth.back() = std::max(smooth.back(), smooth[values.size() - 2]);
  return smooth;
}

std::optional<Duration> back_after(const Stretch& stretch, double before, Duration from) {
  const std::vector<double> rates = smoothed(stretch.rates);
  const auto low = std::find_if(rates.rbegin(), rates.rend(),
                                [&](double rate) { return rate < kBackAt * before; });
  if (low == rates.rend()) return Duration{};
  if (low == rates.rbegin()) return {};
  const auto place = static_cast<std::size_t>(rates.rend() - low) - 1;
  return stretch.intervals[place].to - from;
}

/// Computes the effect of each fault on the load. `planned`: faults with the same time in the file
/// count as one, even if one of them began a moment later.
LoadEffect effect_of(const ExperimentLoad& load, const LoadRecord& record,
                     const std::vector<ExperimentFault>& planned,
                     const std::vector<FaultRecord>& faults) {
  LoadEffect effect;
  for (const Interval& each : record.intervals)
    if (in_time(load, each) && each.operations == 0) effect.no_data += each.to - each.from;
  const Duration first = faults.empty() ? Duration::max() : faults.front().from;
  effect.before = median(stretch_of(load, record, {}, first).rates);
  for (std::size_t i = 0; i < faults.size(); ++i) {
    const FaultRecord& fault = faults[i];
    Duration next = Duration::max();
    for (std::size_t k = 0; k < faults.size(); ++k)
      if (planned[k].at > planned[i].at) next = std::min(next, faults[k].from);
    FaultEffect one;
    one.during = median(stretch_of(load, record, fault.from, fault.to).rates);
    one.after = median(stretch_of(load, record, fault.to, next).rates);
    if (effect.before && *effect.before > 0) {
      if (one.during) one.share_during = *one.during / *effect.before;
      if (one.after) one.share_after = *one.after / *effect.before;
      const Stretch rest = stretch_of(load, record, fault.from, next);
      if (!rest.rates.empty()) one.back_after = back_after(rest, *effect.before, fault.from);
    }
    effect.faults.push_back(one);
  }
  return effect;
}

// ---- expectations -------------------------------------------------------------------------------

using Is = Verdict::Is;

Verdict judge_lost(const Expected& expected, const Measured& measured) {
  std::uint64_t lost = 0;
  for (LoadNumber i = 0; i < measured.loads.size(); ++i)
    if (!expected.load || *expected.load == i) lost += measured.loads[i].lost;
  return {expected.lost.holds(lost) ? Is::kMet : Is::kNotMet, expected.text,
          std::to_string(lost) + " lost"};
}

/// Calls `look(fault)` for each fault that overlaps the load. `look` returns whether the result is
/// as expected, and the result in words.
template <class Look>
Verdict judge_faults(const Experiment& experiment, const Expected& expected, Look&& look) {
  Verdict verdict{Is::kMet, expected.text, ""};
  const ExperimentLoad& load = experiment.loads[*expected.load];
  for (std::size_t i = 0; i < experiment.faults.size(); ++i) {
    const ExperimentFault& fault = experiment.faults[i];
    if (fault.at >= load.end || fault.end <= load.start) continue;
    const auto [good, found] = look(i);
    if (!good) verdict.is = Is::kNotMet;
    verdict.found += (verdict.found.empty() ? "" : "; ") + description(fault) + ": " + found;
  }
  return verdict;
}

Verdict judge_rate(const Experiment& experiment, const Expected& expected,
                   const LoadEffect& effect) {
  return judge_faults(experiment, expected, [&](std::size_t fault) {
    const auto share = effect.faults[fault].share_during;
    if (share) return std::pair(expected.share.holds(*share), fmt::format("{:.2f}", *share));
    return std::pair(
        false, std::string(effect.before.value_or(0) > 0 ? "no sample during the fault"
                                                         : "nothing moved before the first fault"));
  });
}

Verdict judge_recovered(const Experiment& experiment, const Expected& expected,
                        const LoadEffect& effect) {
  return judge_faults(experiment, expected, [&](std::size_t fault) {
    const auto back = effect.faults[fault].back_after;
    return back ? std::pair(*back <= expected.within, fmt::format("{:.1f} s", seconds_of(*back)))
                : std::pair(false, std::string("not back at the end"));
  });
}

}  // namespace

bool in_time(const ExperimentLoad& load, const Interval& interval) {
  constexpr Duration kLate = std::chrono::milliseconds(50);
  return interval.from >= load.start && interval.to <= load.end + kLate;
}

double rate_of(const ExperimentLoad& load, const Interval& interval) {
  const double length = seconds_of(interval.to - interval.from);
  const std::uint64_t moved =
      load.what == ExperimentLoad::What::kPing ? interval.operations : interval.bytes;
  return length > 0 ? static_cast<double>(moved) / length : 0;
}

std::optional<double> median(std::vector<double> values) {
  if (values.empty()) return {};
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

bool Judgement::good() const {
  return std::ranges::none_of(verdicts,
                              [](const Verdict& verdict) { return verdict.is == Is::kNotMet; });
}

Judgement judge(const Experiment& experiment, const Measured& measured) {
  Judgement judgement;
  for (LoadNumber i = 0; i < experiment.loads.size(); ++i)
    judgement.loads.push_back(
        effect_of(experiment.loads[i], measured.loads[i], experiment.faults, measured.faults));
  std::string why_not;
  if (measured.where == Measured::Where::kLoopback && !experiment.rates_on_loopback)
    why_not = "on loopback no wire limits a rate: --netns or --simulate";
  else if (measured.late > 2 * experiment.sample)
    why_not = fmt::format("the machine was too busy: a sample or fault came {:.1f} s late",
                          seconds_of(measured.late));
  for (const Expected& expected : experiment.expected) {
    if (expected.what == Expected::What::kLost)
      judgement.verdicts.push_back(judge_lost(expected, measured));
    else if (!why_not.empty())
      judgement.verdicts.push_back({Is::kNotJudged, expected.text, why_not});
    else if (expected.what == Expected::What::kRate)
      judgement.verdicts.push_back(
          judge_rate(experiment, expected, judgement.loads[*expected.load]));
    else
      judgement.verdicts.push_back(
          judge_recovered(experiment, expected, judgement.loads[*expected.load]));
  }
  return judgement;
}

std::string description(const Measured& measured) {
  if (!measured.live()) return "simulated, seed " + std::to_string(measured.seed);
  const bool spaces = measured.where == Measured::Where::kNamespaces;
  return spaces ? "live, in network namespaces" : "live, on loopback";
}

}  // namespace ulnet::tools::lab

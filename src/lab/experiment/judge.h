// Judges the loads of an experiment: rates before, during and after each fault, how soon the rates
// recovered, and which expectations are met.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/experiment/experiment.h"
#include "lab/experiment/measured.h"

namespace ulnet::tools::lab {

/// Whether the load lasts for the whole interval. An interval that ends a moment after the load
/// counts too, since nothing is measured at an exact time.
bool in_time(const ExperimentLoad& load, const Interval& interval);
/// Returns the rate of the interval in bytes a second; for pings in operations a second.
double rate_of(const ExperimentLoad& load, const Interval& interval);
/// Returns the median; for an even number of values the mean of the two in the middle. Nothing:
/// there are no values.
std::optional<double> median(std::vector<double> values);

/// A load while a fault lasts and after it, until the next fault or the load's end. Only intervals
/// that lie completely in that time count. A value is empty if there is no such interval.
struct FaultEffect {
  std::optional<double> during, after;  ///< median rates
  /// shares of LoadEffect::before, if that is not 0
  std::optional<double> share_during, share_after;
  /// The time from the fault's beginning until the rate had recovered for good, as far as it is
  /// measured. It ends with the last interval, before the next fault's beginning (or the load's
  /// end), in which the median of the interval's rate and its two neighbours was below kBackAt of
  /// `before`. 0: the rate was never below. Nothing: it had not recovered at the end.
  std::optional<Duration> back_after;
};
struct LoadEffect {
  std::optional<double> before;     ///< median rate before the first fault
  Duration no_data{};               ///< time of the load's intervals in which no operation ended
  std::vector<FaultEffect> faults;  ///< in the order of Experiment::faults
};

struct Verdict {
  enum class Is : std::uint8_t { kMet, kNotMet, kNotJudged } is = Is::kMet;
  std::string expected;  ///< the text in the file
  std::string found;     ///< in words: "kill router3: 0.52"
};

struct Judgement {
  std::vector<LoadEffect> loads;  ///< in the order of Experiment::loads
  std::vector<Verdict> verdicts;  ///< in the order of Experiment::expected
  /// Whether no expectation failed. An expectation that could not be judged does not count.
  bool good() const;
};

/// Judges the measurements. Rates are not judged on loopback, where no wire limits them, unless the
/// experiment requests that. Rates are also not judged if the machine was busy and a sample or a
/// fault came two samples late.
Judgement judge(const Experiment& experiment, const Measured& measured);

}  // namespace ulnet::tools::lab

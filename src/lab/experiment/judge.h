// Judges what an experiment's loads did: rates before, during and after each fault, how soon they
// were back, and which expectations are met.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/experiment/experiment.h"
#include "lab/experiment/measured.h"

namespace ulnet::tools::lab {

/// The load lasts all the interval. One that ends a moment after the load, since nothing is
/// measured at an exact time, counts too.
bool in_time(const ExperimentLoad& load, const Interval& interval);
/// Bytes a second of the interval; operations a second of pings.
double rate_of(const ExperimentLoad& load, const Interval& interval);
/// The middle one; of an even number the mean of the two in the middle. Nothing of none.
std::optional<double> median(std::vector<double> values);

/// A load while a fault lasts and after it, until the next fault or the load's end. Only intervals
/// that lie in that time as a whole count. Nothing where there is no such interval.
struct FaultEffect {
  std::optional<double> during, after;              ///< median rates
  std::optional<double> share_during, share_after;  ///< of LoadEffect::before, if that is not 0
  /// From the fault's beginning until the rate was back for good, as far as it is measured: until
  /// the end of the last interval before the next fault's beginning (or the load's end) in which
  /// the median of it and its two neighbours was below kBackAt of `before`. 0: it never was.
  /// Nothing: it was not back at the end.
  std::optional<Duration> back_after;
};
struct LoadEffect {
  std::optional<double> before;     ///< median rate before the first fault
  Duration no_data{};               ///< of the load's intervals in which no operation ended
  std::vector<FaultEffect> faults;  ///< as Experiment::faults
};

struct Verdict {
  enum class Is : std::uint8_t { kMet, kNotMet, kNotJudged } is = Is::kMet;
  std::string expected;  ///< as in the file
  std::string found;     ///< in words: "kill router3: 0.52"
};

struct Judgement {
  std::vector<LoadEffect> loads;  ///< as Experiment::loads
  std::vector<Verdict> verdicts;  ///< as Experiment::expected
  /// No expectation is not met. One that could not be judged does not count.
  bool good() const;
};

/// Rates are not judged on loopback, unless the experiment says so: no wire limits them there. Nor
/// are they on a machine that was so busy that something came two samples late.
Judgement judge(const Experiment& experiment, const Measured& measured);

}  // namespace ulnet::tools::lab

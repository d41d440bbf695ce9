// The measurements of a plan by LNet selftest, as values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fgr/measure/measure.h"
#include "selftest/ulst/run/plan.h"

namespace ulnet::tools::fgr {

/// The rates since the sample before, in the order of the run's OSSs; nothing for an OSS that did
/// not answer.
struct RateSample {
  double seconds = 0;  ///< since the test began
  std::vector<std::optional<double>> bytes_per_s;
};

/// One test of a run.
struct Measured {
  std::size_t run = 0;                   ///< index in Measurement::runs
  std::uint32_t concurrency = 0;         ///< RPCs of a client at a time, to each of its OSSs
  std::uint32_t osss_of_a_client = 0;    ///< 0: no OSS could be measured
  double seconds = 0;                    ///< how long it lasted
  std::vector<plan::OssFigure> figures;  ///< in the order of the run's OSSs
  std::vector<RateSample> samples;
  std::vector<std::string> troubles;  ///< problems that belong to no single OSS, in words
  std::vector<std::string> remarks;   ///< notes that are not failures
};

struct Measurement {
  std::vector<plan::MeasureRun> runs;
  lst::run::Step step;
  std::vector<std::string> clients;  ///< NIDs
  /// in the order of the runs; for each run in the order of concurrencies
  std::vector<Measured> measured;
  bool interrupted = false;
  /// why the measurement is incomplete; empty: it is complete, or was interrupted
  std::string stopped;
};

// Titles of cases.
inline constexpr std::string_view kEachOss = "each OSS", kEachGroup = "each group",
                                  kAtOnce = "all at once";

/// The tests that belong together, whose OSSs are compared: those of the highest concurrency.
struct MeasuredCase {
  std::string_view title;
  std::vector<const Measured*> tests;
  std::vector<plan::OssFigure> figures;  ///< from all these tests
};
/// Returns the cases that were measured.
std::vector<MeasuredCase> cases_of(const Measurement& measurement);

/// The sum of the OSSs of a group. The sums are in the order of the groups.
struct GroupFigure {
  std::size_t group = 0;
  std::size_t osss = 0;
  double bytes_per_s = 0;
};
std::vector<GroupFigure> by_group(const std::vector<plan::OssFigure>& figures);

/// Returns the figure of the OSS in the case; nothing when it was not measured, or failed.
std::optional<double> figure_in(const MeasuredCase& measured, const plan::Oss& oss);

}  // namespace ulnet::tools::fgr

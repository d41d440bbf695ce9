// What was measured of a plan by LNet selftest, as values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fgr/measure/measure.h"
#include "selftest/ulst/run/plan.h"

namespace ulnet::tools::fgr {

/// The rates since the sample before, by the run's OSSs; nothing of one that did not answer.
struct RateSample {
  double seconds = 0;  ///< since the test began
  std::vector<std::optional<double>> bytes_per_s;
};

/// One test of a run.
struct Measured {
  std::size_t run = 0;                   ///< in Measurement::runs
  std::uint32_t concurrency = 0;         ///< RPCs of a client at a time, to each of its OSSs
  std::uint32_t osss_of_a_client = 0;    ///< 0: no OSS could be measured
  double seconds = 0;                    ///< that it lasted
  std::vector<plan::OssFigure> figures;  ///< by the run's OSSs
  std::vector<RateSample> samples;
  std::vector<std::string> troubles;  ///< that are no single OSS's, in words
  std::vector<std::string> remarks;   ///< no failures
};

struct Measurement {
  std::vector<plan::MeasureRun> runs;
  lst::run::Step step;
  std::vector<std::string> clients;  ///< NIDs
  std::vector<Measured> measured;    ///< in the order of the runs; of each, of the concurrencies
  bool interrupted = false;
  std::string stopped;  ///< why not all was measured; empty: it was, or interrupted
};

// Titles of cases.
inline constexpr std::string_view kEachOss = "each OSS", kEachGroup = "each group",
                                  kAtOnce = "all at once";

/// The tests that belong together, whose OSSs are compared: those of the highest concurrency.
struct MeasuredCase {
  std::string_view title;
  std::vector<const Measured*> tests;
  std::vector<plan::OssFigure> figures;  ///< of all these tests
};
/// Those that were measured.
std::vector<MeasuredCase> cases_of(const Measurement& measurement);

/// Sums of the OSSs of a group, in the order of the groups.
struct GroupFigure {
  std::size_t group = 0;
  std::size_t osss = 0;
  double bytes_per_s = 0;
};
std::vector<GroupFigure> by_group(const std::vector<plan::OssFigure>& figures);

/// The figure of the OSS in the case; nothing when it was not measured, or failed.
std::optional<double> figure_in(const MeasuredCase& measured, const plan::Oss& oss);

}  // namespace ulnet::tools::fgr

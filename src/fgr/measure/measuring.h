// Runs LNet selftest for the runs of a plan, one after the other, by ulst's machinery.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "fgr/measure/measurement.h"
#include "fgr/measure/progress.h"
#include "selftest/ulst/tool.h"

namespace ulnet::tools::fgr {

struct MeasureSetup {
  std::vector<plan::MeasureRun> runs;
  /// The process id by which the console names an OSS: "12345-10.10.100.4@o2ib6002".
  std::function<std::string(const plan::Oss&)> id_of;
  std::function<std::string(const plan::MeasureRun&)> title_of;
  /// From whom, what and how long, in one step; the rest is set for each test.
  lst::run::Plan how;
  std::vector<std::uint32_t> concurrencies;
  std::uint32_t osss_per_client = 16;  ///< at least so many of a run's OSSs, or all
};

/// A session for each test, which always ends. An OSS that does not come into a session has failed,
/// with the reason, and is not asked again; the others are measured without it. When a client does
/// not come, or the console fails, nothing more is measured. An interrupt that Watch noted ends the
/// test that runs, and drops its figures.
Measurement measure(const lst::Tool& tool, const MeasureSetup& setup, MeasureProgress& progress);

}  // namespace ulnet::tools::fgr

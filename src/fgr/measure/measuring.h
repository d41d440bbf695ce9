// Runs LNet selftest for the runs of a plan, one after the other, with the functions of ulst.
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
  /// The settings that all tests share: clients, operation and time, in one step. The rest is set
  /// for each test.
  lst::run::Plan how;
  std::vector<std::uint32_t> concurrencies;
  /// a client sends to at least this many of a run's OSSs, or to all
  std::uint32_t osss_per_client = 16;
};

/// Measures each test in a session of its own, which always ends. An OSS that does not join a
/// session has failed, with the reason, and is not asked again; the others are measured without it.
/// If a client does not join, or the console fails, the measurement stops. An interrupt that Watch
/// noted ends the running test, and drops its figures.
Measurement measure(const lst::Tool& tool, const MeasureSetup& setup, MeasureProgress& progress);

}  // namespace ulnet::tools::fgr

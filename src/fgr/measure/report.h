// A measurement for people, for programs, and as pictures. docs/FGR.md promises the shape of the
// JSON.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "fgr/measure/measurement.h"

namespace ulnet::tools::fgr {

struct JudgedCase {
  MeasuredCase what;
  plan::MeasureVerdict verdict;
};

/// All that a report is about. The plan and the measurement must outlive it.
struct MeasureReport {
  MeasureReport(const plan::Plan& site, const Measurement& results, double least_share,
                std::function<std::string(const plan::Oss&)> nid);

  const plan::Plan& plan;
  const Measurement& measurement;
  double share;                                         ///< of the siblings' median
  std::function<std::string(const plan::Oss&)> nid_of;  ///< by which it was measured
  std::vector<JudgedCase> cases;

  /// Nobody is out of line, nothing failed, and all was measured.
  bool ok() const;
};

/// Tables of OSSs and groups, in MiB/s.
std::string measure_tables(const MeasureReport& report);
/// Who is out of line, why, and where to look; or that nobody is.
std::string measure_verdict(const MeasureReport& report);
std::string measure_json(const MeasureReport& report);

/// SVG: bars of the OSSs, those of a group side by side, alone and together; of groups when only
/// these were measured. In the manner of figure 8 of design document 004.
std::string measure_bars(const MeasureReport& report);
/// SVG: the bandwidth of each group over time; over the concurrency when there are several. In the
/// manner of figure 7 there.
std::string measure_curves(const MeasureReport& report);

}  // namespace ulnet::tools::fgr

// A measurement for people, for programs, and as pictures. docs/FGR.md documents the JSON.
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

/// The data of a report. The plan and the measurement must outlive this object.
struct MeasureReport {
  MeasureReport(const plan::Plan& site, const Measurement& results, double least_share,
                std::function<std::string(const plan::Oss&)> nid);

  const plan::Plan& plan;
  const Measurement& measurement;
  double share;  ///< of the siblings' median
  /// the NID that was used to measure the OSS
  std::function<std::string(const plan::Oss&)> nid_of;
  std::vector<JudgedCase> cases;

  /// Whether there are no suspects and no failures, and the measurement is complete.
  bool ok() const;
};

/// Returns tables of OSSs and groups, in MiB/s.
std::string measure_tables(const MeasureReport& report);
/// Returns the suspects, why they are out of line, and where to look; or that there are no
/// suspects.
std::string measure_verdict(const MeasureReport& report);
std::string measure_json(const MeasureReport& report);

/// Returns an SVG with bars of the OSSs: for each OSS alone and all together, with the OSSs of a
/// group side by side. If only groups were measured, the bars are those of groups. Similar to
/// figure 8 of design document 004.
std::string measure_bars(const MeasureReport& report);
/// Returns an SVG with the bandwidth of each group over time, or over the concurrency if several
/// were measured. Similar to figure 7 of design document 004.
std::string measure_curves(const MeasureReport& report);

}  // namespace ulnet::tools::fgr

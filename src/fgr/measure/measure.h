// The measurements of a plan by LNet selftest, and the OSSs and groups that are out of line with
// their siblings. Source: design document 004, section III.B; docs/FGR.md, "Measuring".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fgr/plan/plan.h"
#include "ulnet/result.hpp"

namespace ulnet::plan {

/// Each OSS by itself, all at once, each group by itself, all groups at once.
enum class MeasureScope : std::uint8_t { kEachOss, kAllOsss, kEachGroup, kAllGroups };
inline constexpr MeasureScope kMeasureScopes[] = {MeasureScope::kEachOss, MeasureScope::kAllOsss,
                                                  MeasureScope::kEachGroup,
                                                  MeasureScope::kAllGroups};
/// Returns "each OSS", "all OSSs", "each group", "all groups".
const char* to_string(MeasureScope scope);

/// An OSS of a plan.
struct Oss {
  std::size_t group = 0;   ///< index in Plan::groups
  std::size_t server = 0;  ///< in the servers of the group's file system
  bool operator==(const Oss&) const = default;
};
const Server& server_of(const Plan& plan, const Oss& oss);
/// Returns the OSS's NID on its group's net.
Nid nid_of(const Plan& plan, const Oss& oss);

/// One test. Its OSSs are loaded together; they are in the order of the groups.
struct MeasureRun {
  /// the scopes that it serves; the same OSSs are measured only once
  std::vector<MeasureScope> scopes;
  std::vector<Oss> osss;
  bool is_for(MeasureScope scope) const;
};

struct MeasureRunsOptions {
  std::vector<MeasureScope> scopes;  ///< empty: all
  std::vector<std::string> groups;   ///< "002", or "home:002"; empty: all that have OSSs
  /// Index in Site::clients: the system that measures. Only groups that it has routers to are
  /// measured.
  std::optional<std::size_t> clients = std::nullopt;
};

/// Returns the tests of these scopes and groups. -ENOENT: a group does not exist, or it has no OSS,
/// or the clients have no routers to it; the reason names the groups that can be measured.
Result<std::vector<MeasureRun>> measure_runs(const Plan& plan, const MeasureRunsOptions& options);

/// Returns how many OSSs each client sends to, so that each of `osss` OSSs has equally many
/// clients: at least `least`, or all OSSs. If the result is n, client i sends to n OSSs from OSS i
/// * n on, as ulst distributes them. `clients` and `osss` are not 0.
std::uint32_t osss_of_a_client(std::size_t clients, std::size_t osss, std::uint32_t least);

/// The measurement of one OSS.
struct OssFigure {
  Oss oss;
  double bytes_per_s = 0;
  std::uint64_t errors = 0;  ///< RPCs that failed
  std::string failed;        ///< why there is no figure: "no answer"; empty: there is a figure
};

/// An OSS, or a group as a whole, that is out of line.
struct MeasureSuspect {
  std::size_t group = 0;
  std::optional<std::size_t> server;  ///< empty: the group
  double bytes_per_s = 0;             ///< its own rate; for a group the mean of its OSSs
  /// the median of its siblings, if it is out of line with that
  std::optional<double> of_siblings;
  std::string why;  ///< for people: with the numbers
};

struct MeasureVerdict {
  std::vector<MeasureSuspect> suspects;  ///< in the order of the groups
  double median = 0, deviation = 0;      ///< of the OSSs' figures; median absolute deviation
  /// Sentences about OSSs and groups that could not be compared, because they have no siblings.
  std::vector<std::string> not_compared;
};

struct MeasureJudgeOptions {
  double share = 0.8;     ///< a figure below this part of the siblings' median is out of line
  bool together = false;  ///< OSSs of a group were loaded at the same time
};

/// Compares an OSS with the others of its group, which have the same routers; and a group, by the
/// mean of its OSSs that are in line, with the other groups of its file system. An OSS is also out
/// of line if it failed, had errors, or moved nothing. If a group has several OSSs and none of them
/// moved data, the verdict names the group instead.
MeasureVerdict judge_measured(const Plan& plan, const std::vector<OssFigure>& figures,
                              const MeasureJudgeOptions& options);

/// Returns the median of the values, or the mean of the two in the middle; 0 without values.
double median_of(std::vector<double> values);

}  // namespace ulnet::plan

// The report of a verification, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "fgr/verify/verify.h"

namespace ulnet::tools::fgr {

/// Whether a router and a server reach each other.
enum class Reach : std::uint8_t {
  kNotPlanned,  ///< they share no group
  kNotAsked,
  kAll,   ///< each ping between them, in either direction, was answered
  kSome,  ///< some pings were not answered
  kNone,
};
struct ReachMap {
  std::vector<std::size_t> routers, servers;  ///< indices in VerifyChecks::hosts
  std::vector<std::vector<Reach>> cells;      ///< by router, by server
  /// percentage of pings answered, where there were pings
  std::vector<std::vector<double>> answered;
};
ReachMap reach_map(const plan::VerifyChecks& checks, const std::vector<plan::HostSeen>& seen);

/// The subject of the report.
struct VerifyReport {
  const plan::VerifyChecks& checks;
  const std::vector<plan::HostSeen>& seen;
  const plan::VerifyVerdict& verdict;
  /// what was not asked, and what could not be assigned to a host
  const std::vector<std::string>& notes;
  bool only_cables = false;  ///< no host was asked
};

/// Returns a table of hosts with mistakes and the map of routers and servers; or the table of
/// cables, when only cables were judged. Then come the suspects, and a last line with the verdict.
std::string verify_text(const VerifyReport& report);
std::string verify_json(const VerifyReport& report);
/// Draws the map of routers and servers. Routers are rows, servers are columns; each cell has the
/// percentage of pings answered.
std::string verify_svg(const plan::VerifyChecks& checks, const std::vector<plan::HostSeen>& seen);

}  // namespace ulnet::tools::fgr

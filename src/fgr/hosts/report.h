// The report of a verification, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "fgr/verify/verify.h"

namespace ulnet::tools::fgr {

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

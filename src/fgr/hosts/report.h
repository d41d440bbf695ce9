// What verification found, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "fgr/verify/verify.h"

namespace ulnet::tools::fgr {

/// How a router and a server reach each other.
enum class Reach : std::uint8_t {
  kNotPlanned,  ///< they share no group
  kNotAsked,
  kAll,   ///< each ping between them, either way, was answered
  kSome,  ///< not all were
  kNone,
};
struct ReachMap {
  std::vector<std::size_t> routers, servers;  ///< in VerifyChecks::hosts
  std::vector<std::vector<Reach>> cells;      ///< by router, by server
  std::vector<std::vector<double>> answered;  ///< per cent, where it was asked
};
ReachMap reach_map(const plan::VerifyChecks& checks, const std::vector<plan::HostSeen>& seen);

/// What the report is about.
struct VerifyReport {
  const plan::VerifyChecks& checks;
  const std::vector<plan::HostSeen>& seen;
  const plan::VerifyVerdict& verdict;
  const std::vector<std::string>& notes;  ///< what was not asked, and what was not matched
  bool only_cables = false;               ///< no host was to be asked
};

/// A table of hosts with mistakes and the map of routers and servers, or the table of cables when
/// only these were judged; the suspects, and a last line with the verdict.
std::string verify_text(const VerifyReport& report);
std::string verify_json(const VerifyReport& report);
/// Routers are rows, servers columns; per cent of pings answered.
std::string verify_svg(const plan::VerifyChecks& checks, const std::vector<plan::HostSeen>& seen);

}  // namespace ulnet::tools::fgr

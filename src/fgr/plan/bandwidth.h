// Bandwidth matching: the bandwidth of each client system's routers, compared with that of each
// file system's OSSs. Source: design document 004, section I.D and table I.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fgr/plan/plan.h"

namespace ulnet::plan {

/// A client system and a file system that routers connect.
struct Matching {
  std::size_t client = 0, file_system = 0;
  std::size_t routers = 0, osss = 0;  ///< primary routers of the groups of OSSs, and those OSSs
  /// Gigabytes a second: `carried` of these routers, `peak` of these OSSs, and `full` of these
  /// routers if they led to no other file system.
  double carried = 0, peak = 0, full = 0;
  std::vector<std::size_t> spare;  ///< routers for OSSs that no group needs
};

/// Returns the matchings, ordered by client system, and then by file system.
std::vector<Matching> matchings_of(const Plan& plan);

/// Returns "4 routers of xe at switch left0 carry 10.4 GB/s, and 3 OSSs move 9.0 GB/s at peak".
/// `at`: the switch; empty: the text names no switch.
std::string rates_text(const Plan& plan, std::size_t client, std::size_t file_system,
                       const std::string& at, std::size_t routers, double carried, std::size_t osss,
                       double peak);

/// Returns the paper's table: a line for each Matching, and then the spare routers by switch.
std::string matching_text(const Plan& plan);

}  // namespace ulnet::plan

// Bandwidth matching: the bandwidth of each client system's routers, compared with that of each
// file system's OSSs. Source: design document 004, section I.D and table I.
#pragma once

#include <cstddef>
#include <string>

#include "fgr/plan/plan.h"

namespace ulnet::plan {

/// Returns "4 routers of xe at switch left0 carry 10.4 GB/s, and 3 OSSs move 9.0 GB/s at peak".
/// `at`: the switch; empty: the text names no switch.
std::string rates_text(const Plan& plan, std::size_t client, std::size_t file_system,
                       const std::string& at, std::size_t routers, double carried, std::size_t osss,
                       double peak);

/// Returns the paper's table: a line for each client system and file system that routers
/// connect, and then the spare routers by switch.
std::string matching_text(const Plan& plan);

}  // namespace ulnet::plan

// The servers of a Sonexion-1600, computed from a few facts. Source: design document 004, sections
// III and III.A.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fgr/plan/site.h"

namespace ulnet::plan {

inline constexpr std::uint32_t kSonexionSsusPerRack = 6;

struct SonexionFacts {
  std::string cluster;  ///< "snx11001"
  std::uint32_t ssus = 0;
  Address first_address = 0;  ///< address of the MGS; the others follow one by one
};

/// Returns the servers. MGS and MDS are hosts n002 and n003, the OSSs n004 and on: two for each
/// SSU, even ones on the left. Racks are R0, R1, …, their switches left0, right0, left1, …; MGS and
/// MDS are in R0, one at each switch.
std::vector<Server> sonexion_servers(const SonexionFacts& facts);

}  // namespace ulnet::plan

// Known kinds of hardware: their bandwidth, in gigabytes (10^9 bytes) a second for each unit, and
// the servers of a Sonexion-1600, computed from a few facts. Source: design document 004, table I
// and sections III and III.A.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fgr/plan/site.h"

namespace ulnet::plan {

/// Decimal fractions are not exact in a double: 3 x 2.6 must count as 7.8.
inline constexpr double kRounding = 1e-9;

struct Kind {
  std::string_view name;
  double gb_per_s = 0;
};
/// Returns the kinds of OSSs: sonexion-1600.
const std::vector<Kind>& oss_kinds();
/// Returns the kinds of routers: xe, xc30-single-hca, xc30-dual-hca.
const std::vector<Kind>& router_kinds();
/// Returns the bandwidth of the kind; nothing when the kind is not known.
std::optional<double> bandwidth_of(const std::vector<Kind>& kinds, std::string_view name);

/// Bandwidth matching: returns the most OSSs that a group with these routers may have. The routers'
/// bandwidth must be at least that of the OSSs at peak. 0: the routers are too few for one OSS.
std::uint32_t osss_for(std::uint32_t routers, double router_gb_per_s, double oss_gb_per_s);
/// Returns the number of routers that a group of these OSSs needs.
std::uint32_t routers_for(std::uint32_t osss, double router_gb_per_s, double oss_gb_per_s);

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

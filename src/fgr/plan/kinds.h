// The bandwidth of known kinds of hardware, in gigabytes (10^9 bytes) a second for each unit.
// Source: design document 004, table I.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

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

}  // namespace ulnet::plan

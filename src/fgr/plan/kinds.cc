#include "fgr/plan/kinds.h"

#include <algorithm>
#include <cmath>

namespace ulnet::plan {
const std::vector<Kind>& oss_kinds() {
  static const std::vector<Kind> kinds = {{"sonexion-1600", 3.0}};
  return kinds;
}

const std::vector<Kind>& router_kinds() {
  static const std::vector<Kind> kinds = {
      {"xe", 2.6}, {"xc30-single-hca", 5.5}, {"xc30-dual-hca", 4.2}};
  return kinds;
}

std::optional<double> bandwidth_of(const std::vector<Kind>& kinds, std::string_view name) {
  const auto found = std::ranges::find(kinds, name, &Kind::name);
  if (found == kinds.end()) return std::nullopt;
  return found->gb_per_s;
}

namespace {

/// Limits the value, since a file may contain any number.
std::uint32_t count_of(double number) { return static_cast<std::uint32_t>(std::min(number, 1e9)); }

}  // namespace

std::uint32_t osss_for(std::uint32_t routers, double router_gb_per_s, double oss_gb_per_s) {
  return count_of(std::floor(routers * router_gb_per_s / oss_gb_per_s + kRounding));
}

std::uint32_t routers_for(std::uint32_t osss, double router_gb_per_s, double oss_gb_per_s) {
  return count_of(std::ceil(osss * oss_gb_per_s / router_gb_per_s - kRounding));
}

}  // namespace ulnet::plan

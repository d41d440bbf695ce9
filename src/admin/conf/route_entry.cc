#include "admin/conf/route_entry.h"

namespace ulnet::conf {

Result<std::vector<RouteItem>> routes_of(const RouteEntry& entry) {
  const auto hops = check_hops(entry.hop.value_or(-1));
  if (!hops) return tl::unexpected(hops.error());
  const auto priority = check_priority(entry.priority.value_or(0));
  if (!priority) return tl::unexpected(priority.error());
  const auto ends = expand_ends(entry.net, entry.gateway);
  if (!ends) return tl::unexpected(ends.error());
  std::vector<RouteItem> routes;
  append_routes(routes, *ends, *hops, *priority);
  return routes;
}

}  // namespace ulnet::conf

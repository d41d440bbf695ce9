#include "core/contract/route_list.h"

#include <algorithm>
#include <cerrno>
#include <string>

namespace ulnet::core {

std::shared_ptr<const RouteList> RouteList::none() {
  static const auto empty = std::make_shared<const RouteList>();
  return empty;
}

Result<void> RouteList::add(const Route& route, std::size_t place) {
  if (route.hops != kHopsUndefined && (route.hops < 1 || route.hops > kHopsMax))
    return fail(-EINVAL, "hops must be 1 to " + std::to_string(kHopsMax) + ", or -1");
  std::vector<Route>& routes = nets_[route.net];
  if (std::ranges::find(routes, route.gateway, &Route::gateway) != routes.end())
    return fail(-EEXIST, "route already exists");
  const auto before = std::min(place, routes.size());
  routes.insert(routes.begin() + static_cast<std::ptrdiff_t>(before), route);
  ++size_;
  return {};
}

Result<std::size_t> RouteList::del(std::optional<NetId> net, const std::optional<Nid>& gateway) {
  std::size_t gone = 0;
  for (auto at = nets_.begin(); at != nets_.end();) {
    if (!net || at->first == *net)
      gone += std::erase_if(
          at->second, [&](const Route& route) { return !gateway || route.gateway == *gateway; });
    at = at->second.empty() ? nets_.erase(at) : std::next(at);
  }
  size_ -= gone;
  if (gone == 0) return fail(-ENOENT, "no such route");
  return gone;
}

bool RouteList::has_gateway(const Nid& gateway) const {
  return std::ranges::any_of(nets_, [&](const auto& net) {
    return std::ranges::find(net.second, gateway, &Route::gateway) != net.second.end();
  });
}

}  // namespace ulnet::core

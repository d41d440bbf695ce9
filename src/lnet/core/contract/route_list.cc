// Adds routes to a list of routes, and deletes them by net, by gateway or by both. Source:
// spec/multirail.md 9.2.
#include "lnet/core/contract/route_list.h"

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

namespace ulnet::core {

std::shared_ptr<const RouteList> RouteList::none() {
  static const auto empty = std::make_shared<const RouteList>();
  return empty;
}

Result<void> RouteList::add(const Route& route, std::size_t place) {
  if (route.hops != kHopsUndefined && (route.hops < 1 || route.hops > kHopsMax))
    return fail(-EINVAL, "hops must be 1 to " + std::to_string(kHopsMax) + ", or -1");
  if (has(route.net, route.gateway)) return fail(-EEXIST, "route already exists");
  by_gateway_[route.gateway].insert(route.net);
  std::vector<Route>& routes = nets_[route.net];
  routes.push_back(route);
  if (place < routes.size()) std::swap(routes[place], routes.back());
  ++size_;
  return {};
}

bool RouteList::has(NetId net, const Nid& gateway) const {
  const auto at = by_gateway_.find(gateway);
  return at != by_gateway_.end() && at->second.contains(net);
}

std::size_t RouteList::del_of_net(NetId net, const std::optional<Nid>& gateway) {
  const auto at = nets_.find(net);
  if (at == nets_.end()) return 0;
  std::vector<Route>& routes = at->second;
  const std::size_t gone = std::erase_if(routes, [&](const Route& route) {
    if (gateway && route.gateway != *gateway) return false;
    const auto of_gateway = by_gateway_.find(route.gateway);
    of_gateway->second.erase(net);
    if (of_gateway->second.empty()) by_gateway_.erase(of_gateway);
    return true;
  });
  if (routes.empty()) nets_.erase(at);
  size_ -= gone;
  return gone;
}

Result<std::size_t> RouteList::del(std::optional<NetId> net, const std::optional<Nid>& gateway) {
  std::size_t gone = 0;
  if (net) {
    gone = gateway && !has(*net, *gateway) ? 0 : del_of_net(*net, gateway);
  } else {
    std::vector<NetId> nets;
    if (!gateway)
      for (const auto& [to, routes] : nets_) nets.push_back(to);
    else if (const auto at = by_gateway_.find(*gateway); at != by_gateway_.end())
      nets.assign(at->second.begin(), at->second.end());
    for (const NetId to : nets) gone += del_of_net(to, gateway);
  }
  if (gone == 0) return fail(-ENOENT, "no such route");
  return gone;
}

}  // namespace ulnet::core

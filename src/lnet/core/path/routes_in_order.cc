// Puts a route at its place in the order of the routes to a net. Source: spec/multirail.md 3.3,
// 9.3.
#include "lnet/core/path/routes_in_order.h"

#include <algorithm>

namespace ulnet::core {

RouteGroup& RoutesInOrder::group_of(const Gateway& gateway) {
  const NetId net = gateway.on_several_nets() ? NetId::any() : gateway.links.front().nid->nid.net();
  const auto found = std::ranges::find(groups, net, &RouteGroup::net);
  if (found != groups.end()) return *found;
  RouteGroup& made = groups.emplace_back();
  made.net = net;
  return made;
}

void RoutesInOrder::put(RouteEntry& route, bool usable) {
  const Gateway& gateway = *route.gateway;
  RouteGroup* const group = usable && !gateway.links.empty() ? &group_of(gateway) : nullptr;
  if (route.group == group && route.readiness == gateway.readiness && route.turn == route.sequence)
    return;
  if (route.group != nullptr) route.group->routes.erase(route.group->routes.iterator_to(route));
  route.group = group;
  route.readiness = gateway.readiness;
  route.turn = route.sequence;
  // The route chosen last moves to the end, so insertion tries the end first.
  if (group != nullptr) group->routes.insert(group->routes.end(), route);
}

}  // namespace ulnet::core

// Finds a gateway's route to a net, and keeps gateways in the order of their latest changes.
// Source: spec/multirail.md 3.3.
#include "lnet/core/path/gateway.h"

#include <algorithm>

namespace ulnet::core {

RouteEntry* Gateway::route_to(NetId net) const {
  const auto at = std::ranges::lower_bound(routes, net, {}, &std::pair<NetId, RouteEntry*>::first);
  return at == routes.end() || at->first != net ? nullptr : at->second;
}

bool Gateway::on_several_nets() const {
  return std::ranges::any_of(
      links, [&](const Link& link) { return link.nid->nid.net() != links.front().nid->nid.net(); });
}

void GatewayLog::note(Gateway& gateway) {
  const bool listed = gateway.changed != 0;
  gateway.changed = ++now_;
  if (listed && &newest_first_.front() == &gateway) return;
  if (listed) newest_first_.erase(newest_first_.iterator_to(gateway));
  newest_first_.push_front(gateway);
}

}  // namespace ulnet::core

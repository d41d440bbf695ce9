#include "core/path/route_table.h"

#include <algorithm>
#include <utility>

namespace ulnet::core {

void RouteTable::apply(const std::shared_ptr<const RouteList>& list, bool usable) {
  if (list == list_) return;
  list_ = list;
  const std::map<Nid, Gateway> before = std::exchange(gateways_, {});
  nets_.clear();
  seen_sources.clear();
  for (const auto& [id, routes] : list->nets()) {
    RemoteNet& net = nets_[id];
    net.id = id;
    net.routes.reserve(routes.size());
    for (const Route& route : routes) {
      const auto [at, is_new] = gateways_.try_emplace(route.gateway);
      if (is_new) {
        const auto known = told_.find(route.gateway);
        at->second.card = known == told_.end()
                              ? GatewayCard{.gateway = route.gateway, .usable = usable}
                              : known->second;
      }
      net.routes.push_back({&at->second, route.distance(), route.priority, 0});
    }
  }
  for (const auto& [nid, gateway] : before)
    if (!gateways_.contains(nid)) told_.erase(nid);
  count_missed();
}

void RouteTable::count_missed() {
  missed_ = static_cast<std::uint32_t>(
      std::ranges::count_if(told_, [](const auto& told) { return told.second.missed; }));
}

void RouteTable::take(const GatewayCard& card) {
  told_[card.gateway] = card;
  count_missed();
  const auto found = gateways_.find(card.gateway);
  if (found != gateways_.end()) found->second.card = card;
}

}  // namespace ulnet::core

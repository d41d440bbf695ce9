#include <algorithm>
#include <memory>
#include <set>

#include "sim/network/ipv6_nid.h"
#include "sim/scenario/draw_parts.h"

namespace ulnet::sim {
namespace {

std::shared_ptr<const core::RouteList> gateways_in_ipv6(const core::RouteList& routes,
                                                        const std::set<NetId>& nets) {
  auto made = std::make_shared<core::RouteList>();
  for (const auto& [net, to_net] : routes.nets())
    for (core::Route route : to_net) {
      if (nets.contains(route.gateway.net())) route.gateway = in_ipv6(route.gateway);
      (void)made->add(route, made->size());
    }
  return made;
}

}  // namespace

void draw_addresses(Dice& dice, Scenario& scenario) {
  if (!dice.often(15)) return;
  std::set<NetId> nets;
  for (const NodeSetup& node : scenario.nodes)
    for (const NiSetup& ni : node.nis) nets.insert(ni.nid.net());
  const auto routes = [](const NodeSetup& node) { return node.routing.on; };
  const bool all = dice.often(10) || std::ranges::any_of(scenario.nodes, routes);
  std::erase_if(nets, [&](const NetId&) { return !all && dice.often(50); });
  for (NodeSetup& node : scenario.nodes) {
    for (NiSetup& ni : node.nis)
      if (nets.contains(ni.nid.net())) ni.nid = in_ipv6(ni.nid);
    node.routes = gateways_in_ipv6(*node.routes, nets);
  }
}

}  // namespace ulnet::sim

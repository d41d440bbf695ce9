#include "sim/scenario/draw_addresses.h"

#include <algorithm>
#include <memory>
#include <set>

namespace ulnet::sim {
namespace {

/// fd00::N:A, of the number of the net and the IPv4 address.
Nid in_ipv6(const Nid& nid) {
  std::array<std::uint8_t, 16> address{};
  address[0] = 0xfd;
  std::ranges::copy(nid.num_be, address.begin() + 10);
  std::copy_n(nid.addr.begin(), 4, address.begin() + 12);
  return Nid::large(nid.net(), address);
}

std::shared_ptr<const core::RouteList> in_ipv6(const core::RouteList& routes,
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
  if (!dice.often(10)) return;
  std::set<NetId> nets;
  for (const NodeSetup& node : scenario.nodes)
    for (const NiSetup& ni : node.nis) nets.insert(ni.nid.net());
  const auto routes = [](const NodeSetup& node) { return node.routing.on; };
  const bool all = dice.often(30) || std::ranges::any_of(scenario.nodes, routes);
  std::erase_if(nets, [&](const NetId&) { return !all && dice.often(50); });
  for (NodeSetup& node : scenario.nodes) {
    for (NiSetup& ni : node.nis)
      if (nets.contains(ni.nid.net())) ni.nid = in_ipv6(ni.nid);
    node.routes = in_ipv6(*node.routes, nets);
  }
}

Nid nid_like(const Nid& like, NetId net, std::uint32_t address) {
  const Nid nid = Nid::small(net, address);
  return like.is_small() ? nid : in_ipv6(nid);
}

}  // namespace ulnet::sim

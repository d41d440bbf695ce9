#include <algorithm>
#include <memory>
#include <set>

#include "sim/network/ipv6_nid.h"
#include "sim/scenario/draw_parts.h"

namespace ulnet::sim {
namespace {

constexpr std::uint16_t kFirstOwnNet = 20;  ///< other parts of a world number their nets below this

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

void draw_own_nets(Dice& dice, Scenario& scenario) {
  if (!dice.often(12)) return;
  const auto nets = static_cast<std::uint32_t>(2 + dice.below(3));
  std::uint32_t number = 0;
  for (NodeSetup& node : scenario.nodes) {
    ++number;
    const NiSetup like = node.nis[0];
    node.nis.clear();
    for (std::uint32_t net = 0; net < nets; ++net) {
      // All nodes are on the first net, so that any two nodes have one in common.
      if (net != 0 && dice.often(15)) continue;
      NiSetup ni = like;
      ni.nid = Nid::small({NetType::kTcp, static_cast<std::uint16_t>(kFirstOwnNet + net)},
                          0x0aa00000U + (net << 16) + number);
      node.nis.push_back(ni);
    }
  }
}

void draw_flaps(Dice& dice, Scenario& scenario, Duration busy) {
  if (scenario.nothing_fails || !dice.often(10)) return;
  for (std::uint64_t left = 1 + dice.below(dice.often(30) ? 20 : 6); left != 0; --left) {
    Act flap;
    flap.fault = FaultKind::kInterface;
    flap.at = dice.up_to(dice.often(70) ? busy : scenario.lasts);
    flap.lasts = dice.spread(dice.often(50) ? 20 : 26);  // up to 1 s, or up to a minute
    flap.node = static_cast<NodeNumber>(dice.below(scenario.nodes.size()));
    flap.other = (flap.node + 1) % static_cast<NodeNumber>(scenario.nodes.size());
    flap.ni = static_cast<std::uint32_t>(dice.below(scenario.nodes[flap.node].nis.size()));
    add_act(scenario, flap);
  }
}

void draw_switches(Dice& dice, Scenario& scenario, Duration busy) {
  if (!dice.often(12)) return;
  SwitchesSpec& switches = scenario.switches;
  const auto count = static_cast<std::uint32_t>(2 + dice.below(3));
  const auto join = [&](std::uint32_t a, std::uint32_t b) {
    SwitchLinkModel model;
    model.bytes_per_second = 4'000'000ULL << dice.below(9);
    model.latency = dice.spread(10);
    switches.links.push_back({SwitchId{a}, SwitchId{b}, model});
  };
  for (std::uint32_t i = 0; i < count; ++i) switches.names.push_back("s" + std::to_string(i));
  for (std::uint32_t i = 1; i < count; ++i) join(static_cast<std::uint32_t>(dice.below(i)), i);
  for (NodeSetup& node : scenario.nodes)
    for (NiSetup& ni : node.nis)
      ni.at_switch = SwitchId{static_cast<std::uint32_t>(dice.below(count))};

  if (scenario.nothing_fails) return;
  for (std::uint64_t left = dice.below(5); left != 0; --left) {
    Act act;
    act.what = dice.often(50) ? Act::What::kLinkCut : Act::What::kLinkSlow;
    act.other = 1;
    act.at = dice.up_to(busy);
    act.lasts = dice.spread(23);
    act.switch_link = SwitchLinkId{static_cast<std::uint32_t>(dice.below(switches.links.size()))};
    act.bandwidth = 1'000'000ULL << dice.below(5);
    add_act(scenario, act);
  }
}

}  // namespace ulnet::sim

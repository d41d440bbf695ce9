#include "lab/topology/automatic_routes.h"

#include <algorithm>
#include <set>

#include "lnet/config/routes_text.h"
#include "lnet/core/contract/route_list.h"

namespace ulnet::tools::lab {
namespace {

/// Returns the routers on each net, in the order of nodes, each once.
std::vector<std::vector<NodeNumber>> routers_on_nets(const Topology& topology) {
  std::vector<std::vector<NodeNumber>> routers(topology.nets.size());
  for (NodeNumber number = 0; number < topology.nodes.size(); ++number) {
    if (!topology.nodes[number].routing) continue;
    for (const Rail& rail : topology.nodes[number].rails)
      if (routers[rail.net].empty() || routers[rail.net].back() != number)
        routers[rail.net].push_back(number);
  }
  return routers;
}

std::set<NetNumber> nets_of(const Node& node) {
  std::set<NetNumber> nets;
  for (const Rail& rail : node.rails) nets.insert(rail.net);
  return nets;
}

/// Returns for each net those of its routers from which the fewest hops lead to the target net.
std::vector<std::vector<NodeNumber>> best_gateways(
    const Topology& topology, const std::vector<std::vector<NodeNumber>>& routers,
    const Hops& hops) {
  std::vector<std::vector<NodeNumber>> best(routers.size());
  for (NetNumber net = 0; net < routers.size(); ++net)
    for (const NodeNumber router : routers[net])
      if (hops.by_gateway(topology.nodes[router]) == hops.from_net(net))
        best[net].push_back(router);
  return best;
}

}  // namespace

Hops::Hops(const Topology& topology, NetNumber to) : nets_(topology.nets.size(), kNoWay) {
  const auto routers = routers_on_nets(topology);
  std::vector<bool> passed(topology.nodes.size());
  std::vector<NetNumber> reached = {to};  // in the order of their hops
  nets_[to] = 0;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const NetNumber net = reached[i];
    for (const NodeNumber router : routers[net]) {
      if (passed[router]) continue;
      passed[router] = true;
      for (const Rail& rail : topology.nodes[router].rails) {
        if (nets_[rail.net] != kNoWay) continue;
        nets_[rail.net] = nets_[net] + 1;
        reached.push_back(rail.net);
      }
    }
  }
}

std::uint32_t Hops::from_node(const Node& node) const {
  std::uint32_t fewest = kNoWay;
  for (const Rail& rail : node.rails) fewest = std::min(fewest, nets_[rail.net]);
  return fewest;
}

std::uint32_t Hops::by_gateway(const Node& gateway) const {
  const std::uint32_t beyond = from_node(gateway);
  return beyond == kNoWay || !gateway.routing ? kNoWay : beyond + 1;
}

std::optional<std::uint32_t> gateway_rail(const Node& node, const Node& gateway) {
  for (std::uint32_t i = 0; i < gateway.rails.size(); ++i)
    if (node.is_on(gateway.rails[i].net)) return i;
  return {};
}

Result<void> give_automatic_routes(Topology& topology) {
  for (Node& node : topology.nodes) node.routes.clear();
  const auto routers = routers_on_nets(topology);
  std::size_t count = 0;
  for (NetNumber net = 0; net < topology.nets.size(); ++net) {
    const Hops hops(topology, net);
    const auto gateways = best_gateways(topology, routers, hops);
    for (Node& node : topology.nodes) {
      const std::uint32_t fewest = hops.from_node(node);
      if (fewest == 0 || fewest > core::kHopsMax) continue;
      std::set<NodeNumber> chosen;
      for (const NetNumber own : nets_of(node))
        if (hops.from_net(own) == fewest) chosen.insert(gateways[own].begin(), gateways[own].end());
      count += chosen.size();
      if (count > kMaxRoutes || node.routes.size() + chosen.size() > conf::kRoutesMax)
        return fail(-E2BIG, "too many automatic routes: " + node.name +
                                " has more than 65536, or all nodes more than a million; write "
                                "them, or 'routes: none'");
      for (const NodeNumber gateway : chosen)
        node.routes.push_back({.net = net,
                               .gateway = gateway,
                               .gateway_rail = *gateway_rail(node, topology.nodes[gateway]),
                               .hops = static_cast<std::int32_t>(fewest)});
    }
  }
  return {};
}

}  // namespace ulnet::tools::lab

#include "lab/view/seen_topology.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace ulnet::tools::lab {
namespace {

NetNumber number_of(Topology& topology, const NetId& id) {
  const auto at = std::ranges::find(topology.nets, id, &Net::id);
  if (at != topology.nets.end()) return static_cast<NetNumber>(at - topology.nets.begin());
  topology.nets.push_back({.id = id, .label = {}, .wire = {}, .place = {}});
  topology.switches.push_back({id.to_string(), {}});
  return static_cast<NetNumber>(topology.nets.size() - 1);
}

/// Returns "client" of "client12".
std::string group_of(const std::string& name) {
  const std::size_t end = name.find_last_not_of("0123456789");
  return end == std::string::npos ? name : name.substr(0, end + 1);
}

std::optional<std::pair<NodeNumber, std::uint32_t>> owner_of(const Topology& topology,
                                                             const Nid& nid) {
  for (NodeNumber node = 0; node < topology.nodes.size(); ++node) {
    const auto& rails = topology.nodes[node].rails;
    for (std::uint32_t rail = 0; rail < rails.size(); ++rail)
      if (topology.nid_of(rails[rail]) == nid) return std::pair(node, rail);
  }
  return std::nullopt;
}

}  // namespace

Topology seen_topology(const std::vector<ObservedNode>& nodes) {
  Topology topology;
  topology.name = "network";
  topology.addresses_given = true;
  for (const ObservedNode& seen : nodes) {
    Node node;
    node.name = seen.name;
    node.group = group_of(seen.name);
    node.routing = seen.routing;
    for (const ObservedNi& ni : seen.nis) {
      const auto nid = Nid::parse(ni.nid);
      if (!nid) continue;
      const NetNumber net = number_of(topology, nid->net());
      node.rails.push_back({.net = net,
                            .at_switch = net,
                            .wire = {},
                            .address = nid->is_small() ? nid->address4() : 0,
                            .nid = *nid});
    }
    topology.nodes.push_back(std::move(node));
  }
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (const ObservedRoute& route : nodes[i].routes) {
      const auto net = NetId::parse(route.net);
      const auto gateway = Nid::parse(route.gateway);
      const auto owner = net && gateway ? owner_of(topology, *gateway) : std::nullopt;
      if (!owner) continue;
      topology.nodes[i].routes.push_back(
          {.net = number_of(topology, *net),
           .gateway = owner->first,
           .gateway_rail = owner->second,
           .hops = static_cast<std::int32_t>(std::max<std::int64_t>(route.hops, 1)),
           .priority = static_cast<std::uint32_t>(std::max<std::int64_t>(route.priority, 0))});
    }
  return topology;
}

namespace {

/// Whether the two nodes look different in the picture.
bool differ(const ObservedNode& a, const ObservedNode& b) {
  const auto same_ni = [](const ObservedNi& x, const ObservedNi& y) { return x.nid == y.nid; };
  const auto same_route = [](const ObservedRoute& x, const ObservedRoute& y) {
    return x.net == y.net && x.gateway == y.gateway;
  };
  return a.name != b.name || a.routing != b.routing || !std::ranges::equal(a.nis, b.nis, same_ni) ||
         !std::ranges::equal(a.routes, b.routes, same_route);
}

}  // namespace

void SeenNetwork::see(const std::vector<ObservedNode>& nodes) {
  const std::lock_guard held(lock_);
  bool changed = nodes_.size() != nodes.size();
  nodes_.resize(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    ObservedNode& known = nodes_[i];
    if (known.name == nodes[i].name && nodes[i].state != NodeState::kUp) continue;
    changed = changed || differ(known, nodes[i]);
    known = nodes[i];
  }
  if (changed) ++version_;
}

std::uint64_t SeenNetwork::version() const {
  const std::lock_guard held(lock_);
  return version_;
}

Topology SeenNetwork::topology() const {
  const std::lock_guard held(lock_);
  return seen_topology(nodes_);
}

}  // namespace ulnet::tools::lab

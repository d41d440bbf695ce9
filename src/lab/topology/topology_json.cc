#include "lab/topology/topology_json.h"

#include "lab/topology/addresses.h"

namespace ulnet::tools::lab {
namespace {

using nlohmann::json;

json wire_json(const Wire& wire) {
  return {{"rate", wire.bits_per_second},
          {"delay_ns", wire.delay.count()},
          {"loss_ppm", wire.loss_ppm}};
}

json rail_json(const Topology& topology, const Node& node, std::size_t index) {
  const Rail& rail = node.rails[index];
  json one = wire_json(rail.wire);
  one["name"] = node.name + ":" + std::to_string(index);
  one["net"] = topology.net_of(rail).id.to_string();
  if (rail.shares) one["shares"] = node.name + ":" + std::to_string(*rail.shares);
  one["switch"] = topology.switches[rail.at_switch].name;
  if (rail.address != 0) {
    one["address"] = address_text(rail.address);
    one["nid"] = topology.nid_of(rail).to_string();
  }
  return one;
}

json node_json(const Topology& topology, const Node& node) {
  json rails = json::array(), routes = json::array();
  for (std::size_t i = 0; i < node.rails.size(); ++i) rails.push_back(rail_json(topology, node, i));
  for (const Route& route : node.routes) {
    const Node& gateway = topology.nodes[route.gateway];
    routes.push_back({{"net", topology.nets[route.net].id.to_string()},
                      {"gateway", gateway.name + ":" + std::to_string(route.gateway_rail)},
                      {"hops", route.hops},
                      {"priority", route.priority}});
  }
  return {{"name", node.name},         {"group", node.group},
          {"routing", node.routing},   {"partitions", node.partitions},
          {"settings", node.params},   {"module_parameters", node.module_parameters},
          {"rails", std::move(rails)}, {"routes", std::move(routes)}};
}

}  // namespace

json topology_json(const Topology& topology) {
  json switches = json::array(), links = json::array(), nets = json::array(), nodes = json::array();
  for (const Switch& each : topology.switches) switches.push_back(each.name);
  for (const SwitchLink& link : topology.switch_links) {
    json one = wire_json(link.wire);
    one["between"] = {topology.switches[link.a].name, topology.switches[link.b].name};
    links.push_back(std::move(one));
  }
  for (const Net& net : topology.nets) {
    json one = wire_json(net.wire);
    one["net"] = net.id.to_string();
    one["label"] = net.label;
    nets.push_back(std::move(one));
  }
  for (const Node& node : topology.nodes) nodes.push_back(node_json(topology, node));
  return {{"name", topology.name},           {"about", topology.about},
          {"switches", std::move(switches)}, {"switch_links", std::move(links)},
          {"nets", std::move(nets)},         {"nodes", std::move(nodes)}};
}

}  // namespace ulnet::tools::lab

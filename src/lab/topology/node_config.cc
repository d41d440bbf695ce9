#include "lab/topology/node_config.h"

#include <fmt/format.h>

#include <map>

#include "lab/topology/addresses.h"
#include "lnet/base/assert.h"

namespace ulnet::tools::lab {
namespace {

std::string nets_text(const Topology& topology, const Node& node,
                      const std::vector<std::string>& interfaces) {
  std::string text = "net:\n";
  for (NetNumber net = 0; net < topology.nets.size(); ++net) {
    bool first = true;
    for (std::size_t i = 0; i < node.rails.size(); ++i) {
      const Rail& rail = node.rails[i];
      if (rail.net != net) continue;
      ULNET_ASSERT(rail.address != 0);
      if (first)
        text += fmt::format("    - net type: {}\n      local NI(s):\n",
                            topology.nets[net].id.to_string());
      first = false;
      text += fmt::format("        - interfaces:\n              0: {}\n",
                          interfaces.empty() ? address_text(rail.address) : interfaces[i]);
    }
  }
  return text;
}

std::string routes_text(const Topology& topology, const Node& node) {
  std::string text = "route:\n";
  for (const Route& route : node.routes) {
    const Rail& rail = topology.nodes[route.gateway].rails[route.gateway_rail];
    ULNET_ASSERT(rail.address != 0);
    text += fmt::format("    - net: {}\n      gateway: {}\n      hop: {}\n      priority: {}\n",
                        topology.nets[route.net].id.to_string(), topology.nid_of(rail).to_string(),
                        route.hops, route.priority);
  }
  return text;
}

}  // namespace

std::string node_config(const Topology& topology, NodeNumber number,
                        const std::vector<std::string>& interfaces) {
  const Node& node = topology.nodes[number];
  ULNET_ASSERT(interfaces.empty() || interfaces.size() == node.rails.size());
  std::string text = fmt::format("# {} of the laboratory {}.\n", node.name, topology.name);
  text += nets_text(topology, node, interfaces);
  if (!node.routes.empty()) text += routes_text(topology, node);
  if (node.routing) text += "routing:\n    enable: 1\n";
  return text;
}

std::string rpc_timeout_of(const Node& node) {
  const auto set = node.params.find("rpc_timeout");
  return set == node.params.end() ? "5" : set->second;
}

std::vector<std::string> node_arguments(const Topology& topology, NodeNumber number,
                                        const NodeRun& run) {
  const Node& node = topology.nodes[number];
  std::map<std::string, std::string> params = node.params;
  if (run.trust) params.emplace("accept", "trust");
  if (run.selftest) params.emplace("rpc_timeout", rpc_timeout_of(node));
  // Every kernel has reno. BBR, which some kernels use by default, sets its pace by its last
  // measurement: when a rail that was cut is back, it may send nothing for half a minute.
  params.emplace("congestion", "reno");
  params["cpu_npartitions"] = std::to_string(node.partitions);
  // The file has `routing` too. With this parameter the node routes from its start, so no other
  // node learns that it does not route.
  if (node.routing) params["forwarding"] = "enabled";
  std::vector<std::string> arguments = {"--accept-port", std::to_string(run.accept_port)};
  if (run.selftest) arguments.emplace_back("--selftest");
  for (const auto& [name, value] : params) {
    arguments.emplace_back("--set");
    arguments.push_back(name + "=" + value);
  }
  return arguments;
}

}  // namespace ulnet::tools::lab

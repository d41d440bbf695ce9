#include "lab/topology/scenario_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <vector>

#include "lab/topology/switch_paths.h"
#include "lnet/base/assert.h"
#include "lnet/config/params.h"
#include "lnet/node/runtime/drivers.h"
#include "text/quantity.h"
#include "text/yaml_node.h"

namespace ulnet::tools::lab {
namespace {

constexpr std::uint64_t kNoLimit = 1'000'000'000'000;  // bytes a second

// ---- wires --------------------------------------------------------------------------------------

std::uint64_t bytes_per_second(const Wire& wire) {
  // A link's rate is at least one byte a second.
  return wire.bits_per_second == 0 ? kNoLimit
                                   : std::max<std::uint64_t>(1, wire.bits_per_second / 8);
}

bool has_own_switch(const Rail& rail) {
  return rail.wire.bits_per_second != 0 || rail.wire.delay != Duration{};
}

std::string rail_name(const Node& node, std::size_t rail) {
  return node.name + ":" + std::to_string(rail);
}

/// Whether it matters which switch a rail is connected to.
bool has_switches(const Topology& topology) {
  if (topology.switches_named) return true;
  for (const Node& node : topology.nodes)
    for (const Rail& rail : node.rails)
      if (has_own_switch(rail)) return true;
  return false;
}

std::string joint(std::string_view a, std::string_view b, const Wire& wire) {
  return fmt::format("    - {{between: [\"{}\", \"{}\"], bandwidth: {}B/s, latency: {}}}\n", a, b,
                     bytes_per_second(wire), text::duration_text(wire.delay));
}

std::string switches_text(const Topology& topology) {
  std::string names = "switches:\n", links;
  for (const Switch& each : topology.switches) names += "    - \"" + each.name + "\"\n";
  for (const SwitchLink& link : topology.switch_links)
    links += joint(topology.switches[link.a].name, topology.switches[link.b].name, link.wire);
  for (const Node& node : topology.nodes)
    for (std::size_t i = 0; i < node.rails.size(); ++i) {
      const Rail& rail = node.rails[i];
      if (!has_own_switch(rail) || rail.shares) continue;
      names += "    - \"" + rail_name(node, i) + "\"\n";
      links += joint(rail_name(node, i), topology.switches[rail.at_switch].name, rail.wire);
    }
  return names + (links.empty() ? "" : "switch links:\n" + links);
}

// ---- nodes --------------------------------------------------------------------------------------

/// A parameter that is a key of a node, and the values that it may have there.
struct Key {
  std::string_view name;
  std::int64_t least = 0, most = 0;
};
constexpr std::array kKeys = {Key{"credits", 1, 65536}, Key{"peer_credits", 1, 65536},
                              Key{"peer_buffer_credits", 0, 65536},
                              Key{"peer_timeout", -1, 1'000'000}, Key{"conns_per_peer", 1, 127}};

/// Returns the node's parameters, as far as the simulator has them. It has the tunables of the
/// driver of tcp nets, which are the only nets of a topology.
std::string params_text(const Node& node) {
  const auto check_tunable = node::find_driver(NetType::kTcp)->check_tunable;
  std::string keys, settings, comments;
  for (const auto& [name, value] : node.params) {
    const conf::Param* param = conf::find_param(name);
    ULNET_ASSERT(param != nullptr);
    const auto key = std::ranges::find(kKeys, name, &Key::name);
    const std::int64_t number = text::parse_number(value).value_or(0);
    if (key != kKeys.end() && key->least <= number && number <= key->most)
      keys += fmt::format("      {}: {}\n", name, value);
    else if (param->global == "discovery")
      settings += fmt::format("          discovery: {}\n", number == 0 ? 1 : 0);
    else if (!param->global.empty())
      settings += fmt::format("          {}: {}\n", param->global, value);
    else if (key == kKeys.end() && check_tunable(name, value))
      settings += fmt::format("          {}: \"{}\"\n", name, value);
    else
      comments += fmt::format("      # {}: the simulator does not have it\n", name);
  }
  if (!settings.empty()) settings = "      settings:\n" + settings;
  return comments + keys + settings;
}

std::string routes_text_of(const Topology& topology, const Node& node) {
  std::string text = node.routes.empty() ? "" : "      routes:\n";
  for (const Route& route : node.routes) {
    const Rail& rail = topology.nodes[route.gateway].rails[route.gateway_rail];
    text += fmt::format("          - {{net: {}, gateway: {}, hops: {}, priority: {}}}\n",
                        topology.nets[route.net].id.to_string(), topology.nid_of(rail).to_string(),
                        route.hops, route.priority);
  }
  return text;
}

std::string node_text(const Topology& topology, const Node& node, bool switches) {
  std::string nids, places;
  for (std::size_t i = 0; i < node.rails.size(); ++i) {
    const Rail& rail = node.rails[i];
    ULNET_ASSERT(rail.address != 0);
    const std::string_view comma = i == 0 ? "" : ", ";
    nids += fmt::format("{}{}", comma, topology.nid_of(rail).to_string());
    places += fmt::format("{}\"{}\"", comma,
                          has_own_switch(rail)
                              ? rail_name(node, node.wire_of(static_cast<std::uint32_t>(i)))
                              : topology.switches[rail.at_switch].name);
  }
  std::string text = fmt::format("    - name: \"{}\"\n      nids: [{}]\n", node.name, nids);
  if (switches) text += fmt::format("      switch: [{}]\n", places);
  if (node.routing) text += "      routing: yes\n";
  if (node.partitions != 1) text += fmt::format("      partitions: {}\n", node.partitions);
  return text + params_text(node) + routes_text_of(topology, node);
}

// ---- losses -------------------------------------------------------------------------------------

/// The properties of a rail that decide which losses a node's messages meet. Nodes with equal
/// places form a class.
struct Place {
  NetNumber net = 0;
  SwitchNumber at_switch = 0;
  std::uint32_t loss_ppm = 0;
  auto operator<=>(const Place&) const = default;
};
using Classes = std::map<std::vector<Place>, std::vector<NodeNumber>>;

Classes classes_of(const Topology& topology) {
  Classes classes;
  for (NodeNumber number = 0; number < topology.nodes.size(); ++number) {
    std::vector<Place> places;
    for (const Rail& rail : topology.nodes[number].rails)
      places.push_back({rail.net, rail.at_switch, rail.wire.loss_ppm});
    classes[places].push_back(number);
  }
  return classes;
}

std::uint32_t loss_between(const SwitchPaths& paths, const std::vector<Place>& a,
                           const std::vector<Place>& b) {
  for (const Place& one : a)
    for (const Place& other : b)
      if (one.net == other.net)
        return both_losses(both_losses(one.loss_ppm, other.loss_ppm),
                           paths.loss(one.at_switch, other.at_switch));
  return 0;
}

/// Gives NIs that share an interface addresses of their own, after all others, because the
/// simulator identifies an interface by its address. The NIs still share the wire.
Topology with_own_addresses(Topology topology) {
  std::uint32_t last = 0;
  for (const Node& node : topology.nodes)
    for (const Rail& rail : node.rails) last = std::max(last, rail.address);
  for (Node& node : topology.nodes)
    for (Rail& rail : node.rails)
      if (rail.shares) rail.address = ++last;
  return topology;
}

struct Losses {
  std::string links, between;
};

Losses losses_of(const Topology& topology) {
  Losses text;
  std::set<std::uint32_t> known;
  const SwitchPaths paths(topology);
  const Classes classes = classes_of(topology);
  for (auto a = classes.begin(); a != classes.end(); ++a)
    for (auto b = a; b != classes.end(); ++b) {
      const std::uint32_t ppm = loss_between(paths, a->first, b->first);
      if (ppm == 0 || (a == b && a->second.size() == 1)) continue;
      if (known.insert(ppm).second)
        text.links += fmt::format("    loss-{}: {{loss: {}ppm}}\n", ppm, ppm);
      text.between += fmt::format("    - {{from: {}, to: {}, link: loss-{}, both: {}}}\n",
                                  scenario_names(topology, a->second),
                                  scenario_names(topology, b->second), ppm, a == b ? "no" : "yes");
    }
  return text;
}

}  // namespace

std::string scenario_names(const Topology& topology, std::span<const NodeNumber> nodes) {
  std::string text;
  for (const NodeNumber number : nodes)
    text += fmt::format("{}\"{}\"", text.empty() ? "" : ", ", topology.nodes[number].name);
  return "[" + text + "]";
}

std::string scenario_text(const Topology& given) {
  const Topology topology = with_own_addresses(given);
  const bool switches = has_switches(topology);
  const Losses losses = losses_of(topology);
  std::string text = "name: \"" + topology.name + "\"\nedge: tcp\n";
  if (!losses.links.empty()) text += "links:\n" + losses.links;
  if (switches) text += switches_text(topology);
  text += "nodes:\n";
  for (const Node& node : topology.nodes) text += node_text(topology, node, switches);
  if (!losses.between.empty()) text += "between:\n" + losses.between;
  return text;
}

}  // namespace ulnet::tools::lab

// Reads the nodes of a scenario file.
#include <array>

#include "lnet/config/params.h"
#include "sim/scenario/read_values.h"
#include "sim/scenario/reading.h"

namespace ulnet::sim {
namespace {

constexpr std::uint32_t kMostNodes = 100'000;

/// An item of the section, and the node that it describes. With a count it describes several nodes,
/// which differ from this one in the numbers in their names and in their addresses.
struct Item {
  const conf::YamlNode& at;
  NodeSetup setup;
};

// ---- one node -----------------------------------------------------------------------------------

void read_nids(const conf::YamlNode& list, const text::Fields& fields, NodeSetup& setup) {
  const auto add = [&](const conf::YamlNode& text) {
    const auto nid = value_of<Nid>(text, fields);
    if (!nid) return;
    if (nid->is_any() || nid->is_loopback())
      return fields.wrong(text, text.shown() + " cannot be given to a node");
    if (setup.driver == DriverKind::kSock && nid->net().type != NetType::kTcp)
      return fields.wrong(text, text.shown() + ": the tcp edge carries tcp nets only");
    setup.nis.push_back({.nid = *nid});
  };
  if (list.is_scalar()) return add(list);
  if (!list.is_sequence() || list.items.empty()) return fields.wrong(list, "a node without NIDs");
  for (const conf::YamlNode& item : list.items) add(item);
}

/// Reads `switch: NAME`, or a list with one for each NID of the node.
void read_node_switch(text::Fields& fields, const SwitchesSpec& switches,
                      std::vector<NiSetup>& nis) {
  const conf::YamlNode* value = fields.take("switch");
  if (value == nullptr) return;
  if (value->is_sequence() && value->items.size() != nis.size())
    return fields.wrong(*value, "switch: expected one name, or one for each of the " +
                                    std::to_string(nis.size()) + " NIDs");
  for (std::size_t i = 0; i < nis.size(); ++i)
    if (value->is_sequence() || i == 0)
      nis[i].at_switch =
          read_switch(value->is_sequence() ? value->items[i] : *value, switches, fields);
    else
      nis[i].at_switch = nis[0].at_switch;
}

/// Reads whether the node forwards messages of other nodes.
void read_routing(text::Fields& fields, core::Routing& routing, conf::Problems& mistakes) {
  if (fields.truth("routing", routing.on)) routing.at_once = routing.on;
  const conf::YamlNode* map = fields.take("buffers");
  if (map == nullptr) return;
  text::Fields buffers(*map, "buffers", mistakes);
  constexpr std::array kPools = {"tiny", "small", "large"};
  for (std::size_t i = 0; i < kPools.size(); ++i)
    buffers.number(kPools[i], routing.buffers[i], 1, 1'000'000);
}

void read_routes(const conf::YamlNode& section, NodeSetup& setup, Reading& reading) {
  auto routes = std::make_shared<core::RouteList>();
  reading.each(section, "{net: NET, gateway: NID}", [&](const conf::YamlNode& item) {
    text::Fields fields(item, "a route", reading.mistakes);
    if (const auto route = read_route(fields))
      if (const auto added = routes->add(*route, routes->size()); !added)
        fields.wrong(item, added.error().reason);
  });
  setup.routes = std::move(routes);
}

void read_settings(const conf::YamlNode& map, const text::Fields& fields, NodeSetup& setup) {
  if (!map.is_map()) return fields.wrong(map, "settings: expected 'name: value' lines");
  for (const auto& [name, value] : map.entries) {
    const conf::GlobalSetting* global = conf::find_global(name);
    if (global == nullptr) {
      const auto set = lnd::sock::set_tunable(setup.sock, name, value.shown());
      if (!set)
        fields.wrong(value, set.error().code == -ENOENT ? "unknown setting '" + name + "'"
                                                        : set.error().reason);
      continue;
    }
    const auto number = value.as_int();
    if (!number || !global->has(*number))
      fields.wrong(value, name + ": '" + value.shown() + "' is not a value of it");
    else
      setup.globals.*global->field = static_cast<std::int32_t>(*number);
  }
  if (setup.globals.retry_count >= setup.globals.transaction_timeout)
    fields.wrong(map, "retry_count must be less than transaction_timeout");
}

/// Reads what holds for each interface of the node.
void read_tunables(text::Fields& fields, NodeSetup& setup) {
  NiSetup ni;
  core::NetTunables& tunables = ni.tunables;
  fields.number("credits", tunables.credits, 1, 65536);
  fields.number("peer_credits", tunables.peer_credits, 1, 65536);
  fields.number("peer_buffer_credits", tunables.peer_buffer_credits, 0, 65536);
  fields.number("peer_timeout", tunables.peer_timeout, -1, 1'000'000);
  fields.number("conns_per_peer", ni.conns_per_peer, 1, 127);
  fields.duration("lnd_timeout", ni.lnd_timeout);
  fields.duration("service", ni.service);
  if (ni.service != Duration{} && setup.driver != DriverKind::kPipe)
    fields.wrong(fields.map(), "service: only interfaces of the edge pipe have one");
  if (tunables.peer_credits > tunables.credits)
    fields.wrong(fields.map(), "peer_credits above credits");
  for (NiSetup& each : setup.nis) {
    ni.nid = each.nid;
    ni.at_switch = each.at_switch;
    each = ni;
  }
}

/// Checks that each route leads to a net that the node is not on, through a net that it is on.
void check_routes(const text::Fields& fields, const NodeSetup& setup) {
  for (const auto& [net, routes] : setup.routes->nets())
    for (const core::Route& route : routes) {
      if (setup.is_on(net))
        fields.wrong(fields.map(), setup.name + " is on " + net.to_string() + " itself");
      if (!setup.is_on(route.gateway.net()))
        fields.wrong(fields.map(),
                     "gateway " + route.gateway.to_string() + " is on no net of " + setup.name);
    }
}

/// Adds the nodes of an item to the scenario, and their names.
void add_nodes(const Item& item, std::uint32_t count, bool counted, Reading& reading) {
  std::vector<NodeSetup>& nodes = reading.scenario.nodes;
  NodeNames& names = reading.names;
  const std::string& name = item.setup.name;
  if (name == "all" || names.has(name)) return reading.wrong(item.at, "node '" + name + "' twice");
  if (nodes.size() + count > kMostNodes)
    return reading.wrong(item.at, "more than " + std::to_string(kMostNodes) + " nodes");
  const auto first = static_cast<NodeNumber>(nodes.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    NodeSetup one = item.setup;
    if (counted) {
      one.name = name + std::to_string(i);
      if (names.has(one.name)) return reading.wrong(item.at, "node '" + one.name + "' twice");
      for (NiSetup& ni : one.nis) {
        if (!ni.nid.is_small()) return reading.wrong(item.at, "count needs NIDs of four bytes");
        ni.nid = Nid::small(ni.nid.net(), ni.nid.address4() + i);
      }
      names.add(one.name, first + i);
    }
    names.add("all", first + i);
    nodes.push_back(std::move(one));
  }
  for (std::uint32_t i = 0; i < count; ++i) names.add(name, first + i);
}

Item read_node(const conf::YamlNode& at, DriverKind driver, Reading& reading) {
  text::Fields fields(at, "a node", reading.mistakes);
  Item item{at, {}};
  NodeSetup& setup = item.setup;
  setup.driver = driver;
  read_edge(fields, setup.driver);
  const bool named = fields.need("name") != nullptr && fields.text("name", setup.name);
  std::uint32_t count = 1;
  const bool counted = fields.number("count", count, 1U, kMostNodes);
  fields.duration("handler delay", setup.handler_delay);
  fields.number("partitions", setup.partitions, 1U, limits::kMaxCpts);
  fields.duration("letter delay", setup.shard_msg_delay);
  if (const auto* nids = fields.need("nids")) read_nids(*nids, fields, setup);
  read_node_switch(fields, reading.scenario.switches, setup.nis);
  read_routing(fields, setup.routing, reading.mistakes);
  if (const auto* routes = fields.take("routes")) read_routes(*routes, setup, reading);
  if (const auto* settings = fields.take("settings")) read_settings(*settings, fields, setup);
  read_tunables(fields, setup);
  check_routes(fields, setup);
  if (named && !setup.nis.empty()) add_nodes(item, count, counted, reading);
  return item;
}

// ---- all nodes ----------------------------------------------------------------------------------

void check_addresses(const conf::YamlNode& section, Reading& reading) {
  std::map<std::string, std::string> owners;
  std::map<NetId, DriverKind> drivers;
  for (const NodeSetup& node : reading.scenario.nodes)
    for (const NiSetup& ni : node.nis) {
      // An address is one place on the wire, so only one NI may have it, whatever its net.
      const std::string nid = ni.nid.to_string();
      const std::string address = nid.substr(0, nid.find('@'));
      const auto [owner, fresh] = owners.emplace(address, node.name);
      if (!fresh)
        reading.wrong(section,
                      owner->second == node.name
                          ? node.name + " has address " + address + " twice"
                          : owner->second + " and " + node.name + " both have address " + address);
      const auto [driver_of, first] = drivers.emplace(ni.nid.net(), node.driver);
      if (!first && driver_of->second != node.driver)
        reading.wrong(section, "net " + ni.nid.net().to_string() + " has nodes of both edges");
    }
}

/// Checks that all NIs of a net can reach each other: they are attached to switches that links
/// join, or to none. Called when there were no other mistakes about switches and nodes.
void check_switches(const std::vector<Item>& items, Reading& reading) {
  EventQueue queue;
  Fabric fabric(queue);
  build(reading.scenario.switches, fabric);
  std::map<NetId, std::pair<std::string, std::optional<SwitchId>>> first_of;
  for (const auto& [item, setup] : items)
    for (const NiSetup& ni : setup.nis) {
      const auto [known, fresh] =
          first_of.emplace(ni.nid.net(), std::pair(setup.name, ni.at_switch));
      if (fresh) continue;
      const auto& [name, at] = known->second;
      const conf::YamlNode* value = item.find("switch");
      const conf::YamlNode& where = value != nullptr ? *value : item;
      const std::string net = "net " + ni.nid.net().to_string() + ": ";
      if (ni.at_switch.has_value() != at.has_value())
        reading.wrong(
            where, net + setup.name + " and " + name + ": one hangs on a switch and one does not");
      else if (at && fabric.way(*at, *ni.at_switch) == nullptr)
        reading.wrong(where, net + "no links lead from " + fabric.name(*at) + " to " +
                                 fabric.name(*ni.at_switch));
    }
}

/// Checks that every gateway is another node.
void check_gateways(const std::vector<Item>& items, Reading& reading) {
  std::map<Nid, std::string> owners;
  for (const NodeSetup& node : reading.scenario.nodes)
    for (const NiSetup& ni : node.nis) owners.emplace(ni.nid, node.name);
  for (const auto& [item, setup] : items)
    for (const auto& [gateway, nets] : setup.routes->by_gateway()) {
      const auto owner = owners.find(gateway);
      if (owner == owners.end())
        reading.wrong(item, "gateway " + gateway.to_string() + " is no node's");
      for (const NodeSetup& node : reading.scenario.nodes)
        if (node.routes == setup.routes && owner != owners.end() && owner->second == node.name)
          reading.wrong(item, node.name + " is a gateway of its own");
    }
}

}  // namespace

void read_edge(text::Fields& fields, DriverKind& out) {
  std::string word;
  if (!fields.text("edge", word)) return;
  if (word != "tcp" && word != "pipe")
    fields.wrong(fields.map(), "edge: '" + word + "' is neither tcp nor pipe");
  out = word == "tcp" ? DriverKind::kSock : DriverKind::kPipe;
}

void read_nodes(const conf::YamlNode& section, DriverKind driver, Reading& reading) {
  std::vector<Item> items;
  reading.each(section, "{name: NAME, nids: [NID, ...]}", [&](const conf::YamlNode& item) {
    items.push_back(read_node(item, driver, reading));
  });
  if (section.is_sequence() && section.items.empty())
    reading.wrong(section, "a world without nodes");
  check_addresses(section, reading);
  if (reading.mistakes.empty() && !reading.scenario.switches.names.empty())
    check_switches(items, reading);
  check_gateways(items, reading);
}

}  // namespace ulnet::sim

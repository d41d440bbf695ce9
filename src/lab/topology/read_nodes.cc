// Reads the nodes of a topology file, and makes the checks that need all nodes.
#include <algorithm>

#include "lab/topology/addresses.h"
#include "lab/topology/names.h"
#include "lab/topology/reading.h"
#include "lnet/base/limits.h"
#include "lnet/base/text.h"

namespace ulnet::tools::lab {
namespace {

constexpr std::size_t kMaxTotalRails = 1U << 15;

}  // namespace

void Reading::read_nodes(const conf::YamlNode& section) {
  if (!section.is_map() || section.entries.empty())
    return wrong(section, "nodes: expected 'client[1-4]: {nets: tcp}' lines");
  for (const conf::YamlEntry& entry : section.entries) {
    read_node(entry);
    if (too_many_mistakes()) return;
    if (topology.nodes.size() > kMaxNodes)
      return wrong(entry.value, "more than " + std::to_string(kMaxNodes) + " nodes");
    if (rails_ > kMaxTotalRails)
      return wrong(entry.value, "more than " + std::to_string(kMaxTotalRails) + " rails");
  }
}

void Reading::read_node(const conf::YamlEntry& entry) {
  const conf::YamlNode& value = entry.value;
  Node node;
  node.place = text::place_of(value);
  node.params = params_;
  // `client: tcp` is short for `client: {nets: tcp}`.
  if (value.is_scalar() || value.is_sequence()) return add_nodes(entry, node, rails_in(value));
  text::Fields fields(value, "a node", mistakes);
  std::vector<RailSpec> rails;
  if (const conf::YamlNode* nets = fields.need("nets")) rails = rails_in(*nets);
  fields.truth("routing", node.routing);
  fields.number("partitions", node.partitions, 1U, limits::kMaxCpts);
  if (const conf::YamlNode* settings = fields.take("settings")) read_params(*settings, node.params);
  read_group(fields, node.group);
  choose_module_parameters(fields, node);
  add_nodes(entry, node, rails);
}

void Reading::read_group(text::Fields& fields, std::string& group) {
  const conf::YamlNode* value = fields.map().find("group");
  if (fields.text("group", group) && !is_name(group))
    fields.wrong(*value, "group " + text::quoted(group) + ": " + std::string(kNameRule));
}

void Reading::choose_module_parameters(text::Fields& fields, Node& node) {
  const conf::YamlNode* value = fields.map().find("module parameters");
  if (!fields.text("module parameters", node.module_parameters)) return;
  if (topology.module_parameters.contains(node.module_parameters)) return;
  std::vector<std::string_view> names;
  for (const auto& [name, text] : topology.module_parameters) names.push_back(name);
  fields.wrong(*value, "no module parameters " + text::quoted(node.module_parameters) +
                           (mistakes.size() < 20 ? nearest_of(node.module_parameters, names) : ""));
}

// ---- rails --------------------------------------------------------------------------------------

std::vector<Reading::RailSpec> Reading::rails_in(const conf::YamlNode& nets) {
  std::vector<RailSpec> rails;
  if (nets.is_null() || (nets.is_sequence() && nets.items.empty())) {
    wrong(nets, "a node without nets");
  } else if (!nets.is_sequence()) {
    add_rails(nets, rails);
  } else if (nets.items.size() > kMaxRails) {
    wrong(nets, "more than " + std::to_string(kMaxRails) + " rails of a node");
  } else {
    for (const conf::YamlNode& item : nets.items) add_rails(item, rails);
    if (rails.size() > kMaxRails)
      wrong(nets, "more than " + std::to_string(kMaxRails) + " rails of a node");
  }
  return rails;
}

/// The rail that `tcp` or `{net: tcp, ...}` describes. `{net: [tcp, tcp1], ...}` describes one for
/// each net; all use the interface of the first one.
void Reading::add_rails(const conf::YamlNode& item, std::vector<RailSpec>& rails) {
  RailSpec spec;
  spec.place = item.place;
  if (!item.is_map()) {
    const auto net = net_in(item, item.shown(), true);
    if (!net) return;
    spec.rail.net = *net;
    spec.rail.wire = topology.nets[*net].wire;
    settle_switch(spec, item);
    return rails.push_back(std::move(spec));
  }
  text::Fields fields(item, "a rail", mistakes);
  std::vector<NetNumber> nets;
  if (const conf::YamlNode* names = fields.need("net")) {
    for (const conf::YamlNode& name : names->as_list()) {
      const auto net = net_in(name, name.shown(), true);
      if (net && std::ranges::find(nets, *net) != nets.end())
        wrong(name, "net " + name.shown() + " twice on one interface");
      else if (net)
        nets.push_back(*net);
    }
    if (names->as_list().empty()) wrong(*names, "net: expected a net or a list of nets");
  }
  if (!nets.empty()) spec.rail.wire = topology.nets[nets.front()].wire;
  read_wire(fields, spec.rail.wire);
  const conf::YamlNode* at_switch = fields.take("switch");
  if (at_switch != nullptr) {
    const auto number = switch_in(*at_switch);
    if (!number) nets.clear();
    spec.own_switch = number.has_value();
    spec.rail.at_switch = number.value_or(0);
  }
  if (const conf::YamlNode* address = fields.take("address")) {
    const auto number = parse_address(address->shown());
    if (number)
      spec.address = *number;
    else
      wrong(*address, number.error().reason);
  }
  for (const NetNumber net : nets) {
    spec.rail.net = net;
    if (!spec.rail.shares) settle_switch(spec, item);
    rails.push_back(spec);
    if (!spec.rail.shares) spec.rail.shares = static_cast<std::uint32_t>(rails.size() - 1);
  }
}

/// Sets the switch of a rail: its own, else its net's, else the only one.
void Reading::settle_switch(RailSpec& spec, const conf::YamlNode& item) {
  if (!topology.switches_named || spec.own_switch) return;
  if (const auto of_net = net_switches_[spec.rail.net])
    spec.rail.at_switch = *of_net;
  else if (topology.switches.size() != 1)
    wrong(item, "no switch for net " + topology.nets[spec.rail.net].id.to_string() +
                    ": give one to the net or to this rail");
}

// ---- names --------------------------------------------------------------------------------------

/// Returns the names that the entry's key stands for.
std::vector<std::string> Reading::names_in(const conf::YamlEntry& entry, std::string& group) {
  if (!NamePattern::is_one(entry.key)) {
    group = entry.key;
    if (is_name(entry.key)) return {entry.key};
    wrong(entry.value, "node " + text::quoted(entry.key) + ": " + std::string(kNameRule));
    return {};
  }
  const auto pattern = NamePattern::parse(entry.key);
  const auto names = pattern ? pattern->expand(kMaxNodes)
                             : Result<std::vector<std::string>>(tl::unexpected(pattern.error()));
  if (!names) {
    wrong(entry.value, "nodes " + text::quoted(entry.key) + ": " + names.error().reason);
    return {};
  }
  group = pattern->before;
  for (const std::string& name : *names) {
    if (is_name(name)) continue;
    wrong(entry.value, "node " + text::quoted(name) + ": " + std::string(kNameRule));
    return {};
  }
  return *names;
}

void Reading::add_nodes(const conf::YamlEntry& entry, const Node& node,
                        const std::vector<RailSpec>& rails) {
  std::string group;
  const std::vector<std::string> names = names_in(entry, group);
  if (names.empty() || topology.nodes.size() + names.size() > kMaxNodes + 1) {
    if (!names.empty()) wrong(entry.value, "more than " + std::to_string(kMaxNodes) + " nodes");
    return;
  }
  const bool numbered = NamePattern::is_one(entry.key);
  if (!numbered) note_group(entry, entry.key, false);
  if (numbered || !node.group.empty())
    note_group(entry, node.group.empty() ? group : node.group, true);
  if (!node.group.empty()) group = node.group;
  for (std::uint32_t i = 0; i < names.size(); ++i) {
    const auto number = static_cast<NodeNumber>(topology.nodes.size());
    if (!node_numbers_.emplace(names[i], number).second) {
      wrong(entry.value, "node '" + names[i] + "' twice");
      continue;
    }
    Node one = node;
    one.name = names[i];
    one.group = group;
    auto& places = rail_places_.emplace_back();
    for (const RailSpec& spec : rails) {
      one.rails.push_back(spec.rail);
      if (spec.address) one.rails.back().address = *spec.address + i;
      if (spec.address) ++addresses_;
      places.push_back(spec.place);
    }
    rails_ += rails.size();
    topology.nodes.push_back(std::move(one));
  }
}

void Reading::note_group(const conf::YamlEntry& entry, const std::string& group, bool of_several) {
  const auto [known, fresh] = groups_.emplace(group, of_several);
  if (!fresh && known->second != of_several)
    wrong(entry.value, "'" + group + "' is both a node and a group of nodes");
}

// ---- all nodes ----------------------------------------------------------------------------------

void Reading::check_nodes() {
  if (!topology.switches_named) give_each_net_a_switch();
  std::vector<bool> used(topology.nets.size());
  for (const Node& node : topology.nodes)
    for (const Rail& rail : node.rails) used[rail.net] = true;
  for (NetNumber net = 0; net < topology.nets.size(); ++net)
    if (!used[net])
      mistakes.push_back(
          {topology.nets[net].place, "no node is on net " + topology.nets[net].id.to_string()});
  check_joined();
  check_addresses();
}

/// Nets that meet on an interface use one switch, that of the first of them.
void Reading::give_each_net_a_switch() {
  std::vector<NetNumber> first(topology.nets.size());
  for (NetNumber net = 0; net < first.size(); ++net) first[net] = net;
  for (const Node& node : topology.nodes)
    for (const Rail& rail : node.rails) {
      if (!rail.shares) continue;
      const NetNumber one = first[rail.net], other = first[node.rails[*rail.shares].net];
      std::ranges::replace(first, std::max(one, other), std::min(one, other));
    }
  // by net; a rail that owns an interface comes before those that share it
  std::vector<SwitchNumber> switches;
  for (NetNumber net = 0; net < first.size(); ++net) {
    if (first[net] != net) {
      switches.push_back(switches[first[net]]);
      continue;
    }
    switches.push_back(static_cast<SwitchNumber>(topology.switches.size()));
    joined_.push_back(switches.back());
    topology.switches.push_back({topology.nets[net].id.to_string(), topology.nets[net].place});
  }
  for (Node& node : topology.nodes)
    for (Rail& rail : node.rails) rail.at_switch = switches[rail.net];
}

/// Checks that links join the switches of all rails of a net.
void Reading::check_joined() {
  std::vector<std::optional<SwitchNumber>> first(topology.nets.size());
  for (NodeNumber number = 0; number < topology.nodes.size(); ++number) {
    const Node& node = topology.nodes[number];
    for (std::size_t i = 0; i < node.rails.size(); ++i) {
      const Rail& rail = node.rails[i];
      const SwitchNumber at = first[rail.net].value_or(rail.at_switch);
      first[rail.net] = at;
      if (joined_[at] == joined_[rail.at_switch]) continue;
      mistakes.push_back({rail_places_[number][i], "net " + topology.net_of(rail).id.to_string() +
                                                       ": no links lead from " +
                                                       topology.switches[at].name + " to " +
                                                       topology.switches[rail.at_switch].name});
    }
  }
}

void Reading::check_addresses() {
  topology.addresses_given = addresses_ != 0;
  if (addresses_ == 0) return;
  std::map<std::uint32_t, std::string_view> owners;
  for (NodeNumber number = 0; number < topology.nodes.size(); ++number) {
    const Node& node = topology.nodes[number];
    for (std::size_t i = 0; i < node.rails.size(); ++i) {
      const std::uint32_t address = node.rails[i].address;
      const conf::Place place = rail_places_[number][i];
      if (node.rails[i].shares) continue;
      const auto refuse = [&](const std::string& why) { mistakes.push_back({place, why}); };
      if (address == 0) {
        refuse(node.name + " has no address here: either all rails have one or none has");
        continue;
      }
      if (!is_host_address(address))
        refuse(address_text(address) + " is no address that a node can have");
      const auto [owner, fresh] = owners.emplace(address, node.name);
      if (fresh) continue;
      refuse(owner->second == node.name
                 ? node.name + " has the address " + address_text(address) + " twice"
                 : std::string(owner->second) + " and " + node.name + " both have the address " +
                       address_text(address));
    }
  }
}

}  // namespace ulnet::tools::lab

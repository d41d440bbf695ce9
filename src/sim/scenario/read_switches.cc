// Reads switches, the links between them, and the NIs attached to them. It also reads what the
// faults and expectations of a scenario file contain about these links.
#include <algorithm>
#include <array>

#include "sim/scenario/reading.h"

namespace ulnet::sim {
namespace {

constexpr std::size_t kMaxSwitches = 10'000;

}  // namespace

// ---- the sections -------------------------------------------------------------------------------

void Reading::read_switches(const conf::YamlNode& section) {
  if (!section.is_sequence()) return wrong(section, "switches: expected a list of names");
  std::vector<std::string>& names = scenario.switches.names;
  for (const conf::YamlNode& item : section.items) {
    if (!item.is_scalar() || item.text.empty()) {
      wrong(item, "switches: expected a name");
    } else if (std::find(names.begin(), names.end(), item.text) != names.end()) {
      wrong(item, "switch '" + item.text + "' twice");
    } else if (names.size() == kMaxSwitches) {
      return wrong(item, "more than " + std::to_string(kMaxSwitches) + " switches");
    } else {
      names.push_back(item.text);
    }
  }
}

std::optional<SwitchId> Reading::switch_named(const conf::YamlNode& name) {
  const std::vector<std::string>& names = scenario.switches.names;
  const auto found = std::find(names.begin(), names.end(), name.text);
  if (name.is_scalar() && found != names.end())
    return SwitchId{static_cast<std::uint32_t>(found - names.begin())};
  wrong(name, "unknown switch '" + name.shown() + "'");
  return {};
}

/// The two switches of `key: [A, B]`.
std::optional<std::pair<SwitchId, SwitchId>> Reading::two_switches(text::Fields& fields,
                                                                   std::string_view key) {
  const conf::YamlNode* pair = fields.need(key);
  if (pair == nullptr) return {};
  if (!pair->is_sequence() || pair->items.size() != 2) {
    wrong(*pair, std::string(key) + ": expected two switches, as in [A, B]");
    return {};
  }
  const auto a = switch_named(pair->items[0]), b = switch_named(pair->items[1]);
  if (!a || !b) return {};
  if (*a != *b) return std::pair(*a, *b);
  wrong(*pair, "a link from a switch to itself");
  return {};
}

std::optional<std::uint32_t> Reading::link_between(SwitchId a, SwitchId b) const {
  const auto& links = scenario.switches.links;
  for (std::uint32_t i = 0; i < links.size(); ++i)
    if ((links[i].a == a && links[i].b == b) || (links[i].a == b && links[i].b == a)) return i;
  return {};
}

void Reading::read_switch_links(const conf::YamlNode& section) {
  each(section, "{between: [A, B], bandwidth: RATE}", [&](const conf::YamlNode& item) {
    text::Fields fields(item, "a link between switches", mistakes);
    const auto ends = two_switches(fields, "between");
    SwitchLinkModel model;
    const conf::YamlNode* bandwidth = item.find("bandwidth");
    if (bandwidth == nullptr) fields.need("bandwidth");
    if (fields.rate("bandwidth", model.bytes_per_second) && model.bytes_per_second == 0)
      wrong(*bandwidth, "bandwidth: a link between switches needs one above 0");
    fields.duration("latency", model.latency);
    if (!ends || model.bytes_per_second == 0) return;
    const auto& names = scenario.switches.names;
    if (link_between(ends->first, ends->second))
      return wrong(item, names[ends->first.value] + " and " + names[ends->second.value] +
                             " are joined twice");
    scenario.switches.links.push_back({ends->first, ends->second, model});
  });
}

// ---- what is attached to switches ---------------------------------------------------------------

/// `switch: NAME`, or a list with one for each NID of the node.
void Reading::read_node_switch(text::Fields& fields, NodeSetup& setup) {
  const conf::YamlNode* value = fields.take("switch");
  if (value == nullptr) return;
  if (value->is_sequence() && value->items.size() != setup.nis.size())
    return wrong(*value, "switch: expected one name, or one for each of the " +
                             std::to_string(setup.nis.size()) + " NIDs");
  for (std::size_t i = 0; i < setup.nis.size(); ++i)
    if (value->is_sequence() || i == 0)
      setup.nis[i].at_switch = switch_named(value->is_sequence() ? value->items[i] : *value);
    else
      setup.nis[i].at_switch = setup.nis[0].at_switch;
}

void Reading::note_hanging(const conf::YamlNode& item, const NodeSetup& setup) {
  const conf::YamlNode* value = item.find("switch");
  const conf::Place place = text::place_of(value != nullptr ? *value : item);
  for (const NiSetup& ni : setup.nis)
    hanging_.push_back({place, setup.name, ni.nid.net(), ni.at_switch});
}

/// Checks that all NIs of a net can reach each other: they are attached to switches that links
/// join, or to none. Called when there were no other mistakes about switches and nodes.
void Reading::check_switches() {
  if (scenario.switches.names.empty() || !mistakes.empty()) return;
  EventQueue queue;
  Fabric fabric(queue);
  build(scenario.switches, fabric);
  std::map<NetId, const Hanging*> first_of;
  for (const Hanging& each : hanging_) {
    const auto [known, fresh] = first_of.emplace(each.net, &each);
    const Hanging& first = *known->second;
    if (fresh) continue;
    const std::string net = "net " + each.net.to_string() + ": ";
    if (each.at.has_value() != first.at.has_value())
      mistakes.push_back({each.place, net + each.node + " and " + first.node +
                                          ": one hangs on a switch and one does not"});
    else if (each.at && fabric.way(*first.at, *each.at) == nullptr)
      mistakes.push_back({each.place, net + "no links lead from " + fabric.name(*first.at) +
                                          " to " + fabric.name(*each.at)});
  }
}

// ---- faults and expectations --------------------------------------------------------------------

void Reading::read_link_act(text::Fields& fields, Act::What what) {
  Act act;
  act.what = what;
  if (fields.take("every") != nullptr) wrong(fields.map(), "a fault of a link has a time: 'at'");
  if (fields.need("at") != nullptr) fields.duration("at", act.at);
  fields.duration("for", act.lasts);
  const auto ends = two_switches(fields, "link");
  if (what == Act::What::kLinkSlow) {
    const conf::YamlNode* bandwidth = fields.map().find("bandwidth");
    if (bandwidth == nullptr) fields.need("bandwidth");
    if (fields.rate("bandwidth", act.bandwidth) && act.bandwidth == 0)
      wrong(*bandwidth, "bandwidth: must be above 0; link-cut lets nothing pass");
  }
  if (!ends) return;
  const auto link = link_between(ends->first, ends->second);
  const auto& names = scenario.switches.names;
  if (!link)
    return wrong(fields.map(),
                 "no link joins " + names[ends->first.value] + " and " + names[ends->second.value]);
  act.switch_link = SwitchLinkId{*link};
  scenario.acts.push_back(act);
}

void Reading::expect_switch_links(const conf::YamlNode& map) {
  if (!map.is_map()) return wrong(map, "switch links: expected 'A to B: {bytes: number}' lines");
  constexpr std::array kWords = {"bytes", "busy", "queue", "lost"};  // Expectation::LinkValue
  const auto& [names, links] = scenario.switches;
  for (const auto& [key, values] : map.entries) {
    std::uint32_t direction = 0;
    for (; direction < 2 * links.size(); ++direction) {
      const auto& link = links[direction / 2];
      const auto [a, b] =
          direction % 2 == 0 ? std::pair(link.a, link.b) : std::pair(link.b, link.a);
      if (key == names[a.value] + " to " + names[b.value]) break;
    }
    if (direction == 2 * links.size()) {
      wrong(values, "no link between switches is '" + key + "'");
      continue;
    }
    text::Fields fields(values, "a link's expectations", mistakes);
    for (std::uint32_t i = 0; i < kWords.size(); ++i)
      if (const conf::YamlNode* value = fields.take(kWords[i]))
        expect(*value, Expectation::What::kSwitchLink, direction * kWords.size() + i,
               key + ": " + kWords[i]);
  }
}

}  // namespace ulnet::sim

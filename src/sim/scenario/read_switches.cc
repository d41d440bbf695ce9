// Reads switches and the links between them.
#include <algorithm>

#include "sim/scenario/read_values.h"
#include "sim/scenario/reading.h"

namespace ulnet::sim {
namespace {

constexpr std::size_t kMaxSwitches = 10'000;

/// Reads the two switches of `key: [A, B]`.
std::optional<std::pair<SwitchId, SwitchId>> read_ends(text::Fields& fields, std::string_view key,
                                                       const SwitchesSpec& switches) {
  const conf::YamlNode* pair = fields.need(key);
  if (pair == nullptr) return {};
  if (!pair->is_sequence() || pair->items.size() != 2) {
    fields.wrong(*pair, std::string(key) + ": expected two switches, as in [A, B]");
    return {};
  }
  const auto a = read_switch(pair->items[0], switches, fields),
             b = read_switch(pair->items[1], switches, fields);
  if (!a || !b) return {};
  if (*a != *b) return std::pair(*a, *b);
  fields.wrong(*pair, "a link from a switch to itself");
  return {};
}

std::optional<SwitchLinkId> link_between(SwitchId a, SwitchId b, const SwitchesSpec& switches) {
  const auto& links = switches.links;
  for (std::uint32_t i = 0; i < links.size(); ++i)
    if ((links[i].a == a && links[i].b == b) || (links[i].a == b && links[i].b == a))
      return SwitchLinkId{i};
  return {};
}

}  // namespace

void read_switches(const conf::YamlNode& section, Reading& reading) {
  if (!section.is_sequence()) return reading.wrong(section, "switches: expected a list of names");
  std::vector<std::string>& names = reading.scenario.switches.names;
  for (const conf::YamlNode& item : section.items) {
    if (!item.is_scalar() || item.text.empty()) {
      reading.wrong(item, "switches: expected a name");
    } else if (std::find(names.begin(), names.end(), item.text) != names.end()) {
      reading.wrong(item, "switch '" + item.text + "' twice");
    } else if (names.size() == kMaxSwitches) {
      return reading.wrong(item, "more than " + std::to_string(kMaxSwitches) + " switches");
    } else {
      names.push_back(item.text);
    }
  }
}

void read_switch_links(const conf::YamlNode& section, Reading& reading) {
  SwitchesSpec& switches = reading.scenario.switches;
  reading.each(section, "{between: [A, B], bandwidth: RATE}", [&](const conf::YamlNode& item) {
    text::Fields fields(item, "a link between switches", reading.mistakes);
    const auto ends = read_ends(fields, "between", switches);
    SwitchLinkModel model;
    const conf::YamlNode* bandwidth = item.find("bandwidth");
    if (bandwidth == nullptr) fields.need("bandwidth");
    if (fields.rate("bandwidth", model.bytes_per_second) && model.bytes_per_second == 0)
      fields.wrong(*bandwidth, "bandwidth: a link between switches needs one above 0");
    fields.duration("latency", model.latency);
    if (!ends || model.bytes_per_second == 0) return;
    const auto [a, b] = *ends;
    if (link_between(a, b, switches))
      return fields.wrong(
          item, switches.names[a.value] + " and " + switches.names[b.value] + " are joined twice");
    switches.links.push_back({a, b, model});
  });
}

std::optional<SwitchId> read_switch(const conf::YamlNode& name, const SwitchesSpec& switches,
                                    const text::Fields& fields) {
  const std::vector<std::string>& names = switches.names;
  const auto found = std::find(names.begin(), names.end(), name.text);
  if (name.is_scalar() && found != names.end())
    return SwitchId{static_cast<std::uint32_t>(found - names.begin())};
  fields.wrong(name, "unknown switch '" + name.shown() + "'");
  return {};
}

std::optional<SwitchLinkId> read_switch_link(text::Fields& fields, const SwitchesSpec& switches) {
  const auto ends = read_ends(fields, "link", switches);
  if (!ends) return {};
  const auto [a, b] = *ends;
  const auto link = link_between(a, b, switches);
  if (!link)
    fields.wrong(fields.map(),
                 "no link joins " + switches.names[a.value] + " and " + switches.names[b.value]);
  return link;
}

}  // namespace ulnet::sim

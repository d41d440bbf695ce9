// Reads the expectations of a scenario file.
#include <algorithm>
#include <array>

#include "sim/scenario/reading.h"

namespace ulnet::sim {
namespace {

using Expected = Expectation::What;
using Names = std::vector<std::string>;

/// Returns the names of the first `count` values of an enumeration.
template <class Enum>
Names names_of(std::size_t count) {
  Names names;
  for (std::size_t i = 0; i < count; ++i) names.emplace_back(to_string(static_cast<Enum>(i)));
  return names;
}

Names fault_names() {
  Names names;
  for (const FaultKind kind : kFaultKinds) names.emplace_back(to_string(kind));
  names.insert(names.end(), kLinkFaults.begin(), kLinkFaults.end());
  names.insert(names.end(), kAdminWords.begin(), kAdminWords.end());
  return names;
}

std::string words(const Names& all) {
  std::string text;
  for (const std::string& word : all) text += (text.empty() ? "" : ", ") + word;
  return text;
}

void expect(const conf::YamlNode& value, Expected what, std::uint32_t index, std::string name,
            Reading& reading, NodeNumber node = 0) {
  const auto range = text::parse_range(value.shown());
  if (!range) return reading.wrong(value, name + ": " + range.error().reason);
  reading.scenario.expect.push_back(
      {what, index, node, *range, text::place_of(value).line, std::move(name)});
}

/// Reads the numbers of the section `key`; the first of `names` has the index `first`.
void expect_each(text::Fields& fields, const std::string& key, Expected what, const Names& names,
                 Reading& reading, std::uint32_t first = 0) {
  const conf::YamlNode* map = fields.take(key);
  if (map == nullptr) return;
  if (!map->is_map()) return fields.wrong(*map, key + ": expected 'name: number' lines");
  for (const auto& [name, value] : map->entries) {
    const auto found = std::find(names.begin(), names.end(), name);
    const auto index = first + static_cast<std::uint32_t>(found - names.begin());
    if (found == names.end() && name != "total")
      fields.wrong(value, "unknown " + key + " '" + name + "'; there are: total, " + words(names));
    else
      expect(value, what, name == "total" ? Expectation::kAll : index, key + ": " + name, reading);
  }
}

void expect_counters(const conf::YamlNode& map, Reading& reading) {
  if (!map.is_map())
    return reading.wrong(map, "counters: expected 'node: {counter: number}' lines");
  const Names names = {"msgs_alloc",  "msgs_max",     "errors",     "send_count",
                       "recv_count",  "route_count",  "drop_count", "send_length",
                       "recv_length", "route_length", "drop_length"};
  for (const auto& [name, counters] : map.entries) {
    const auto node = reading.names.single(name);
    if (!node) {
      reading.wrong(counters, "unknown node '" + name + "'");
      continue;
    }
    for (const auto& [key, value] : counters.entries) {
      const auto found = std::find(names.begin(), names.end(), key);
      if (found == names.end())
        reading.wrong(value, "unknown counter '" + key + "'; there are: " + words(names));
      else
        expect(value, Expected::kCounter, static_cast<std::uint32_t>(found - names.begin()),
               name + ": " + key, reading, *node);
    }
  }
}

void expect_switch_links(const conf::YamlNode& map, Reading& reading) {
  if (!map.is_map())
    return reading.wrong(map, "switch links: expected 'A to B: {bytes: number}' lines");
  constexpr std::array kWords = {"bytes", "busy", "queue", "lost"};  // Expectation::LinkValue
  const SwitchesSpec& switches = reading.scenario.switches;
  Names directions;
  for (const SwitchesSpec::Joint& link : switches.links) {
    const std::string &a = switches.names[link.a.value], &b = switches.names[link.b.value];
    directions.insert(directions.end(), {a + " to " + b, b + " to " + a});
  }
  for (const auto& [key, values] : map.entries) {
    const auto found = std::find(directions.begin(), directions.end(), key);
    const auto direction = static_cast<std::uint32_t>(found - directions.begin());
    if (found == directions.end()) {
      reading.wrong(values, "no link between switches is '" + key + "'");
      continue;
    }
    text::Fields fields(values, "a link's expectations", reading.mistakes);
    for (std::uint32_t i = 0; i < kWords.size(); ++i)
      if (const conf::YamlNode* value = fields.take(kWords[i]))
        expect(*value, Expected::kSwitchLink, direction * kWords.size() + i, key + ": " + kWords[i],
               reading);
  }
}

}  // namespace

void read_expectations(const conf::YamlNode& section, Reading& reading) {
  text::Fields fields(section, "expect", reading.mistakes);
  const auto sum = [&](const char* key, Expected what) {
    if (const auto* value = fields.take(key)) expect(*value, what, Expectation::kAll, key, reading);
  };
  sum("delivered", Expected::kDelivered);
  sum("failed", Expected::kFailed);
  sum("round trips", Expected::kTrips);
  sum("discovery of a pair", Expected::kDiscovery);
  // Event types start at 1 (ulnet::EventType).
  expect_each(fields, "events", Expected::kEvents, {"GET", "PUT", "REPLY", "ACK", "SEND", "UNLINK"},
              reading, 1);
  expect_each(fields, "drops", Expected::kDrops, names_of<core::DropReason>(core::kDropReasons),
              reading);
  expect_each(fields, "lost", Expected::kLost, names_of<WireLoss>(5), reading);
  expect_each(fields, "faults", Expected::kFaults, fault_names(), reading);
  if (const auto* map = fields.take("counters")) expect_counters(*map, reading);
  if (const auto* map = fields.take("switch links")) expect_switch_links(*map, reading);
}

}  // namespace ulnet::sim

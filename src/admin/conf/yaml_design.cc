#include "admin/conf/yaml_design.h"

#include <algorithm>
#include <array>

#include "admin/conf/yaml_words.h"

namespace ulnet::conf {

namespace {

YamlNode map_of(std::vector<YamlEntry> entries, Place place) {
  YamlNode map;
  map.kind = YamlNode::Kind::kMap;
  map.place = map.key_place = place;
  map.entries = std::move(entries);
  return map;
}

/// Returns `{0: value}`.
YamlNode numbered(YamlNode value) {
  const Place place = value.place;
  return map_of({{"0", std::move(value)}}, place);
}

bool is_design_list(const YamlNode& interfaces) {
  return interfaces.is_sequence() &&
         std::ranges::all_of(interfaces.items, [](const YamlNode& each) { return each.is_map(); });
}

/// Converts `- intf: ib0, CPT: 1,3` to an item of `local NI(s)`.
Parsed<YamlNode> todays_ni(const YamlNode& item) {
  static constexpr auto kKeys = std::to_array<std::string_view>({"intf", "CPT"});
  YamlNode ni = map_of({}, item.place);
  for (const YamlEntry& entry : item.entries) {
    if (!is_one_of(entry.key, kKeys)) return tl::unexpected(invalid_key(entry, kKeys));
    if (entry.key == "intf")
      ni.entries.push_back({"interfaces", numbered(entry.value)});
    else
      ni.entries.push_back(entry);
  }
  if (item.find("intf") == nullptr) return tl::unexpected(no_value("intf", item.place));
  return ni;
}

/// Converts the list of `interfaces:` to `local NI(s):`.
Parsed<YamlEntry> todays_nis(const YamlEntry& interfaces) {
  YamlEntry list{"local NI(s)", interfaces.value};
  for (YamlNode& item : list.value.items) {
    auto ni = todays_ni(item);
    if (!ni) return tl::unexpected(std::move(ni.error()));
    item = std::move(*ni);
  }
  return list;
}

/// Whether the item has a pattern for the NIs' addresses.
bool has_pattern(const YamlNode& item) { return item.find("pattern") != nullptr; }

Parsed<YamlEntry> todays_entry(const YamlEntry& entry, bool is_rule) {
  if (entry.key == "net") return YamlEntry{is_rule ? "net-spec" : "net type", entry.value};
  if (entry.key == "net type" && is_rule) return YamlEntry{"net-spec", entry.value};
  if (entry.key == "intf") return YamlEntry{"interfaces", numbered(entry.value)};
  if (entry.key == "pattern") return YamlEntry{"ip-range", numbered(entry.value)};
  if (entry.key == "interfaces" && is_design_list(entry.value)) return todays_nis(entry);
  return entry;
}

}  // namespace

Parsed<TodaysNet> todays_net(const YamlNode& item) {
  TodaysNet net{.item = map_of({}, item.place), .is_rule = has_pattern(item), .detail = {}};
  for (const YamlEntry& entry : item.entries) {
    if (entry.key == "detail") {
      const auto level = number_of(entry);
      if (!level) return tl::unexpected(level.error());
      net.detail = *level;
      continue;
    }
    auto todays = todays_entry(entry, net.is_rule);
    if (!todays) return tl::unexpected(std::move(todays.error()));
    net.item.entries.push_back(std::move(*todays));
  }
  return net;
}

Parsed<std::optional<std::int64_t>> take_seq_no(YamlNode& item) {
  const auto at =
      std::ranges::find_if(item.entries, [](const YamlEntry& e) { return e.key == "seq_no"; });
  if (at == item.entries.end()) return std::nullopt;
  const auto number = number_of(*at);
  if (!number) return tl::unexpected(number.error());
  item.entries.erase(at);
  return *number;
}

}  // namespace ulnet::conf

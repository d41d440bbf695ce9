// Reads the changes by administrators in a scenario file: {what: setting, at: 1s, for: 2s, node: a,
// name: retry_count, value: 0}. Source: spec/multirail.md 2.2, 5.1, 9.2, 10.1, 12.
#include "sim/scenario/reading.h"

namespace ulnet::sim {
namespace {

template <class Change>
constexpr std::size_t kPlace = AdminChange(Change{}).index();

}  // namespace

void Reading::read_admin(text::Fields& fields, std::size_t word) {
  Act act;
  act.what = Act::What::kAdmin;
  if (fields.need("at") != nullptr) fields.duration("at", act.at);
  fields.duration("for", act.lasts);
  const Numbers at = nodes_named(fields, "node");
  const auto change = admin_change(fields, word);
  if (!change) return;
  act.change = *change;
  for (const NodeNumber node : at) {
    act.node = act.other = node;
    scenario.acts.push_back(act);
  }
}

std::optional<AdminChange> Reading::admin_change(text::Fields& fields, std::size_t word) {
  if (word == kPlace<SetGlobal>) return setting_in(fields);
  if (word == kPlace<SetHealth>) return health_in(fields);
  if (word == kPlace<AddPolicy>) return policy_in(fields);
  if (word == kPlace<AddPeer>) return peer_in(fields);
  if (word == kPlace<SetRouting>) {
    SetRouting change;
    if (fields.need("on") == nullptr || !fields.truth("on", change.on)) return {};
    return change;
  }
  const bool adds = word == kPlace<AddRoute>;
  const auto route = adds ? route_in(fields) : bare_route_in(fields);
  if (!route) return {};
  return adds ? AdminChange(AddRoute{*route}) : AdminChange(DelRoute{route->net, route->gateway});
}

std::optional<AdminChange> Reading::setting_in(text::Fields& fields) {
  SetGlobal change;
  std::string name;
  const conf::YamlNode* said = fields.need("name");
  if (!fields.text("name", name)) return {};
  change.setting = conf::find_global(name);
  if (change.setting == nullptr) {
    wrong(*said, "unknown setting '" + name + "'");
    return {};
  }
  if (fields.need("value") == nullptr ||
      !fields.number("value", change.value, change.setting->min, change.setting->max))
    return {};
  return change;
}

std::optional<AdminChange> Reading::health_in(text::Fields& fields) {
  SetHealth change;
  nid_in(fields, "nid", change.nid);
  fields.truth("of peer", change.of_peer);
  if (fields.need("value") == nullptr || !fields.number("value", change.value, 0, 1000)) return {};
  return change;
}

std::optional<AdminChange> Reading::policy_in(text::Fields& fields) {
  std::string src, dst, rte;
  fields.text("src", src);
  fields.text("dst", dst);
  fields.text("rte", rte);
  core::udsp::RuleText words{src, dst, rte, {}};
  std::uint32_t number = 0;
  constexpr auto kMax = static_cast<std::uint32_t>(core::udsp::kPriorityMax);
  if (fields.number("priority", number, 0U, kMax)) words.priority = number;
  AddPolicy change;
  if (fields.number("idx", number, 0U, kMax)) change.idx = number;
  auto rule = core::udsp::parse_rule(words);
  if (rule) rule = core::udsp::settled(*std::move(rule));
  if (!rule) {
    wrong(fields.map(), rule.error().reason);
    return {};
  }
  change.rule = *std::move(rule);
  return change;
}

std::optional<AdminChange> Reading::peer_in(text::Fields& fields) {
  AddPeer change;
  if (fields.need("primary") == nullptr) return {};
  nid_in(fields, "primary", change.peer.primary);
  if (const conf::YamlNode* list = fields.take("nids")) {
    const auto add = [&](const conf::YamlNode& item) {
      const auto nid = Nid::parse(item.shown());
      if (!nid) return wrong(item, nid.error().reason);
      change.peer.nids.push_back(*nid);
    };
    if (!list->is_sequence()) add(*list);
    for (const conf::YamlNode& item : list->items) add(item);
  }
  fields.truth("multi-rail", change.peer.multi_rail);
  fields.truth("locked", change.peer.lock_primary);
  return change;
}

/// When the key is absent, `out` does not change.
void Reading::nid_in(text::Fields& fields, std::string_view key, Nid& out) {
  const conf::YamlNode* text = fields.take(key);
  if (text == nullptr) return;
  const auto nid = Nid::parse(text->shown());
  if (!nid) return wrong(*text, nid.error().reason);
  out = *nid;
}

}  // namespace ulnet::sim

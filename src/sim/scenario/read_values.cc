#include "sim/scenario/read_values.h"

namespace ulnet::sim {
namespace {

/// Calls `bit(text)` for each item of a list, or for a single value, and returns all bits.
template <class Bit>
std::uint64_t mask_of(text::Fields& fields, std::string_view key, Bit&& bit) {
  const conf::YamlNode* const list = fields.take(key);
  if (list == nullptr) return 0;
  std::uint64_t mask = 0;
  const auto add = [&](const conf::YamlNode& item) {
    const std::uint64_t more = item.is_scalar() ? bit(item.shown()) : 0;
    if (more == 0) fields.wrong(item, std::string(key) + ": unknown '" + item.shown() + "'");
    mask |= more;
  };
  if (!list->is_sequence()) add(*list);
  for (const conf::YamlNode& item : list->items) add(item);
  return mask;
}

std::uint64_t portal_bit(const std::string& text) {
  std::uint32_t portal = 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '9') return 0;
    portal = portal * 10 + static_cast<std::uint32_t>(digit - '0');
    if (portal >= limits::kPortals) return 0;
  }
  return 1ULL << portal;
}

template <class Change>
constexpr std::size_t kPlace = AdminChange(Change{}).index();

std::optional<AdminChange> read_setting(text::Fields& fields) {
  SetGlobal change;
  std::string name;
  const conf::YamlNode* said = fields.need("name");
  if (!fields.text("name", name)) return {};
  change.setting = conf::find_global(name);
  if (change.setting == nullptr) {
    fields.wrong(*said, "unknown setting '" + name + "'");
    return {};
  }
  if (fields.need("value") == nullptr ||
      !fields.number("value", change.value, change.setting->min, change.setting->max))
    return {};
  return change;
}

std::optional<AdminChange> read_health(text::Fields& fields) {
  SetHealth change;
  read_value(fields, "nid", change.nid);
  fields.truth("of peer", change.of_peer);
  if (fields.need("value") == nullptr || !fields.number("value", change.value, 0, 1000)) return {};
  return change;
}

std::optional<AdminChange> read_policy(text::Fields& fields) {
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
    fields.wrong(fields.map(), rule.error().reason);
    return {};
  }
  change.rule = *std::move(rule);
  return change;
}

std::optional<AdminChange> read_peer(text::Fields& fields) {
  AddPeer change;
  if (fields.need("primary") == nullptr) return {};
  read_value(fields, "primary", change.peer.primary);
  if (const conf::YamlNode* list = fields.take("nids")) {
    const auto add = [&](const conf::YamlNode& item) {
      if (const auto nid = value_of<Nid>(item, fields)) change.peer.nids.push_back(*nid);
    };
    if (!list->is_sequence()) add(*list);
    for (const conf::YamlNode& item : list->items) add(item);
  }
  fields.truth("multi-rail", change.peer.multi_rail);
  fields.truth("locked", change.peer.lock_primary);
  return change;
}

}  // namespace

std::optional<core::Route> read_route(text::Fields& fields) {
  auto route = read_bare_route(fields);
  core::Route ignored;
  core::Route& read = route ? *route : ignored;
  fields.number("hops", read.hops, 1, core::kHopsMax);
  fields.number("priority", read.priority, 0U, ~0U >> 1);
  return route;
}

std::optional<core::Route> read_bare_route(text::Fields& fields) {
  const conf::YamlNode* net = fields.need("net");
  const conf::YamlNode* gateway = fields.need("gateway");
  if (net == nullptr || gateway == nullptr) return {};
  const auto id = value_of<NetId>(*net, fields);
  const auto nid = value_of<Nid>(*gateway, fields);
  if (!id || !nid) return {};
  core::Route route;
  route.net = *id;
  route.gateway = *nid;
  return route;
}

void read_rule(text::Fields& fields, core::FaultRule& rule) {
  read_value(fields, "source", rule.source);
  read_value(fields, "dest", rule.destination);
  core::FaultNids local;
  read_value(fields, "local", local);
  rule.local = local.nid;
  rule.portals = mask_of(fields, "portals", portal_bit);
  rule.messages = static_cast<std::uint32_t>(mask_of(fields, "messages", core::fault_message_bit));
  rule.errors = static_cast<std::uint32_t>(mask_of(fields, "errors", core::fault_error_bit));
  fields.number("rate", rule.rate, 0U, 1'000'000U);
  fields.number("interval", rule.interval, 0U, 1'000'000U);
  fields.number("latency", rule.latency, 0U, 1'000'000U);
  fields.number("seed", rule.seed);
  fields.truth("random", rule.random);
  fields.truth("drop all", rule.drop_all);
}

std::optional<AdminChange> read_change(text::Fields& fields, std::size_t word) {
  if (word == kPlace<SetGlobal>) return read_setting(fields);
  if (word == kPlace<SetHealth>) return read_health(fields);
  if (word == kPlace<AddPolicy>) return read_policy(fields);
  if (word == kPlace<AddPeer>) return read_peer(fields);
  if (word == kPlace<SetRouting>) {
    SetRouting change;
    if (fields.need("on") == nullptr || !fields.truth("on", change.on)) return {};
    return change;
  }
  const bool adds = word == kPlace<AddRoute>;
  const auto route = adds ? read_route(fields) : read_bare_route(fields);
  if (!route) return {};
  return adds ? AdminChange(AddRoute{*route}) : AdminChange(DelRoute{route->net, route->gateway});
}

}  // namespace ulnet::sim

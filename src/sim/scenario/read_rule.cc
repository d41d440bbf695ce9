// Reads the fault rules of a scenario file: {rule: drop, at: 1s, node: a, source: "*@tcp", dest:
// "*@tcp", rate: 2, messages: [GET], errors: [local_error]}. Source: spec/multirail.md 11.
#include "sim/scenario/reading.h"

namespace ulnet::sim {

template <class Bit>
std::uint64_t Reading::mask_of(text::Fields& fields, std::string_view key, Bit&& bit) {
  const conf::YamlNode* const list = fields.take(key);
  if (list == nullptr) return 0;
  std::uint64_t mask = 0;
  const auto add = [&](const conf::YamlNode& item) {
    const std::uint64_t more = item.is_scalar() ? bit(item.shown()) : 0;
    if (more == 0) wrong(item, std::string(key) + ": unknown '" + item.shown() + "'");
    mask |= more;
  };
  if (!list->is_sequence()) add(*list);
  for (const conf::YamlNode& item : list->items) add(item);
  return mask;
}

void Reading::read_rule_match(text::Fields& fields, core::FaultRule& rule) {
  const auto nids = [&](std::string_view key, core::FaultNids& out) {
    const conf::YamlNode* const text = fields.take(key);
    if (text == nullptr) return;
    const auto read = core::FaultNids::parse(text->shown());
    if (!read) return wrong(*text, read.error().reason);
    out = *read;
  };
  nids("source", rule.source);
  nids("dest", rule.destination);
  core::FaultNids local;
  nids("local", local);
  rule.local = local.nid;
  rule.portals = mask_of(fields, "portals", [](const std::string& text) -> std::uint64_t {
    std::uint32_t portal = 0;
    for (const char digit : text) {
      if (digit < '0' || digit > '9') return 0;
      portal = portal * 10 + static_cast<std::uint32_t>(digit - '0');
      if (portal >= limits::kPortals) return 0;
    }
    return 1ULL << portal;
  });
  rule.messages = static_cast<std::uint32_t>(mask_of(
      fields, "messages", [](const std::string& text) { return core::fault_message_bit(text); }));
  rule.errors = static_cast<std::uint32_t>(mask_of(
      fields, "errors", [](const std::string& text) { return core::fault_error_bit(text); }));
}

void Reading::read_rule(const conf::YamlNode& item) {
  text::Fields fields(item, "a fault rule", mistakes);
  Act act;
  act.what = Act::What::kRule;
  core::FaultRule& rule = act.rule;
  std::string word;
  fields.text("rule", word);
  if (word != "drop" && word != "delay")
    return wrong(*item.find("rule"), "rule: '" + word + "' is neither drop nor delay");
  if (word == "delay") rule.kind = core::FaultRule::Kind::kDelay;
  if (fields.need("at") != nullptr) fields.duration("at", act.at);
  fields.duration("for", act.lasts);
  read_rule_match(fields, rule);
  fields.number("rate", rule.rate, 0U, 1'000'000U);
  fields.number("interval", rule.interval, 0U, 1'000'000U);
  fields.number("latency", rule.latency, 0U, 1'000'000U);
  fields.number("seed", rule.seed);
  fields.truth("random", rule.random);
  fields.truth("drop all", rule.drop_all);
  const Numbers at = nodes_named(fields, "node");
  const auto settled = core::settled(rule);
  if (!settled) return wrong(item, settled.error().reason);
  act.rule = *settled;
  for (const NodeNumber node : at) {
    act.node = node;
    scenario.acts.push_back(act);
    ++act.rule.seed;  // each node draws its own random numbers
  }
}

}  // namespace ulnet::sim

// Reads the faults of a scenario file: {what: crash, at: 1s, node: a}, {what: loss, every: 1s}; and
// what administrators do: {what: setting, at: 1s, node: a, name: retry_count, value: 0},
// {rule: drop, at: 1s, node: a, rate: 2}.
#include <algorithm>

#include "sim/scenario/read_values.h"
#include "sim/scenario/reading.h"

namespace ulnet::sim {
namespace {

using NodeNumbers = std::vector<NodeNumber>;

bool needs_streams(FaultKind fault) {
  return fault == FaultKind::kReset || fault == FaultKind::kHalfOpen ||
         fault == FaultKind::kStall || fault == FaultKind::kNonsense ||
         fault == FaultKind::kTakeOver || fault == FaultKind::kLies;
}

/// Begins an act that has a time.
Act read_timed(text::Fields& fields, Act::What what) {
  Act act;
  act.what = what;
  if (fields.need("at") != nullptr) fields.duration("at", act.at);
  fields.duration("for", act.lasts);
  return act;
}

void read_rule_act(text::Fields& fields, Reading& reading) {
  std::string word;
  fields.text("rule", word);
  if (word != "drop" && word != "delay")
    return fields.wrong(*fields.map().find("rule"),
                        "rule: '" + word + "' is neither drop nor delay");
  Act act = read_timed(fields, Act::What::kRule);
  if (word == "delay") act.rule.kind = core::FaultRule::Kind::kDelay;
  read_rule(fields, act.rule);
  const NodeNumbers at = reading.names.in(fields, "node");
  const auto settled = core::settled(act.rule);
  if (!settled) return fields.wrong(fields.map(), settled.error().reason);
  act.rule = *settled;
  for (const NodeNumber node : at) {
    act.node = node;
    reading.scenario.acts.push_back(act);
    ++act.rule.seed;  // each node draws its own random numbers
  }
}

void read_admin_act(text::Fields& fields, std::size_t word, Reading& reading) {
  Act act = read_timed(fields, Act::What::kAdmin);
  const NodeNumbers at = reading.names.in(fields, "node");
  const auto change = read_change(fields, word);
  if (!change) return;
  act.change = *change;
  for (const NodeNumber node : at) {
    act.node = act.other = node;
    reading.scenario.acts.push_back(act);
  }
}

void read_link_act(text::Fields& fields, Act::What what, Scenario& scenario) {
  if (fields.take("every") != nullptr)
    fields.wrong(fields.map(), "a fault of a link has a time: 'at'");
  Act act = read_timed(fields, what);
  const auto link = read_switch_link(fields, scenario.switches);
  if (what == Act::What::kLinkSlow) {
    const conf::YamlNode* bandwidth = fields.map().find("bandwidth");
    if (bandwidth == nullptr) fields.need("bandwidth");
    if (fields.rate("bandwidth", act.bandwidth) && act.bandwidth == 0)
      fields.wrong(*bandwidth, "bandwidth: must be above 0; link-cut lets nothing pass");
  }
  if (!link) return;
  act.switch_link = *link;
  scenario.acts.push_back(act);
}

void add_acts(Act act, const NodeNumbers& at, const NodeNumbers& others, bool both,
              std::vector<Act>& acts) {
  for (const NodeNumber node : at) {
    act.node = node;
    if (others.empty()) acts.push_back(act);
    for (const NodeNumber other : others) {
      if (other == node) continue;
      act.other = other;
      acts.push_back(act);
      if (!both) continue;
      std::swap(act.node, act.other);
      acts.push_back(act);
      std::swap(act.node, act.other);
    }
  }
}

void read_act(text::Fields& fields, const std::string& word, Reading& reading) {
  Act act;
  const bool timed = fields.need("at") != nullptr;
  const auto kind = fault_kind(word);
  if (word == "shutdown")
    act.what = Act::What::kShutdown;
  else if (word == "heal")
    act.what = Act::What::kHeal;
  else if (!kind)
    return fields.wrong(*fields.map().find("what"), "unknown fault '" + word + "'");
  act.fault = kind.value_or(FaultKind::kCrash);
  if (timed) fields.duration("at", act.at);
  if (act.what == Act::What::kHeal) return reading.scenario.acts.push_back(act);
  fields.duration("for", act.lasts);
  fields.chance("chance", act.ppm);
  const bool strikes = act.what == Act::What::kFault;
  const bool links = strikes && between_nodes(act.fault);
  bool both = false;
  if (links) fields.truth("both", both);
  if (act.fault == FaultKind::kCrash) fields.truth("silent", act.silent);
  fields.number("ni", act.ni, 0U, 255U);
  const NodeNumbers at = reading.names.in(fields, links ? "from" : "node");
  const NodeNumbers others = links ? reading.names.in(fields, "to") : NodeNumbers{};
  for (const NodeNumber node : at) {
    const NodeSetup& setup = reading.scenario.nodes[node];
    if (act.ni >= setup.nis.size())
      fields.wrong(fields.map(), setup.name + " has no NI number " + std::to_string(act.ni));
    if (strikes && needs_streams(act.fault) && setup.driver != DriverKind::kSock)
      fields.wrong(fields.map(), setup.name + " has no streams: its edge is pipe");
  }
  add_acts(act, at, others, both, reading.scenario.acts);
}

void read_rate(text::Fields& fields, const std::string& word, std::vector<FaultRate>& rates) {
  FaultRate rate;
  const auto kind = fault_kind(word);
  if (!kind) return fields.wrong(*fields.map().find("what"), "unknown fault '" + word + "'");
  rate.kind = *kind;
  fields.duration("every", rate.pace.every);
  if (rate.pace.every <= Duration{})
    fields.wrong(*fields.map().find("every"), "every: must be more than 0");
  fields.duration("for", rate.pace.lasts);
  fields.chance("chance", rate.pace.ppm);
  rates.push_back(rate);
}

void read_fault(const conf::YamlNode& item, Reading& reading) {
  const bool rule = item.find("rule") != nullptr;
  text::Fields fields(item, rule ? "a fault rule" : "a fault", reading.mistakes);
  if (rule) return read_rule_act(fields, reading);
  std::string word;
  if (fields.need("what") == nullptr || !fields.text("what", word)) return;
  if (word == kLinkFaults[0]) return read_link_act(fields, Act::What::kLinkCut, reading.scenario);
  if (word == kLinkFaults[1]) return read_link_act(fields, Act::What::kLinkSlow, reading.scenario);
  if (const auto admin = std::ranges::find(kAdminWords, word); admin != kAdminWords.end())
    return read_admin_act(fields, static_cast<std::size_t>(admin - kAdminWords.begin()), reading);
  if (item.find("every") != nullptr) return read_rate(fields, word, reading.scenario.rates);
  read_act(fields, word, reading);
}

}  // namespace

bool between_nodes(FaultKind fault) {
  return fault != FaultKind::kInterface && fault != FaultKind::kCrash &&
         fault != FaultKind::kPause && fault != FaultKind::kNonsense &&
         fault != FaultKind::kNiDel && fault != FaultKind::kNiAdd && fault != FaultKind::kNetDel &&
         fault != FaultKind::kDiscovery && fault != FaultKind::kLies;
}

void read_faults(const conf::YamlNode& section, Reading& reading) {
  if (!section.is_sequence()) return reading.wrong(section, "faults: expected a list");
  for (const conf::YamlNode& item : section.items) read_fault(item, reading);
}

}  // namespace ulnet::sim

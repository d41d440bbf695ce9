// Reads the workload, the faults and the expectations of a scenario file.
#include <algorithm>
#include <array>

#include "lnet/wire/lnet_header.h"
#include "sim/scenario/reading.h"

namespace ulnet::sim {
namespace {

using What = LoadSpec::What;

constexpr std::uint32_t kMaxBytes = limits::kMtu;
constexpr std::array kEventNames = {"GET", "PUT", "REPLY", "ACK", "SEND", "UNLINK"};
constexpr std::array kCounterNames = {"msgs_alloc",  "msgs_max",     "errors",     "send_count",
                                      "recv_count",  "route_count",  "drop_count", "send_length",
                                      "recv_length", "route_length", "drop_length"};

std::string words(const std::vector<std::string>& all) {
  std::string text;
  for (const std::string& word : all) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::vector<std::string> names_of(Expectation::What what) {
  std::vector<std::string> names;
  switch (what) {
    case Expectation::What::kEvents:
      names.assign(kEventNames.begin(), kEventNames.end());
      break;
    case Expectation::What::kDrops:
      for (std::size_t i = 0; i < core::kDropReasons; ++i)
        names.emplace_back(to_string(static_cast<core::DropReason>(i)));
      break;
    case Expectation::What::kLost:
      for (std::uint8_t i = 0; i < 5; ++i) names.emplace_back(to_string(static_cast<WireLoss>(i)));
      break;
    case Expectation::What::kFaults:
      for (const FaultKind kind : kFaultKinds) names.emplace_back(to_string(kind));
      names.insert(names.end(), kLinkFaults.begin(), kLinkFaults.end());
      names.insert(names.end(), kAdminWords.begin(), kAdminWords.end());
      break;
    case Expectation::What::kCounter:
      names.assign(kCounterNames.begin(), kCounterNames.end());
      break;
    case Expectation::What::kDelivered:
    case Expectation::What::kFailed:
    case Expectation::What::kTrips:
    case Expectation::What::kDiscovery:
    case Expectation::What::kSwitchLink:
      break;
  }
  return names;
}

}  // namespace

bool between_nodes(FaultKind fault) {
  return fault != FaultKind::kInterface && fault != FaultKind::kCrash &&
         fault != FaultKind::kPause && fault != FaultKind::kNonsense &&
         fault != FaultKind::kNiDel && fault != FaultKind::kNiAdd && fault != FaultKind::kNetDel &&
         fault != FaultKind::kDiscovery && fault != FaultKind::kLies;
}

// ---- workload -----------------------------------------------------------------------------------

void Reading::read_workload(const conf::YamlNode& section) {
  if (!section.is_sequence()) return wrong(section, "workload: expected a list");
  for (const conf::YamlNode& item : section.items) read_load(item);
}

void Reading::read_load(const conf::YamlNode& item) {
  text::Fields fields(item, "a load", mistakes);
  LoadSpec load;
  std::string what = "put";
  const conf::YamlNode* said = item.find("what");
  fields.text("what", what);
  constexpr std::array kWords = {"put", "get", "ping", "mix", "random"};
  const auto word = std::find(kWords.begin(), kWords.end(), what);
  if (word == kWords.end())
    wrong(said == nullptr ? item : *said,
          "what: '" + what + "' is not one of put, get, ping, mix, random");
  else
    load.what = static_cast<What>(word - kWords.begin());
  if (load.by_chance()) load.count = 0;
  const bool counted = fields.number("count", load.count, load.by_chance() ? 0 : 1, 1'000'000'000);
  if (!load.by_chance() && fields.duration("lasts", load.lasts)) {
    if (counted) wrong(*item.find("lasts"), "a load has a count, or it lasts a time, not both");
    if (load.lasts == Duration{}) wrong(*item.find("lasts"), "lasts: must be more than 0");
  }
  if (load.what != What::kRandom) fields.number("window", load.window, 1U, 1024U);
  fields.duration("start", load.start);
  if (load.what == What::kPut || load.what == What::kGet)
    fields.duration("patience", load.patience);
  fields.duration("every", load.every);
  if (load.what == What::kPut) fields.truth("ack", load.ack);
  if (bool polls = true; load.what == What::kRandom && fields.truth("polls", polls))
    load.unpolled = !polls;
  if (load.by_chance()) load.min_bytes = 0, load.max_bytes = kMaxBytes;
  if (std::string text; load.what != What::kPing && fields.text("size", text)) {
    const std::size_t dots = text.find("..");
    const auto least = text::parse_bytes(text.substr(0, dots));
    const auto most = dots == std::string::npos ? least : text::parse_bytes(text.substr(dots + 2));
    if (!least || !most || *least > *most || *most > kMaxBytes)
      wrong(*item.find("size"), "size: '" + text + "' is not from 0 to 1MiB (4KiB, 0..64KiB)");
    else
      load.min_bytes = static_cast<std::uint32_t>(*least),
      load.max_bytes = static_cast<std::uint32_t>(*most);
  }
  if (!load.by_chance()) {
    load.from = nodes_named(fields, "from");
    load.to = nodes_named(fields, "to");
    for (const NodeNumber from : load.from) {
      const bool meets = std::any_of(load.to.begin(), load.to.end(), [&](NodeNumber to) {
        return to != from && reaches(from, to);
      });
      if (!meets && !load.to.empty())
        wrong(item, scenario.nodes[from].name +
                        " shares no net with any of 'to', and has no route to one");
    }
  }
  if (scenario.loads.size() == 10) return wrong(item, "more than ten loads");
  scenario.loads.push_back(std::move(load));
}

// ---- faults -------------------------------------------------------------------------------------

void Reading::read_faults(const conf::YamlNode& section) {
  if (!section.is_sequence()) return wrong(section, "faults: expected a list");
  for (const conf::YamlNode& item : section.items) read_fault(item);
}

void Reading::read_fault(const conf::YamlNode& item) {
  if (item.is_map() && item.find("rule") != nullptr) return read_rule(item);
  text::Fields fields(item, "a fault", mistakes);
  std::string word;
  if (fields.need("what") == nullptr || !fields.text("what", word)) return;
  if (word == kLinkFaults[0]) return read_link_act(fields, Act::What::kLinkCut);
  if (word == kLinkFaults[1]) return read_link_act(fields, Act::What::kLinkSlow);
  if (const auto admin = std::ranges::find(kAdminWords, word); admin != kAdminWords.end())
    return read_admin(fields, static_cast<std::size_t>(admin - kAdminWords.begin()));
  const bool timed = item.find("every") == nullptr;
  if (timed) return read_act(fields, word, fields.need("at") != nullptr);
  FaultRate rate;
  const auto kind = fault_kind(word);
  if (!kind) return wrong(*item.find("what"), "unknown fault '" + word + "'");
  rate.kind = *kind;
  fields.duration("every", rate.pace.every);
  if (rate.pace.every <= Duration{}) wrong(*item.find("every"), "every: must be more than 0");
  fields.duration("for", rate.pace.lasts);
  fields.chance("chance", rate.pace.ppm);
  scenario.rates.push_back(rate);
}

void Reading::read_act(text::Fields& fields, const std::string& word, bool timed) {
  Act act;
  const auto kind = fault_kind(word);
  if (word == "shutdown") {
    act.what = Act::What::kShutdown;
  } else if (word == "heal") {
    act.what = Act::What::kHeal;
  } else if (!kind) {
    return wrong(*fields.map().find("what"), "unknown fault '" + word + "'");
  }
  act.fault = kind.value_or(FaultKind::kCrash);
  if (timed) fields.duration("at", act.at);
  if (act.what == Act::What::kHeal) return scenario.acts.push_back(act);
  fields.duration("for", act.lasts);
  fields.chance("chance", act.ppm);
  const bool links = act.what == Act::What::kFault && between_nodes(act.fault);
  bool both = false;
  if (links) fields.truth("both", both);
  if (act.fault == FaultKind::kCrash) fields.truth("silent", act.silent);
  fields.number("ni", act.ni, 0U, 255U);
  const Numbers at = nodes_named(fields, links ? "from" : "node");
  const Numbers others = links ? nodes_named(fields, "to") : Numbers{};
  const bool streams = act.fault == FaultKind::kReset || act.fault == FaultKind::kHalfOpen ||
                       act.fault == FaultKind::kStall || act.fault == FaultKind::kNonsense ||
                       act.fault == FaultKind::kTakeOver || act.fault == FaultKind::kLies;
  for (const NodeNumber node : at) {
    const NodeSetup& setup = scenario.nodes[node];
    if (act.ni >= setup.nis.size())
      wrong(fields.map(), setup.name + " has no NI number " + std::to_string(act.ni));
    if (act.what == Act::What::kFault && streams && setup.driver != DriverKind::kSock)
      wrong(fields.map(), setup.name + " has no streams: its edge is pipe");
  }
  add_acts(act, at, others, both);
}

void Reading::add_acts(Act act, const Numbers& at, const Numbers& others, bool both) {
  for (const NodeNumber node : at) {
    act.node = node;
    if (others.empty()) scenario.acts.push_back(act);
    for (const NodeNumber other : others) {
      if (other == node) continue;
      act.other = other;
      scenario.acts.push_back(act);
      if (!both) continue;
      std::swap(act.node, act.other);
      scenario.acts.push_back(act);
      std::swap(act.node, act.other);
    }
  }
}

// ---- expectations -------------------------------------------------------------------------------

void Reading::read_expectations(const conf::YamlNode& section) {
  text::Fields fields(section, "expect", mistakes);
  using E = Expectation::What;
  if (const auto* value = fields.take("delivered"))
    expect(*value, E::kDelivered, Expectation::kAll, "delivered");
  if (const auto* value = fields.take("failed"))
    expect(*value, E::kFailed, Expectation::kAll, "failed");
  if (const auto* value = fields.take("round trips"))
    expect(*value, E::kTrips, Expectation::kAll, "round trips");
  if (const auto* value = fields.take("discovery of a pair"))
    expect(*value, E::kDiscovery, Expectation::kAll, "discovery of a pair");
  if (const auto* map = fields.take("events")) expect_each(*map, E::kEvents, "events");
  if (const auto* map = fields.take("drops")) expect_each(*map, E::kDrops, "drops");
  if (const auto* map = fields.take("lost")) expect_each(*map, E::kLost, "lost");
  if (const auto* map = fields.take("faults")) expect_each(*map, E::kFaults, "faults");
  if (const auto* map = fields.take("counters")) expect_counters(*map);
  if (const auto* map = fields.take("switch links")) expect_switch_links(*map);
}

void Reading::expect(const conf::YamlNode& value, Expectation::What what, std::uint32_t index,
                     std::string name, NodeNumber node) {
  const auto range = text::parse_range(value.shown());
  if (!range) return wrong(value, name + ": " + range.error().reason);
  scenario.expect.push_back(
      {what, index, node, *range, text::place_of(value).line, std::move(name)});
}

void Reading::expect_each(const conf::YamlNode& map, Expectation::What what,
                          std::string_view section) {
  const std::string where(section);
  if (!map.is_map()) return wrong(map, where + ": expected 'name: number' lines");
  const std::vector<std::string> names = names_of(what);
  for (const auto& [key, value] : map.entries) {
    const auto found = std::find(names.begin(), names.end(), key);
    if (found == names.end() && key != "total") {
      wrong(value, "unknown " + where + " '" + key + "'; there are: total, " + words(names));
      continue;
    }
    // Event types start at 1 (ulnet::EventType).
    const auto position = static_cast<std::uint32_t>(found - names.begin()) +
                          (what == Expectation::What::kEvents ? 1 : 0);
    expect(value, what, key == "total" ? Expectation::kAll : position, where + ": " + key);
  }
}

void Reading::expect_counters(const conf::YamlNode& map) {
  if (!map.is_map()) return wrong(map, "counters: expected 'node: {counter: number}' lines");
  const std::vector<std::string> names = names_of(Expectation::What::kCounter);
  for (const auto& [node, counters] : map.entries) {
    const auto group = groups_.find(node);
    if (group == groups_.end() || group->second.size() != 1) {
      wrong(counters, "unknown node '" + node + "'");
      continue;
    }
    for (const auto& [key, value] : counters.entries) {
      const auto found = std::find(names.begin(), names.end(), key);
      if (found == names.end())
        wrong(value, "unknown counter '" + key + "'; there are: " + words(names));
      else
        expect(value, Expectation::What::kCounter,
               static_cast<std::uint32_t>(found - names.begin()), node + ": " + key,
               group->second.front());
    }
  }
}

}  // namespace ulnet::sim

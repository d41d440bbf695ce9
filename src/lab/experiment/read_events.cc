// Reads the faults of an experiment, and its expectations.
#include <algorithm>
#include <charconv>
#include <tuple>

#include "lab/experiment/reading_experiment.h"
#include "lab/topology/names.h"
#include "lab/topology/rate.h"

namespace ulnet::tools::lab {

using FaultWhat = ExperimentFault::What;

// ---- faults -------------------------------------------------------------------------------------

void ExperimentReading::read_faults(const conf::YamlNode& section) {
  if (!section.is_sequence()) return wrong(section, "faults: expected a list");
  constexpr std::size_t kMaxFaults = 100;
  if (section.items.size() > kMaxFaults) return wrong(section, "faults: more than a hundred");
  for (const conf::YamlNode& item : section.items) read_fault(item);
  std::ranges::sort(experiment.faults, [](const ExperimentFault& a, const ExperimentFault& b) {
    return std::tie(a.at, a.place.line, a.place.column) <
           std::tie(b.at, b.place.line, b.place.column);
  });
}

void ExperimentReading::read_fault(const conf::YamlNode& item) {
  text::Fields fields(item, "a fault", mistakes);
  if (!item.is_map()) return;
  ExperimentFault fault{.place = text::place_of(item)};
  const bool timed = fault_times(fields, fault);
  const auto what =
      fields.need("what") == nullptr ? std::nullopt : word_of(fields, "what", kFaultWords);
  if (!what) {
    for (const char* key : {"node", "link", "rate"}) fields.take(key);
    return;
  }
  fault.what = static_cast<FaultWhat>(*what);
  const std::size_t before = mistakes.size();
  read_fault_target(fields, fault);
  if (timed && mistakes.size() == before) experiment.faults.push_back(std::move(fault));
}

bool ExperimentReading::fault_times(text::Fields& fields, ExperimentFault& fault) {
  const conf::YamlNode* at = fields.need("at");
  if (at == nullptr) {
    fields.take("for");
    return false;
  }
  const std::string end = text::duration_text(experiment.lasts);
  if (!fields.duration("at", fault.at)) return false;
  if (fault.at >= experiment.lasts) wrong(*at, "at: beyond the experiment's end, " + end);
  Duration lasts = experiment.lasts - fault.at;
  fault.mended = fields.duration("for", lasts);
  fault.end = fault.at + lasts;
  if (fault.end > experiment.lasts)
    wrong(*fields.map().find("for"), "for: the fault would end at " +
                                         text::duration_text(fault.end) +
                                         ", beyond the experiment's end, " + end);
  else if (fault.mended && lasts == Duration{})
    wrong(*fields.map().find("for"), "for: must be more than 0");
  return true;
}

void ExperimentReading::read_fault_target(text::Fields& fields, ExperimentFault& fault) {
  const bool link = fault.at_link();
  const conf::YamlNode* target = fields.need(link ? "link" : "node");
  if (target == nullptr) return;
  const std::string word = target->shown();
  if (!link) {
    std::set<NodeNumber> nodes;
    resolve(*target, nodes);
    if (nodes.size() > 1) wrong(*target, "node: '" + word + "' is more than one node");
    if (nodes.size() != 1) return;
    fault.node = *nodes.begin();
    fault.target = experiment.topology.nodes[fault.node].name;
    return;
  }
  const auto wire = find_wire(experiment.topology, word);
  if (!wire) {
    wrong(*target, "link: " + wire.error().reason);
  } else {
    fault.wire = *wire;
    fault.target = wire_name(experiment.topology, *wire);
  }
  if (fault.what != FaultWhat::kLinkRate) return;
  const conf::YamlNode* rate = fields.need("rate");
  if (rate == nullptr) return;
  const auto bits = parse_bit_rate(rate->shown());
  if (!bits) return wrong(*rate, "rate: " + bits.error().reason);
  constexpr std::uint64_t kMin = 8000;  // the simulator has whole bytes a second
  if (*bits < kMin) return wrong(*rate, "rate: at least 8kbit; link-down cuts the link");
  fault.bits_per_second = *bits;
}

/// Whether the fault hits the node itself, or one of its rails.
bool ExperimentReading::hits(const ExperimentFault& fault, NodeNumber node) const {
  return fault.at_link() ? !fault.wire.link && fault.wire.node == node : fault.node == node;
}

void ExperimentReading::check_faults() {
  const auto& faults = experiment.faults;
  for (std::size_t i = 0; i < faults.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j)
      if (faults[j].target == faults[i].target && faults[i].at < faults[j].end)
        mistakes.push_back({faults[i].place, faults[i].target + " is broken already, from " +
                                                 text::duration_text(faults[j].at) + " to " +
                                                 text::duration_text(faults[j].end)});
    if (faults[i].what != FaultWhat::kKill) continue;
    for (const ExperimentLoad& load : experiment.loads)
      for (const auto* nodes : {&load.from, &load.to})
        if (std::ranges::find(*nodes, faults[i].node) != nodes->end())
          mistakes.push_back(
              {faults[i].place,
               "kill: " + faults[i].target + " is a node of load " + load.name +
                   ", and a killed node forgets the load: pause the node, or take its link down"});
  }
}

void ExperimentReading::choose_console(const conf::YamlNode& root) {
  std::vector<NodeNumber> nodes;
  for (const ExperimentLoad& load : experiment.loads)
    nodes.insert(nodes.end(), load.from.begin(), load.from.end());
  for (const ExperimentLoad& load : experiment.loads)
    nodes.insert(nodes.end(), load.to.begin(), load.to.end());
  for (const NodeNumber node : nodes) {
    experiment.console = node;
    if (std::ranges::none_of(experiment.faults,
                             [&](const ExperimentFault& fault) { return hits(fault, node); }))
      return;
  }
  wrong(root,
        "faults hit every node of the loads: the experiment needs one node without a fault as the "
        "console");
}

// ---- expectations -------------------------------------------------------------------------------

template <class Each>
void ExperimentReading::for_loads(const conf::YamlNode& section, std::string_view key,
                                  Each&& each) {
  const std::string name(key);
  if (section.is_scalar()) {
    for (LoadNumber i = 0; i < experiment.loads.size(); ++i)
      each(section, i, name + ": " + experiment.loads[i].name + ": " + section.text);
    return;
  }
  if (!section.is_map()) return wrong(section, name + ": expected a value, or 'load: value' lines");
  std::vector<std::string_view> known;
  for (const ExperimentLoad& load : experiment.loads) known.push_back(load.name);
  for (const auto& [load, value] : section.entries) {
    const auto found = std::ranges::find(known, load);
    if (found == known.end())
      wrong(value, name + ": unknown load '" + load + "'" + nearest_of(load, known));
    else
      each(value, static_cast<LoadNumber>(found - known.begin()),
           name + ": " + load + ": " + value.shown());
  }
}

/// Checks that the load has a rate before the first fault, and a rate while a fault lasts.
bool ExperimentReading::compared(const conf::YamlNode& at, LoadNumber number) {
  const ExperimentLoad& load = experiment.loads[number];
  if (experiment.faults.empty()) {
    wrong(at, "there are no faults, so there is nothing to compare with");
    return false;
  }
  const Duration first = experiment.faults.front().at;
  if (first - load.start < 2 * experiment.sample) {
    wrong(at, "load " + load.name + " does not run for two samples before the first fault, at " +
                  text::duration_text(first) + ": there is nothing to compare with");
    return false;
  }
  if (first < load.end) return true;
  wrong(at, "load " + load.name + " has ended when the first fault comes");
  return false;
}

/// Checks that the load has a rate while each fault lasts, even if the samples begin at another
/// time than the fault.
bool ExperimentReading::measured_in_faults(const conf::YamlNode& at, LoadNumber number) {
  const ExperimentLoad& load = experiment.loads[number];
  for (const ExperimentFault& fault : experiment.faults) {
    const Duration from = std::max(fault.at, load.start), to = std::min(fault.end, load.end);
    if (to <= from || to - from >= 2 * experiment.sample) continue;
    wrong(at, "load " + load.name + " runs for less than two samples while '" + description(fault) +
                  "' is there: nothing would be measured");
    return false;
  }
  return true;
}

void ExperimentReading::expect_lost(const conf::YamlNode& section) {
  const auto add = [&](const conf::YamlNode& value, std::optional<LoadNumber> load,
                       std::string text) {
    const auto range = text::parse_range(value.shown());
    if (!range) return wrong(value, "operations lost: " + range.error().reason);
    experiment.expected.push_back({.what = Expected::What::kLost,
                                   .load = load,
                                   .lost = *range,
                                   .text = std::move(text),
                                   .place = text::place_of(value)});
  };
  if (section.is_scalar()) return add(section, {}, "operations lost: " + section.text);
  for_loads(section, "operations lost", add);
}

namespace {

std::optional<double> share_in(std::string_view text) {
  constexpr double kMaxShare = 1000;
  double value = 0;
  if (text.empty() || text.find_first_not_of("0123456789.") != std::string_view::npos) return {};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value > kMaxShare) return {};
  return value;
}

}  // namespace

Result<ShareRange> parse_share(std::string_view text) {
  const std::size_t dots = text.find("..");
  const std::string_view least = text.substr(0, dots);
  const std::string_view most = dots == std::string_view::npos ? least : text.substr(dots + 2);
  const auto from = share_in(least), to = share_in(most);
  const bool good = (from || least.empty()) && (to || most.empty()) && (from || to);
  ShareRange range;
  range.least = from.value_or(range.least);
  range.most = to.value_or(range.most);
  if (good && range.least <= range.most) return range;
  return fail(-EINVAL, "'" + std::string(text) +
                           "' is no share: 0.7.. (at least), ..0.5 (at most), 0.4..0.6");
}

void ExperimentReading::expect_rate(const conf::YamlNode& section) {
  for_loads(section, "rate", [&](const conf::YamlNode& value, LoadNumber load, std::string text) {
    const auto share = parse_share(value.shown());
    if (!share) return wrong(value, "rate: " + share.error().reason);
    if (!compared(value, load) || !measured_in_faults(value, load)) return;
    experiment.expected.push_back({.what = Expected::What::kRate,
                                   .load = load,
                                   .share = *share,
                                   .text = std::move(text),
                                   .place = text::place_of(value)});
  });
}

void ExperimentReading::expect_recovered(const conf::YamlNode& section) {
  for_loads(section, "recovered within",
            [&](const conf::YamlNode& value, LoadNumber load, std::string text) {
              const auto within = text::parse_duration(value.shown());
              if (!within) return wrong(value, "recovered within: " + within.error().reason);
              if (!compared(value, load)) return;
              experiment.expected.push_back({.what = Expected::What::kRecovered,
                                             .load = load,
                                             .within = *within,
                                             .text = std::move(text),
                                             .place = text::place_of(value)});
            });
}

void ExperimentReading::read_expected(const conf::YamlNode& section) {
  text::Fields fields(section, "expect", mistakes);
  if (const auto* value = fields.take("operations lost")) expect_lost(*value);
  if (const auto* value = fields.take("rate")) expect_rate(*value);
  if (const auto* value = fields.take("recovered within")) expect_recovered(*value);
  fields.truth("rates on loopback", experiment.rates_on_loopback);
}

}  // namespace ulnet::tools::lab

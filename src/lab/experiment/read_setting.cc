// Reads the setting of an experiment: its topology and its loads.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lab/experiment/reading_experiment.h"
#include "lab/topology/examples.h"
#include "lab/topology/names.h"
#include "lab/topology/rate.h"
#include "lnet/base/limits.h"
#include "text/quantity.h"

namespace ulnet::tools::lab {
namespace {

constexpr std::size_t kMaxLoads = 10;  // the most loads of a scenario in the simulator

void cap(Wire& wire, std::uint64_t most) {
  if (wire.bits_per_second == 0 || wire.bits_per_second > most) wire.bits_per_second = most;
}

bool reaches(const Node& from, const Node& to) {
  for (const Rail& rail : to.rails) {
    for (const Rail& own : from.rails)
      if (own.net == rail.net) return true;
    for (const Route& route : from.routes)
      if (route.net == rail.net) return true;
  }
  return false;
}

}  // namespace

// ---- the topology -------------------------------------------------------------------------------

void ExperimentReading::settle_topology(tl::expected<Topology, conf::Problems> read,
                                        const std::string& file) {
  if (read) {
    experiment.topology = std::move(*read);
  } else if (file == file_.string()) {
    mistakes.insert(mistakes.end(), read.error().begin(), read.error().end());
  } else {
    others = std::move(read.error());
  }
}

void ExperimentReading::read_topology_of(const conf::YamlNode& value, const conf::YamlNode& root) {
  if (value.is_scalar()) {
    std::filesystem::path file = value.text;
    const bool path = value.text.find('/') != std::string::npos || value.text.ends_with(".yaml");
    file = path ? file_.parent_path() / file : example_topology(value.text);
    if (std::error_code none; !std::filesystem::is_regular_file(file, none)) {
      std::vector<std::string> names;
      for (const auto& each : example_topologies()) names.push_back(each.stem().string());
      const std::vector<std::string_view> known(names.begin(), names.end());
      return wrong(value, "topology: there is no " + (path ? "file " + file.string()
                                                           : "topology '" + value.text + "'" +
                                                                 nearest_of(value.text, known)));
    }
    experiment.topology_file = file.string();
    return settle_topology(read_topology_file(file), file.string());
  }
  if (!value.is_map()) return wrong(value, "topology: expected a name, a file, or a topology");
  conf::Place end;
  for (std::size_t i = 0; i + 1 < root.entries.size(); ++i)
    if (&root.entries[i].value == &value) end = root.entries[i + 1].value.key_place;
  if (root.entries.size() > 1 &&
      root.entries.front().value.key_place.line == root.entries.back().value.key_place.line)
    return wrong(
        value,
        "topology: a topology in this file needs the experiment's keys on lines of their own");
  experiment.topology_text = blanked(text_, value.place, end);
  settle_topology(read_topology(experiment.topology_text, file_.stem().string()), file_.string());
}

void ExperimentReading::cap_wires(const conf::YamlNode& value) {
  const auto most = parse_bit_rate(value.shown());
  if (!most || *most == 0)
    return wrong(value, "wires at most: " + (most ? "a rate, as 100mbit" : most.error().reason));
  experiment.wires_at_most = *most;
  for (SwitchLink& link : experiment.topology.switch_links) cap(link.wire, *most);
  for (Node& node : experiment.topology.nodes)
    for (Rail& rail : node.rails) cap(rail.wire, *most);
}

// ---- loads --------------------------------------------------------------------------------------

std::optional<std::size_t> ExperimentReading::word_of(text::Fields& fields, std::string_view key,
                                                      std::span<const std::string_view> words) {
  std::string word;
  if (!fields.text(key, word)) return {};
  const auto found = std::ranges::find(words, word);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  wrong(*fields.map().find(key), fmt::format("{}: '{}' is not one of {}{}", key, word,
                                             fmt::join(words, ", "), nearest_of(word, words)));
  return {};
}

void ExperimentReading::resolve(const conf::YamlNode& word, std::set<NodeNumber>& out) {
  const Topology& topology = experiment.topology;
  const auto found = topology.nodes_named(word.shown());
  out.insert(found.begin(), found.end());
  if (!found.empty()) return;
  std::vector<std::string_view> known;
  for (const Node& node : topology.nodes) known.insert(known.end(), {node.name, node.group});
  wrong(word, "unknown node '" + word.shown() + "'" + nearest_of(word.shown(), known));
}

std::vector<NodeNumber> ExperimentReading::nodes_in(text::Fields& fields, std::string_view key) {
  const conf::YamlNode* value = fields.need(key);
  if (value == nullptr) return {};
  std::set<NodeNumber> nodes;
  for (const conf::YamlNode& item : value->as_list()) resolve(item, nodes);
  return {nodes.begin(), nodes.end()};
}

void ExperimentReading::read_loads(const conf::YamlNode& section) {
  if (!section.is_sequence() || section.items.empty())
    return wrong(section, "loads: expected a list with at least one load");
  if (section.items.size() > kMaxLoads) return wrong(section, "loads: more than ten");
  for (const conf::YamlNode& item : section.items) read_load(item);
}

void ExperimentReading::read_load(const conf::YamlNode& item) {
  text::Fields fields(item, "a load", mistakes);
  if (!item.is_map()) return;
  ExperimentLoad load{.place = text::place_of(item)};
  if (fields.need("name") != nullptr) fields.text("name", load.name);
  if (!load.name.empty() && !is_name(load.name))
    wrong(*item.find("name"), "'" + load.name + "': " + std::string(kNameRule));
  for (const ExperimentLoad& other : experiment.loads)
    if (other.name == load.name && !load.name.empty())
      wrong(*item.find("name"), "two loads with the name " + load.name);
  if (const auto what = word_of(fields, "what", kLoadWords))
    load.what = static_cast<ExperimentLoad::What>(*what);
  load.from = nodes_in(fields, "from");
  load.to = nodes_in(fields, "to");
  fields.number("concurrency", load.concurrency, 1U, 64U);
  if (load.what == ExperimentLoad::What::kPing) load.size = 0;
  if (std::string text; load.what != ExperimentLoad::What::kPing && fields.text("size", text)) {
    const auto size = text::parse_bytes(text);
    if (!size || *size < 8 || *size > limits::kMtu)
      wrong(*item.find("size"), "size: '" + text + "' is not from 8 to 1MiB");
    else
      load.size = static_cast<std::uint32_t>(*size);
  }
  fields.duration("start", load.start);
  Duration lasts = std::max(experiment.lasts - load.start, Duration{});
  const bool said = fields.duration("lasts", lasts);
  load.end = load.start + lasts;
  if (load.start >= experiment.lasts || load.end > experiment.lasts)
    wrong(said ? *item.find("lasts") : item,
          "the load goes on beyond the experiment's end, " + text::duration_text(experiment.lasts));
  else if (lasts < 2 * experiment.sample)
    wrong(said ? *item.find("lasts") : item, "lasts: at least twice 'sample'");
  experiment.loads.push_back(std::move(load));
}

// ---- checks that need all loads -----------------------------------------------------------------

/// Reports a load whose path has no wire with a rate: nothing limits such a load, and shares of its
/// rate would mean nothing.
void ExperimentReading::check_limits(const ExperimentLoad& load) {
  const auto limited = [&](const std::vector<NodeNumber>& nodes) {
    return std::ranges::all_of(nodes, [&](NodeNumber number) {
      return std::ranges::all_of(experiment.topology.nodes[number].rails,
                                 [](const Rail& rail) { return rail.wire.bits_per_second != 0; });
    });
  };
  if (!limited(load.from) && !limited(load.to))
    mistakes.push_back({load.place,
                        "neither the wires of 'from' nor those of 'to' have rates, so "
                        "nothing limits the load: add 'wires at most: 100mbit' to the "
                        "experiment"});
}

void ExperimentReading::check_reach(const ExperimentLoad& load) {
  const Topology& topology = experiment.topology;
  for (const NodeNumber from : load.from) {
    for (const NodeNumber to : load.to) {
      const Node &a = topology.nodes[from], &b = topology.nodes[to];
      std::string why;
      if (from == to)
        why = a.name + " is in 'from' and in 'to'";
      else if (!reaches(a, b))
        why = a.name + " shares no net with " + b.name + ", and has no route to one of its nets";
      else if (!reaches(b, a))
        why = b.name + " has no route back to " + a.name;
      if (!why.empty()) return mistakes.push_back({load.place, why});
    }
  }
}

void ExperimentReading::check_loads() {
  for (std::size_t i = 0; i < experiment.loads.size(); ++i) {
    const ExperimentLoad& load = experiment.loads[i];
    check_limits(load);
    check_reach(load);
    for (std::size_t j = 0; j < i; ++j) {
      const ExperimentLoad& other = experiment.loads[j];
      if (!load.meets(other)) continue;
      const auto is_in = [](const std::vector<NodeNumber>& nodes, NodeNumber node) {
        return std::ranges::find(nodes, node) != nodes.end();
      };
      std::optional<NodeNumber> shared;
      for (const NodeNumber node : load.to)
        if (is_in(other.to, node) || is_in(other.from, node)) shared = node;
      for (const NodeNumber node : other.to)
        if (is_in(load.from, node)) shared = node;
      if (shared)
        mistakes.push_back({load.place, "loads " + other.name + " and " + load.name +
                                            " run at the same time, "
                                            "and both use " +
                                            experiment.topology.nodes[*shared].name +
                                            " as a server or as a server and a client: the traffic "
                                            "of the two could not be separated"});
    }
  }
}

}  // namespace ulnet::tools::lab

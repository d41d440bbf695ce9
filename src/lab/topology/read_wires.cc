// Reads a topology file's description of itself, its parameters, and its switches, links between
// them, and nets.
#include <algorithm>
#include <array>
#include <chrono>

#include "lab/topology/names.h"
#include "lab/topology/rate.h"
#include "lab/topology/reading.h"
#include "lnet/base/printable.h"
#include "lnet/base/text.h"
#include "lnet/config/params.h"

namespace ulnet::tools::lab {
namespace {

constexpr std::size_t kLongestLabel = 64;
constexpr std::size_t kLongestAbout = 400;
constexpr std::size_t kMaxNets = 1024;
constexpr std::size_t kMaxSwitches = 1024;
constexpr Duration kLongestDelay = std::chrono::seconds(10);

/// Parameters that another key of the file sets, or that the laboratory chooses.
struct Reserved {
  std::string_view name, instead;
};
constexpr std::array kReserved = {
    Reserved{"networks", "set by 'nets' of the nodes"},
    Reserved{"ip2nets", "set by 'nets' of the nodes"},
    Reserved{"routes", "set by the key 'routes'"},
    Reserved{"forwarding", "set by 'routing' of a node"},
    Reserved{"cpu_npartitions", "set by 'partitions' of a node"},
    Reserved{"accept_port", "chosen by the laboratory"},
    Reserved{"accept_port_bulk", "chosen by the laboratory"},
};

std::vector<std::string_view> param_names() {
  std::vector<std::string_view> names;
  for (const conf::Param& param : conf::all_params()) names.push_back(param.name);
  return names;
}

/// Whether it is text for people: at most `longest` characters, without control characters.
bool is_plain(std::string_view words, std::size_t longest) {
  return words.size() <= longest && !text::has_control_characters(words);
}

void read_words(text::Fields& fields, std::string_view key, std::string& out, std::size_t longest) {
  const conf::YamlNode* value = fields.map().find(key);
  if (fields.text(key, out) && !is_plain(out, longest))
    fields.wrong(*value, std::string(key) + ": one line of at most " + std::to_string(longest) +
                             " bytes is expected");
}

}  // namespace

// ---- the file, its parameters -------------------------------------------------------------------

void Reading::read_names(text::Fields& fields, std::string_view name) {
  topology.name = name;
  const conf::YamlNode* value = fields.map().find("name");
  fields.text("name", topology.name);
  if (!is_name(topology.name)) {
    const std::string what = "name " + text::quoted(topology.name) + ": " + std::string(kNameRule);
    if (value != nullptr)
      wrong(*value, what);
    else
      wrong(fields.map(), what + "; give it one with 'name:'");
  }
  read_words(fields, "about", topology.about, kLongestAbout);
}

void Reading::read_settings(const conf::YamlNode& section) { read_params(section, params_); }

void Reading::read_params(const conf::YamlNode& map, Params& params) {
  if (!map.is_map()) return wrong(map, "settings: expected 'parameter: value' lines");
  std::set<std::string_view> seen;
  for (const auto& [name, value] : map.entries) {
    const conf::Param* param = conf::find_param(name);
    if (param == nullptr) {
      wrong(value, "unknown parameter " + text::quoted(name) +
                       (mistakes.size() < 20 ? nearest_of(name, param_names()) : ""));
      continue;
    }
    if (!seen.insert(param->name).second)
      wrong(value, "parameter " + text::quoted(name) + " twice");
    const auto reserved = std::ranges::find(kReserved, param->name, &Reserved::name);
    if (reserved != kReserved.end()) {
      wrong(value, text::quoted(name) + " is " + std::string(reserved->instead));
    } else if (!value.is_scalar() && !value.is_null()) {
      wrong(value, "no value for " + text::quoted(name));
    } else if (const auto checked = conf::check_param(*param, value.text); !checked) {
      wrong(value, checked.error().reason);
    } else {
      params[std::string(param->name)] = *checked;
    }
  }
}

// ---- wires --------------------------------------------------------------------------------------

void Reading::read_wire(text::Fields& fields, Wire& wire) const {
  std::string rate;
  const conf::YamlNode* value = fields.map().find("rate");
  if (fields.text("rate", rate)) {
    if (const auto bits = parse_bit_rate(rate))
      wire.bits_per_second = *bits;
    else
      fields.wrong(*value, "rate: " + bits.error().reason);
  }
  value = fields.map().find("delay");
  if (fields.duration("delay", wire.delay) && wire.delay > kLongestDelay)
    fields.wrong(*value, "delay: more than 10s");
  fields.chance("loss", wire.loss_ppm);
}

void Reading::read_switches(const conf::YamlNode& section) {
  topology.switches_named = true;
  if (!section.is_sequence() || section.items.empty())
    return wrong(section, "switches: expected a list of names");
  for (const conf::YamlNode& item : section.items) {
    const auto number = static_cast<SwitchNumber>(topology.switches.size());
    if (!item.is_scalar() || !is_name(item.text)) {
      wrong(item, "switch " + text::quoted(item.shown()) + ": " + std::string(kNameRule));
    } else if (number == kMaxSwitches) {
      return wrong(item, "more than " + std::to_string(kMaxSwitches) + " switches");
    } else if (!switch_numbers_.emplace(item.text, number).second) {
      wrong(item, "switch '" + item.text + "' twice");
    } else {
      topology.switches.push_back({item.text, item.place});
      joined_.push_back(number);
    }
  }
}

std::optional<SwitchNumber> Reading::switch_in(const conf::YamlNode& name) {
  const auto found = switch_numbers_.find(name.shown());
  if (name.is_scalar() && found != switch_numbers_.end()) return found->second;
  std::vector<std::string_view> known;
  for (const auto& [word, number] : switch_numbers_) known.push_back(word);
  wrong(name, "unknown switch " + text::quoted(name.shown()) +
                  (!topology.switches_named ? ": there is no list 'switches'"
                   : mistakes.size() < 20   ? nearest_of(name.shown(), known)
                                            : ""));
  return {};
}

void Reading::read_switch_links(const conf::YamlNode& section) {
  if (!section.is_sequence())
    return wrong(section, "switch links: expected a list, each item {between: [A, B], ...}");
  for (const conf::YamlNode& item : section.items) {
    text::Fields fields(item, "a link between switches", mistakes);
    SwitchLink link;
    link.place = item.place;
    read_wire(fields, link.wire);
    const conf::YamlNode* ends = fields.need("between");
    if (ends == nullptr) continue;
    if (!ends->is_sequence() || ends->items.size() != 2) {
      wrong(*ends, "between: expected two switches, as in [A, B]");
      continue;
    }
    const auto a = switch_in(ends->items[0]), b = switch_in(ends->items[1]);
    if (!a || !b) continue;
    link.a = *a;
    link.b = *b;
    add_switch_link(item, link);
  }
}

void Reading::add_switch_link(const conf::YamlNode& item, SwitchLink link) {
  const std::string& a = topology.switches[link.a].name;
  const std::string& b = topology.switches[link.b].name;
  if (link.a == link.b) return wrong(item, "a link from switch " + a + " to itself");
  const SwitchNumber from = joined_[link.a], to = joined_[link.b];
  if (from == to)
    return wrong(item, "a ring: " + a + " and " + b + " are joined already, by other links");
  std::ranges::replace(joined_, from, to);
  topology.switch_links.push_back(link);
}

// ---- nets ---------------------------------------------------------------------------------------

void Reading::read_nets(const conf::YamlNode& section) {
  if (!section.is_map()) return wrong(section, "nets: expected 'tcp1: {label: ...}' lines");
  for (const conf::YamlEntry& entry : section.entries) read_net(entry);
}

void Reading::read_net(const conf::YamlEntry& entry) {
  const std::size_t before = topology.nets.size();
  const auto number = net_in(entry.value, entry.key, true);
  if (number && before == topology.nets.size())
    wrong(entry.value, "net " + text::quoted(entry.key) + " twice");
  Net scratch;
  Net& net = number ? topology.nets[*number] : scratch;
  net.place = text::place_of(entry.value);
  if (entry.value.is_null()) return;
  text::Fields fields(entry.value, "a net", mistakes);
  read_words(fields, "label", net.label, kLongestLabel);
  read_wire(fields, net.wire);
  if (const conf::YamlNode* name = fields.take("switch")) {
    const auto at = switch_in(*name);
    if (number) net_switches_[*number] = at;
  }
}

// ---- module parameters --------------------------------------------------------------------------

void Reading::read_module_parameters(const conf::YamlNode& section) {
  if (!section.is_map())
    return wrong(section,
                 "module parameters: expected 'NAME: |' lines, each with the text of a "
                 "file of modprobe's");
  for (const auto& [name, text] : section.entries) {
    if (!is_name(name))
      wrong(text, "module parameters " + text::quoted(name) + ": " + std::string(kNameRule));
    else if (!text.is_scalar())
      wrong(text, "module parameters " + text::quoted(name) + ": expected a text");
    else if (!topology.module_parameters.emplace(name, text.text).second)
      wrong(text, "module parameters " + text::quoted(name) + " twice");
  }
}

/// Returns the net of a text that stands at `at`. `may_add`: makes the net if it does not exist.
std::optional<NetNumber> Reading::net_in(const conf::YamlNode& at, std::string_view text,
                                         bool may_add) {
  const auto id = NetId::parse(text);
  if (!id || id->type != NetType::kTcp) {
    wrong(at,
          text::quoted(text) + " is no net of a laboratory: expected tcp, or tcp with a number");
    return {};
  }
  const auto known = net_numbers_.find(*id);
  if (known != net_numbers_.end()) return known->second;
  if (!may_add || topology.nets.size() == kMaxNets) {
    std::vector<std::string> names;
    for (const Net& net : topology.nets) names.push_back(net.id.to_string());
    const std::vector<std::string_view> words(names.begin(), names.end());
    if (may_add)
      wrong(at, "more than " + std::to_string(kMaxNets) + " nets");
    else
      wrong(at, "unknown net " + text::quoted(text) + ": no node is on it" +
                    (mistakes.size() < 20 ? nearest_of(text, words) : ""));
    return {};
  }
  const auto number = static_cast<NetNumber>(topology.nets.size());
  net_numbers_.emplace(*id, number);
  topology.nets.push_back({.id = *id, .label = {}, .wire = {}, .place = text::place_of(at)});
  net_switches_.emplace_back();
  return number;
}

}  // namespace ulnet::tools::lab

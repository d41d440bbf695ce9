#include "admin/conf/legacy.h"

#include <utility>

#include "admin/conf/modprobe.h"
#include "admin/conf/yaml_in.h"
#include "admin/conf/yaml_out.h"
#include "lnet/base/text.h"
#include "lnet/config/param_words.h"
#include "lnet/wire/nid_range.h"

namespace ulnet::conf {

namespace {

using Tree = nlohmann::ordered_json;
using Words = std::vector<std::string_view>;

/// Returns {"0": "eth0", "1": "eth1"}.
Tree numbered(const Words& words) {
  Tree tree = Tree::object();
  for (const std::string_view word : words) tree[std::to_string(tree.size())] = std::string(word);
  return tree;
}

/// Puts the interfaces and CPTs of a net into the mapping of its NIs.
void put_interfaces(Tree& to, const NetText& net) {
  if (!net.interfaces.empty()) to["interfaces"] = numbered(net.interfaces);
}
void put_cpts(Tree& to, const NetText& net) {
  if (net.cpts.empty()) return;
  const std::string cpts(net.cpts);
  to["CPT"] = cpts.starts_with('[') ? cpts : "[" + cpts + "]";
}

/// Returns the names of the nets that a word of a route means: the word itself, unless it is a
/// pattern.
std::vector<std::string> names_of(std::string_view word) {
  const auto nets = wire::NetPattern::parse(word).value().expand(kRoutesMax).value();
  if (nets.size() == 1) return {std::string(word)};
  std::vector<std::string> names;
  for (const NetId& net : nets) names.push_back(net.to_string());
  return names;
}

/// Returns the parts of a text that a comma or a line end separates. A line continues if it ends
/// with a comma, or if the next line begins with one.
Words lines_of_networks(std::string_view text) {
  Words lines;
  bool goes_on = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text::trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    if (!lines.empty() && (goes_on || line.front() == ','))
      lines.back() = from_to(lines.back(), line);
    else
      lines.push_back(line);
    goes_on = line.back() == ',';
  }
  return lines;
}

}  // namespace

Parsed<void> Legacy::push(const PlainText& in, std::string_view part, Tree& list, Tree item) {
  if (nets_.size() + rules_.size() + routes_.size() >= kItemsMax)
    return in.wrong(part, "more than " + std::to_string(kItemsMax) + " items", -E2BIG);
  list.push_back(std::move(item));
  return {};
}

Parsed<void> Legacy::add_networks(const PlainText& in, std::string_view part) {
  for (const std::string_view line : lines_of_networks(part)) {
    const auto nets = read_networks(in, line);
    if (!nets) return tl::unexpected(nets.error());
    for (const NetText& net : *nets) {
      Tree item = {{"net type", std::string(net.name)}};
      Tree ni = Tree::object();
      put_interfaces(ni, net);
      put_cpts(net.interfaces.empty() ? item : ni, net);
      if (!ni.empty()) item["local NI(s)"] = Tree::array({std::move(ni)});
      if (auto added = push(in, net.name, nets_, std::move(item)); !added) return added;
    }
  }
  return {};
}

Parsed<void> Legacy::add_ip2nets(const PlainText& in, std::string_view part) {
  const auto rules = read_ip2nets(in, part);
  if (!rules) return tl::unexpected(rules.error());
  for (const RuleText& rule : *rules) {
    for (const NetText& net : rule.nets) {
      Tree item = {{"net-spec", std::string(net.name)}};
      put_interfaces(item, net);
      item["ip-range"] = numbered(rule.patterns);
      put_cpts(item, net);
      if (auto added = push(in, net.name, rules_, std::move(item)); !added) return added;
    }
  }
  return {};
}

Parsed<void> Legacy::add_routes(const PlainText& in, std::string_view part) {
  const auto rules = read_routes(in, part);
  if (!rules) return tl::unexpected(rules.error());
  for (const RouteRule& rule : *rules) {
    if (rule.gateways.size() > 1) return in.wrong(rule.gateways[1], kSeveralGateways);
    const auto hop = rule.hop ? rule.hop : default_hop_;
    for (const std::string_view word : rule.nets) {
      for (std::string& net : names_of(word)) {
        Tree item = {{"net", std::move(net)}, {"gateway", std::string(rule.gateways.front())}};
        if (hop) item["hop"] = *hop;
        if (rule.priority) item["priority"] = *rule.priority;
        if (auto added = push(in, word, routes_, std::move(item)); !added) return added;
      }
    }
  }
  return {};
}

Parsed<void> Legacy::add_params(const PlainText& in, bool with_modules) {
  const auto params = with_modules ? read_modprobe(in, notes_) : read_assignments(in, in.text());
  if (!params) return tl::unexpected(params.error());
  for (const ModuleParam& param : *params) {
    const auto& [module, name, value, flag] = param;
    if (with_modules && !is_module(module, "lnet")) continue;
    Parsed<void> added;
    if (name == "networks")
      added = add_networks(in, value);
    else if (name == "ip2nets")
      added = add_ip2nets(in, value);
    else if (name == "routes")
      added = add_routes(in, value);
    else
      notes_.push_back(note(in.place_of(name), "parameter " + quoted_word(name) + " is left out"));
    if (!added) return added;
  }
  return {};
}

Parsed<void> Legacy::add(LegacyKind kind, std::string_view text) {
  if (!text::is_utf8(text)) return tl::unexpected(Problem{{1, 1}, "the text is not UTF-8"});
  const PlainText in(text);
  switch (kind) {
    case LegacyKind::kIp2Nets:
      return add_ip2nets(in, in.text());
    case LegacyKind::kRoutes:
      return add_routes(in, in.text());
    case LegacyKind::kNetworks:
      return add_networks(in, in.text());
    case LegacyKind::kModprobe:
      return add_params(in, true);
    case LegacyKind::kAny:
      break;
  }
  if (has_options(in)) return add_params(in, true);
  if (begins_with_assignment(text::trim(in.text()))) return add_params(in, false);
  if (in.text().find('{') != std::string_view::npos) return add_routes(in, in.text());
  return add_ip2nets(in, in.text());
}

std::string Legacy::yaml() const {
  Tree tree = Tree::object();
  if (!nets_.empty()) tree["net"] = nets_;
  if (!rules_.empty()) tree["ip2nets"] = rules_;
  if (!routes_.empty()) tree["route"] = routes_;
  return to_yaml(tree, YamlStyle::kDocument);
}

}  // namespace ulnet::conf

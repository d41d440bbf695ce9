// Reads the routes of a topology file.
#include <algorithm>

#include "lab/topology/automatic_routes.h"
#include "lab/topology/names.h"
#include "lab/topology/reading.h"
#include "lnet/base/text.h"
#include "lnet/config/routes_text.h"
#include "lnet/core/contract/route_list.h"

namespace ulnet::tools::lab {

void Reading::read_routes(const conf::YamlNode* section) {
  if (section == nullptr || (section->is_scalar() && section->text == "automatic")) {
    const auto given = give_automatic_routes(topology);
    const conf::Place place = section != nullptr ? text::place_of(*section) : conf::Place{};
    if (!given) mistakes.push_back({place, given.error().reason});
    return;
  }
  if (section->is_scalar() && section->text == "none") return;
  if (!section->is_sequence())
    return wrong(*section,
                 "routes: expected automatic, none, or a list of {on: NODES, net: NET, "
                 "via: ROUTERS}");
  for (const conf::YamlNode& item : section->items) {
    read_route(item);
    if (routes_.size() == kMaxRoutes)
      return wrong(item, std::to_string(kMaxRoutes) + " routes or more");
    if (too_many_mistakes()) return;
  }
}

void Reading::read_route(const conf::YamlNode& item) {
  text::Fields fields(item, "a route", mistakes);
  const std::vector<NodeNumber> on = nodes_in(fields, "on");
  const std::vector<Gateway> gateways = gateways_in(fields);
  std::set<NetNumber> nets;
  if (const conf::YamlNode* words = fields.need("net")) {
    for (const conf::YamlNode& word : words->as_list())
      if (const auto net = net_in(word, word.shown(), false)) nets.insert(*net);
  }
  Route route;
  const bool hops_given = fields.number("hops", route.hops, 1, core::kHopsMax);
  fields.number("priority", route.priority, 0U, ~0U >> 1);
  if (on.empty()) return;  // nodes_in() has reported that
  for (const NetNumber net : nets)
    if (const auto good = gateways_to(item, net, gateways); !good.empty())
      add_routes(item, on, net, good, route, hops_given);
}

const Hops& Reading::hops_to(NetNumber net) {
  return hops_.try_emplace(net, topology, net).first->second;
}

/// Returns the members of `named` that can be gateways to the net; each other member is a mistake.
std::vector<Reading::Gateway> Reading::gateways_to(const conf::YamlNode& item, NetNumber net,
                                                   const std::vector<Gateway>& named) {
  std::vector<Gateway> good;
  for (const Gateway& one : named) {
    const Node& gateway = topology.nodes[one.first];
    if (!gateway.routing)
      wrong(item, gateway.name + " is no router: give it 'routing: yes'");
    else if (hops_to(net).by_gateway(gateway) == Hops::kNoWay)
      wrong(item, "no routers lead from " + gateway.name + " to net " +
                      topology.nets[net].id.to_string());
    else
      good.push_back(one);
  }
  return good;
}

/// Adds the routes of `on`. Skips nodes that are on the net itself, and nodes that are the gateway,
/// because the file may say "all".
void Reading::add_routes(const conf::YamlNode& item, const std::vector<NodeNumber>& on,
                         NetNumber net, const std::vector<Gateway>& gateways, Route route,
                         bool hops_given) {
  const std::string to = topology.nets[net].id.to_string();
  bool any = false;
  for (const NodeNumber number : on) {
    Node& node = topology.nodes[number];
    if (hops_to(net).from_node(node) == 0) continue;
    for (const auto& [by, named] : gateways) {
      if (by == number) continue;
      any = true;
      const Node& gateway = topology.nodes[by];
      auto rail = named ? named : gateway_rail(node, gateway);
      if (rail && !node.is_on(gateway.rails[*rail].net)) rail.reset();
      if (routes_.size() == kMaxRoutes || too_many_mistakes()) return;
      if (!rail) {
        wrong(item, gateway.name + (named ? ":" + std::to_string(*named) : "") +
                        " is on no net of " + node.name);
      } else if (node.routes.size() == conf::kRoutesMax) {
        wrong(item, node.name + " has more routes than a node can have");
      } else if (!routes_.emplace(number, net, by, *rail).second) {
        wrong(item, node.name + " has a route to " + to + " by " + gateway.name + " already");
      } else {
        const std::uint32_t most = core::kHopsMax;
        if (!hops_given)
          route.hops = static_cast<std::int32_t>(std::min(hops_to(net).by_gateway(gateway), most));
        route.net = net;
        route.gateway = by;
        route.gateway_rail = *rail;
        node.routes.push_back(route);
      }
    }
  }
  if (!any)
    wrong(item, "a route that no node needs: the nodes of 'on' are on net " + to + " themselves");
}

/// Returns the nodes of the key: a word or a list of words.
std::vector<NodeNumber> Reading::nodes_in(text::Fields& fields, std::string_view key) {
  const conf::YamlNode* words = fields.need(key);
  std::set<NodeNumber> numbers;
  if (words == nullptr) return {};
  for (const conf::YamlNode& word : words->as_list()) resolve(word, numbers);
  if (words->as_list().empty()) wrong(*words, std::string(key) + ": expected nodes");
  return {numbers.begin(), numbers.end()};
}

/// Returns the routers of `via`: nodes, or rails of them.
std::vector<Reading::Gateway> Reading::gateways_in(text::Fields& fields) {
  const conf::YamlNode* words = fields.need("via");
  if (words == nullptr) return {};
  std::set<NodeNumber> numbers;
  std::set<Gateway> gateways;
  for (const conf::YamlNode& word : words->as_list()) {
    const auto rail = topology.find_rail(word.shown());
    if (rail && word.shown().find(':') != std::string::npos)
      gateways.insert(*rail);
    else
      resolve(word, numbers);
  }
  if (words->as_list().empty()) wrong(*words, "via: expected nodes");
  for (const NodeNumber number : numbers) gateways.emplace(number, std::nullopt);
  return {gateways.begin(), gateways.end()};
}

void Reading::resolve(const conf::YamlNode& word, std::set<NodeNumber>& out) {
  const std::string text = word.shown();
  const auto unknown = [&](const std::string& name) {
    std::vector<std::string_view> known = {"all"};
    for (const auto& [group, numbered] : groups_) known.push_back(group);
    for (const auto& [node, number] : node_numbers_) known.push_back(node);
    wrong(word, "unknown node " + text::quoted(name) +
                    (mistakes.size() < 20 ? nearest_of(name, known) : ""));
  };
  if (!word.is_scalar()) return unknown(text);
  if (!NamePattern::is_one(text)) {
    const auto numbers = topology.nodes_named(text);
    if (numbers.empty()) return unknown(text);
    out.insert(numbers.begin(), numbers.end());
    return;
  }
  const auto pattern = NamePattern::parse(text);
  if (!pattern) return wrong(word, pattern.error().reason);
  if (pattern->numbers.is_all()) {
    const auto numbers = topology.nodes_named(text);
    if (numbers.empty()) return unknown(text);
    out.insert(numbers.begin(), numbers.end());
    return;
  }
  const auto names = pattern->expand(kMaxNodes);
  if (!names) return wrong(word, text::quoted(text) + ": " + names.error().reason);
  for (const std::string& name : *names) {
    const auto number = node_numbers_.find(name);
    if (number == node_numbers_.end()) return unknown(name);
    out.insert(number->second);
  }
}

}  // namespace ulnet::tools::lab

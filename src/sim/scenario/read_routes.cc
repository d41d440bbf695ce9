// Reads the routes of a node of a scenario file, and whether it forwards messages of other nodes.
#include <algorithm>
#include <array>

#include "sim/scenario/reading.h"

namespace ulnet::sim {

void Reading::read_routing(text::Fields& fields, NodeSetup& setup) {
  core::Routing& routing = setup.routing;
  if (fields.truth("routing", routing.on)) routing.at_once = routing.on;
  if (const auto* map = fields.take("buffers")) {
    text::Fields buffers(*map, "buffers", mistakes);
    constexpr std::array kPools = {"tiny", "small", "large"};
    for (std::size_t i = 0; i < kPools.size(); ++i)
      buffers.number(kPools[i], routing.buffers[i], 1, 1'000'000);
  }
  const conf::YamlNode* section = fields.take("routes");
  if (section == nullptr) return;
  auto routes = std::make_shared<core::RouteList>();
  each(*section, "{net: NET, gateway: NID}", [&](const conf::YamlNode& item) {
    text::Fields said(item, "a route", mistakes);
    if (const auto route = route_in(said))
      if (const auto added = routes->add(*route, routes->size()); !added)
        wrong(item, added.error().reason);
  });
  setup.routes = std::move(routes);
}

std::optional<core::Route> Reading::route_in(text::Fields& fields) {
  auto route = bare_route_in(fields);
  core::Route ignored;
  core::Route& read = route ? *route : ignored;
  fields.number("hops", read.hops, 1, core::kHopsMax);
  fields.number("priority", read.priority, 0U, ~0U >> 1);
  return route;
}

std::optional<core::Route> Reading::bare_route_in(text::Fields& fields) {
  core::Route route;
  const conf::YamlNode* net = fields.need("net");
  const conf::YamlNode* gateway = fields.need("gateway");
  if (net == nullptr || gateway == nullptr) return {};
  const auto id = NetId::parse(net->shown());
  if (!id) wrong(*net, id.error().reason);
  const auto nid = Nid::parse(gateway->shown());
  if (!nid) wrong(*gateway, nid.error().reason);
  if (!id || !nid) return {};
  route.net = *id;
  route.gateway = *nid;
  return route;
}

/// Checks the routes of this node, which `item` contains: each leads to a net that the node is not
/// on, through another node on one of its nets.
void Reading::check_routes(const conf::YamlNode& item, const NodeSetup& setup) {
  const auto is_on = [&](NetId net) {
    return std::any_of(setup.nis.begin(), setup.nis.end(),
                       [&](const NiSetup& ni) { return ni.nid.net() == net; });
  };
  for (const auto& [net, routes] : setup.routes->nets())
    for (const core::Route& route : routes) {
      if (is_on(net)) wrong(item, setup.name + " is on " + net.to_string() + " itself");
      if (!is_on(route.gateway.net()))
        wrong(item, "gateway " + route.gateway.to_string() + " is on no net of " + setup.name);
    }
  if (setup.routes->size() != 0) routed_.emplace_back(text::place_of(item), setup.routes);
}

/// Checks that every gateway is another node.
void Reading::check_gateways() {
  std::map<Nid, std::string> owners;
  for (const NodeSetup& node : scenario.nodes)
    for (const NiSetup& ni : node.nis) owners.emplace(ni.nid, node.name);
  for (const auto& [place, routes] : routed_)
    for (const auto& [gateway, nets] : routes->by_gateway()) {
      const auto owner = owners.find(gateway);
      if (owner == owners.end())
        mistakes.push_back({place, "gateway " + gateway.to_string() + " is no node's"});
      for (const NodeSetup& node : scenario.nodes)
        if (node.routes == routes && owner != owners.end() && owner->second == node.name)
          mistakes.push_back({place, node.name + " is a gateway of its own"});
    }
}

}  // namespace ulnet::sim

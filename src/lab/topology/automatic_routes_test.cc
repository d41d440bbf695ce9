#include "lab/topology/automatic_routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "lab/topology/topology_fixture.h"

namespace ulnet::tools::lab {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// "tcp1 by r1:0, 1 hops" for each route of the node.
std::vector<std::string> routes_in_words(const Topology& topology, std::string_view name) {
  std::vector<std::string> words;
  for (const Route& route : topology.nodes[topology.find_node(name).value()].routes)
    words.push_back(topology.nets[route.net].id.to_string() + " by " +
                    topology.nodes[route.gateway].name + ":" + std::to_string(route.gateway_rail) +
                    ", " + std::to_string(route.hops));
  return words;
}

TEST(AutomaticRoutes, LeadAlongAChainAlsoFromItsRouters) {
  const Topology topology = topology_of(
      "nodes:\n    c: tcp\n    r1: {nets: [tcp, tcp1], routing: yes}\n"
      "    r2: {nets: [tcp1, tcp2], routing: yes}\n    r3: {nets: [tcp2, tcp3], routing: yes}\n"
      "    s: tcp3\n");
  EXPECT_THAT(routes_in_words(topology, "c"),
              ElementsAre("tcp1 by r1:0, 1", "tcp2 by r1:0, 2", "tcp3 by r1:0, 3"));
  EXPECT_THAT(routes_in_words(topology, "r1"), ElementsAre("tcp2 by r2:0, 1", "tcp3 by r2:0, 2"));
  EXPECT_THAT(routes_in_words(topology, "r2"), ElementsAre("tcp by r1:1, 1", "tcp3 by r3:0, 1"));
  EXPECT_THAT(routes_in_words(topology, "s"),
              ElementsAre("tcp by r3:1, 3", "tcp1 by r3:1, 2", "tcp2 by r3:1, 1"));
}

TEST(AutomaticRoutes, UseAllRoutersWithTheFewestHops) {
  const Topology topology = topology_of(
      "nodes:\n    c: tcp\n    r[1-2]: {nets: [tcp, tcp1], routing: yes}\n"
      "    around: {nets: [tcp, tcp5], routing: yes}\n"
      "    back: {nets: [tcp5, tcp1], routing: yes}\n    bystander: [tcp, tcp1]\n    s: tcp1\n");
  EXPECT_THAT(routes_in_words(topology, "c"),
              ElementsAre("tcp1 by r1:0, 1", "tcp1 by r2:0, 1", "tcp5 by around:0, 1"));
}

TEST(AutomaticRoutes, AreNotThereWithoutRouters) {
  const Topology topology = topology_of("nodes:\n    c: tcp\n    x: [tcp, tcp1]\n    s: tcp1\n");
  for (const Node& node : topology.nodes) EXPECT_THAT(node.routes, IsEmpty());
}

/// Follows every route of a node to the net, from gateway to gateway: each step has one hop less,
/// until a gateway is on the net itself.
void follow(const Topology& topology, const Node& node, NetNumber net, std::int32_t hops) {
  const auto on_net = [&](const Node& one) {
    return std::ranges::any_of(one.rails, [&](const Rail& rail) { return rail.net == net; });
  };
  RC_ASSERT(on_net(node) == (hops == 0));
  std::size_t ways = 0;
  for (const Route& route : node.routes) {
    if (route.net != net) continue;
    ++ways;
    RC_ASSERT(route.hops == hops);
    const Node& gateway = topology.nodes[route.gateway];
    RC_ASSERT(gateway.routing && &gateway != &node);
    RC_ASSERT(gateway_rail(node, gateway) == route.gateway_rail);
    follow(topology, gateway, net, hops - 1);
  }
  RC_ASSERT((ways > 0) == (hops > 0));
}

RC_GTEST_PROP(AutomaticRoutes, ShortestPathsReachEveryNet, ()) {
  const Topology topology = random_topology();
  for (NetNumber net = 0; net < topology.nets.size(); ++net) {
    const Hops hops(topology, net);
    for (const Node& node : topology.nodes) {
      RC_ASSERT(hops.from_node(node) != Hops::kNoWay);
      follow(topology, node, net, static_cast<std::int32_t>(hops.from_node(node)));
    }
  }
}

}  // namespace
}  // namespace ulnet::tools::lab

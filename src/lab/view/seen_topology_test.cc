#include "lab/view/seen_topology.h"

#include <gtest/gtest.h>

#include "lab/view/layout_tree.h"
#include "lab/view/view_fixture.h"

namespace ulnet::tools::lab {
namespace {

TEST(SeenTopology, HasNodesNetsAndRoutes) {
  auto nodes = routed_nodes();
  nodes[0].routes.push_back({"tcp9", "10.7.7.7@tcp", 1, 0, false, "nobody knows it"});
  const Topology topology = seen_topology(nodes);
  ASSERT_EQ(topology.nodes.size(), 3U);
  EXPECT_EQ(topology.nodes[0].name, "client");
  EXPECT_TRUE(topology.nodes[1].routing);
  EXPECT_EQ(topology.nodes[1].rails.size(), 2U);
  ASSERT_EQ(topology.nets.size(), 2U);
  // a route is left out if nobody watches its gateway
  ASSERT_EQ(topology.nodes[0].routes.size(), 1U);
  EXPECT_EQ(topology.nodes[0].routes[0].gateway, 1U);
  EXPECT_EQ(topology.nid_of(topology.nodes[2].rails[0]).to_string(), "10.1.0.1@tcp1");
}

TEST(SeenTopology, KnowsNidsOfIpv6) {
  const std::vector<ObservedNode> nodes = {
      node_with("a", {"2001:db8::1@tcp"}, {{"tcp1", "2001:db8::2@tcp", 1, 0, true, {}}}),
      node_with("b", {"2001:db8::2@tcp", "10.1.0.2@tcp1"})};
  const Topology topology = seen_topology(nodes);
  EXPECT_EQ(topology.nid_of(topology.nodes[0].rails[0]).to_string(), "2001:db8::1@tcp");
  ASSERT_EQ(topology.nodes[0].routes.size(), 1U);
  EXPECT_EQ(topology.nodes[0].routes[0].gateway, 1U);
  EXPECT_EQ(layout_tree(topology)["rails"][0]["nids"][0], "2001:db8::1@tcp");
}

TEST(SeenNetwork, GrowsAndKeepsWhatHasDied) {
  SeenNetwork network;
  auto nodes = routed_nodes();
  network.see(nodes);
  const auto first = network.version();
  // A change that is not part of the picture changes nothing.
  nodes[0].nis[0].up = false;
  nodes[0].nis[0].sent = 5;
  nodes[0].routes[0].up = false;
  network.see(nodes);
  EXPECT_EQ(network.version(), first);
  // A node that dies keeps its place.
  const ObservedNode server = nodes[2];
  nodes[2] = {};
  nodes[2].name = server.name;
  nodes[2].state = NodeState::kGone;
  network.see(nodes);
  EXPECT_EQ(network.version(), first);
  EXPECT_EQ(network.topology().nodes[2].rails.size(), 1U);
  // The node comes back with one more NI, and the client has lost its route.
  nodes[2] = server;
  nodes[2].nis.push_back(ni_on("10.1.0.2@tcp1"));
  network.see(nodes);
  EXPECT_EQ(network.version(), first + 1);
  EXPECT_EQ(network.topology().nodes[2].rails.size(), 2U);
  nodes[0].routes.clear();
  network.see(nodes);
  EXPECT_EQ(network.version(), first + 2);
  EXPECT_TRUE(network.topology().nodes[0].routes.empty());
}

TEST(LayoutTree, SaysWhatAWireLetsThrough) {
  Topology topology = seen_topology(routed_nodes());
  topology.nodes[0].rails[0].wire = {1'000'000'000, std::chrono::microseconds(100), 1000};
  EXPECT_EQ(layout_tree(topology)["rails"][0]["wires"][0], "1gbit, 100us, 0.1 % lost");
  EXPECT_EQ(layout_tree(topology)["rails"][1]["wires"][0], "");
}

TEST(LayoutTree, NamesEachNodeAndRailOnce) {
  const ctl::Tree tree = layout_tree(seen_topology(routed_nodes()));
  std::size_t nodes = 0, rails = 0;
  for (const auto& box : tree["boxes"]) nodes += box["nodes"].size();
  for (const auto& rail : tree["rails"]) {
    EXPECT_EQ(rail["names"].size(), rail["nids"].size());
    EXPECT_EQ(rail["names"].size(), rail["wires"].size());
    rails += rail["names"].size();
  }
  EXPECT_EQ(nodes, 3U);
  EXPECT_EQ(rails, 4U);
  EXPECT_EQ(tree["lanes"].size(), 2U);
  EXPECT_GT(tree["width"], 0);
}

}  // namespace
}  // namespace ulnet::tools::lab

#include "lab/topology/node_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "admin/conf/diff.h"
#include "admin/conf/yaml_in.h"
#include "lab/topology/addresses.h"
#include "lab/topology/topology_fixture.h"
#include "lnet/config/params.h"

namespace ulnet::tools::lab {
namespace {

using testing::ElementsAre;

/// The configuration that ulnetd reads from a text, on a machine with these interfaces.
conf::Config read_back(const std::string& text,
                       const std::vector<conf::LocalInterface>& interfaces) {
  const auto document = conf::read_yaml(text);
  EXPECT_TRUE(document) << text;
  EXPECT_TRUE(document && document->notes.empty()) << text;
  const auto config = conf::to_config(document.value_or(conf::Document{}), interfaces);
  EXPECT_TRUE(config) << (config ? "" : config.error().front().reason) << text;
  return config.value_or(conf::Config{});
}

/// The configuration that the node should have.
conf::Config wanted(const Topology& topology, const Node& node,
                    const std::vector<std::string>& interfaces) {
  conf::Config config;
  for (const Net& net : topology.nets) {
    conf::NetItem item{.net = net.id, .nis = {}};
    for (std::size_t i = 0; i < node.rails.size(); ++i) {
      if (topology.net_of(node.rails[i]).id != net.id) continue;
      conf::NiItem ni;
      ni.interface = interfaces.empty() ? address_text(node.rails[i].address) : interfaces[i];
      item.nis.push_back(ni);
    }
    if (!item.nis.empty()) config.nets.push_back(item);
  }
  for (const Route& route : node.routes)
    config.routes.push_back(
        {{topology.nets[route.net].id,
          topology.nid_of(topology.nodes[route.gateway].rails[route.gateway_rail]), route.hops,
          route.priority}});
  if (node.routing) config.routing = true;
  return config;
}

void each_node_is_read_back(const Topology& topology) {
  for (NodeNumber number = 0; number < topology.nodes.size(); ++number) {
    const Node& node = topology.nodes[number];
    std::vector<std::string> names;
    std::vector<conf::LocalInterface> cards, addresses;
    for (const Rail& rail : node.rails) {
      names.push_back("eth" + std::to_string(names.size()));
      cards.push_back({.name = names.back(), .addresses = {topology.nid_of(rail)}});
    }
    EXPECT_EQ(read_back(node_config(topology, number, names), cards),
              wanted(topology, node, names));
    EXPECT_EQ(read_back(node_config(topology, number), {}), wanted(topology, node, {}));
  }
}

TEST(NodeConfig, EachExampleIsReadBack) {
  for (Topology topology : topologies_in(ULNET_SOURCE_DIR)) {
    ASSERT_TRUE(give_addresses(topology, kNamespaceBase));
    each_node_is_read_back(topology);
  }
}

RC_GTEST_PROP(NodeConfig, IsReadBack, ()) {
  Topology topology = random_topology();
  RC_ASSERT(give_addresses(topology, kNamespaceBase).has_value());
  each_node_is_read_back(topology);
  RC_ASSERT(!testing::Test::HasFailure());
}

TEST(NodeConfig, LooksAsPeopleWouldWriteIt) {
  Topology topology = topology_of(
      "nodes:\n    c: [tcp, tcp]\n    r: {nets: [tcp, tcp1], routing: yes}\n    s: tcp1\n");
  ASSERT_TRUE(give_addresses(topology, loopback_base(20)));
  EXPECT_EQ(node_config(topology, 0),
            "# c of the laboratory lab.\n"
            "net:\n"
            "    - net type: tcp\n"
            "      local NI(s):\n"
            "        - interfaces:\n"
            "              0: 127.20.0.1\n"
            "        - interfaces:\n"
            "              0: 127.20.0.2\n"
            "route:\n"
            "    - net: tcp1\n"
            "      gateway: 127.20.0.3@tcp\n"
            "      hop: 1\n"
            "      priority: 0\n");
}

TEST(NodeConfig, ArgumentsSetWhatTheTopologySays) {
  const Topology topology = topology_of(
      "settings: {accept: all, congestion: cubic}\n"
      "nodes:\n    a: {nets: tcp, partitions: 2, settings: {credits: 9}}\n    b: tcp\n");
  EXPECT_THAT(node_arguments(topology, 0, {.accept_port = 7988}),
              ElementsAre("--accept-port", "7988", "--selftest", "--set", "accept=all", "--set",
                          "congestion=cubic", "--set", "cpu_npartitions=2", "--set", "credits=9",
                          "--set", "rpc_timeout=5"));
  const Topology plain = topology_of("nodes: {a: tcp, r: {nets: tcp, routing: yes}}\n");
  EXPECT_THAT(node_arguments(plain, 1, {}), testing::Contains("forwarding=enabled"));
  EXPECT_THAT(node_arguments(plain, 0, {.accept_port = 1988, .selftest = false}),
              ElementsAre("--accept-port", "1988", "--set", "accept=trust", "--set",
                          "congestion=reno", "--set", "cpu_npartitions=1"));
}

}  // namespace
}  // namespace ulnet::tools::lab

#include "lab/topology/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "lab/topology/addresses.h"
#include "lab/topology/topology_fixture.h"

namespace ulnet::tools::lab {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kWhole = R"(name: both
about: everything that there is
switches: [clients, left, right]
switch links:
    - {between: [left, right], rate: 10gbit, delay: 50us, loss: 1%}
nets:
    tcp: {label: clients, rate: 1gbit, delay: 100us, loss: 0.1%, switch: clients}
    tcp1:
nodes:
    client[1-2]: {nets: tcp, settings: {credits: 64}}
    router: {nets: [tcp, {net: tcp1, switch: left}], routing: yes}
    oss[0-2/2]:
        nets: {net: tcp1, switch: right, rate: 100MB/s, delay: 1ms, loss: 20ppm}
        partitions: 2
settings: {lnet_transaction_timeout: 10, credits: 128}
routes:
    - {on: client, net: tcp1, via: router, priority: 3}
    - {on: "oss[0-2/2]", net: tcp, via: [router], hops: 2}
)";

TEST(ReadTopology, TakesWhatIsWritten) {
  const Topology topology = topology_of(kWhole);
  EXPECT_EQ(topology.name, "both");
  ASSERT_THAT(topology.switches, SizeIs(3));
  ASSERT_THAT(topology.switch_links, SizeIs(1));
  EXPECT_EQ(topology.switch_links[0].wire,
            (Wire{10'000'000'000, std::chrono::microseconds(50), 10'000}));
  ASSERT_THAT(topology.nets, SizeIs(2));
  EXPECT_EQ(topology.nets[0].label, "clients");
  ASSERT_THAT(topology.nodes, SizeIs(5));
  const Node& client = topology.nodes[0];
  EXPECT_EQ(client.group, "client");
  EXPECT_EQ(client.rails.at(0).wire, (Wire{1'000'000'000, std::chrono::microseconds(100), 1000}));
  EXPECT_EQ(client.params.at("credits"), "64");
  EXPECT_EQ(client.params.at("lnet_transaction_timeout"), "10");
  EXPECT_EQ(client.routes, (std::vector<Route>{{1, 2, 0, 1, 3}}));
  EXPECT_TRUE(topology.nodes[2].routing);
  EXPECT_EQ(topology.nodes[2].params.at("credits"), "128");
  EXPECT_EQ(topology.nodes[2].rails.at(1).at_switch, 1U);
  const Node& oss = topology.nodes[4];
  EXPECT_EQ(oss.name, "oss2");
  EXPECT_EQ(oss.partitions, 2U);
  EXPECT_EQ(oss.rails.at(0).at_switch, 2U);
  EXPECT_EQ(oss.rails.at(0).wire, (Wire{800'000'000, std::chrono::milliseconds(1), 20}));
  EXPECT_EQ(oss.routes, (std::vector<Route>{{0, 2, 1, 2, 0}}));
  EXPECT_FALSE(topology.addresses_given);
}

TEST(ReadTopology, NeedsLittle) {
  const Topology topology = topology_of("nodes: {a: tcp, b: [tcp, tcp]}\n");
  EXPECT_EQ(topology.name, "lab");
  EXPECT_FALSE(topology.switches_named);
  ASSERT_THAT(topology.switches, SizeIs(1));
  EXPECT_EQ(topology.switches[0].name, "tcp");
  EXPECT_THAT(topology.nodes[1].rails, SizeIs(2));
  EXPECT_EQ(topology.nodes[0].group, "a");
}

TEST(ReadTopology, CountsAddressesOn) {
  const Topology topology = topology_of(
      "nodes:\n    c[5-6]: {nets: {net: tcp, address: 10.1.0.9}}\n"
      "    s: {nets: {net: tcp, address: 10.1.1.1}}\n");
  EXPECT_TRUE(topology.addresses_given);
  EXPECT_EQ(topology.nodes[1].rails[0].address, 0x0a01000aU);
  EXPECT_EQ(topology.nid_of(topology.nodes[2].rails[0]).to_string(), "10.1.1.1@tcp");
}

TEST(ReadTopology, OneInterfaceMayHaveNisOnSeveralNets) {
  Topology topology = topology_of(R"(
switches: [left]
nodes:
    r: {nets: [tcp, {net: [tcp1, tcp2], rate: 8mbit}], routing: yes}
    c: tcp
    s: tcp2
)");
  const Node& router = topology.nodes[0];
  ASSERT_EQ(router.rails.size(), 3U);
  EXPECT_EQ(router.wire_of(0), 0U);
  EXPECT_EQ(router.wire_of(1), 1U);
  EXPECT_EQ(router.wire_of(2), 1U);
  EXPECT_EQ(router.rails[2].wire.bits_per_second, 8'000'000U);
  EXPECT_TRUE(give_addresses(topology, kNamespaceBase));
  EXPECT_EQ(topology.nid_of(router.rails[1]).to_string(), "10.77.1.1@tcp1");
  EXPECT_EQ(topology.nid_of(router.rails[2]).to_string(), "10.77.1.1@tcp2");
  EXPECT_NE(topology.nodes[2].rails[0].address, router.rails[1].address);
  EXPECT_TRUE(
      topology_of("nodes: {r: {nets: {net: [tcp, tcp1], address: 10.0.0.1}}}").addresses_given)
      << "the two nets of an interface share its address";
}

TEST(ReadTopology, RoutesMayLeadByOneRailOfARouter) {
  const Topology topology = topology_of(R"(
nodes:
    c: tcp
    r: {nets: [tcp1, tcp, tcp], routing: yes}
routes:
    - {on: c, net: tcp1, via: ["r:2", "r:1"]}
)");
  const auto& routes = topology.nodes[0].routes;
  ASSERT_EQ(routes.size(), 2U);
  EXPECT_EQ(routes[0].gateway_rail, 1U);
  EXPECT_EQ(routes[1].gateway_rail, 2U);
}

TEST(ReadTopology, NodesHaveTheGroupAndTheModuleParametersThatTheFileSays) {
  const Topology topology = topology_of(R"(
module parameters:
    routers: |
        options lnet ip2nets="tcp 10.0.0.*;\
           tcp1 10.1.0.*"
nodes:
    gw: {nets: [tcp, tcp1], routing: yes, group: routers, module parameters: routers}
    gx: {nets: [tcp, tcp1], routing: yes, group: routers}
    c[1-2]: {nets: tcp, group: clients}
)");
  EXPECT_EQ(topology.nodes_named("routers").size(), 2U);
  EXPECT_EQ(topology.nodes_named("clients").size(), 2U);
  EXPECT_EQ(topology.nodes_named("c[1-2]").size(), 2U);
  EXPECT_EQ(topology.module_parameters.at(topology.nodes[0].module_parameters),
            "options lnet ip2nets=\"tcp 10.0.0.*;\\\n   tcp1 10.1.0.*\"\n");
  EXPECT_EQ(topology.nodes[1].module_parameters, "");
}

TEST(ReadTopology, RoutesMayBeNone) {
  const std::string nodes =
      "nodes:\n    c: tcp\n    r: {nets: [tcp, tcp1], routing: yes}\n    s: tcp1\n";
  EXPECT_THAT(topology_of(nodes).nodes[0].routes, SizeIs(1));
  EXPECT_THAT(topology_of(nodes + "routes: automatic\n").nodes[0].routes, SizeIs(1));
  EXPECT_THAT(topology_of(nodes + "routes: none\n").nodes[0].routes, IsEmpty());
}

TEST(ReadTopology, ReportsAllMistakesInTheOrderOfTheirPlaces) {
  const auto read = read_topology(
      "nets: {tcp: {colour: red}}\nnodes:\n    a: {nets: tcp, rooting: yes}\n    b: udp\n", "x");
  ASSERT_FALSE(read);
  EXPECT_EQ(conf::lines_of(conf::in_file(read.error(), "rack.yaml")),
            "rack.yaml:1:14: unknown key 'colour' of a net\n"
            "rack.yaml:3:20: unknown key 'rooting' of a node: did you mean 'routing'?\n"
            "rack.yaml:4:5: 'udp' is no net of a laboratory: expected tcp, or tcp with a number\n");
}

TEST(ReadTopology, AFileHasItsNameAndMayBeMissing) {
  const auto read = read_topology_file("/nowhere/at-all.yaml");
  ASSERT_FALSE(read);
  EXPECT_EQ(conf::lines_of(read.error()), "/nowhere/at-all.yaml: No such file or directory\n");
  EXPECT_THAT(conf::lines_of(read_topology_file("/").error()), HasSubstr("Is a directory"));
  const auto examples = topologies_in(ULNET_SOURCE_DIR);
  EXPECT_TRUE(std::ranges::any_of(examples,
                                  [](const Topology& each) { return each.name == "two-ssu-fgr"; }));
}

/// A file, and the first mistake: its line and reason.
struct BadFile {
  std::string text;
  int line;
  const char* reason;
};
std::ostream& operator<<(std::ostream& out, const BadFile& bad) { return out << bad.reason; }

class ABadTopology : public testing::TestWithParam<BadFile> {};

TEST_P(ABadTopology, IsRefusedWithItsPlace) {
  const auto read = read_topology(GetParam().text, "lab");
  ASSERT_FALSE(read) << GetParam().text;
  EXPECT_EQ(read.error().front().place.line, GetParam().line) << conf::lines_of(read.error());
  EXPECT_THAT(read.error().front().reason, HasSubstr(GetParam().reason));
}

INSTANTIATE_TEST_SUITE_P(
    Files, ABadTopology,
    testing::Values(
        BadFile{"", 1, "the file is empty"}, BadFile{"[a]\n", 1, "expected 'key: value' lines"},
        BadFile{"nodes: {a: tcp\n", 2, ""},
        BadFile{"nodes: {a: tcp}\n---\nnodes: {}\n", 3, "a second YAML document"},
        BadFile{"name: a b\nnodes: {a: tcp}\n", 1, "name 'a b': a name has up to 32"},
        BadFile{"about: \"a\\nb\"\nnodes: {a: tcp}\n", 1, "one line of at most 400"},
        BadFile{"nods: {a: tcp}\nnodes: {a: tcp}\n", 1, "did you mean 'nodes'?"},
        BadFile{"about: x\n", 1, "a topology without 'nodes'"},
        BadFile{"settings: {peer_credit: 1}\nnodes: {a: tcp}\n", 1,
                "unknown parameter 'peer_credit': did you mean 'peer_credits'?"},
        BadFile{"settings: {credits: 0}\nnodes: {a: tcp}\n", 1, "credits"},
        BadFile{"settings: {credits: [1]}\nnodes: {a: tcp}\n", 1, "no value for 'credits'"},
        BadFile{"settings: {accept_port: 1}\nnodes: {a: tcp}\n", 1, "chosen by the laboratory"},
        BadFile{"settings: {routes: x}\nnodes: {a: tcp}\n", 1, "set by the key 'routes'"},
        BadFile{"settings: {npartitions: 1}\nnodes: {a: tcp}\n", 1, "set by 'partitions'"},
        BadFile{"settings: {credits: 9,\n credits: 8}\nnodes: {a: tcp}\n", 2, "twice"},
        BadFile{"settings: 3\nnodes: {a: tcp}\n", 1, "expected 'parameter: value'"}));

INSTANTIATE_TEST_SUITE_P(
    Wires, ABadTopology,
    testing::Values(
        BadFile{"switches: x\nnodes: {a: tcp}\n", 1, "expected a list of names"},
        BadFile{"switches: [x,\n  x]\nnodes: {a: tcp}\n", 2, "switch 'x' twice"},
        BadFile{"switches: [a b]\nnodes: {a: tcp}\n", 1, "switch 'a b': a name has"},
        BadFile{"switches: [x, y]\nswitch links:\n    - {between: [x, z]}\nnodes: {}\n", 3,
                "unknown switch 'z'"},
        BadFile{"switches: [left, right]\nnodes:\n    a: {nets: {net: tcp, switch: letf}}\n", 3,
                "did you mean 'left'?"},
        BadFile{"nodes:\n    a: {nets: {net: tcp, switch: x}}\n", 2, "there is no list 'switches'"},
        BadFile{"switches: [x, y]\nswitch links: [{between: [x]}]\nnodes: {}\n", 2,
                "expected two switches"},
        BadFile{"switches: [x, y]\nswitch links: [{between: [x, x]}]\nnodes: {}\n", 2, "itself"},
        BadFile{"switches: [x, y, z]\nswitch links:\n    - {between: [x, y]}\n"
                "    - {between: [y, z]}\n    - {between: [z, x]}\nnodes: {}\n",
                5, "a ring: z and x are joined already"},
        BadFile{"switches: [x, y]\nnodes:\n    a: tcp\n", 3, "no switch for net tcp"},
        BadFile{"switches: [x, y]\nnodes:\n    a: {nets: {net: tcp, switch: x}}\n"
                "    b: {nets: {net: tcp, switch: y}}\n",
                4, "net tcp: no links lead from x to y"},
        BadFile{"nets: [tcp]\nnodes: {a: tcp}\n", 1, "expected 'tcp1: {label"},
        BadFile{"nets:\n    tcp:\n    tcp0:\nnodes: {a: tcp}\n", 3, "net 'tcp0' twice"},
        BadFile{"nets:\n    tcp5: {label: x}\nnodes: {a: tcp}\n", 2, "no node is on net tcp5"},
        BadFile{"nets: {o2ib: {}}\nnodes: {a: tcp}\n", 1, "'o2ib' is no net of a laboratory"},
        BadFile{"nets: {tcp: {rate: fast}}\nnodes: {a: tcp}\n", 1, "rate: 'fast' is not a rate"},
        BadFile{"nets: {tcp: {delay: 11s}}\nnodes: {a: tcp}\n", 1, "delay: more than 10s"},
        BadFile{"nets: {tcp: {loss: 101%}}\nnodes: {a: tcp}\n", 1, "is too much"}));

std::string sixty_five_rails() {
  std::string text = "nodes:\n    a: [tcp";
  for (int i = 0; i < 64; ++i) text += ", tcp";
  return text + "]\n";
}

INSTANTIATE_TEST_SUITE_P(
    Nodes, ABadTopology,
    testing::Values(
        BadFile{"nodes: [a]\n", 1, "nodes: expected"}, BadFile{"nodes: {}\n", 1, "nodes: expected"},
        BadFile{"nodes:\n    a:\n", 2, "expected 'key: value' lines"},
        BadFile{"nodes:\n    a: {routing: yes}\n", 2, "a node without 'nets'"},
        BadFile{"nodes:\n    a: []\n", 2, "a node without nets"},
        BadFile{"nodes:\n    all: tcp\n", 2, "node 'all': a name has"},
        BadFile{"nodes:\n    a/b: tcp\n", 2, "node 'a/b': a name has"},
        BadFile{"nodes:\n    a[2-1]: tcp\n", 2, "the range runs backwards"},
        BadFile{"nodes:\n    a*: tcp\n", 2, "does not name single values"},
        BadFile{"nodes:\n    a[1-5000]: tcp\n", 2, "more than 4096 values"},
        BadFile{"nodes:\n    a[1-4000]: tcp\n    b[1-97]: tcp\n", 3, "more than 4096 nodes"},
        BadFile{"nodes:\n    a[1-2]: tcp\n    a[2-3]: tcp\n", 3, "node 'a2' twice"},
        BadFile{"nodes:\n    a[1-2]: tcp\n    a: tcp\n", 3, "both a node and a group"},
        BadFile{"nodes:\n    a: {nets: tcp, routing: maybe}\n", 2, "neither yes nor no"},
        BadFile{"nodes:\n    a: {nets: tcp, partitions: 257}\n", 2, "257 is not from 1 to 256"},
        BadFile{"nodes:\n    a: tcp\n    b: {nets: tcp, group: a}\n", 3, "both a node and a group"},
        BadFile{"nodes:\n    b: {nets: tcp, group: a b}\n", 2, "group 'a b'"},
        BadFile{"nodes:\n    a: {nets: {net: [tcp, tcp]}}\n", 2, "net tcp twice on one interface"},
        BadFile{"nodes:\n    a: {nets: {net: []}}\n", 2, "expected a net or a list of nets"},
        BadFile{"module parameters: {one: x}\nnodes:\n    a: {nets: tcp, module parameters: on}\n",
                3, "no module parameters 'on': did you mean 'one'?"},
        BadFile{"module parameters: {one: [x]}\nnodes:\n    a: tcp\n", 1, "expected a text"},
        BadFile{"nodes:\n    a: [tcp, {nett: tcp}]\n", 2, "a rail without 'net'"},
        BadFile{sixty_five_rails(), 2, "more than 64 rails"},
        BadFile{"nodes:\n    a: {nets: {net: tcp, address: 10.0.0}}\n", 2, "is not an address"},
        BadFile{"nodes:\n    a: {nets: {net: tcp, address: 224.0.0.1}}\n", 2, "no address that"},
        BadFile{"nodes:\n    a: {nets: {net: tcp, address: 10.0.0.1}}\n    b: tcp\n", 3,
                "b has no address here"},
        BadFile{"nodes:\n    a[1-2]: {nets: {net: tcp, address: 10.0.0.1}}\n"
                "    b: {nets: {net: tcp1, address: 10.0.0.2}}\n",
                3, "a2 and b both have the address 10.0.0.2"}));

/// A client on tcp, a router to tcp1, a node beside it that does not route, a server on tcp1.
std::string four_nodes(const std::string& routes) {
  return "nodes:\n    c: tcp\n    r: {nets: [tcp, tcp1], routing: yes}\n    x: [tcp, tcp1]\n"
         "    s: tcp1\n    far: {nets: [tcp1, tcp2], routing: yes}\nroutes:\n    - " +
         routes + "\n";
}

INSTANTIATE_TEST_SUITE_P(
    Routes, ABadTopology,
    testing::Values(
        BadFile{four_nodes("tcp1"), 8, "expected 'key: value' lines"},
        BadFile{four_nodes("{on: c, net: tcp1}"), 8, "a route without 'via'"},
        BadFile{four_nodes("{on: c, net: tcp7, via: r}"), 8, "unknown net 'tcp7'"},
        BadFile{four_nodes("{on: d, net: tcp1, via: r}"), 8, "unknown node 'd'"},
        BadFile{four_nodes("{on: fra, net: tcp, via: r}"), 8, "did you mean 'far'?"},
        BadFile{four_nodes("{on: c, net: tcp1, via: \"r[1-2]\"}"), 8, "unknown node 'r1'"},
        BadFile{four_nodes("{on: c, net: tcp1, via: x}"), 8, "x is no router"},
        BadFile{four_nodes("{on: c, net: tcp1, via: far}"), 8, "far is on no net of c"},
        BadFile{four_nodes("{on: c, net: tcp1, via: \"r:1\"}"), 8, "r:1 is on no net of c"},
        BadFile{four_nodes("{on: c, net: tcp1, via: \"r:2\"}"), 8, "unknown node 'r:2'"},
        BadFile{four_nodes("{on: s, net: tcp1, via: r}"), 8, "a route that no node needs"},
        BadFile{four_nodes("{on: c, net: tcp1, via: [r, r]}\n    - {on: all, net: tcp1, via: r}"),
                9, "c has a route to tcp1 by r already"},
        BadFile{four_nodes("{on: c, net: tcp1, via: r, hops: 256}"), 8, "256 is not from 1"},
        BadFile{four_nodes("{on: c, net: tcp1, via: r, priority: -1}"), 8, "priority"},
        BadFile{"nodes:\n    c: tcp\n    r: {nets: [tcp, tcp3], routing: yes}\n    s: tcp1\n"
                "routes:\n    - {on: c, net: tcp1, via: r}\n",
                6, "no routers lead from r to net tcp1"},
        BadFile{"nodes: {a: tcp}\nroutes: auto\n", 2, "expected automatic, none, or a list"}));

}  // namespace
}  // namespace ulnet::tools::lab

#include "lab/live/space_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "lab/live/spaces.h"
#include "lab/topology/addresses.h"
#include "lab/topology/reader.h"

namespace ulnet::tools::lab {
namespace {

using testing::HasSubstr;
using testing::Not;

Topology topology_with(const char* text) {
  auto topology = read_topology(text, "plan");
  EXPECT_TRUE(topology) << conf::lines_of(topology.error());
  EXPECT_TRUE(give_addresses(*topology, kNamespaceBase));
  return *topology;
}

TEST(SpacePlans, NamesOfNamespacesNameTheirLaboratory) {
  EXPECT_EQ(space_of_node("a.b", "client1"), "ulnet-lab.a.b.client1");
  for (const char* lab : {"pair", "a.b", "x-1"}) {
    EXPECT_EQ(lab_of_space(space_of_node(lab, "n")), lab);
    EXPECT_EQ(lab_of_space(space_of_switches(lab)), lab);
  }
  for (const char* other : {"", "ulnet-lab.", "ulnet-lab.x", "ulnet-host-1-2-a", "x.y.z"})
    EXPECT_EQ(lab_of_space(other), std::nullopt) << other;
}

TEST(SpacePlans, NisOfOneInterfaceHaveOneWire) {
  const SpacePlan plan = plan_spaces(
      topology_with("nodes:\n    r: {nets: [tcp, {net: [tcp1, tcp2], rate: 8mbit}], routing: yes}\n"
                    "    s: tcp2\n"),
      "lab", false);
  EXPECT_THAT(plan.pairs, HasSubstr("p0.1"));
  EXPECT_THAT(plan.pairs, Not(HasSubstr("p0.2")));
  EXPECT_THAT(plan.nodes[0], HasSubstr("addr add 10.77.1.1/32 dev eth1\n"));
  EXPECT_THAT(plan.nodes[0], Not(HasSubstr("eth2")));
  EXPECT_THAT(plan.shapes[0], HasSubstr("dev eth1 root handle 1: tbf rate 8000000bit"));
  EXPECT_THAT(plan.shapes_of_switches, Not(HasSubstr("p0.2")));
  EXPECT_THAT(plan.nodes[0], HasSubstr("route replace 10.77.2.0/24 dev eth1"))
      << "to the server on the second net";
}

TEST(SpacePlans, NodesKnowTheirNeighboursWithoutArp) {
  const SpacePlan plan =
      plan_spaces(topology_with("nodes:\n    r: {nets: [tcp, {net: [tcp1, tcp2]}], routing: yes}\n"
                                "    c: tcp\n    s: {nets: [tcp2, tcp1]}\n"),
                  "lab", false);
  const auto entry = [](const char* address, const char* hardware, const char* device) {
    return HasSubstr(fmt::format("neigh replace {} lladdr {} dev {} nud permanent\n", address,
                                 hardware, device));
  };
  EXPECT_THAT(plan.pairs, HasSubstr("link add eth1 address 02:00:00:02:00:01 "));
  EXPECT_THAT(plan.nodes[0], entry("10.77.0.2", "02:00:00:01:00:00", "eth0"));
  EXPECT_THAT(plan.nodes[0], entry("10.77.2.1", "02:00:00:02:00:00", "eth1")) << "s on tcp2";
  EXPECT_THAT(plan.nodes[0], entry("10.77.1.2", "02:00:00:02:00:01", "eth1")) << "s on tcp1";
  EXPECT_THAT(plan.nodes[2], entry("10.77.1.1", "02:00:00:00:00:01", "eth0"));
  EXPECT_THAT(plan.nodes[1], Not(HasSubstr("dev eth0 nud permanent\nneigh"))) << "r alone";
}

TEST(SpacePlans, EachRailHasAPairAcrossNamespacesAndAPortAtItsSwitch) {
  const Topology topology = topology_with(R"(
switches: [left, right]
switch links: [{between: [left, right]}]
nodes:
    client: {nets: [{net: tcp, switch: left}, {net: tcp, switch: right}]}
)");
  const SpacePlan plan = plan_spaces(topology, "lab", false);
  EXPECT_EQ(plan.spaces,
            (std::vector<std::string>{"ulnet-lab.lab.@switches", "ulnet-lab.lab.client"}));
  EXPECT_THAT(plan.pairs, HasSubstr("link add eth1 address 02:00:00:00:00:01 mtu 9000 netns "
                                    "ulnet-lab.lab.client type veth peer name p0.1 mtu 9000 netns "
                                    "ulnet-lab.lab.@switches\n"));
  EXPECT_THAT(plan.switches, HasSubstr("link set p0.0 master s0 alias client:0 up\n"));
  EXPECT_THAT(plan.switches, HasSubstr("link set p0.1 master s1 alias client:1 up\n"));
  EXPECT_THAT(plan.switches, HasSubstr("link set l0a master s0 up\nlink set l0b master s1 up\n"));
  // Packets with the address of a rail leave through that rail.
  EXPECT_THAT(plan.nodes[0], HasSubstr("route add default dev eth1 table 101\n"
                                       "rule add from 10.77.0.2 table 101\n"));
  EXPECT_THAT(plan.nodes[0], HasSubstr("route replace 10.77.0.0/24 dev eth0 src 10.77.0.1\n"));
  EXPECT_THAT(plan.nodes[0], Not(HasSubstr("route replace 10.77.0.0/24 dev eth1")));
  EXPECT_EQ(plan.shapes[0] + plan.shapes_of_switches, "");
}

TEST(SpacePlans, WiresAreShapedInBothDirections) {
  const Topology topology = topology_with(R"(
nets: {tcp: {rate: 100mbit, delay: 2ms, loss: 0.5%}}
nodes: {a: tcp}
)");
  const SpacePlan plain = plan_spaces(topology, "lab", false);
  const std::string tbf = "tbf rate 100000000bit burst 131072 latency 30ms\n";
  EXPECT_EQ(plain.shapes[0], "qdisc replace dev eth0 root handle 1: " + tbf);
  EXPECT_EQ(plain.shapes_of_switches, "qdisc replace dev p0.0 root handle 1: " + tbf);
  const SpacePlan netem = plan_spaces(topology, "lab", true);
  EXPECT_EQ(netem.shapes[0],
            "qdisc replace dev eth0 root handle 1: netem limit 100000 delay 2000us loss 0.5000%\n"
            "qdisc replace dev eth0 parent 1:1 handle 10: " +
                tbf);
}

TEST(SpacePlans, AFastWireHasABurstThatTheClockBears) {
  const Wire wire{.bits_per_second = 10'000'000'000};
  EXPECT_THAT(shape_lines("x", wire, false), HasSubstr("burst 2500000 "));
  EXPECT_EQ(shape_lines("x", {}, true), "");
}

TEST(SpacePlans, NamesOfInterfacesFitIntoTheKernel) {
  EXPECT_LE(port_of(static_cast<NodeNumber>(kMaxNodes - 1), kMaxRails - 1).size(), 15U);
  EXPECT_LE(link_end(9999, 'a').size(), 15U);
  EXPECT_LE(interface_of(kMaxRails - 1).size(), 15U);
}

}  // namespace
}  // namespace ulnet::tools::lab

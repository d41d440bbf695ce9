#include "lab/topology/addresses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "lab/topology/topology_fixture.h"

namespace ulnet::tools::lab {
namespace {

std::string address_of(const Topology& topology, std::string_view rail) {
  const auto [node, index] = topology.find_rail(rail).value();
  return address_text(topology.nodes[node].rails[index].address);
}

TEST(LabAddresses, FollowEachOtherInBlocksOfNets) {
  Topology topology = topology_of(
      "nodes:\n    c[1-300]: tcp\n    r: {nets: [tcp, tcp1], routing: yes}\n    s: tcp1\n");
  ASSERT_TRUE(give_addresses(topology, loopback_base(16)));
  EXPECT_EQ(address_of(topology, "c1"), "127.16.0.1");
  EXPECT_EQ(address_of(topology, "c254"), "127.16.0.254");
  EXPECT_EQ(address_of(topology, "c255"), "127.16.1.1");
  EXPECT_EQ(address_of(topology, "r:0"), "127.16.1.47");
  EXPECT_EQ(address_of(topology, "r:1"), "127.16.2.1");
  EXPECT_EQ(address_of(topology, "s"), "127.16.2.2");
}

TEST(LabAddresses, HaveToFit) {
  std::string text = "nodes:\n";
  for (int i = 0; i < 257; ++i)
    text += "    n" + std::to_string(i) + ": tcp" + std::to_string(i) + "\n";
  Topology topology = topology_of(text);
  EXPECT_FALSE(give_addresses(topology, kNamespaceBase));
  EXPECT_EQ(topology.nodes[0].rails[0].address, 0U);
  topology.nodes.pop_back();
  topology.nets.pop_back();
  ASSERT_TRUE(give_addresses(topology, kNamespaceBase));
  EXPECT_EQ(address_of(topology, "n255"), "10.77.255.1");
}

TEST(LabAddresses, AddressesInAFileAreKept) {
  const auto with = [](const std::string& address) {
    return topology_of("nodes:\n    a: {nets: {net: tcp, address: " + address + "}}\n");
  };
  Topology outside = with("10.3.0.1");
  ASSERT_TRUE(give_addresses(outside, loopback_base(16)));
  EXPECT_EQ(address_of(outside, "a"), "10.3.0.1");
  EXPECT_TRUE(fit_namespaces(outside));
  EXPECT_EQ(fit_loopback(outside).error().reason,
            "a: address 10.3.0.1 is not in 127.0.0.0/8, as those on loopback must be");
  EXPECT_TRUE(fit_loopback(with("127.9.0.1")));
  EXPECT_FALSE(fit_namespaces(with("127.9.0.1")));
}

TEST(LabAddresses, AreReadAsPeopleWriteThem) {
  EXPECT_EQ(parse_address("10.77.0.255"), 0x0a4d00ffU);
  for (const char* bad : {"", "10.0.0", "10.0.0.1.2", "10.0.0.256", "10..0.1", "10.0.0.x", "::1"})
    EXPECT_FALSE(parse_address(bad)) << bad;
}

RC_GTEST_PROP(LabAddresses, BelongToOneNiEach, ()) {
  Topology topology = random_topology();
  RC_ASSERT(give_addresses(topology, loopback_base(250)).has_value());
  std::set<std::uint32_t> all;
  std::size_t rails = 0;
  for (const Node& node : topology.nodes)
    for (const Rail& rail : node.rails) {
      ++rails;
      all.insert(rail.address);
      RC_ASSERT((rail.address >> 16) == (127U << 8 | 250U));
      RC_ASSERT((rail.address & 255) != 0 && (rail.address & 255) != 255);
      RC_ASSERT(parse_address(address_text(rail.address)).value() == rail.address);
    }
  RC_ASSERT(all.size() == rails);
}

}  // namespace
}  // namespace ulnet::tools::lab

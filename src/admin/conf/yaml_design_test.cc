// The design document's YAML becomes the same items as today's YAML. spec/design-vs-today.md 2.3.
#include "admin/conf/yaml_design.h"

#include <gtest/gtest.h>

#include "admin/conf/yaml_in.h"

namespace ulnet::conf {
namespace {

std::vector<Item> items_of(std::string_view text) {
  auto document = read_yaml(text);
  EXPECT_TRUE(document.has_value()) << document.error().reason;
  return document ? document->items : std::vector<Item>{};
}

/// Returns "2:5 reason" if the item is a problem; else "".
std::string reason_of(const Item& item) {
  const auto* problem = std::get_if<Problem>(&item.what);
  if (problem == nullptr) return {};
  return std::to_string(problem->place.line) + ":" + std::to_string(problem->place.column) + " " +
         problem->reason;
}

TEST(YamlDesign, AListOfInterfacesIsTheSameAsTodaysNis) {
  const auto design = items_of(
      "net:\n  - net: tcp1\n    interfaces:\n      - intf: ib0\n        CPT: 1,3\n"
      "      - intf: ib1\n    tunables: {credits: 9}\n");
  const auto today = items_of(
      "net:\n  - net type: tcp1\n    local NI(s):\n      - interfaces: {0: ib0}\n"
      "        CPT: \"[1,3]\"\n      - interfaces: {0: ib1}\n    tunables: {credits: 9}\n");
  ASSERT_EQ(design.size(), 1U);
  ASSERT_EQ(today.size(), 1U);
  EXPECT_EQ(reason_of(design[0]), "");
  EXPECT_EQ(std::get<NetEntry>(design[0].what).item, std::get<NetEntry>(today[0].what).item);
}

TEST(YamlDesign, EachPatternIsARule) {
  const auto rules = items_of(
      "net:\n  - net: tcp\n    intf: eth0\n    pattern: 10.0.*.1\n"
      "  - net: tcp\n    pattern: 10.1.*.*\n");
  ASSERT_EQ(rules.size(), 2U);
  const auto& first = std::get<Ip2NetsEntry>(rules[0].what);
  ASSERT_EQ(first.rules.size(), 1U);
  EXPECT_EQ(first.rules[0].interfaces.at(0).interface, "eth0");
  EXPECT_EQ(first.rules[0].ip_ranges.at(0).to_string(), "10.0.*.1");
  EXPECT_TRUE(std::get<Ip2NetsEntry>(rules[1].what).rules.at(0).interfaces.empty());
}

TEST(YamlDesign, DetailAndNumbersOfItemsAreKept) {
  const auto items = items_of(
      "net:\n  - net: tcp\n    detail: 1\n    seq_no: 3\n  - net type: tcp1\n"
      "peer:\n  - primary nid: 10.0.0.1@tcp\n    seq_no: 4\n    bogus: 1\n"
      "peers:\n  - seq_no: -2\n    nids: {0: 10.0.0.1@tcp, 1: 10.0.1.1@tcp1}\n");
  ASSERT_EQ(items.size(), 4U);
  EXPECT_EQ(std::get<NetEntry>(items[0].what).detail, 1);
  EXPECT_EQ(items[0].seq_no, 3);
  EXPECT_FALSE(items[1].seq_no.has_value()) << "a number belongs to one item";
  EXPECT_EQ(std::get<Problem>(items[2].what).seq_no, 4);
  EXPECT_EQ(std::get<PeersEntry>(items[3].what).nids,
            (std::vector<std::string>{"10.0.0.1@tcp", "10.0.1.1@tcp1"}));
  EXPECT_EQ(items[3].seq_no, -2);
}

TEST(YamlDesign, MistakesHaveTheirPlaces) {
  EXPECT_EQ(reason_of(items_of("net:\n  - net: tcp\n    interfaces:\n      - inft: e\n").at(0)),
            "4:9 invalid key 'inft': did you mean 'intf'?");
  EXPECT_EQ(reason_of(items_of("net:\n  - net: tcp\n    detail: x\n").at(0)),
            "3:13 invalid value 'x' for key 'detail'");
  EXPECT_EQ(reason_of(items_of("peers:\n  - nids: {}\n").at(0)).substr(0, 2), "2:");
  EXPECT_EQ(reason_of(items_of("peers:\n  - nid: 10.0.0.1@tcp\n").at(0)),
            "2:5 invalid key 'nid': did you mean 'nids'?");
  EXPECT_EQ(reason_of(items_of("net:\n  - seq_no: []\n    net: tcp\n").at(0)).substr(0, 2), "2:");
}

TEST(YamlDesign, APeersStateIsRead) {
  const auto items = items_of(
      "peer:\n  - primary nid: 10.0.0.1@tcp\n    peer state: 273\n"
      "  - primary nid: 10.0.0.2@tcp\n    peer state: 1048585\n    why: anything\n"
      "  - primary nid: 10.0.0.3@tcp\n    lock_prim: true\n");
  ASSERT_EQ(items.size(), 3U);
  EXPECT_FALSE(std::get<PeerEntry>(items[0].what).configured) << "discovery made this peer";
  EXPECT_TRUE(std::get<PeerEntry>(items[1].what).configured);
  EXPECT_TRUE(std::get<PeerEntry>(items[1].what).lock_primary);
  EXPECT_TRUE(std::get<PeerEntry>(items[2].what).lock_primary);
}

}  // namespace
}  // namespace ulnet::conf

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fgr/fabric/fabric.h"
#include "fgr/fabric/fabric_fixture.h"

namespace ulnet::plan {
namespace {

using testing::HasSubstr;

TEST(Ibnetdiscover, SaysWhoIsPluggedWhere) {
  const auto fabric = read_ibnetdiscover(two_switches());
  ASSERT_TRUE(fabric) << fabric.error().reason;
  EXPECT_TRUE(fabric->whole());
  EXPECT_EQ(fabric->switches.at(0x0002c90200423e60), "MF0;left0:IS5035/U1");
  EXPECT_EQ(fabric->adapters.at(0x0002c90300000002), "R2.site.example mlx4_0");
  ASSERT_EQ(fabric->links.size(), 10U);
  const FabricLink& link = fabric->links[1];
  EXPECT_EQ(guid_text(link.adapter), "0002c90300000002");
  EXPECT_EQ(link.adapter_port, 1U);
  EXPECT_EQ(guid_text(link.to_switch), "0002c90200423e60");
  EXPECT_EQ(link.switch_port, 2U);
  EXPECT_EQ(link.rate, "4xQDR");
}

TEST(Ibnetdiscover, ATextThatIsCutIsNotWhole) {
  const std::string whole = two_switches();
  for (std::size_t length = 0; length + 1 < whole.size(); ++length) {
    const auto fabric = read_ibnetdiscover(std::string_view(whole).substr(0, length));
    if (!fabric)
      EXPECT_THAT(fabric.error().reason, HasSubstr("no switch with a port"));
    else
      EXPECT_FALSE(fabric->whole()) << length;
  }
  std::string without_a_node = whole;
  const std::size_t node = whole.find("Ca\t1 \"H-0002c90300000003\"");
  without_a_node.erase(node, whole.find("\n\n", node) - node);
  EXPECT_EQ(read_ibnetdiscover(without_a_node)->one_sided, 1U) << "cut out of the middle";
}

TEST(Ibnetdiscover, UnknownLinesAreCounted) {
  const std::string odd = two_switches() + "Switch 36\n[1\n" + head("00aa", "left0") +
                          "[1] nothing\n[2]\t\"H-12\"[1](13) # \"x\" lid 1 4xQDR\n";
  const auto fabric = read_ibnetdiscover(odd);
  ASSERT_TRUE(fabric);
  EXPECT_EQ(fabric->not_understood, 3U);
  EXPECT_EQ(fabric->one_sided, 1U);
  std::string text = two_switches();
  text.replace(text.find("H-0002c903"), 10, "H-0002c9\x1b[");
  EXPECT_FALSE(read_ibnetdiscover(text)->whole()) << "a GUID is hexadecimal";
  text = two_switches();
  text.replace(text.find("R2.site"), 2, "\x1b[");
  EXPECT_EQ(read_ibnetdiscover(text)->adapters.at(0x0002c90300000002), "?[.site.example mlx4_0");
}

TEST(Ibnetdiscover, OtherTextsAreRefused) {
  EXPECT_FALSE(read_ibnetdiscover(""));
  EXPECT_FALSE(read_ibnetdiscover("hello\n[1] \"H-1\"\n")) << "a port without a switch";
  EXPECT_FALSE(read_ibnetdiscover(std::string(1 << 20, '[')));
  const auto fabric =
      read_ibnetdiscover(head("00aa", std::string(1 << 20, 'x').c_str()) + port(1, "r1"));
  ASSERT_TRUE(fabric);
  EXPECT_EQ(fabric->switches.at(0xaa).size(), 128U);
}

TEST(Guid, AsToolsPrintIt) {
  for (const char* text : {"0002c90300a10010", "0x2c90300a10010", "0002:c903:00a1:0010"})
    EXPECT_EQ(parse_guid(text), 0x0002c90300a10010U) << text;
  for (const char* text : {"", "0x", "g", "12345678901234567", "-1", "1 "})
    EXPECT_EQ(parse_guid(text), std::nullopt) << text;
}

}  // namespace
}  // namespace ulnet::plan

#include "tools/fgr/verify/ibnetdiscover.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tools/fgr/verify/verify_fixture.h"

namespace ulnet::tools::fgr {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

/// A line of a switch's port at which a host's adapter is.
std::string port(int number, const std::string& description) {
  return fmt::format("[{}]\t\"H-0002c90300{:06x}\"[1](2c90300{:06x}) \t\t# \"{}\" lid {} 4xQDR\n",
                     number, number, number + 1, description, number + 20);
}
std::string head(const char* guid, const char* description) {
  return fmt::format(
      "vendid=0x2c9\ndevid=0xbd36\nsysimgguid=0x{0}\nswitchguid=0x{0}({0})\n"
      "Switch\t36 \"S-{0}\"\t\t# \"{1}\" enhanced port 0 lid 1 lmc 0\n",
      guid, description);
}
std::string two_switches() {
  return "#\n# Topology file: generated on Mon Jan  1 00:00:00 2024\n#\n" +
         head("0002c90200423e60", "MF0;left0:IS5035/U1") + port(1, "r1 HCA-1") +
         port(2, "R2.site.example mlx4_0") + port(3, "snxn002 HCA-1") + port(4, "snxn004 HCA-1") +
         port(5, "snxn006 HCA-1") + "[36]\t\"S-0002c90200423e70\"[36]\t\t# \"x\" lid 2 4xQDR\n\n" +
         head("0002c90200423e70", "Infiniscale-IV Mellanox Technologies") + port(6, "r3 HCA-1") +
         port(7, "r4 HCA-1") + port(8, "snxn003 HCA-1") + port(9, "snxn005 HCA-1") +
         port(10, "'snxn007' HCA-1") +
         "\nCa\t1 \"H-0002c90300000001\"\t\t# \"r1 HCA-1\"\n[1](2c90300000002) \t"
         "\"S-0002c90200423e60\"[1]\t\t# lid 21 lmc 0 \"MF0;left0:IS5035/U1\" lid 1 4xQDR\n";
}
Result<Fabric> fabric_of(const std::string& text) {
  std::istringstream in(text);
  return read_ibnetdiscover(in, two_ssus());
}
std::vector<std::string> suspects(const std::string& text) {
  const plan::VerifyChecks checks = two_ssus();
  const auto fabric = fabric_of(text);
  if (!fabric) return {fabric.error().reason};
  std::vector<std::string> all;
  for (const auto& one :
       diagnose(checks, std::vector<plan::HostSeen>(checks.hosts.size()), fabric->cables).suspects)
    all.push_back(one.cause + " " + one.name);
  return all;
}
std::string exchange(std::string text, const std::string& one, const std::string& other) {
  const std::size_t first = text.find(one);
  const std::size_t second = text.find(other);
  EXPECT_TRUE(first < second && second != std::string::npos);
  return text.replace(second, other.size(), one).replace(first, one.size(), other);
}

TEST(Ibnetdiscover, SaysWhoIsPluggedWhere) {
  const auto fabric = fabric_of(two_switches());
  ASSERT_TRUE(fabric) << fabric.error().reason;
  EXPECT_THAT(fabric->remarks, IsEmpty());
  ASSERT_EQ(fabric->cables.size(), 10U);
  EXPECT_EQ(fabric->cables[1].host, "r2") << "whatever the case, the domain and what follows";
  EXPECT_EQ(fabric->cables[1].switch_name, "left0");
  EXPECT_EQ(fabric->cables[1].switch_port, 2U);
  EXPECT_EQ(fabric->cables[1].guid, "0002c90300000002");
  EXPECT_EQ(fabric->cables[9].host, "snxn007");
  EXPECT_EQ(fabric->cables[9].switch_name, "") << "known by who is there";
  EXPECT_THAT(suspects(two_switches()), IsEmpty());
}

TEST(Ibnetdiscover, CablesThatAreExchanged) {
  EXPECT_THAT(suspects(exchange(two_switches(), "snxn004", "snxn005")),
              testing::ElementsAre("exchanged snxn004 and snxn005"));
  EXPECT_THAT(suspects(exchange(two_switches(), "r1 ", "snxn003 ")),
              testing::ElementsAre("exchanged r1 and snxn003"));
}

TEST(Ibnetdiscover, SaysWhatItCouldNotMatch) {
  std::string text = two_switches();
  text.replace(text.find("snxn002"), 7, "\x1b[2Jnoname");
  text += "Switch 36\n[1\n" + head("00aa", "left0") + "[1] nothing\n[2]\t\"H-12";
  const auto fabric = fabric_of(text);
  ASSERT_TRUE(fabric);
  EXPECT_THAT(fabric->remarks, Contains("1 of the plan's hosts are not in it: snxn002"));
  EXPECT_THAT(fabric->remarks,
              Contains("1 descriptions of adapters name no host of the plan: ?[2Jnoname HCA-1"));
  EXPECT_THAT(fabric->remarks, Contains("3 lines of switches and ports were not understood"));
  EXPECT_THAT(fabric->remarks, Contains(HasSubstr("cut short")));
}

TEST(Ibnetdiscover, AGuidIsHexadecimal) {
  std::string text = two_switches();
  text.replace(text.find("H-0002c903"), 10, "H-0002c9\x1b[");
  const auto fabric = fabric_of(text);
  ASSERT_TRUE(fabric);
  EXPECT_EQ(fabric->cables.size(), 9U);
  EXPECT_THAT(fabric->remarks, Contains("1 lines of switches and ports were not understood"));
}

TEST(Ibnetdiscover, EachBeginningOfItIsRead) {
  const std::string whole = two_switches();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const auto fabric = fabric_of(whole.substr(0, length));
    if (!fabric)
      EXPECT_THAT(fabric.error().reason, HasSubstr("no switch with a port"));
    else
      EXPECT_THAT(suspects(whole.substr(0, length)), IsEmpty()) << length;
  }
}

TEST(Ibnetdiscover, OtherTextsAreRefused) {
  EXPECT_FALSE(fabric_of(""));
  EXPECT_FALSE(fabric_of("hello\n[1] \"H-1\"\n")) << "a port without a switch";
  EXPECT_FALSE(fabric_of(std::string(1 << 20, '[')));
  EXPECT_TRUE(fabric_of(head("00aa", std::string(1 << 20, 'x').c_str()) + port(1, "r1")))
      << "the end of a long line is left out";
}

}  // namespace
}  // namespace ulnet::tools::fgr

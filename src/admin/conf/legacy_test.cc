#include "admin/conf/legacy.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "admin/conf/yaml_in.h"

namespace ulnet::conf {
namespace {

/// Returns the YAML of a text, or "line:column reason".
std::string yaml(std::string_view text, LegacyKind kind = LegacyKind::kAny) {
  Legacy legacy;
  if (const auto added = legacy.add(kind, text); !added) {
    const Problem& problem = added.error();
    return std::to_string(problem.place.line) + ":" + std::to_string(problem.place.column) + " " +
           problem.reason;
  }
  return legacy.empty() ? "empty" : legacy.yaml();
}

TEST(Legacy, NetsWithTheirInterfacesAndCpts) {  // spec/cli-lnetctl.md 10
  EXPECT_EQ(
      yaml("tcp0(eth0[0,1],eth1)[2],\n o2ib:1\ntcp7(eth0:1)", LegacyKind::kNetworks),
      "net:\n    - net type: tcp0\n      local NI(s):\n        - interfaces:\n"
      "              0: eth0[0,1]\n              1: eth1\n          CPT: \"[2]\"\n"
      "    - net type: o2ib\n      CPT: \"[1]\"\n"
      "    - net type: tcp7\n      local NI(s):\n        - interfaces:\n              0: eth0:1\n");
  EXPECT_EQ(
      yaml("networks='tcp(eth0) tcp1(eth1)'"),
      "1:21 Invalid network specification 'tcp(eth0) tcp1(eth1)': Multiple network rules must "
      "be separated");
  EXPECT_EQ(yaml("tcp(eth0)\ntcp1(eth1", LegacyKind::kNetworks).substr(0, 4), "2:5 ");
}

TEST(Legacy, ARuleForSeveralNetsIsSeveralItems) {  // spec/cli-lnetctl.md 10
  EXPECT_EQ(yaml("tcp,o2ib0[1](ib0) *.*.*.* fd00::/8"),
            "ip2nets:\n    - net-spec: tcp\n      ip-range:\n          0: \"*.*.*.*\"\n          "
            "1: fd00::/8\n"
            "    - net-spec: o2ib0\n      interfaces:\n          0: ib0\n      ip-range:\n"
            "          0: \"*.*.*.*\"\n          1: fd00::/8\n      CPT: \"[1]\"\n");
}

TEST(Legacy, OtherModulesAndParametersAreLeftOut) {  // spec/cli-lnetctl.md 10
  EXPECT_EQ(yaml("options ko2iblnd networks=bad\noptions ksocklnd credits=3"), "empty");
  Legacy legacy;
  ASSERT_TRUE(
      legacy.add(LegacyKind::kModprobe, "options lnet routes='tcp 1@gni' \\\n forwarding=enabled"));
  ASSERT_EQ(legacy.notes().size(), 1U) << "the notes report it";
  EXPECT_EQ(legacy.notes()[0].place, (Place{2, 2}));
  EXPECT_EQ(legacy.notes()[0].reason, "parameter 'forwarding' is left out");
}

TEST(Legacy, OneTextCannotMakeManyItems) {
  Legacy legacy;
  ASSERT_TRUE(legacy.add(LegacyKind::kRoutes, "tcp[0-65534] 1@gni")) << "one less than allowed";
  const auto more = legacy.add(LegacyKind::kAny, "tcp 1.1.1.1; tcp1 1.1.1.1");
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().code, -E2BIG);
  EXPECT_EQ(more.error().place, (Place{1, 14}));
}

TEST(Legacy, BytesThatAreNoTextAreRefused) {
  EXPECT_EQ(yaml("tcp \xff"), "1:1 the text is not UTF-8");
}

// The result of each conversion is a document that the reader of imports takes without a problem.
RC_GTEST_PROP(Legacy, ConvertedTextCanBeRead, ()) {  // spec/cli-lnetctl.md 10
  const auto words = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
      "tcp", "o2ib1", "tcp[1-3] ", "(eth0)", "(eth0[0-1],eth1)", "[0]", ",", ";", "\n", " ",
      " 1.2.3.4", " 1.2.*.[1-3/2] ", " *.*.*.*", " 1.1.1.1@tcp", " [3,4]@gni:2", " 2 ",
      ": { gateway: 1@gni, hop: 3 }\n", "#", "\\\n"));
  std::string text;
  for (const std::string& word : words) text += word;
  for (const LegacyKind kind :
       {LegacyKind::kIp2Nets, LegacyKind::kRoutes, LegacyKind::kNetworks, LegacyKind::kAny}) {
    Legacy legacy;
    if (!legacy.add(kind, text) || legacy.empty()) continue;
    const std::string made = legacy.yaml();
    const auto document = read_yaml(made);
    RC_ASSERT(document.has_value());
    for (const Item& item : document->items)
      if (const auto* problem = std::get_if<Problem>(&item.what))
        RC_FAIL(problem->reason + " in\n" + made);
  }
}

}  // namespace
}  // namespace ulnet::conf

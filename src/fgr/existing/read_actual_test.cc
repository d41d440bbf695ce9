#include "fgr/existing/read_actual.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lnet/base/rng.h"

namespace ulnet::tools::fgr {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> nets_of(const plan::Actual& actual) {
  std::vector<std::string> words;
  for (const plan::ActualNet& net : actual.nets) {
    std::string word = net.net.to_string();
    for (const auto& pattern : net.patterns) word += " " + pattern.to_string();
    for (const Nid& nid : net.nids) word += " " + nid.to_string();
    words.push_back(fmt::format("{} at {}:{}", word, net.place.line, net.place.column));
  }
  return words;
}
std::vector<std::string> routes_of(const plan::Actual& actual) {
  std::vector<std::string> words;
  for (const plan::ActualRoute& route : actual.routes)
    words.push_back(fmt::format("{} by {} {}/{} at {}:{}", route.net.to_string(),
                                route.gateway.to_string(), route.hops, route.priority,
                                route.place.line, route.place.column));
  return words;
}
plan::Actual read(const std::string& text, const std::string& name = "x.conf") {
  auto actual = check_text(name, text);
  EXPECT_TRUE(actual) << actual.error().reason;
  return actual ? *std::move(actual) : plan::Actual{};
}
std::string problem_of(const std::string& text, const std::string& name = "x.conf") {
  const auto actual = check_text(name, text);
  if (actual) return "none";
  return fmt::format("{}:{}: {}", actual.error().place.line, actual.error().place.column,
                     actual.error().reason);
}

TEST(ReadActual, KnowsKindsByTheContent) {
  const auto kind = [](const char* text) { return kind_of("x", text); };
  EXPECT_EQ(kind("# a\noptions lnet networks=tcp\n"), FileKind::kModprobe);
  EXPECT_EQ(kind("ip2nets=\"tcp 10.0.0.*\"\n"), FileKind::kModprobe);
  EXPECT_EQ(kind("tcp1: { gateway: 10.0.0.1@tcp }\n"), FileKind::kRoutes);
  EXPECT_EQ(kind("# routes\ntcp[1-3] 1 10.0.0.1@tcp; o2ib 3@gni\n"), FileKind::kRoutes);
  EXPECT_EQ(kind("tcp(eth0) 10.0.0.*\n"), FileKind::kIp2nets);
  EXPECT_EQ(kind("net:\n    - net type: tcp\n"), FileKind::kLnetctl);
  EXPECT_EQ(kind("# x\nroute: []\n"), FileKind::kLnetctl);
  EXPECT_EQ(kind("switches: [a]\nroutes:\n"), FileKind::kOther);
  EXPECT_EQ(kind("host  place  address\n"), FileKind::kOther);
  EXPECT_EQ(kind("\xff\xfe"), FileKind::kOther);
  EXPECT_EQ(kind_of("a.routes", ""), FileKind::kRoutes);
  EXPECT_EQ(kind_of("a.yaml", " \n"), FileKind::kLnetctl);
  EXPECT_EQ(kind_of("a.conf", ""), FileKind::kOther);
}

TEST(ReadActual, TheLastValueOfAParameterCounts) {
  const plan::Actual actual = read(
      "options lnet ip2nets='tcp 10.0.0.*; o2ib 10.1.0.*' routes='tcp1 10.0.0.1@tcp'\n"
      "options lnet ip2nets='tcp 10.0.0.*'\n");
  EXPECT_THAT(nets_of(actual), ElementsAre("tcp 10.0.0.* at 2:23"));
  EXPECT_THAT(routes_of(actual), testing::SizeIs(1));
  EXPECT_THAT(actual.parameters, testing::SizeIs(2));
}

TEST(ReadActual, ForwardingIsRouting) {
  EXPECT_EQ(read("options lnet forwarding=disabled routes='tcp1 1@gni'\n").routing, false);
  EXPECT_EQ(read("options lnet forwarding=\"enabled\"\n").routing, true);
  EXPECT_EQ(read("options lnet forwarding=\"\"\n").routing, std::nullopt);
  EXPECT_EQ(read("options lnet routes='tcp1 1@gni'\n").routing, std::nullopt);
}

TEST(ReadActual, ModprobeWithWhichLNetDoesNotStart) {
  EXPECT_EQ(problem_of("options lnet ip2nests='tcp 10.0.0.*' routes='tcp1 1@gni'\n"),
            "1:14: 'ip2nests' is no parameter of lnet: did you mean 'ip2nets'?");
  EXPECT_EQ(problem_of("options ksocklnd ip2nests=1\noptions lnet check_routers_before_use=1 "
                       "accept=all router_ping_timeout=9 routes='tcp1 1@gni'\n"),
            "none");
  EXPECT_EQ(problem_of("options lnet networks=tcp\noptions lnet ip2nets='tcp 10.0.0.*'\n"),
            "2:14: networks= and ip2nets= are both given, and LNet does not start with both");
}

TEST(ReadActual, ModprobeWithItsQuirks) {
  const plan::Actual actual = read(
      "# a comment\n"
      "alias lnet off\n"
      "options ksocklnd credits=8\n"
      "options lnet ip2nets='tcp0(eth0) 10.0.[1-2].* 10.1.0.1; # with interfaces\\\n"
      "   o2ib,gni1 10.2.*.[1-9/2]' \\\n"
      "  routes=\"tcp1 2 10.0.0.[1,2]@tcp:3; tcp[2-3] 9@gni1\"\n");
  EXPECT_THAT(nets_of(actual),
              ElementsAre("tcp 10.0.[1-2].* 10.1.0.1 at 4:23", "o2ib 10.2.*.[1-9/2] at 5:4",
                          "gni1 10.2.*.[1-9/2] at 5:9"));
  EXPECT_THAT(routes_of(actual),
              ElementsAre("tcp1 by 10.0.0.1@tcp 2/3 at 6:11", "tcp1 by 10.0.0.2@tcp 2/3 at 6:11",
                          "tcp2 by 9@gni1 -1/0 at 6:38", "tcp3 by 9@gni1 -1/0 at 6:38"));
  EXPECT_TRUE(actual.shared && actual.has_nets && actual.has_routes);
  EXPECT_FALSE(actual.first_rule_counts);
  ASSERT_EQ(actual.parameters.size(), 2U);
  EXPECT_EQ(actual.parameters[1].name, "routes=");
  EXPECT_EQ(actual.parameters[1].bytes, 42U);
  const plan::Actual networks = read("options lnet networks=\"tcp(eth0),o2ib1(ib0)\"\n");
  EXPECT_THAT(nets_of(networks), ElementsAre("tcp at 1:24", "o2ib1 at 1:34"));
  EXPECT_FALSE(networks.has_routes);
}

TEST(ReadActual, RoutesAndRulesAlone) {
  EXPECT_THAT(routes_of(read("o2ib1: { gateway: 68@gni1, hop: 1 }\n\n"
                             "o2ib2: { gateway: 68@gni1, hop: 2, priority: 7 }\n")),
              ElementsAre("o2ib1 by 68@gni1 1/0 at 1:1", "o2ib2 by 68@gni1 2/7 at 3:1"));
  EXPECT_THAT(nets_of(read("tcp 10.0.0.*\no2ib 10.1.0.*\n")),
              ElementsAre("tcp 10.0.0.* at 1:1", "o2ib 10.1.0.* at 2:1"));
}

TEST(ReadActual, Exports) {
  const plan::Actual actual = read(
      "net:\n"
      "    - net type: lo\n"
      "      local NI(s):\n"
      "        - nid: 0@lo\n"
      "          status: up\n"
      "    - net type: o2ib1\n"
      "      local NI(s):\n"
      "        - nid: 10.0.0.1@o2ib1\n"
      "          status: up\n"
      "          interfaces:\n"
      "              0: ib0\n"
      "          statistics:\n"
      "              send_count: 7\n"
      "route:\n"
      "    - net: gni1\n"
      "      gateway: 10.0.0.9@o2ib1\n"
      "      hop: -1\n"
      "      priority: 0\n"
      "      state: down\n"
      "      type: single-hop\n"
      "routing:\n"
      "    - cpt[0]:\n"
      "          tiny: {npages: 0}\n"
      "    - enable: 1\n"
      "peer:\n"
      "    - primary nid: 10.0.0.9@o2ib1\n"
      "global:\n"
      "    numa_range: 0\n",
      "n1.yaml");
  EXPECT_THAT(nets_of(actual), ElementsAre("o2ib1 10.0.0.1@o2ib1 at 6:7"));
  EXPECT_THAT(routes_of(actual), ElementsAre("gni1 by 10.0.0.9@o2ib1 -1/0 at 15:7"));
  EXPECT_EQ(actual.routing, true);
  EXPECT_TRUE(actual.has_nets && actual.has_routes && actual.first_rule_counts && !actual.shared);
}

TEST(ReadActual, BackupsAndTheNarrowStyle) {
  const plan::Actual actual = read(
      "net:\n- net type: tcp\n  local NI(s):\n  - interfaces:\n      0: eth0\n"
      "global:\n    discovery: 1\n",
      "n1.yaml");
  EXPECT_THAT(nets_of(actual), ElementsAre("tcp at 2:3"));
  EXPECT_EQ(actual.routing, false) << "an export without routing is of a node that never routed";
  const plan::Actual rules = read(
      "ip2nets:\n  - net-spec: gni1\n    ip-range:\n        0: 10.128.*.*\nrouting:\n    enable: "
      "1\n",
      "n1.yaml");
  EXPECT_THAT(nets_of(rules), ElementsAre("gni1 10.128.*.* at 2:5"));
  EXPECT_EQ(rules.routing, true);
  EXPECT_TRUE(rules.has_routes) << "the text says that there are no routes";
  EXPECT_FALSE(read("route:\n  - net: tcp1\n    gateway: 1@gni\n", "r.yaml").has_nets);
  EXPECT_TRUE(read("", "n1.yaml").has_nets) << "the node has none";
}

TEST(ReadActual, SaysWhatCannotBeReadAndWhere) {
  EXPECT_EQ(problem_of("options lnet ip2nets=\"tcp 10.0.0.*\n"),
            "1:22: a quote is not closed: '\"tcp 10.0.0.*'");
  EXPECT_THAT(problem_of("options lnet ip2nets=\"tcp 10.0.0.*; \\\n o2ib 10.0.[3-1].*\"\n"),
              HasSubstr("2:7: "));
  EXPECT_THAT(problem_of("tcp1: { gateway: nonsense }\n"), HasSubstr("1:"));
  EXPECT_THAT(problem_of("options lnet routes=\"tcp[0-65535] [0-65535]@gni\"\n"),
              HasSubstr("more than 65536 routes"));
  std::string nets = "tcp1", patterns;
  for (int i = 2; i <= 300; ++i) nets += fmt::format(",tcp{}", i);
  for (int i = 0; i < 300; ++i) patterns += fmt::format(" 10.0.{}.{}", i / 200, i % 200);
  EXPECT_THAT(problem_of(nets + patterns), HasSubstr("more than 65536 patterns"));
  EXPECT_THAT(problem_of("net:\n    - net type: tcpx\n"), HasSubstr("2:"));
  EXPECT_THAT(problem_of("route: 7\nnet:\n"), HasSubstr("route"));
  EXPECT_THAT(problem_of("net: [\n"), HasSubstr(":"));
}

/// A file of any bytes is read or refused.
TEST(ReadActual, TakesAnyText) {
  constexpr std::string_view kPieces[] = {
      "options lnet ", "ip2nets=",   "routes=\"", "\"",     "'",
      "tcp",           "o2ib6002",   " 1 ",       "[1-3]",  "@gni1",
      "\\\n",          "#",          "\n",        "net:\n", "  - ",
      "net type: ",    "route:\n",   "{",         "}",      ": ",
      "10.0.*.1",      ";",          "\xff",      ",",      "gateway: ",
      "hop: -1",       "ip2nets:\n", "[",         "]",      "net-spec: "};
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    Rng rng(seed);
    std::string text;
    for (std::uint64_t i = 1 + rng.below(40); i > 0; --i)
      text += kPieces[rng.below(std::size(kPieces))];
    const auto actual = check_text(rng.below(2) == 0 ? "a.yaml" : "a.routes", text);
    EXPECT_TRUE(actual || !actual.error().reason.empty()) << "seed " << seed;
  }
  EXPECT_THAT(problem_of("net:\n" + std::string((16U << 20) + 1, ' ')), "none") << "no kind";
  EXPECT_FALSE(read_actual("a", std::string((16U << 20) + 1, ' '), FileKind::kRoutes));
}

}  // namespace
}  // namespace ulnet::tools::fgr

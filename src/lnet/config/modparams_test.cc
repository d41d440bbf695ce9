#include "lnet/config/modparams.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "lnet/config/nids_fixture.h"

namespace ulnet::conf {
namespace {

std::vector<LocalInterface> machine_of_modules() {
  return {{.name = "lo", .loopback = true, .addresses = {ip("127.0.0.1")}},
          {.name = "eth0", .addresses = {ip("192.168.0.5")}},
          {.name = "eth1", .addresses = {ip("132.6.1.4")}},
          {.name = "down0", .up = false, .addresses = {ip("132.6.1.6")}}};
}

/// "tcp(eth0[0,1],eth1) o2ib(ib0)", or "error: reason".
std::string shown(const Result<std::vector<NetItem>>& nets) {
  if (!nets) return "error: " + nets.error().reason;
  std::string text;
  for (const NetItem& net : *nets) {
    text += (text.empty() ? "" : " ") + net.net.to_string() + "(";
    for (const NiItem& ni : net.nis) {
      text += (&ni == &net.nis.front() ? "" : ",") + ni.interface;
      for (const std::uint32_t cpt : ni.cpts) text += "/" + std::to_string(cpt);
    }
    text += ")";
  }
  return text;
}

TEST(Networks, AllForms) {  // spec/cli-lnetctl.md 9.1; spec/core-semantics.md 13.3
  EXPECT_EQ(shown(parse_networks("tcp")), "tcp()");
  EXPECT_EQ(shown(parse_networks("tcp0(eth0),o2ib0(ib0)")), "tcp(eth0) o2ib(ib0)");
  EXPECT_EQ(shown(parse_networks(" tcp ( eth0 , eth1 ) ")), "tcp(eth0,eth1)")
      << "two NIs, not one bonded";
  EXPECT_EQ(shown(parse_networks("tcp0(eth0[0,1],eth1[2-3])")), "tcp(eth0/0/1,eth1/2/3)");
  EXPECT_EQ(shown(parse_networks("tcp0[0](eth0)")), "tcp(eth0/0)");
  EXPECT_EQ(shown(parse_networks("tcp(eth0[1],eth1)[0]")), "tcp(eth0/1,eth1/0)");
  EXPECT_EQ(shown(parse_networks("o2ib0[0](ib0), o2ib1[0-1] (ib1)")), "o2ib(ib0/0) o2ib1(ib1/0/1)");
  EXPECT_EQ(shown(parse_networks("o2ib0:0(ib0),o2ib1 : 1 (ib1[3],ib2)")),
            "o2ib(ib0/0) o2ib1(ib1/3,ib2/1)")
      << "as in the SMP design: spec/design-vs-today.md";
  EXPECT_EQ(shown(parse_networks("tcp:2")), "tcp(/2)");
  EXPECT_EQ(shown(parse_networks("tcp(eth0:2)")), "tcp(eth0:2)");
  EXPECT_EQ(shown(parse_networks("tcp(127.0.0.11),tcp1(fd99::1)")),
            "tcp(127.0.0.11) tcp1(fd99::1)");
  EXPECT_EQ(shown(parse_networks("tcp(eth0),tcp1(eth0),tcp(eth1)")), "tcp(eth0,eth1) tcp1(eth0)");
}

TEST(Networks, Refusals) {  // spec/cli-lnetctl.md 9.1; spec/core-semantics.md 13.3
  for (const char* bad : {"",
                          " ",
                          ",",
                          "tcp,",
                          "foo",
                          "tcp(eth0",
                          "tcp eth0)",
                          "tcp(eth0))",
                          "tcp()",
                          "tcp(eth0)(eth1)",
                          "tcp(eth0,,eth1)",
                          "tcp(eth0),tcp(eth0)",
                          "tcp(eth0,eth0)",
                          "tcp,tcp",
                          "tcp[1-0]",
                          "tcp(eth0)x",
                          "tcp[",
                          "tcp0x",
                          "tcp(eth0[999])",
                          "tcp:",
                          "tcp:(eth0)",
                          "tcp:x(eth0)",
                          "tcp(eth0):0",
                          "tcp[0]:0(eth0)",
                          "tcp:0[0](eth0)",
                          "tcp[0](eth0)[0]"}) {
    EXPECT_FALSE(parse_networks(bad).has_value()) << bad;
  }
  for (const char* far :
       {"tcp[256](eth0)", "tcp(eth0)[256]", "tcp(eth0[0,256])", "tcp:256(eth0)"}) {
    const auto nets = parse_networks(far);
    ASSERT_FALSE(nets) << far;
    EXPECT_EQ(nets.error().code, -ERANGE) << far;
    EXPECT_NE(nets.error().reason.find("eth0"), std::string::npos) << "names the net at fault";
  }
  EXPECT_TRUE(parse_networks("tcp0(eth0").error().reason.find("unbalanced") != std::string::npos);
  EXPECT_NE(parse_networks("bar(eth0)").error().reason.find("Invalid network specification"),
            std::string::npos);
  EXPECT_FALSE(parse_networks("tcp(\xff)").has_value());
  EXPECT_FALSE(parse_networks(std::string(5000, 't')).has_value());
}

std::string matched(std::string_view text) {
  const auto rules = parse_ip2nets(text);
  if (!rules) return "error: " + rules.error().reason;
  return shown(match_ip2nets(*rules, machine_of_modules()));
}

TEST(Ip2NetsText, AllMatchingRulesAreJoined) {  // spec/cli-lnetctl.md 9.3
  EXPECT_EQ(matched("tcp 192.168.0.*; o2ib0(ib0) 10.0.0.1"), "tcp()");
  EXPECT_EQ(matched("tcp(eth0) 192.168.0.*; tcp(eth1) 132.6.[1-3].[2-8/2]"), "tcp(eth0,eth1)");
  EXPECT_EQ(matched("tcp(eth0),tcp1(eth1) 192.168.0.[1-9]  # both\n# tcp2 *.*.*.*\ntcp3 132.6.1.4"),
            "tcp(eth0) tcp1(eth1) tcp3()");
  EXPECT_EQ(matched("tcp (eth0) 192.168.*.*"), "tcp(eth0)");
  EXPECT_EQ(matched("tcp(eth0) 10.0.0.1 192.168.0.5"), "tcp(eth0)")
      << "any of a rule's patterns will do";
}

// spec/cli-lnetctl.md 9.3
TEST(Ip2NetsText, AllRulesOfANetCount) {  // net add --ip2net
  const auto named = [](std::string_view text) {
    const auto rules = parse_ip2nets(text);
    return shown(
        match_ip2nets(name_matching(rules.value(), machine_of_modules()), machine_of_modules()));
  };
  EXPECT_EQ(named("tcp 192.168.0.*; tcp 132.6.*.*"), "tcp(eth0,eth1)");
  EXPECT_EQ(named("tcp 132.6.*.*; tcp(eth0) 192.168.0.*; tcp(eth0) *.*.*.*"), "tcp(eth1,eth0)");
  EXPECT_EQ(named("tcp[0] 132.6.*.*; tcp2 10.0.0.1"), "tcp(eth1/0)");
}

TEST(Ip2NetsText, Refusals) {  // spec/cli-lnetctl.md 9.3
  EXPECT_EQ(matched("tcp(eth0) 10.9.9.9"),
            "error: ip2nets: no rule matches an address of this machine");
  EXPECT_EQ(matched("tcp(eth7) 192.168.0.5"),
            "error: ip2nets: interface 'eth7' is missing or down");
  EXPECT_EQ(matched("tcp(down0) 192.168.0.5"),
            "error: ip2nets: interface 'down0' is missing or down");
  for (const char* bad :
       {"", ";", "tcp", "tcp(eth0)", "192.168.0.5", "tcp 192.168.0", "tcp 192.168.0.300",
        "foo 192.168.0.5", "tcp 192.168.0.[1-", "tcp a.b.c.d"}) {
    EXPECT_TRUE(matched(bad).starts_with("error: ")) << bad;
  }
}

/// "line:column reason" of the first problem in the text.
template <class Read>
std::string first_problem(Read&& read, std::string_view text) {
  const PlainText in(text);
  const auto made = read(in, in.text());
  if (made) return {};
  return std::to_string(made.error().place.line) + ":" + std::to_string(made.error().place.column) +
         " " + made.error().reason;
}

TEST(Networks, ErrorsHaveTheirPlace) {  // spec/cli-lnetctl.md 10
  const auto wrong = [](std::string_view text) { return first_problem(read_networks, text); };
  EXPECT_EQ(wrong("tcp(eth0), foo"), "1:12 Invalid network specification 'foo'");
  EXPECT_EQ(wrong("tcp(eth0), \\\n tcp(eth0)"), "2:2 net 'tcp' names an interface twice");
  EXPECT_EQ(wrong("tcp(eth0,\n eth1[3-1])").substr(0, 4), "1:4 ");
  EXPECT_EQ(wrong("tcp(eth0"),
            "1:4 Invalid network specification 'tcp(eth0': unbalanced brackets in 'tcp(eth0'");
}

TEST(Ip2NetsText, ErrorsHaveTheirPlace) {  // spec/cli-lnetctl.md 10
  const auto wrong = [](std::string_view text) { return first_problem(read_ip2nets, text); };
  EXPECT_EQ(wrong("tcp 1.2.3.4 # a\n tcp1 1.2.3"),
            "2:7 invalid ip pattern '1.2.3': '1.2.3' is not an address of four octets");
  EXPECT_EQ(wrong("tcp 1.2.3.4;\n\ntcp1"), "3:1 rule 'tcp1' has no ip pattern");
  EXPECT_EQ(
      wrong("tcp 1.2.3.4 tcp1(eth0) 1.2.3.5"),
      "1:13 Multiple network rules must be separated by ';' or a line end: 'tcp 1.2.3.4 tcp1(eth0) "
      "1.2.3.5'");
  EXPECT_EQ(wrong("tcp 1.2.3.4; tcp(eth0)[ 1.2.3.4").substr(0, 5), "1:23 ");
}

// spec/cli-lnetctl.md 9.1; spec/core-semantics.md 2.1
TEST(ResolveNetworks, NetworksOrIp2NetsNotBoth) {
  EXPECT_EQ(shown(resolve_networks("tcp,tcp1(eth1)", "", machine_of_modules())),
            "tcp(eth0) tcp1(eth1)");
  EXPECT_EQ(shown(resolve_networks("", "tcp 192.168.0.*", machine_of_modules())), "tcp(eth0)");
  EXPECT_EQ(shown(resolve_networks("", "", machine_of_modules())), "tcp(eth0)") << "the default";
  EXPECT_FALSE(resolve_networks("tcp", "tcp 192.168.0.*", machine_of_modules()).has_value());
  EXPECT_EQ(resolve_networks("tcp", "", {}).error().code, -ENODEV);
}

std::string resolved(std::string_view rules) {
  return shown(resolve_networks("", rules, machine_of_modules()));
}

TEST(ResolveNetworks, NoPatternChoosesALoopbackInterface) {  // field case 01
  EXPECT_EQ(resolved("tcp 132.6.*.*"), "tcp(eth1)") << "not the first interface of the machine";
  EXPECT_EQ(resolved("tcp[1] *.*.*.*; tcp9 1.1.1.1"), "tcp(eth0/1)") << "no loopback, and one only";
  EXPECT_EQ(resolved("tcp 127.*.*.*"),
            "error: ip2nets: no rule matches an address of this machine");
  EXPECT_EQ(resolved("tcp(lo) 127.*.*.*"), "tcp(lo)") << "it is named";
  EXPECT_EQ(resolved("tcp(lo),tcp1 127.*.*.*"), "tcp(lo)") << "no other interface for tcp1";
  EXPECT_EQ(resolved("tcp(eth0) 127.0.0.1"),
            "error: ip2nets: no rule matches an address of this machine");
  const auto named =
      name_matching(parse_ip2nets("tcp 127.*.*.*; tcp1 *.*.*.*").value(), machine_of_modules());
  EXPECT_EQ(shown(match_ip2nets(named, machine_of_modules())), "tcp1(eth0,eth1)");
}

// spec/cli-lnetctl.md 9.3; spec/upstream-tests.md 208
TEST(ResolveNetworks, ARuleOfIp2NetsMatchesTheMachine) {  // field case 19
  EXPECT_EQ(resolved("tcp(eth1) 192.168.0.5"), "tcp(eth1)");
  EXPECT_EQ(resolved("tcp(eth1) 192.168.0.[1-9]; tcp(eth0) *.*.*.*"), "tcp(eth1,eth0)");
  EXPECT_EQ(resolved("tcp(eth0) 132.6.*.*; tcp1(eth1) 192.168.0.*"), "tcp(eth0) tcp1(eth1)");
  EXPECT_EQ(resolved("tcp(eth0,eth1) 192.168.0.*"), "tcp(eth0,eth1)");
  EXPECT_EQ(resolved("tcp(eth0) 192.168.0.*; tcp(eth1) 132.6.*.*"), "tcp(eth0,eth1)");
  EXPECT_EQ(resolved("tcp(eth0) 192.168.0.*; tcp1(eth1) 132.6.*.*"), "tcp(eth0) tcp1(eth1)");
  EXPECT_EQ(resolved("tcp(eth0,eth7) 192.168.0.*"),
            "error: ip2nets: interface 'eth7' is missing or down");
  EXPECT_EQ(resolved("tcp(eth7) 192.168.0.*"),
            "error: ip2nets: interface 'eth7' is missing or down");
  EXPECT_EQ(resolved("tcp(eth1) 10.9.9.9"),
            "error: ip2nets: no rule matches an address of this machine");
  EXPECT_EQ(
      remarks_on_ip2nets("tcp(eth1) 192.168.0.5; tcp1(eth0) 192.168.*.*", machine_of_modules()),
      std::vector<std::string>{
          "interface 'eth1' is used, although its rule matches the address of another interface"});
}

// Asserts only that reading ends, without a crash and without a sanitizer's report.
RC_GTEST_PROP(ModuleParameters, SmokeAnyTextIsReadOrRefused, ()) {
  const auto text = *rc::gen::container<std::string>(
      rc::gen::elementOf(std::string("tcp0123o2ib(eth),[]-/;:# \n.*@")));
  static_cast<void>(parse_networks(text));
  const PlainText in(text);
  static_cast<void>(read_routes(in, in.text()));
  if (const auto rules = parse_ip2nets(text))
    static_cast<void>(match_ip2nets(*rules, machine_of_modules()));
}

}  // namespace
}  // namespace ulnet::conf

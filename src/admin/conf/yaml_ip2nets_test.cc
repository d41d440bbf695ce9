// The YAML rules, as the upstream cases 150 to 162 try them, on an invented machine.
#include <gtest/gtest.h>

#include "admin/conf/yaml_in.h"
#include "lnet/config/ip2nets.h"
#include "lnet/config/nids_fixture.h"

namespace ulnet::conf {
namespace {

std::vector<LocalInterface> machine_of_four() {
  return {{.name = "lo", .loopback = true, .addresses = {ip("127.0.0.1"), ip("::1")}},
          {.name = "down0", .up = false, .addresses = {ip("10.9.9.9")}},
          {.name = "eth0", .addresses = {ip("10.1.2.12"), ip("2001:db8:1::12")}},
          {.name = "eth1", .addresses = {ip("10.1.3.40"), ip("2001:db8:2::40")}}};
}

/// Returns "tcp(eth0,eth1) tcp1(eth0)", or the error's reason.
std::string applied(std::string_view rules) {
  const auto document = read_yaml("ip2nets:\n" + std::string(rules));
  if (!document || document->items.size() != 1) return "?";
  if (const auto* problem = std::get_if<Problem>(&document->items[0].what)) return problem->reason;
  const auto nets =
      apply_ip2nets(std::get<Ip2NetsEntry>(document->items[0].what).rules, machine_of_four());
  if (!nets) return nets.error().reason;
  std::string text;
  for (const NetItem& net : *nets) {
    text += (text.empty() ? "" : " ") + net.net.to_string() + "(";
    for (const NiItem& ni : net.nis) text += (&ni == &net.nis.front() ? "" : ",") + ni.interface;
    text += ")";
  }
  return text;
}

constexpr const char* kNone = "No ip2nets rules applied";

// spec/cli-lnetctl.md 5.4
TEST(Ip2Nets, InterfaceAndItsAddress) {  // 150
  EXPECT_EQ(applied("  - net-spec: tcp\n    interfaces: {0: eth0}\n    ip-range: {0: 10.1.2.12}\n"),
            "tcp(eth0)");
}

// spec/cli-lnetctl.md 5.4
TEST(Ip2Nets, TheFirstRulePerNetWins) {  // 151
  EXPECT_EQ(
      applied("  - net-spec: tcp\n    interfaces: {0: eth0, 1: eth1}\n    ip-range: {0: 10.1.2.12, "
              "1: 10.1.3.40}\n"
              "  - net-spec: tcp\n    interfaces: {0: eth1}\n    ip-range: {0: 10.1.3.40}\n"
              "  - net-spec: tcp2\n    interfaces: {0: eth1}\n    ip-range: {0: 10.1.3.40}\n"),
      "tcp(eth0,eth1) tcp2(eth1)");
}

// spec/cli-lnetctl.md 5.4
TEST(Ip2Nets, Wildcards) {  // 152
  EXPECT_EQ(applied("  - net-spec: tcp\n    ip-range: {0: 10.1.2.*}\n"), "tcp(eth0)");
  EXPECT_EQ(applied("  - net-spec: tcp\n    ip-range: {0: 10.1.*.*}\n"), "tcp(eth0,eth1)");
  EXPECT_EQ(applied("  - net-spec: tcp\n    ip-range: {0: 10.*.*.*}\n"), "tcp(eth0,eth1)");
  EXPECT_EQ(applied("  - net-spec: tcp\n    interfaces: {0: eth0}\n    ip-range: {0: \"*.*.*.*\"}\n"
                    "  - net-spec: tcp\n    ip-range: {0: 10.1.3.*}\n"),
            "tcp(eth0)");
}

// spec/cli-lnetctl.md 5.4
TEST(Ip2Nets, RangesStepsAndLists) {  // 153, 154, 156
  EXPECT_EQ(applied("  - net-spec: tcp\n    ip-range: {0: \"10.1.2.[8-16]\"}\n"), "tcp(eth0)");
  EXPECT_EQ(applied("  - net-spec: tcp\n    ip-range: {0: \"10.1.2.[8-16/2]\"}\n"), "tcp(eth0)");
  EXPECT_EQ(applied("  - net-spec: tcp\n    ip-range: {0: \"10.1.2.[9-17/2]\"}\n"), kNone);
  EXPECT_EQ(applied("  - net-spec: tcp\n    ip-range: {0: \"10.1.[2,3].[12,40]\"}\n"),
            "tcp(eth0,eth1)");
}

/// Case 01 of the field: LNet never selects a loopback interface by a pattern.
TEST(Ip2Nets, NoPatternChoosesALoopback) {
  for (const char* pattern : {"*.*.*.*", "[0-255].*.*.*"})
    EXPECT_EQ(applied("  - net-spec: tcp\n    ip-range: {0: \"" + std::string(pattern) + "\"}\n"),
              "tcp(eth0,eth1)")
        << pattern;
  EXPECT_EQ(applied("  - net-spec: tcp\n    ip-range: {0: \"::/0\"}\n"), "tcp(eth0,eth1)");
  for (const char* pattern : {"127.*.*.*", "127.0.0.1", "::1"})
    EXPECT_EQ(applied("  - net-spec: tcp\n    ip-range: {0: \"" + std::string(pattern) + "\"}\n"),
              kNone)
        << pattern;
  EXPECT_EQ(applied("  - net-spec: tcp\n    interfaces: {0: lo}\n    ip-range: {0: 127.0.0.*}\n"),
            "tcp(lo)")
      << "it is named";
}

// spec/cli-lnetctl.md 5.4
TEST(Ip2Nets, NothingMatches) {  // 155, 162
  EXPECT_EQ(
      applied("  - net-spec: tcp\n    interfaces: {0: eth0}\n    ip-range: {0: 10.1.2.13}\n"),
      kNone + std::string(": interface 'eth0' has 10.1.2.12, 2001:db8:1::12, none in 10.1.2.13"));
  EXPECT_EQ(applied("  - net-spec: tcp\n    ip-range: {0: \"2001:db8:9::/48\"}\n"), kNone);
  EXPECT_EQ(applied("  - net-spec: tcp\n    interfaces: {0: eth7}\n"),
            kNone + std::string(": interface 'eth7' is not on this machine"));
  EXPECT_EQ(applied("  - net-spec: tcp\n    interfaces: {0: down0}\n"),
            kNone + std::string(": interface 'down0' is down"));
  EXPECT_EQ(applied("  - net-spec: tcp\n    ip-range: {0: 10.9.9.9}\n"), kNone);
  EXPECT_EQ(
      applied(
          "  - net-spec: tcp\n    interfaces: {0: eth0, 1: eth1}\n    ip-range: {0: 10.1.2.12}\n"),
      kNone + std::string(": interface 'eth1' has 10.1.3.40, 2001:db8:2::40, none in 10.1.2.12"))
      << "each named interface must match";
}

// spec/cli-lnetctl.md 5.4
TEST(Ip2Nets, NetSpecComesFirst) {  // 157
  EXPECT_EQ(applied("  - interfaces: {0: eth0}\n    ip-range: {0: 10.1.2.12}\n"),
            "'net-spec' must be the first key of its item");
}

// spec/cli-lnetctl.md 5.4
TEST(Ip2Nets, Ipv6) {  // 158 to 161
  EXPECT_EQ(applied("  - net-spec: tcp\n    ip-range: {0: \"2001:db8:1::12\"}\n"), "tcp(eth0)");
  EXPECT_EQ(applied("  - net-spec: tcp\n    ip-range: {0: \"2001:db8:1::12/128\"}\n"), "tcp(eth0)");
  for (const char* prefix : {"/64", "/48"}) {
    EXPECT_EQ(applied("  - net-spec: tcp\n    ip-range: {0: \"2001:db8:1::" + std::string(prefix) +
                      "\"}\n"),
              "tcp(eth0)")
        << prefix;
  }
  for (const char* prefix : {"/32", "/16", "/8", "/0"}) {
    EXPECT_EQ(applied("  - net-spec: tcp\n    ip-range: {0: \"2001:db8::" + std::string(prefix) +
                      "\"}\n"),
              "tcp(eth0,eth1)")
        << prefix;
  }
  EXPECT_EQ(applied("  - net-spec: tcp\n    interfaces: {0: eth0, 1: eth1}\n"
                    "    ip-range: {0: \"2001:db8:1::12\", 1: \"2001:db8:2::40\"}\n"
                    "  - net-spec: tcp2\n    ip-range: {0: \"2001:db8:2::40\"}\n"),
            "tcp(eth0,eth1) tcp2(eth1)");
}

TEST(Ip2Nets, WithoutCriteriaTheFirstUsableInterface) {  // spec/cli-lnetctl.md 5.4
  EXPECT_EQ(applied("  - net-spec: tcp\n"), "tcp(eth0)");
  EXPECT_EQ(applied("  - net-spec: tcp\n    interfaces: {0: eth1}\n"), "tcp(eth1)");
}

TEST(Ip2Nets, TunablesAndCptsOfTheRule) {
  const auto document = read_yaml(
      "ip2nets:\n  - net-spec: tcp\n    interfaces: {0: \"eth0[1]\", 1: eth1}\n"
      "    tunables: {credits: 7}\n    lnd tunables: {tos: 3}\n    CPT: \"[0]\"\n");
  const auto nets =
      apply_ip2nets(std::get<Ip2NetsEntry>(document->items.at(0).what).rules, machine_of_four());
  ASSERT_TRUE(nets.has_value());
  EXPECT_EQ(nets->at(0).nis[0].cpts, (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(nets->at(0).nis[1].cpts, (std::vector<std::uint32_t>{0}));
  EXPECT_EQ(nets->at(0).nis[1].tunables.credits, 7);
  EXPECT_EQ(nets->at(0).nis[1].lnd_tunables, (LndTunables{{"tos", 3}}));
}

TEST(Settle, TheNidDecidesWhereItIsHere) {
  const auto here = settle({.interface = "eth0", .nid = Nid::parse("2001:db8:1::12@tcp3").value()},
                           machine_of_four());
  EXPECT_TRUE(here.interface.empty());
  EXPECT_TRUE(here.nid.has_value());
  const auto elsewhere =
      settle({.interface = "eth0", .nid = Nid::parse("10.7.7.7@tcp").value()}, machine_of_four());
  EXPECT_EQ(elsewhere.interface, "eth0");
  EXPECT_FALSE(elsewhere.nid.has_value());
}

}  // namespace
}  // namespace ulnet::conf

#include "admin/conf/yaml_in.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "admin/conf/yaml_fixture.h"
#include "lnet/base/limits.h"
#include "lnet/base/text.h"
#include "lnet/config/cpt_list.h"

namespace ulnet::conf {
namespace {

/// Returns the only problem as editors show it: "3:7 invalid key 'x'".
std::string placed_problem_of(std::string_view text) {
  const Problem problem = only<Problem>(text);
  return std::to_string(problem.place.line) + ":" + std::to_string(problem.place.column) + " " +
         problem.reason;
}
/// Returns the notes of a text, in the form of placed_problem_of().
std::vector<std::string> notes_of(std::string_view text) {
  std::vector<std::string> all;
  const auto document = read_yaml(text);
  EXPECT_TRUE(document.has_value());
  if (!document) return all;
  for (const Problem& note : document->notes)
    all.push_back(std::to_string(note.place.line) + ":" + std::to_string(note.place.column) + " " +
                  note.reason);
  return all;
}
using Texts = std::vector<std::string>;

TEST(YamlIn, AnEmptyTextIsAnEmptyDocument) {
  for (const char* text : {"", "\n", "# only a comment\n", "---\n", "---\n...\n"}) {
    const auto document = read_yaml(text);
    ASSERT_TRUE(document.has_value()) << text;
    EXPECT_TRUE(document->items.empty()) << text;
  }
}

TEST(YamlIn, ANetWithItsInterfacesTunablesAndCpts) {  // spec/cli-lnetctl.md 5.2, 5.3
  const NetItem net = only<NetEntry>(R"(
net:
    - net type: tcp1
      local NI(s):
        - interfaces:
              0: eth0[0,2-3]
              1: eth1
          tunables:
              peer_timeout: -1
              peer_credits: 16
          lnd tunables:
              conns_per_peer: 4
              timeout: 50
              tos: 106
          CPT: "[1]"
)")
                          .item;
  EXPECT_EQ(net.net, (NetId{NetType::kTcp, 1}));
  ASSERT_EQ(net.nis.size(), 2U);
  EXPECT_EQ(net.nis[0].interface, "eth0");
  EXPECT_EQ(net.nis[0].cpts, (std::vector<std::uint32_t>{0, 2, 3})) << "its own list";
  EXPECT_EQ(net.nis[1].cpts, (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(net.nis[1].tunables.peer_timeout, -1);
  EXPECT_EQ(net.nis[1].tunables.peer_credits, 16);
  EXPECT_EQ(net.nis[1].tunables.credits, std::nullopt);
  EXPECT_EQ(net.nis[1].lnd_tunables, (LndTunables{{"conns_per_peer", 4}, {"tos", 106}}));
}

// spec/cli-lnetctl.md 5.3
TEST(YamlIn, TunablesBesideTheNisAreForAllOfThem) {  // upstream case 170
  const auto document = read_yaml(R"(
net:
    - net type: tcp
      local NI(s):
        - interfaces: {0: eth0}
          lnd tunables: {conns_per_peer: 2}
        - interfaces: {0: eth1}
          tunables: {credits: 9}
      tunables: {peer_credits: 5}
      lnd tunables: {tos: 7}
)");
  ASSERT_TRUE(document && document->items.size() == 1);
  const NetItem& net = std::get<NetEntry>(document->items[0].what).item;
  EXPECT_EQ(net.nis[0].tunables.peer_credits, 5);
  EXPECT_EQ(net.nis[1].tunables.peer_credits, 5);
  EXPECT_EQ(net.nis[0].tunables.credits, std::nullopt)
      << "the second NI's do not leak to the first";
  EXPECT_EQ(net.nis[0].lnd_tunables, (LndTunables{{"conns_per_peer", 2}, {"tos", 7}}));
  EXPECT_EQ(net.nis[1].lnd_tunables, (LndTunables{{"tos", 7}})) << "nor the other way";
  ASSERT_EQ(document->notes.size(), 1U);
  EXPECT_NE(document->notes[0].reason.find("should be the same"), std::string::npos);
  EXPECT_EQ(document->notes[0].place, (Place{3, 7}));
}

// spec/cli-lnetctl.md 5.3
TEST(YamlIn, TheNiOfANetBesideItsName) {  // the flat form
  const NetItem flat =
      only<NetEntry>(
          "net:\n  - net type: tcp\n    interfaces: {0: eth1, 1: eth2}\n    status: "
          "up\n    tunables: {credits: 9}\n    CPT: '[1]'\n")
          .item;
  ASSERT_EQ(flat.nis.size(), 2U);
  EXPECT_EQ(flat.nis[0].interface, "eth1");
  EXPECT_EQ(flat.nis[1].interface, "eth2");
  EXPECT_EQ(flat.nis[1].tunables.credits, 9);
  EXPECT_EQ(flat.nis[1].cpts, (std::vector<std::uint32_t>{1}));
  const NetItem by_nid = only<NetEntry>("net:\n  - net type: tcp\n    nid: 10.0.0.1@tcp\n").item;
  ASSERT_EQ(by_nid.nis.size(), 1U);
  EXPECT_EQ(by_nid.nis[0].nid, Nid::parse("10.0.0.1@tcp").value());
  EXPECT_TRUE(only<NetEntry>("net:\n  - net type: tcp\n").item.nis.empty()) << "only the net";
  EXPECT_EQ(placed_problem_of("net:\n  - net type: tcp\n    interfaces: {0: eth1}\n"
                              "    local NI(s):\n      - interfaces: {0: eth0}\n"),
            "3:5 'interfaces' beside 'local NI(s)': which is meant?");
}

TEST(YamlIn, OnlyNamedInterfacesAreTaken) {
  const auto net = [](const std::string& more) {
    return placed_problem_of("net:\n  - net type: tcp\n" + more);
  };
  EXPECT_EQ(net("    local NIs:\n      - interfaces: {0: eth1}\n"),
            "3:5 invalid key 'local NIs': did you mean 'local NI(s)'?");
  EXPECT_EQ(net("    local_ni(s):\n      - interfaces: {0: eth1}\n"),
            "3:5 invalid key 'local_ni(s)': did you mean 'local NI(s)'?");
  EXPECT_EQ(net("    interface: {0: eth1}\n"),
            "3:5 invalid key 'interface': did you mean 'interfaces'?");
  EXPECT_EQ(net("    devices: [eth1]\n"), "3:5 invalid key 'devices'");
  EXPECT_EQ(net("    local NI(s):\n      - interface: {0: eth1}\n        CPT: '[0]'\n"),
            "4:9 invalid key 'interface': did you mean 'interfaces'?");
  EXPECT_EQ(net("    local NI(s):\n      - CPT: '[0]'\n"),
            "4:9 a local NI needs at least one interface or its nid");
  EXPECT_EQ(net("    local NI(s): []\n"), "3:5 no value specified for key 'local NI(s)'");
  EXPECT_EQ(net("    local NI(s):\n"), "3:5 no value specified for key 'local NI(s)'");
  EXPECT_EQ(net("    interfaces: {}\n"), "3:5 no value specified for key 'interfaces'");
  EXPECT_EQ(net("    interfaces: [eth1]\n"),
            "3:17 invalid value '(a list)' for key 'interfaces' (numbers and names are expected: "
            "'0: eth0')");
}

TEST(YamlIn, ARuleWithoutOneOfItsCriteriaMatchesNothing) {
  const auto rule = [](const std::string& more) {
    return placed_problem_of("ip2nets:\n  - net-spec: tcp\n" + more);
  };
  EXPECT_EQ(rule("    interface: {0: eth1}\n"),
            "3:5 invalid key 'interface': did you mean 'interfaces'?");
  EXPECT_EQ(rule("    ip_range: {0: 10.0.0.1}\n"),
            "3:5 invalid key 'ip_range': did you mean 'ip-range'?");
  EXPECT_EQ(rule("    ip-range: {}\n"), "3:5 no value specified for key 'ip-range'");
  EXPECT_EQ(rule("    interfaces: {}\n"), "3:5 no value specified for key 'interfaces'");
  // and the later rules do not replace it
  EXPECT_EQ(rule("    ip-rnge: {0: 10.0.0.1}\n  - net-spec: tcp\n"),
            "3:5 invalid key 'ip-rnge': did you mean 'ip-range'?");
}

TEST(YamlIn, KeysThatChangeNothingAreNoted) {
  const auto ni = [](const std::string& more) {
    return notes_of("net:\n  - net type: tcp\n    local NI(s):\n      - interfaces: {0: eth0}\n" +
                    more);
  };
  EXPECT_EQ(ni("        tunables:\n          peer_kredits: 3\n"),
            (Texts{"6:11 Ignoring unrecognized key 'peer_kredits' for 'tunables': did you mean "
                   "'peer_credits'?"}));
  EXPECT_EQ(ni("        cpt: '[0]'\n"),
            (Texts{"5:9 Ignoring unrecognized key 'cpt' for 'local NI(s)': did you mean 'CPT'?"}));
  EXPECT_EQ(ni("        lnd tunables: {timeout: 5, accept: trust}\n        status: up\n"), Texts{})
      << "exports have these";
  EXPECT_EQ(notes_of("route:\n  - net: tcp1\n    gateway: 10.0.0.1@tcp\n    hops: 1\n"),
            (Texts{"4:5 Ignoring unrecognized key 'hops' for 'route': did you mean 'hop'?"}));
  EXPECT_EQ(notes_of("param:\n  accept: {valeu: all, value: trust}\n"),
            (Texts{"2:12 Ignoring unrecognized key 'valeu' for 'accept': did you mean 'value'?"}));
}

TEST(YamlIn, BadItemsAreRefusedWhole) {
  EXPECT_EQ(placed_problem_of("route:\n  - net: tcp1\n    gateway: 10.0.0.1@tcp\n    hop: far\n"),
            "4:10 invalid value 'far' for key 'hop'");
  EXPECT_EQ(placed_problem_of("udsp:\n  - src: tcp\n    action: {priorty: 3}\n"),
            "3:14 invalid key 'priorty': did you mean 'priority'?");
  EXPECT_EQ(placed_problem_of("udsp:\n  - src: tcp\n    action: 3\n"),
            "3:13 invalid value '3' for key 'action'");
  EXPECT_EQ(placed_problem_of("udsp:\n  - src: [tcp]\n"),
            "2:10 invalid value '(a list)' for key 'src'");
  EXPECT_EQ(placed_problem_of("ping:\n  nids: 10.0.0.1@tcp\n  timeout: soon\n"),
            "3:12 invalid value 'soon' for key 'timeout'");
  EXPECT_EQ(placed_problem_of("discover:\n  nids: 10.0.0.1@tcp\n  force: foo\n"),
            "3:10 invalid value 'foo' for key 'force'");
  EXPECT_EQ(placed_problem_of("ping:\n  nids: {0: [10.0.0.1@tcp]}\n"),
            "2:13 invalid value '(a list)' for key 'nids'");
  EXPECT_EQ(placed_problem_of("routing:\n  - enabel: 1\n"),
            "2:5 invalid key 'enabel': did you mean 'enable'?");
  const std::string peer = "peer:\n  - primary nid: 10.0.0.1@tcp\n";
  EXPECT_EQ(placed_problem_of(peer + "    peer ni: foo\n"),
            "3:14 invalid value 'foo' for key 'peer ni'");
  EXPECT_EQ(placed_problem_of(peer + "    peer ni: [foo]\n"),
            "3:15 invalid value 'foo' for key 'peer ni'");
  EXPECT_EQ(placed_problem_of(peer + "    peer ni:\n"), "3:5 no value specified for key 'peer ni'");
  EXPECT_EQ(placed_problem_of(peer + "    peer_ni: [{nid: 10.0.0.2@tcp}]\n"),
            "3:5 invalid key 'peer_ni': did you mean 'peer ni'?");
}

TEST(YamlIn, AKeyIsGivenOnce) {
  EXPECT_EQ(placed_problem_of("net:\n  - net type: tcp\n    local NI(s):\n"
                              "      - interfaces: {0: eth0}\n        tunables:\n"
                              "          peer_credits: 8\n          peer_credits: 9\n"),
            "7:11 key 'peer_credits' is given twice, first in line 6");
  EXPECT_EQ(placed_problem_of("net:\n  - net type: tcp\n    interfaces: {0: eth0, 0: eth1}\n"),
            "3:27 key '0' is given twice, first in line 3");
  EXPECT_EQ(placed_problem_of("global:\n  retry_count: 1\n  numa_range: 2\n  retry_count: 3\n"),
            "4:3 key 'retry_count' is given twice, first in line 2")
      << "and none of them is set";
  EXPECT_EQ(placed_problem_of("routing:\n  - enable: 1\n    enable: 0\n"),
            "3:5 key 'enable' is given twice, first in line 2")
      << "nor in a list";
  EXPECT_EQ(notes_of("global:\n  retry_count: 1\nnet: []\nglobal:\n  retry_count: 3\n"),
            (Texts{"4:1 section 'global' is there already, in line 1"}));
  EXPECT_EQ(notes_of("---\nglobal: {discovery: 1}\n---\nglobal: {discovery: 0}\n"), Texts{})
      << "in another document";
}

TEST(YamlIn, TabsAreNamedInErrors) {
  for (const auto& [text, place] : std::vector<std::pair<const char*, Place>>{
           {"net:\n\t- net type: tcp\n", {2, 1}},
           {"global:\n\tdiscovery: 1\n", {2, 1}},
           {"global:\n  discovery: 1\n \tnuma_range: 1\n", {3, 2}}}) {
    const auto read = read_yaml(text);
    ASSERT_FALSE(read.has_value()) << text;
    EXPECT_EQ(read.error().reason, "a tab: YAML is indented by spaces only");
    EXPECT_EQ(read.error().place, place) << text;
  }
  EXPECT_EQ(only<GlobalEntry>("global:\n  discovery:\t1\n").values.at(0).value, 1)
      << "between a key and its value a tab is allowed";
}

TEST(YamlIn, PlacesAreThoseOfKeysAndValues) {
  EXPECT_EQ(placed_problem_of("foo:\n    - bar: 1\n"), "1:1 invalid key 'foo'");
  EXPECT_EQ(placed_problem_of("net:\n    - net type: tcp\n      local NI(s):\n"
                              "        - interfaces:\n              0: eth0\n"
                              "          tunables:\n              peer_credits: many\n"),
            "7:29 invalid value 'many' for key 'peer_credits'");
  EXPECT_EQ(placed_problem_of("net:\n  - net type: tcp\n    nid: 10.0.0.1@tcp1\n"),
            "3:10 nid '10.0.0.1@tcp1' is not on net 'tcp'");
  EXPECT_EQ(placed_problem_of("global:\n  discovery:\n"),
            "2:3 no value specified for key 'discovery'");
  const auto settings = only<GlobalEntry>("global:\n  discovery: 1\n  numa_range: 0\n").values;
  EXPECT_EQ(settings.at(1).place, (Place{3, 15}));
}

TEST(YamlIn, AnEmptyListOfRoutesIsNothing) {
  for (const char* none : {"route:\n", "route: []\n"}) {
    const auto document = read_yaml(none);
    ASSERT_TRUE(document.has_value());
    EXPECT_TRUE(document->items.empty()) << none;
  }
}

TEST(YamlIn, AnErrorReplacesTheBadItem) {  // spec/cli-lnetctl.md 5.3
  const auto document = read_yaml(
      "net:\n  - local NI(s): []\n    net type: tcp\n  - net type: tcp\n  - 5\nfoo: 1\nglobal:\n  "
      "retry_count: 3\n");
  ASSERT_TRUE(document.has_value());
  ASSERT_EQ(document->items.size(), 5U);
  EXPECT_TRUE(std::holds_alternative<Problem>(document->items[0].what));
  EXPECT_TRUE(std::holds_alternative<NetEntry>(document->items[1].what));
  EXPECT_EQ(document->items[1].place.line, 4);
  EXPECT_EQ(document->items[1].place.column, 5);
  EXPECT_TRUE(std::holds_alternative<Problem>(document->items[2].what));
  EXPECT_EQ(std::get<Problem>(document->items[3].what).reason, "invalid key 'foo'");
  EXPECT_EQ(document->items[3].place.line, 6);
  EXPECT_TRUE(std::holds_alternative<GlobalEntry>(document->items[4].what));
}

TEST(YamlIn, TheReasonsAreLnetctls) {  // spec/cli-lnetctl.md 5.2
  EXPECT_EQ(problem_of("net: 5\n"), "invalid value '5' for key 'net'");
  EXPECT_EQ(problem_of("net:\n  - net type: foo\n"), "invalid value 'foo' for key 'net type'");
  EXPECT_EQ(problem_of("net:\n  - net type:\n"), "no value specified for key 'net type'");
  EXPECT_EQ(problem_of("net:\n  - net type: tcp\n    ip-range: {0: 1.2.3.4}\n"),
            "invalid key 'ip-range'");
  EXPECT_EQ(problem_of("global:\n  discovery: foo\n"), "invalid value 'foo' for key 'discovery'");
  EXPECT_EQ(problem_of("global:\n  discovery:\n"), "no value specified for key 'discovery'");
  EXPECT_EQ(problem_of("global:\n  diskovry: 1\n"),
            "invalid key 'diskovry': did you mean 'discovery'?");
  EXPECT_EQ(problem_of("global:\n  colour: 1\n"), "invalid key 'colour'");
  EXPECT_EQ(problem_of("numa:\n  range: far\n"), "invalid value 'far' for key 'range'");
  EXPECT_EQ(problem_of("peer:\n  - primary nid: 1.1.1.1@tcp\n    Multi-Rail: Foobar\n"),
            "invalid value 'Foobar' for key 'Multi-Rail'");
  EXPECT_EQ(problem_of("route:\n  - net: tcp1\n"), "no value specified for key 'gateway'");
}

TEST(YamlIn, BadTunablesAndCpts) {  // spec/cli-lnetctl.md 5.3; spec/core-semantics.md 13.3
  const auto ni = [](const std::string& more) {
    return problem_of("net:\n  - net type: tcp\n    local NI(s):\n      - interfaces: {0: eth0}\n" +
                      more);
  };
  EXPECT_EQ(ni("        lnd tunables: {conns_per_peer: 200}\n"),
            "invalid conns-per-peer value (valid range 0-127)");
  EXPECT_EQ(ni("        lnd tunables: {tos: 300}\n"), "Invalid ToS argument");
  EXPECT_EQ(
      problem_of("net: [{net type: lo, local NI(s): [{nid: 0@lo, lnd tunables: {tos: 3}}]}]\n"),
      "an NI of net lo has no tunable 'tos'");
  EXPECT_EQ(problem_of("ip2nets: [{net-spec: lo, lnd tunables: {tos: 3}}]\n"),
            "an NI of net lo has no tunable 'tos'");
  EXPECT_TRUE(
      notes_of("net: [{net type: o2ib, interfaces: {0: ib0}, lnd tunables: {tos: 3}}]\n").empty())
      << "the node refuses this net";
  EXPECT_EQ(ni("        tunables: {credits: many}\n"), "invalid value 'many' for key 'credits'");
  EXPECT_EQ(ni("        tunables: {credits: 99999999999}\n"),
            "invalid value '99999999999' for key 'credits'");
  EXPECT_NE(ni("        CPT: \"[1-0]\"\n"), "");
  EXPECT_NE(ni("        CPT: []\n"), "");
  EXPECT_NE(ni("        CPT: \"[9999]\"\n"), "");
}

TEST(YamlIn, TheOtherSections) {  // spec/cli-lnetctl.md 5.2, 14.11
  const auto numa = only<GlobalEntry>("numa:\n  range: 7\n").values.at(0);
  EXPECT_EQ(numa.name, "numa_range");
  EXPECT_EQ(numa.value, 7);
  const auto global =
      only<GlobalEntry>("global:\n  numa_range: 0\n  lnd_timeout: 49\n  retry_count: 2\n");
  EXPECT_EQ(global.values.size(), 2U) << "lnd_timeout is not a setting";
  const auto params =
      only<ParamEntry>("param:\n  accept: trust\n  accept_port: {value: 1988, default: 988}\n");
  EXPECT_EQ(params.values.at(1).name, "accept_port");
  EXPECT_EQ(params.values.at(1).value, "1988");
  EXPECT_EQ(only<ParamEntry>("param:\n  npartitions: 2\n").values.at(0).name, "cpu_npartitions");
  const auto route = only<RouteEntry>(
      "route:\n  - net: tcp1\n    gateway: 10.0.0.1@tcp\n    hop: -1\n    priority: 0\n    state: "
      "up\n");
  EXPECT_EQ(route.hop, -1);
  EXPECT_EQ(
      only<RoutingEntry>("routing:\n    - cpt[0]:\n          tiny: {npages: 0}\n    - enable: 1\n")
          .values.at(0)
          .value,
      1);
  EXPECT_TRUE(only<RoutingEntry>("buffers:\n  tiny: 1\n  small: 2\n").buffers);
  EXPECT_EQ(only<PeerEntry>("peer:\n  - primary nid: 1.1.1.1@tcp\n    Multi-Rail: False\n    peer "
                            "ni:\n      - nid: 1.1.1.1@tcp\n")
                .nids.size(),
            1U);
  EXPECT_EQ(
      only<UdspEntry>("udsp:\n  - idx: 0\n    src: tcp\n    action: {priority: 3}\n").rule.priority,
      3U);
  const auto ping = only<ExecEntry>(
      "ping:\n  nids: {0: 1.1.1.1@tcp, 1: 1.1.1.2@tcp}\n  timeout: 5\n  source: 1.1.1.9@tcp\n");
  EXPECT_EQ(ping.nids.size(), 2U);
  EXPECT_EQ(ping.timeout_s, 5);
  EXPECT_TRUE(only<ExecEntry>("discover:\n  - primary nid: 1.1.1.1@tcp\n").discover);
  only<StatisticsEntry>("statistics:\n");
}

TEST(YamlIn, Ip2NetsRulesAreKeptTogether) {  // spec/cli-lnetctl.md 5.2
  const auto entry = only<Ip2NetsEntry>(R"(
ip2nets:
  - net-spec: tcp
    interfaces: {0: eth0}
    ip-range: {0: "*.*.*.*", 1: "192.168.[1-5/2].8"}
  - net-spec: tcp1
    ip-range: {0: "2001:db8::/32"}
)");
  ASSERT_EQ(entry.rules.size(), 2U);
  EXPECT_EQ(entry.rules[0].ip_ranges.size(), 2U);
  EXPECT_EQ(problem_of("ip2nets:\n  - interfaces: {0: eth0}\n    net-spec: tcp\n"),
            "'net-spec' must be the first key of its item");
  EXPECT_EQ(problem_of("ip2nets:\n  - net-spec: tcp\n    local NI(s): []\n"),
            "invalid key 'local NI(s)'");
  EXPECT_EQ(problem_of("ip2nets:\n  - net-spec: tcp\n    ip-range: {0: 1.2.3}\n"),
            "invalid value '1.2.3' for key 'ip-range'");
}

TEST(YamlIn, SeveralDocumentsAreOne) {
  const auto document = read_yaml(
      "---\nnet:\n  - net type: tcp\n---\nnet:\n  - net type: tcp1\nnet:\n  - net type: tcp2\n");
  ASSERT_TRUE(document.has_value());
  EXPECT_EQ(document->items.size(), 3U) << "duplicate keys stay, as `import --show` prints them";
}

TEST(YamlIn, TagsArePassedOver) {
  const auto plain = only<NetEntry>("net:\n    - net type: tcp1\n");
  const auto tagged = only<NetEntry>("!!map\nnet: !!seq\n    - !item net type: !!str tcp1\n");
  EXPECT_EQ(tagged.item, plain.item);
}

TEST(YamlIn, ErrorsOfTheTextNameLineAndColumn) {
  const auto bad = read_yaml("net:\n  - net type: tcp\n   bad indent: [\n");
  ASSERT_FALSE(bad.has_value());
  EXPECT_EQ(bad.error().place.line, 3) << bad.error().reason;
  EXPECT_GT(bad.error().place.column, 0);
  EXPECT_EQ(bad.error().code, -EINVAL);
  EXPECT_FALSE(read_yaml("- a list\n").has_value());
  EXPECT_FALSE(read_yaml("just text\n").has_value());
}

TEST(YamlIn, HostileTextsAreBounded) {
  EXPECT_EQ(read_yaml(std::string(limits::kConfigTextMax + 1, ' ')).error().code, -E2BIG);
  EXPECT_FALSE(read_yaml("net: " + std::string(100000, '[')).has_value());
  EXPECT_FALSE(read_yaml("net: " + std::string(100000, '{')).has_value());
  std::string dashes;
  for (int i = 0; i < 50000; ++i) dashes += "- ";
  EXPECT_FALSE(read_yaml(dashes).has_value());
  std::string steps;
  for (std::size_t i = 0; i < 1000; ++i) steps += std::string(i, ' ') + "a:\n";
  EXPECT_FALSE(read_yaml(steps).has_value());
  // a text that would grow when it is read
  const auto alias = read_yaml("a: &x [1,2]\nb: [*x, *x]\n");
  ASSERT_FALSE(alias.has_value());
  EXPECT_NE(alias.error().reason.find("not allowed"), std::string::npos);
  EXPECT_FALSE(read_yaml("? [complex]\n: key\n").has_value());
  // texts on which the YAML library would never end
  EXPECT_FALSE(read_yaml(",net: [x]").has_value());
  EXPECT_FALSE(read_yaml("net: 5\n]").has_value());
}

// Reasons go to terminals and logs.
TEST(YamlIn, ReasonsAreShortAndPrintable) {
  const std::string most(1000, 'x');
  EXPECT_EQ(problem_of("net: " + most + "\n"),
            "invalid value '" + most.substr(0, 64) + "...' for key 'net'");
  EXPECT_EQ(problem_of(most + ": 1\n"), "invalid key '" + most.substr(0, 64) + "...'");
  EXPECT_EQ(problem_of("net: \"\\e[31m\"\n"), "invalid value '?[31m' for key 'net'");
  const auto notes = notes_of("param:\n  nagle:\n    value: 1\n    \"\\e]\": 1\n");
  EXPECT_EQ(notes, (Texts{"4:5 Ignoring unrecognized key '?]' for 'nagle'"}));
}

TEST(YamlIn, OnlyUtf8) {
  EXPECT_TRUE(
      text::is_utf8("gr\xc3\xbc\xc3\x9f"
                    "e \xe2\x82\xac \xf0\x9f\x98\x80"));
  for (const char* bad : {"\xff", "\xc3", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80",
                          "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\x80"}) {
    EXPECT_FALSE(text::is_utf8(bad));
    EXPECT_EQ(read_yaml("net: " + std::string(bad) + "\n").error().reason, "the text is not UTF-8");
  }
  EXPECT_FALSE(read_yaml(std::string_view("net: \0\n", 7)).has_value());
}

// Asserts only that reading ends, without a crash and without a sanitizer's report.
RC_GTEST_PROP(YamlIn, SmokeAnyTextIsReadOrRefused, (const std::string& text)) {
  static_cast<void>(read_yaml(text));
}

TEST(CptList, AllItsForms) {  // spec/core-semantics.md 13.3
  using List = std::vector<std::uint32_t>;
  EXPECT_EQ(parse_cpt_list("[0,1]").value(), (List{0, 1}));
  EXPECT_EQ(parse_cpt_list(" [2-4] ").value(), (List{2, 3, 4}));
  EXPECT_EQ(parse_cpt_list("0,3").value(), (List{0, 3}));
  EXPECT_EQ(parse_cpt_list("5").value(), (List{5}));
  EXPECT_EQ(parse_cpt_list("[7,7]").value(), (List{7}));
  EXPECT_EQ(parse_cpt_list("[1-0]").error().code, -EINVAL);
  EXPECT_EQ(parse_cpt_list("[]").error().code, -EINVAL);
  EXPECT_EQ(parse_cpt_list("").error().code, -EINVAL);
  EXPECT_EQ(parse_cpt_list("[0").error().code, -EINVAL);
  EXPECT_EQ(parse_cpt_list("[256]").error().code, -ERANGE);
  EXPECT_FALSE(parse_cpt_list("*").has_value());
}

TEST(InterfaceList, DevicesAliasesAddresses) {
  const auto nis = parse_interface_list("eth0, ib0[0,1],eth1:2,127.0.0.11,fd99::1,eth2[3]:1");
  ASSERT_TRUE(nis.has_value());
  ASSERT_EQ(nis->size(), 6U);
  EXPECT_EQ((*nis)[1].cpts.size(), 2U);
  EXPECT_EQ((*nis)[2].interface, "eth1:2");
  EXPECT_EQ((*nis)[4].interface, "fd99::1");
  EXPECT_EQ((*nis)[5].interface, "eth2:1");
  for (const char* bad : {"", ",", "eth0,,eth1", "eth0[", "eth0]", "eth0[1-0]", "[0]", "eth0[0]x",
                          "et h0\"", "eth0()"}) {
    const auto list = parse_interface_list(bad);
    EXPECT_FALSE(list.has_value()) << bad;
  }
  EXPECT_EQ(parse_interface_list("eth0[256]").error().code, -ERANGE);
  EXPECT_EQ(parse_interface_list("eth0[256]").error().reason, "invalid CPT value");
}

}  // namespace
}  // namespace ulnet::conf

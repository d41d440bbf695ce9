#include "conf/yaml_in.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/limits.h"

namespace ulnet::conf {
namespace {

/// The only item of a text.
template <class What>
What only(std::string_view text) {
  auto document = read_yaml(text);
  EXPECT_TRUE(document.has_value()) << document.error().reason;
  if (!document || document->items.size() != 1) {
    ADD_FAILURE() << "one item expected";
    return What{};
  }
  const What* what = std::get_if<What>(&document->items[0].what);
  if (what == nullptr) {
    const Problem* problem = std::get_if<Problem>(&document->items[0].what);
    ADD_FAILURE() << "another kind of item: " << (problem == nullptr ? "" : problem->reason);
    return What{};
  }
  return *what;
}

std::string problem_of(std::string_view text) { return only<Problem>(text).reason; }

TEST(YamlIn, AnEmptyTextIsAnEmptyDocument) {
  for (const char* text : {"", "\n", "# only a comment\n", "---\n", "---\n...\n"}) {
    const auto document = read_yaml(text);
    ASSERT_TRUE(document.has_value()) << text;
    EXPECT_TRUE(document->items.empty()) << text;
  }
}

TEST(YamlIn, ANetWithItsInterfacesTunablesAndCpts) {
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
  EXPECT_EQ(net.nis[1].lnd_tunables.conns_per_peer, 4);
  EXPECT_EQ(net.nis[1].lnd_tunables.tos, 106);
}

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
  EXPECT_EQ(net.nis[0].lnd_tunables.conns_per_peer, 2);
  EXPECT_EQ(net.nis[1].lnd_tunables.conns_per_peer, std::nullopt) << "nor the other way";
  EXPECT_EQ(net.nis[1].lnd_tunables.tos, 7);
  ASSERT_EQ(document->notes.size(), 1U);
  EXPECT_NE(document->notes[0].find("should be the same"), std::string::npos);
}

TEST(YamlIn, WhatIsWrongWithAnItemStandsInItsStead) {
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

TEST(YamlIn, TheReasonsAreLnetctls) {
  EXPECT_EQ(problem_of("net: 5\n"), "invalid value '5' for key 'net'");
  EXPECT_EQ(problem_of("net:\n"), "no value specified for key 'net'");
  EXPECT_EQ(problem_of("net:\n  - net type: foo\n"), "invalid value 'foo' for key 'net type'");
  EXPECT_EQ(problem_of("net:\n  - net type:\n"), "no value specified for key 'net type'");
  EXPECT_EQ(problem_of("net:\n  - net type: tcp\n    ip-range: {0: 1.2.3.4}\n"),
            "invalid key 'ip-range'");
  EXPECT_EQ(problem_of("global:\n  discovery: foo\n"), "invalid value 'foo' for key 'discovery'");
  EXPECT_EQ(problem_of("global:\n  discovery:\n"), "no value specified for key 'discovery'");
  EXPECT_EQ(problem_of("global:\n  discovrey: 1\n"), "invalid key 'discovrey'");
  EXPECT_EQ(problem_of("numa:\n  range: far\n"), "invalid value 'far' for key 'range'");
  EXPECT_EQ(problem_of("peer:\n  - primary nid: 1.1.1.1@tcp\n    Multi-Rail: Foobar\n"),
            "invalid value 'Foobar' for key 'Multi-Rail'");
  EXPECT_EQ(problem_of("route:\n  - net: tcp1\n"), "no value specified for key 'gateway'");
}

TEST(YamlIn, BadTunablesAndCpts) {
  const auto ni = [](const std::string& more) {
    return problem_of("net:\n  - net type: tcp\n    local NI(s):\n      - interfaces: {0: eth0}\n" +
                      more);
  };
  EXPECT_EQ(ni("        lnd tunables: {conns_per_peer: 200}\n"),
            "invalid conns-per-peer value (valid range 0-127)");
  EXPECT_EQ(ni("        lnd tunables: {tos: 300}\n"), "Invalid ToS argument");
  EXPECT_EQ(ni("        tunables: {credits: many}\n"), "invalid value 'many' for key 'credits'");
  EXPECT_EQ(ni("        tunables: {credits: 99999999999}\n"),
            "invalid value '99999999999' for key 'credits'");
  EXPECT_NE(ni("        CPT: \"[1-0]\"\n"), "");
  EXPECT_NE(ni("        CPT: []\n"), "");
  EXPECT_NE(ni("        CPT: \"[9999]\"\n"), "");
}

TEST(YamlIn, TheOtherSections) {
  EXPECT_EQ(only<GlobalEntry>("numa:\n  range: 7\n").values.at(0),
            (std::pair<std::string, std::int64_t>("numa_range", 7)));
  const auto global =
      only<GlobalEntry>("global:\n  numa_range: 0\n  lnd_timeout: 49\n  retry_count: 2\n");
  EXPECT_EQ(global.values.size(), 2U) << "lnd_timeout only informs";
  const auto params =
      only<ParamEntry>("param:\n  accept: trust\n  accept_port: {value: 1988, default: 988}\n");
  EXPECT_EQ(params.values.at(1), (std::pair<std::string, std::string>("accept_port", "1988")));
  EXPECT_EQ(only<ParamEntry>("param:\n  npartitions: 2\n").values.at(0).first, "cpu_npartitions");
  const auto route = only<RouteEntry>(
      "route:\n  - net: tcp1\n    gateway: 10.0.0.1@tcp\n    hop: -1\n    priority: 0\n    state: "
      "up\n");
  EXPECT_EQ(route.hop, -1);
  EXPECT_EQ(
      only<RoutingEntry>("routing:\n    - cpt[0]:\n          tiny: {npages: 0}\n    - enable: 1\n")
          .values.at(0)
          .second,
      1);
  EXPECT_TRUE(only<RoutingEntry>("buffers:\n  tiny: 1\n  small: 2\n").buffers);
  EXPECT_EQ(only<PeerEntry>("peer:\n  - primary nid: 1.1.1.1@tcp\n    Multi-Rail: False\n    peer "
                            "ni:\n      - nid: 1.1.1.1@tcp\n")
                .nids.size(),
            1U);
  EXPECT_EQ(
      only<UdspEntry>("udsp:\n  - idx: 0\n    src: tcp\n    action: {priority: 3}\n").priority, 3);
  const auto ping = only<ExecEntry>(
      "ping:\n  nids: {0: 1.1.1.1@tcp, 1: 1.1.1.2@tcp}\n  timeout: 5\n  source: 1.1.1.9@tcp\n");
  EXPECT_EQ(ping.nids.size(), 2U);
  EXPECT_EQ(ping.timeout_s, 5);
  EXPECT_TRUE(only<ExecEntry>("discover:\n  - primary nid: 1.1.1.1@tcp\n").discover);
  only<StatisticsEntry>("statistics:\n");
}

TEST(YamlIn, Ip2NetsRulesAreKeptTogether) {
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

TEST(YamlIn, ErrorsOfTheTextNameLineAndColumn) {
  const auto bad = read_yaml("net:\n  - net type: tcp\n   bad indent: [\n");
  ASSERT_FALSE(bad.has_value());
  EXPECT_TRUE(bad.error().reason.starts_with("line ")) << bad.error().reason;
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
  // what expands on reading
  const auto alias = read_yaml("a: &x [1,2]\nb: [*x, *x]\n");
  ASSERT_FALSE(alias.has_value());
  EXPECT_NE(alias.error().reason.find("not allowed"), std::string::npos);
  EXPECT_FALSE(read_yaml("? [complex]\n: key\n").has_value());
  // where the YAML library would go on for ever
  EXPECT_FALSE(read_yaml(",net: [x]").has_value());
  EXPECT_FALSE(read_yaml("net: 5\n]").has_value());
}

TEST(YamlIn, OnlyUtf8) {
  EXPECT_TRUE(
      is_utf8("gr\xc3\xbc\xc3\x9f"
              "e \xe2\x82\xac \xf0\x9f\x98\x80"));
  for (const char* bad : {"\xff", "\xc3", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80",
                          "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\x80"}) {
    EXPECT_FALSE(is_utf8(bad));
    EXPECT_EQ(read_yaml("net: " + std::string(bad) + "\n").error().reason, "the text is not UTF-8");
  }
  EXPECT_FALSE(read_yaml(std::string_view("net: \0\n", 7)).has_value());
}

// Nothing is asserted but that it ends, without a crash and without a sanitizer's complaint.
RC_GTEST_PROP(YamlIn, SmokeAnyTextIsReadOrRefused, (const std::string& text)) {
  static_cast<void>(read_yaml(text));
}

TEST(CptList, AllItsForms) {
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
  EXPECT_EQ(parse_interface_list("eth0[64]").error().code, -ERANGE);
  EXPECT_EQ(parse_interface_list("eth0[64]").error().reason, "invalid CPT value");
}

}  // namespace
}  // namespace ulnet::conf

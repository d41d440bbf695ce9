#include "sim/scenario/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ulnet::sim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kGood = R"(name: both
seed: 9
edge: tcp
links:
    default: {delay: 50us}
    thin: {bandwidth: 10MB/s, loss: 0.5%}
nodes:
    - name: client
      count: 3
      nids: [10.0.0.1@tcp, 10.1.0.1@tcp1]
      settings: {retry_count: 1, typed_conns: 0}
      peer_credits: 4
    - {name: server, nids: 10.0.1.1@tcp}
between:
    - {from: client1, to: server, link: thin}
workload:
    - {what: put, from: client, to: server, count: 5, size: 1KiB..4KiB, every: 1ms, ack: no}
    - {what: mix, count: 10}
faults:
    - {at: 1.5s, what: partition, from: client0, to: [client1, server], for: 2s, both: yes}
    - {at: 2s, what: crash, node: server, silent: yes}
    - {every: 500ms, what: reset}
lasts: 3s
expect:
    delivered: 15..
    drops: {no matching buffer: 0, total: ..5}
    counters: {server: {recv_count: 1..}}
)";

TEST(ReadScenario, TakesWhatIsWritten) {
  const auto read = read_scenario(kGood);
  ASSERT_TRUE(read) << read.error().front().reason;
  EXPECT_EQ(read->name, "both");
  EXPECT_EQ(read->seed, 9U);
  ASSERT_EQ(read->nodes.size(), 4U);
  EXPECT_EQ(read->nodes[2].name, "client2");
  EXPECT_EQ(read->nodes[2].nis[1].nid.to_string(), "10.1.0.3@tcp1");
  EXPECT_EQ(read->nodes[2].nis[1].tunables.peer_credits, 4);
  EXPECT_EQ(read->nodes[0].globals.retry_count, 1);
  EXPECT_EQ(read->nodes[0].sock.typed_conns, 0);
  EXPECT_EQ(read->nodes[3].driver, DriverKind::kSock);
  ASSERT_EQ(read->links.size(), 2U);  // one per direction
  EXPECT_EQ(read->links[1].from, 3U);
  EXPECT_EQ(read->links[1].model.loss_ppm, 5000U);
  EXPECT_EQ(read->links[1].model.delay, std::chrono::microseconds(50));  // from the default
  ASSERT_EQ(read->loads.size(), 2U);
  EXPECT_THAT(read->loads[0].from, ElementsAre(0, 1, 2));
  EXPECT_EQ(read->loads[0].min_bytes, 1024U);
  EXPECT_FALSE(read->loads[0].ack);
  ASSERT_EQ(read->acts.size(), 5U);  // two pairs in both directions, one crash
  EXPECT_EQ(read->acts[0].at, std::chrono::milliseconds(1500));
  EXPECT_EQ(read->acts[3].other, 0U);
  EXPECT_TRUE(read->acts[4].silent);
  ASSERT_EQ(read->rates.size(), 1U);
  ASSERT_EQ(read->expect.size(), 4U);
  EXPECT_EQ(read->expect[0].line, 25);
  EXPECT_EQ(read->expect[2].range, (text::Range{0, 5}));
}

TEST(ReadScenario, TakesSwitches) {
  const auto read = read_scenario(R"(switches: [leaf, spine, other]
switch links:
    - {between: [leaf, spine], bandwidth: 1GB/s, latency: 2us}
    - {between: [other, spine], bandwidth: 10MB/s}
nodes:
    - {name: a, count: 2, nids: [10.0.0.1@tcp, 10.1.0.1@tcp1], switch: leaf}
    - {name: b, nids: [10.0.1.1@tcp, 10.1.1.1@tcp1], switch: [other, spine]}
    - {name: c, nids: 10.2.1.1@tcp2}
faults:
    - {at: 1s, what: link-cut, link: [spine, leaf], for: 2s}
    - {at: 2s, what: link-slow, link: [other, spine], bandwidth: 5kB/s}
expect:
    faults: {link-cut: 1, link-slow: 1}
    switch links: {spine to leaf: {bytes: 5.., lost: 1}, other to spine: {busy: 90.., queue: ..9}}
)");
  ASSERT_TRUE(read) << read.error().front().reason;
  EXPECT_THAT(read->switches.names, ElementsAre("leaf", "spine", "other"));
  ASSERT_EQ(read->switches.links.size(), 2U);
  EXPECT_EQ(read->switches.links[1].a, SwitchId{2});
  EXPECT_EQ(read->switches.links[0].model,
            (SwitchLinkModel{1'000'000'000, std::chrono::microseconds(2)}));
  EXPECT_EQ(read->nodes[1].nis[1].at_switch, SwitchId{0});
  EXPECT_EQ(read->nodes[2].nis[0].at_switch, SwitchId{2});
  EXPECT_EQ(read->nodes[2].nis[1].at_switch, SwitchId{1});
  EXPECT_FALSE(read->nodes[3].nis[0].at_switch.has_value());
  ASSERT_EQ(read->acts.size(), 2U);
  EXPECT_EQ(read->acts[0].what, Act::What::kLinkCut);
  EXPECT_EQ(read->acts[0].switch_link, SwitchLinkId{0});
  EXPECT_EQ(read->acts[1].what, Act::What::kLinkSlow);
  EXPECT_EQ(read->acts[1].bandwidth, 5000U);
  ASSERT_EQ(read->expect.size(), 6U);
  EXPECT_EQ(read->expect[0].index, kFaultKinds.size());
  EXPECT_EQ(read->expect[2].index, 1U * Expectation::kLinkValues + Expectation::kBytes);
  EXPECT_EQ(read->expect[4].index, 2U * Expectation::kLinkValues + Expectation::kBusyPercent);
  EXPECT_EQ(read->expect[5].name, "other to spine: queue");
}

TEST(ReadScenario, TakesRoutes) {
  const auto read = read_scenario(R"(interface rate: 100MB/s
nodes:
    - name: client
      count: 2
      nids: 10.0.0.1@tcp
      routes:
          - {net: tcp1, gateway: 10.0.0.9@tcp}
          - {net: tcp1, gateway: 10.0.0.8@tcp, hops: 2, priority: 3}
    - {name: r, nids: [10.0.0.9@tcp, 10.1.0.9@tcp1], routing: yes, buffers: {small: 4}}
    - {name: s, nids: [10.0.0.8@tcp, 10.1.0.8@tcp1]}
    - name: server
      nids: 10.1.0.1@tcp1
      routes: [{net: tcp, gateway: 10.1.0.9@tcp1}]
workload: [{from: client, to: server}]
)");
  ASSERT_TRUE(read) << read.error().front().reason;
  EXPECT_EQ(read->interface_rate, 100'000'000U);
  const auto& routes = read->nodes[1].routes->nets().begin()->second;
  ASSERT_EQ(routes.size(), 2U);
  EXPECT_EQ(routes[0].gateway.to_string(), "10.0.0.9@tcp");
  EXPECT_EQ(routes[0].hops, core::kHopsUndefined);
  EXPECT_EQ(routes[1].hops, 2);
  EXPECT_EQ(routes[1].priority, 3U);
  EXPECT_TRUE(read->nodes[2].routing.on && read->nodes[2].routing.at_once);
  EXPECT_EQ(read->nodes[2].routing.buffers, (std::array<std::int32_t, 3>{0, 4, 0}));
  EXPECT_FALSE(read->nodes[3].routing.on);
}

TEST(ReadScenario, TakesFaultRules) {  // spec/multirail.md 11
  const auto read = read_scenario(R"(nodes:
    - {name: n, count: 2, nids: 10.0.0.1@tcp}
faults:
    - {rule: drop, at: 1s, for: 2s, node: n, source: "*@tcp", dest: 10.0.0.1@tcp, rate: 2,
       messages: [GET, put], portals: [0, 63], errors: [local_error, random], seed: 5}
    - {rule: delay, at: 3s, node: n1, interval: 4, latency: 1, local: 10.0.0.2@tcp}
)");
  ASSERT_TRUE(read) << read.error().front().reason;
  ASSERT_EQ(read->acts.size(), 3U);
  EXPECT_EQ(read->acts[0].what, Act::What::kRule);
  EXPECT_EQ(read->acts[0].lasts, std::chrono::seconds(2));
  const core::FaultRule& drop = read->acts[0].rule;
  EXPECT_EQ(drop.source.to_string(), "*@tcp");
  EXPECT_EQ(drop.destination.to_string(), "10.0.0.1@tcp");
  EXPECT_EQ(drop.rate, 2U);
  EXPECT_EQ(drop.messages, core::kFaultGet | core::kFaultPut);
  EXPECT_EQ(drop.portals, 1ULL << 63 | 1);
  EXPECT_EQ(drop.errors, core::fault_error_bit("local_error") | core::kFaultRandomError);
  EXPECT_EQ(drop.seed, 5U);
  EXPECT_EQ(read->acts[1].node, 1U);
  EXPECT_EQ(read->acts[1].rule.seed, 6U);
  const core::FaultRule& delay = read->acts[2].rule;
  EXPECT_EQ(delay.kind, core::FaultRule::Kind::kDelay);
  EXPECT_EQ(delay.source.to_string(), "*");
  EXPECT_EQ(delay.interval, 4U);
  EXPECT_EQ(delay.latency, 1U);
  EXPECT_EQ(delay.messages, core::kFaultAllMessages);
  EXPECT_EQ(delay.local.to_string(), "10.0.0.2@tcp");
}

TEST(ReadScenario, RefusesFaultRulesThatNoNodeTakes) {
  const auto reason = [](const std::string& rule) {
    const auto read =
        read_scenario("nodes:\n    - {name: n, nids: 10.0.0.1@tcp}\nfaults:\n    - {" + rule +
                      ", at: 1s, node: n}\n");
    return read ? std::string() : read.error().front().reason;
  };
  EXPECT_THAT(reason("rule: lose, rate: 1"), HasSubstr("'lose' is neither drop nor delay"));
  EXPECT_THAT(reason("rule: drop"), HasSubstr("either drop rate or interval"));
  EXPECT_THAT(reason("rule: delay, rate: 1"), HasSubstr("latency cannot be zero"));
  EXPECT_THAT(reason("rule: drop, rate: 1, messages: FOO"), HasSubstr("unknown 'FOO'"));
  EXPECT_THAT(reason("rule: drop, rate: 1, errors: [foo]"), HasSubstr("unknown 'foo'"));
  EXPECT_THAT(reason("rule: drop, rate: 1, portals: 64"), HasSubstr("unknown '64'"));
  EXPECT_THAT(reason("rule: drop, rate: 1, source: bogus"), HasSubstr("Invalid NID: bogus"));
  EXPECT_THAT(reason("rule: drop, rate: 1, colour: red"), HasSubstr("colour"));
}

/// A file, and the first mistake: its line and reason.
struct Bad {
  std::string text;
  int line;
  const char* reason;
};
std::ostream& operator<<(std::ostream& out, const Bad& bad) { return out << bad.reason; }

constexpr const char* kTwo =
    "nodes:\n"
    "    - {name: a, nids: 10.0.0.1@tcp}\n"
    "    - {name: b, nids: 10.0.0.2@tcp}\n";

class ABadScenario : public testing::TestWithParam<Bad> {};

TEST_P(ABadScenario, IsRefusedWithItsLine) {
  const std::string text = GetParam().text;
  // A text that begins with a newline is appended to the text of two nodes.
  const bool after = text.starts_with("\n");
  const auto read = read_scenario(after ? kTwo + text.substr(1) : text);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().front().place.line, GetParam().line + (after ? 3 : 0))
      << read.error().front().reason;
  EXPECT_THAT(read.error().front().reason, HasSubstr(GetParam().reason));
}

INSTANTIATE_TEST_SUITE_P(
    Texts, ABadScenario,
    testing::Values(
        Bad{"", 1, "empty"}, Bad{"nodes: [\n", 2, ""}, Bad{"- a\n", 1, "expected 'key: value'"},
        Bad{"seed: 1\n", 1, "a scenario without 'nodes'"},
        Bad{"nodes: []\n", 1, "a world without nodes"},
        Bad{"nodes:\n    - {name: a}\n", 2, "a node without 'nids'"},
        Bad{"nodes:\n    - {nids: 10.0.0.1@tcp}\n", 2, "a node without 'name'"},
        Bad{"nodes:\n    - {name: a, nids: []}\n", 2, "a node without NIDs"},
        Bad{"nodes:\n    - {name: a, nids: nonsense}\n", 2, "is not a NID"},
        Bad{"nodes:\n    - {name: a, nids: 0@lo}\n", 2, "cannot be given"},
        Bad{"nodes:\n    - {name: a, nids: 1@kfi, edge: tcp}\n", 2, "carries tcp nets only"},
        Bad{"nodes:\n    - {name: a, nids: 10.0.0.1@tcp, edge: tcp, service: 1us}\n", 2,
            "only interfaces of the edge pipe"},
        Bad{"nodes:\n    - {name: a, nids: 1@kfi, edge: rdma}\n", 2, "neither tcp nor pipe"},
        Bad{"nodes:\n    - {name: a, nids: 10.0.0.1@tcp}\n    - {name: a, nids: 10.0.0.2@tcp}\n", 3,
            "node 'a' twice"},
        Bad{"nodes:\n    - {name: all, nids: 10.0.0.1@tcp}\n", 2, "node 'all' twice"},
        Bad{"nodes:\n    - {name: a, nids: 10.0.0.1@tcp}\n    - {name: b, nids: 10.0.0.1@tcp}\n", 1,
            "a and b both have address 10.0.0.1"},
        Bad{"nodes:\n    - {name: a, nids: [10.0.0.1@tcp, 10.0.0.1@tcp1]}\n", 1,
            "a has address 10.0.0.1 twice"},
        Bad{"nodes:\n    - {name: a, nids: 10.0.0.1@tcp, edge: tcp}\n"
            "    - {name: b, nids: 10.0.0.2@tcp, edge: pipe}\n",
            1, "net tcp has nodes of both edges"},
        Bad{"nodes:\n    - {name: a, count: 0, nids: 10.0.0.1@tcp}\n", 2, "count: 0 is not from 1"},
        Bad{"nodes:\n    - {name: a, count: 2, nids: 'fd00::1@tcp'}\n"
            "workload:\n    - {from: all, to: all}\n",
            2, "count needs NIDs of four bytes"},
        Bad{"nodes:\n    - {name: a, nids: 10.0.0.1@tcp, colour: red}\n", 2,
            "unknown key 'colour' of a node"},
        Bad{"nodes:\n    - {name: a, nids: 10.0.0.1@tcp, credit: 1}\n", 2,
            "unknown key 'credit' of a node: did you mean 'credits'?"},
        Bad{"nodes:\n    - name: a\n      nids: 10.0.0.1@tcp\n      settings:\n"
            "          retry_count: x\n",
            5, "retry_count: 'x' is not a value"},
        Bad{"nodes:\n    - name: a\n      nids: 10.0.0.1@tcp\n      settings:\n"
            "          no_such: 1\n",
            5, "unknown setting 'no_such'"},
        Bad{"nodes:\n    - {name: a, nids: 10.0.0.1@tcp, credits: 1, peer_credits: 2}\n", 2,
            "peer_credits above credits"},
        Bad{"\nseed: 1\nseed: 2\n", 2, "key 'seed' twice"},
        Bad{"\nseed: -1\n", 1, "'-1' is not a whole number from 0"},
        Bad{"\nlasts: -5s\n", 1, "is negative"}, Bad{"\nlasts: 5 parsecs\n", 1, "is not a time"},
        Bad{"\nlasts: 5\n", 1, "is not a time"}, Bad{"\nlasts: 99999999999h\n", 1, "is too much"},
        Bad{"\nsteps: 0\n", 1, "steps: 0"},
        Bad{"\nweather: bad\n", 1, "unknown key 'weather' of a scenario"},
        Bad{"\nlinks:\n    default: {delay: -1us}\n", 2, "is negative"},
        Bad{"\nlinks:\n    default: {loss: 101%}\n", 2, "is too much"},
        Bad{"\nlinks:\n    default: {bandwidth: 10MB}\n", 2, "is not a rate"},
        Bad{"\nlinks:\n    default: {colour: red}\n", 2, "unknown key 'colour' of a link"},
        Bad{"\nbetween:\n    - {from: a, to: b, link: wan}\n", 2, "unknown link 'wan'"},
        Bad{"\nlinks: {wan: {}}\nbetween:\n    - {from: a, to: a, link: wan}\n", 3, "to itself"},
        Bad{"\nworkload:\n    - {from: a, to: c}\n", 2, "unknown node 'c'"},
        Bad{"\nworkload:\n    - {from: a}\n", 2, "a load without 'to'"},
        Bad{"\nworkload:\n    - {from: a, to: a}\n", 2, "a shares no net with any of 'to'"},
        Bad{"\nworkload:\n    - {from: a, to: b, what: push}\n", 2,
            "not one of put, get, ping, mix, random"},
        Bad{"\nworkload:\n    - {from: a, to: b, size: 2MiB}\n", 2, "is not from 0 to 1MiB"},
        Bad{"\nworkload:\n    - {from: a, to: b, every: -1ms}\n", 2, "is negative"},
        Bad{"\nworkload: nothing\n", 1, "expected a list"},
        Bad{"\nfaults:\n    - {what: crash, node: a}\n", 2, "a fault without 'at'"},
        Bad{"\nfaults:\n    - {at: 1s, node: a}\n", 2, "a fault without 'what'"},
        Bad{"\nfaults:\n    - {at: 1s, what: earthquake, node: a}\n", 2, "unknown fault"},
        Bad{"\nfaults:\n    - {at: -1s, what: crash, node: a}\n", 2, "is negative"},
        Bad{"\nfaults:\n    - {at: 1s, what: crash, node: z}\n", 2, "unknown node 'z'"},
        Bad{"\nfaults:\n    - {at: 1s, what: interface, node: a, ni: 3}\n", 2, "no NI number 3"},
        Bad{"\nfaults:\n    - {at: 1s, what: reset, from: a, to: b}\n", 2, "its edge is pipe"},
        Bad{"\nfaults:\n    - {at: 1s, what: nonsense, node: a}\n", 2, "its edge is pipe"},
        Bad{"\nfaults:\n    - {every: 0, what: crash}\n", 2, "must be more than 0"},
        Bad{"\nexpect: {delivered: many}\n", 1, "is not a number or a range"},
        Bad{"\nexpect: {delivered: 9..5}\n", 1, "is an empty range"},
        Bad{"\nexpect:\n    drops: {bad luck: 0}\n", 2, "unknown drops 'bad luck'"},
        Bad{"\nexpect:\n    counters: {c: {send_count: 1}}\n", 2, "unknown node 'c'"},
        Bad{"\nexpect:\n    counters: {a: {luck: 1}}\n", 2, "unknown counter 'luck'"},
        Bad{"\n---\nseed: 1\n", 2, "a second YAML document"}));

/// Two nodes of one net at the switches x and y, which a link joins; z has no links.
std::string at_switches(const std::string& links, const std::string& more = "",
                        const std::string& b = "y") {
  return "switches: [x, y, z]\nswitch links:\n" + links +
         "nodes:\n    - {name: a, nids: 10.0.0.1@tcp, switch: x}\n"
         "    - {name: b, nids: 10.0.0.2@tcp" +
         (b.empty() ? "" : ", switch: " + b) + "}\n" + more;
}
const char* const kJoined = "    - {between: [x, y], bandwidth: 1MB/s}\n";

INSTANTIATE_TEST_SUITE_P(
    Switches, ABadScenario,
    testing::Values(
        Bad{"\nswitches: x\n", 1, "expected a list of names"},
        Bad{"\nswitches: [x, y,\n  x]\n", 2, "switch 'x' twice"},
        Bad{"\nswitches: !!seq [x, y]\n", 1, "tags are not allowed: remove '!!seq'"},
        Bad{at_switches("    - {between: [x, w], bandwidth: 1MB/s}\n"), 3, "unknown switch 'w'"},
        Bad{at_switches("    - {between: [x], bandwidth: 1MB/s}\n"), 3, "expected two switches"},
        Bad{at_switches("    - {between: [x, x], bandwidth: 1MB/s}\n"), 3, "to itself"},
        Bad{at_switches("    - {between: [x, y]}\n"), 3, "without 'bandwidth'"},
        Bad{at_switches("    - {between: [x, y], bandwidth: 0}\n"), 3, "needs one above 0"},
        Bad{at_switches("    - {between: [x, y], bandwidth: 1MB/s, colour: red}\n"), 3,
            "unknown key 'colour' of a link between switches"},
        Bad{at_switches(std::string(kJoined) + "    - {between: [y, x], bandwidth: 1MB/s}\n"), 4,
            "y and x are joined twice"},
        Bad{at_switches(kJoined, "", "w"), 6, "unknown switch 'w'"},
        Bad{at_switches(kJoined, "", "[x, y]"), 6, "one for each of the 1 NIDs"},
        Bad{at_switches(kJoined, "", "z"), 6, "net tcp: no links lead from x to z"},
        Bad{at_switches(kJoined, "", ""), 6, "one hangs on a switch and one does not"},
        Bad{at_switches(kJoined, "faults:\n    - {at: 1s, what: link-cut, link: [x, z]}\n"), 8,
            "no link joins x and z"},
        Bad{at_switches(kJoined, "faults:\n    - {at: 1s, what: link-cut, link: [x, w]}\n"), 8,
            "unknown switch 'w'"},
        Bad{at_switches(kJoined, "faults:\n    - {what: link-cut, link: [x, y]}\n"), 8,
            "a fault without 'at'"},
        Bad{at_switches(kJoined, "faults:\n    - {every: 1s, what: link-cut, link: [x, y]}\n"), 8,
            "has a time"},
        Bad{at_switches(kJoined, "faults:\n    - {at: 1s, what: link-slow, link: [x, y]}\n"), 8,
            "without 'bandwidth'"},
        Bad{at_switches(kJoined,
                        "faults:\n"
                        "    - {at: 1s, what: link-slow, link: [x, y], bandwidth: 0}\n"),
            8, "must be above 0"},
        Bad{at_switches(kJoined, "expect:\n    switch links: {x to z: {bytes: 1}}\n"), 8,
            "no link between switches is 'x to z'"},
        Bad{at_switches(kJoined, "expect:\n    switch links: {x to y: {colour: 1}}\n"), 8,
            "unknown key 'colour'"}));

/// The node c with these routes, and the router r.
std::string with_routes(const std::string& routes) {
  return "nodes:\n"
         "    - {name: r, nids: [10.0.0.9@tcp, 10.1.0.9@tcp1], routing: yes}\n"
         "    - name: c\n      nids: 10.0.0.1@tcp\n      routes: " +
         routes + "\n";
}

INSTANTIATE_TEST_SUITE_P(
    Routes, ABadScenario,
    testing::Values(
        Bad{with_routes("tcp1"), 5, "expected a list"},
        Bad{with_routes("[{net: tcp1}]"), 5, "a route without 'gateway'"},
        Bad{with_routes("[{gateway: 10.0.0.9@tcp}]"), 5, "a route without 'net'"},
        Bad{with_routes("[{net: nonsense1x, gateway: 10.0.0.9@tcp}]"), 5, "nonsense1x"},
        Bad{with_routes("[{net: tcp1, gateway: nonsense}]"), 5, "is not a NID"},
        Bad{with_routes("[{net: tcp1, gateway: 10.0.0.9@tcp, hops: 256}]"), 5, "256 is not from 1"},
        Bad{with_routes("[{net: tcp1, gateway: 10.0.0.9@tcp, priority: -1}]"), 5, "priority"},
        Bad{with_routes("[{net: tcp1, gateway: 10.0.0.9@tcp},\n"
                        "               {net: tcp1, gateway: 10.0.0.9@tcp}]"),
            6, "route already exists"},
        Bad{with_routes("[{net: tcp, gateway: 10.0.0.9@tcp}]"), 3, "c is on tcp itself"},
        Bad{with_routes("[{net: tcp1, gateway: 10.1.0.9@tcp1}]"), 3, "is on no net of c"},
        Bad{with_routes("[{net: tcp1, gateway: 10.0.0.5@tcp}]"), 3,
            "gateway 10.0.0.5@tcp is no node's"},
        Bad{with_routes("[{net: tcp1, gateway: 10.0.0.1@tcp}]"), 3, "c is a gateway of its own"},
        Bad{at_switches(kJoined, "workload:\n    - {from: a, to: b, count: 2, lasts: 1s}\n"), 8,
            "a load has a count, or it lasts a time"},
        Bad{at_switches(kJoined, "workload:\n    - {from: a, to: b, lasts: 0s}\n"), 8,
            "must be more than 0"},
        Bad{at_switches(kJoined, "workload:\n    - {what: mix, lasts: 1s}\n"), 8,
            "unknown key 'lasts'"},
        Bad{at_switches(kJoined, "workload:\n    - {what: ping, from: a, to: b, patience: 1s}\n"),
            8, "unknown key 'patience'"},
        Bad{at_switches(kJoined, "\nsample: 1us\n"), 8, "at least 1ms"},
        Bad{at_switches(kJoined, "\nsample: 1ms\nlasts: 1000s\n"), 8, "at most 100000"},
        Bad{with_routes("[]") + "workload: [{from: c, to: d}]\n", 6, "unknown node 'd'"},
        Bad{"\nnodes:\n", 1, "key 'nodes' twice"}));

TEST(ReadScenario, ReportsEveryMistake) {
  const auto read = read_scenario("seed: x\nnodes:\n    - {name: a, nids: y}\nlasts: -1s\n");
  ASSERT_FALSE(read);
  std::vector<int> lines;
  for (const conf::Problem& mistake : read.error()) lines.push_back(mistake.place.line);
  EXPECT_THAT(lines, ElementsAre(1, 3, 4));
}

TEST(Quantity, IsWhatIsWritten) {
  EXPECT_EQ(text::parse_duration("1.5ms"), std::chrono::microseconds(1500));
  EXPECT_EQ(text::parse_duration("2min"), std::chrono::minutes(2));
  EXPECT_EQ(text::parse_bytes("4KiB"), 4096U);
  EXPECT_EQ(text::parse_rate("1.5MB/s"), 1'500'000U);
  EXPECT_EQ(text::parse_chance("0.05%"), 500U);
  EXPECT_EQ(text::parse_range("5.."), (text::Range{5, ~0ULL}));
  for (const char* text : {"0", "20us", "1500us", "3s", "90min"})
    EXPECT_EQ(text::duration_text(*text::parse_duration(text)), text);
  for (const char* text : {"5", "5..", "..9", "5..9"})
    EXPECT_EQ(text::range_text(*text::parse_range(text)), text);
  for (const char* text : {"", "s", "1.s", "1e3s", "0x1s", "1 s", "99999999999999999999s"})
    EXPECT_FALSE(text::parse_duration(text)) << text;
  for (const char* text : {"", "..", "x", "1..x", "1...2", "-1"})
    EXPECT_FALSE(text::parse_range(text)) << text;
}

}  // namespace
}  // namespace ulnet::sim

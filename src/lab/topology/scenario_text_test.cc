#include "lab/topology/scenario_text.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "lab/topology/addresses.h"
#include "lab/topology/switch_paths.h"
#include "lab/topology/topology_fixture.h"
#include "sim/scenario/reader.h"
#include "sim/scenario/run.h"

namespace ulnet::tools::lab {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

sim::Scenario scenario_of(Topology topology, const std::string& more = "") {
  EXPECT_TRUE(give_addresses(topology, kNamespaceBase));
  const std::string text = scenario_text(topology) + more;
  auto read = sim::read_scenario(text);
  EXPECT_TRUE(read) << conf::lines_of(read.error()) << text;
  return read.value_or(sim::Scenario{});
}

TEST(ScenarioText, NisOfOneInterfaceShareAWireAndHaveAddressesOfTheirOwn) {
  Topology topology = topology_of(
      "nodes:\n    r: {nets: [tcp, {net: [tcp1, tcp2], rate: 8mbit}], routing: yes}\n"
      "    c: tcp\n    s: tcp2\n");
  ASSERT_TRUE(give_addresses(topology, kNamespaceBase));
  const std::string text = scenario_text(topology);
  EXPECT_TRUE(sim::read_scenario(text)) << text;
  EXPECT_THAT(text, HasSubstr("nids: [10.77.0.1@tcp, 10.77.1.1@tcp1, 10.77.2.2@tcp2]\n"));
  EXPECT_THAT(text, HasSubstr("switch: [\"tcp\", \"r:1\", \"r:1\"]\n"));
  EXPECT_THAT(text, Not(HasSubstr("r:2")));
}

/// Sends messages from each node of an example to each other one. A router refuses messages for its
/// NID on another net than theirs, so only nodes that do not route take part.
TEST(ScenarioText, EachExampleConnectsAllEnds) {
  for (const Topology& topology : topologies_in(ULNET_SOURCE_DIR)) {
    std::vector<NodeNumber> ends;
    for (NodeNumber node = 0; node < topology.nodes.size(); ++node)
      if (!topology.nodes[node].routing) ends.push_back(node);
    const std::string names = scenario_names(topology, ends);
    const sim::Scenario scenario = scenario_of(
        topology,
        fmt::format("workload: [{{what: put, from: {0}, to: {0}, count: {1}, size: 8KiB}}]\n"
                    "expect: {{failed: 0, delivered: {2}, drops: {{total: 0}}}}\n",
                    names, ends.size() - 1, ends.size() * (ends.size() - 1)));
    const sim::Report report = sim::Run(scenario).go();
    EXPECT_TRUE(report.good()) << topology.name << ": " << to_string(report.ending) << " "
                               << report.checker << report.what
                               << testing::PrintToString(report.unmet);
  }
}

RC_GTEST_PROP(ScenarioText, AnyTopologyIsAScenarioWithTheSameNodes, ()) {
  Topology topology = random_topology();
  for (Node& node : topology.nodes)
    for (Rail& rail : node.rails) {
      rail.wire.bits_per_second = *rc::gen::element<std::uint64_t>(0, 1, 1'000'000);
      rail.wire.delay = Duration(*rc::gen::element(0, 20'000));
      rail.wire.loss_ppm = *rc::gen::element(0U, 0U, 500U);
    }
  const sim::Scenario scenario = scenario_of(topology);
  RC_ASSERT(scenario.nodes.size() == topology.nodes.size());
  for (std::size_t i = 0; i < topology.nodes.size(); ++i) {
    RC_ASSERT(scenario.nodes[i].name == topology.nodes[i].name);
    RC_ASSERT(scenario.nodes[i].nis.size() == topology.nodes[i].rails.size());
    RC_ASSERT(scenario.nodes[i].routing.on == topology.nodes[i].routing);
    RC_ASSERT(scenario.nodes[i].routes->size() == topology.nodes[i].routes.size());
  }
}

TEST(ScenarioText, KeepsWhatTheSimulatorHasAndNamesTheRest) {
  Topology topology = topology_of(
      "nodes:\n    \"null\":\n        nets: tcp\n        partitions: 2\n        settings:\n"
      "            {credits: 20, peer_credits: 3, lnet_retry_count: 1, typed_conns: 0,\n"
      "             lnet_peer_discovery_disabled: 1, conns_per_peer: 0, memory_budget: 5}\n"
      "    b: tcp\n");
  ASSERT_TRUE(give_addresses(topology, kNamespaceBase));
  const std::string text = scenario_text(topology);
  EXPECT_THAT(text, HasSubstr("# conns_per_peer: the simulator does not have it\n"));
  EXPECT_THAT(text, HasSubstr("# memory_budget: the simulator does not have it\n"));
  const sim::NodeSetup node = scenario_of(topology).nodes.at(0);
  EXPECT_EQ(node.name, "null");
  EXPECT_EQ(node.partitions, 2U);
  EXPECT_EQ(node.nis[0].tunables.credits, 20);
  EXPECT_EQ(node.nis[0].tunables.peer_credits, 3);
  EXPECT_EQ(node.globals.retry_count, 1);
  EXPECT_EQ(node.globals.discovery, 0);
  EXPECT_EQ(node.sock.typed_conns, 0);
}

TEST(ScenarioText, ARateHoldsInBothDirectionsForAllTogether) {
  // Three clients read 1 MB each from a server whose rail has 10 MB/s, and write as much.
  const std::string nodes =
      "nodes:\n    c[1-3]: tcp\n    s: {nets: {net: tcp, rate: 10MB/s, delay: 1ms}}\n";
  for (const char* what : {"get", "put"}) {
    const sim::Scenario scenario =
        scenario_of(topology_of(nodes),
                    std::string("workload: [{what: ") + what +
                        ", from: [\"c1\", \"c2\", \"c3\"], to: s, count: 4, size: 256KiB}]\n"
                        "expect: {delivered: 12, failed: 0}\n");
    sim::Run run(scenario);
    const sim::Report report = run.go();
    ASSERT_TRUE(report.good()) << report.what << testing::PrintToString(report.unmet);
    const std::string direction = std::string(what) == "get" ? "s:0" : "tcp";
    const auto link = std::ranges::find(report.switch_links, direction, &sim::LinkUse::from);
    ASSERT_NE(link, report.switch_links.end());
    EXPECT_EQ(link->bytes_per_second, 10'000'000U);
    EXPECT_GE(link->counters.bytes, 12U * 256 * 1024);
    EXPECT_GE(link->over, std::chrono::milliseconds(314)) << "3 MiB at 10 MB/s take this time";
  }
}

/// Bytes that cross the link between the switches of an example, in both directions together, while
/// the four clients write 4 MiB each to one OSS after the other.
std::uint64_t crossing(const std::string& example) {
  const auto topology =
      read_topology_file(ULNET_SOURCE_DIR "/examples/lab/" + example + ".yaml").value();
  const std::string clients = scenario_names(topology, topology.nodes_named("client"));
  std::string more = "expect: {failed: 0, delivered: 64}\nlasts: 60s\nworkload:\n";
  for (int i = 0; i < 4; ++i)
    more += fmt::format("    - {{from: {}, to: oss{}, count: 4, size: 1MiB, start: {}s}}\n",
                        clients, i, 5 * i);
  const sim::Scenario scenario = scenario_of(topology, more);
  const sim::Report report = sim::Run(scenario).go();
  EXPECT_TRUE(report.good()) << example << ": " << report.what
                             << testing::PrintToString(report.unmet);
  std::uint64_t bytes = 0;
  for (const sim::LinkUse& use : report.switch_links)
    if ((use.from == "even" && use.to == "odd") || (use.from == "odd" && use.to == "even"))
      bytes += use.counters.bytes;
  return bytes;
}

// The comments of these two examples promise this.
TEST(ScenarioText, FineGrainedRoutingKeepsTheLinkBetweenTheSwitchesFree) {
  constexpr std::uint64_t kPayload = 64ULL << 20;
  const std::uint64_t flat = crossing("two-ssu-flat");
  EXPECT_GE(flat, kPayload * 4 / 10);
  EXPECT_LE(flat, kPayload * 6 / 10);
  EXPECT_LE(crossing("two-ssu-fgr"), kPayload / 100);
}

TEST(ScenarioText, LossesAddUpAlongTheWay) {
  const sim::Scenario scenario = scenario_of(
      topology_of("switches: [x, y]\nswitch links:\n    - {between: [x, y], loss: 10%}\n"
                  "nodes:\n    a: {nets: {net: tcp, switch: x, loss: 50%}}\n"
                  "    b: {nets: {net: tcp, switch: y}}\n    c: {nets: {net: tcp, switch: y}}\n"));
  std::vector<std::string> words;
  for (const sim::LinkBetween& link : scenario.links)
    words.push_back(scenario.nodes[link.from].name + scenario.nodes[link.to].name + " " +
                    std::to_string(link.model.loss_ppm));
  EXPECT_THAT(words,
              testing::UnorderedElementsAre("ab 550000", "ba 550000", "ac 550000", "ca 550000"));
}

TEST(SwitchPaths, LeadOverTheLinksBetween) {
  const Topology topology = topology_of(
      "switches: [a, b, c, d]\nswitch links:\n    - {between: [b, a]}\n    - {between: [b, c]}\n"
      "nodes:\n    n: {nets: {net: tcp, switch: a}}\n");
  const SwitchPaths paths(topology);
  EXPECT_THAT(paths.between(0, 2), ElementsAre(0, 1));
  EXPECT_THAT(paths.between(2, 0), ElementsAre(1, 0));
  EXPECT_THAT(paths.between(1, 1), IsEmpty());
  EXPECT_THAT(paths.between(0, 3), IsEmpty());
}

}  // namespace
}  // namespace ulnet::tools::lab

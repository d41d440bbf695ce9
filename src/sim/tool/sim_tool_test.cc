#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <set>

#include "sim/scenario/draw.h"
#include "sim/scenario/reader.h"
#include "sim/tool/apart.h"
#include "sim/tool/diagram.h"
#include "sim/tool/features.h"
#include "sim/tool/in_words.h"
#include "sim/tool/shrink.h"
#include "sim/tool/swarm.h"

namespace ulnet::tools {
namespace {

using sim::Ending;
using sim::Report;
using sim::Scenario;
using testing::HasSubstr;
using testing::Not;

Report bad(const std::string& checker) {
  Report report;
  report.ending = Ending::kViolated;
  report.checker = checker;
  return report;
}

TEST(Table, AReportSurvivesItsJson) {
  const Scenario scenario = sim::draw_scenario(2);
  Report report = sim::Run(scenario).go();
  report.unmet = {"line 1: \"x\""};
  report.what = "two\nlines";
  report.switch_links = {{"x", "y", 10, {1, 2, 3, 4, Duration(5)}, Duration(6)}};
  report.loads = {{2, {4, 3, 1, 0}, {{1, 10}, {0, 0}, {2, 20}}}};
  const Report back = from_json(to_json(report));
  EXPECT_EQ(to_json(back), to_json(report));
  EXPECT_EQ(back.digest, report.digest);
  EXPECT_EQ(back.drops, report.drops);
  EXPECT_EQ(back.switch_links, report.switch_links);
  ASSERT_EQ(back.loads.size(), 1U);
  EXPECT_EQ(back.loads[0].series, report.loads[0].series);
}

TEST(Table, ShowsWhatWasExercised) {
  Report report;
  report.acts = {{"fault crash", 7}, {"load put", 5}};
  report.drops[static_cast<std::size_t>(core::DropReason::kNoMatch)] = 3;
  report.marks = {{"cancelled", 2}, {"peer down", 0}};
  Totals totals;
  totals.add(report);
  totals.add(report);
  EXPECT_THAT(totals.table(), testing::ContainsRegex("crash +14"));
  EXPECT_THAT(totals.table(), testing::ContainsRegex("no matching buffer +6"));
  EXPECT_THAT(totals.table(), testing::ContainsRegex("cancelled +4"));
  EXPECT_THAT(totals.table(), HasSubstr("Marks not hit\n    peer down\n"));
  EXPECT_THAT(totals.table(), HasSubstr("1 of 2 marks hit"));
}

TEST(Apart, ACrashIsReported) {
  EXPECT_EQ(run_apart([] { return bad("x"); }).checker, "x");
  const Report died = run_apart([]() -> Report {
    say("last words");
    ::raise(SIGKILL);
    return {};
  });
  EXPECT_EQ(died.ending, Ending::kDied);
  EXPECT_THAT(died.what, HasSubstr("signal 9"));
  EXPECT_THAT(died.what, HasSubstr("last words"));
}

TEST(Swarm, RunsEverySeedOnce) {
  SwarmCommand command;
  command.first = 100;
  command.seeds = 25;
  command.jobs = 3;
  const SwarmResult result = run_swarm(command, [](std::uint64_t seed) {
    Report report;
    report.acts["seed " + std::to_string(seed)] = 1;
    report.steps = seed;
    return report;
  });
  EXPECT_TRUE(result.failures.empty());
  EXPECT_EQ(result.totals.runs(), 25U);
  EXPECT_EQ(result.totals.steps(), 25U * 112);
}

TEST(Swarm, ReportsEverySeedThatFails) {
  SwarmCommand command;
  command.first = 1;
  command.seeds = 1000;
  command.jobs = 2;
  const auto fails = run_swarm(command, [](std::uint64_t seed) {
    if (seed % 100 == 6) ::raise(SIGKILL);
    return seed % 100 == 5 ? bad("credits conserved") : Report{};
  });
  EXPECT_EQ(fails.totals.runs(), 990U) << "all but those of which the program died";
  ASSERT_EQ(fails.failures.size(), 20U);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(fails.failures[2 * i].seed, 100 * i + 5);
    EXPECT_EQ(fails.failures[2 * i].report.checker, "credits conserved");
    EXPECT_EQ(fails.failures[2 * i + 1].seed, 100 * i + 6);
    EXPECT_EQ(fails.failures[2 * i + 1].report.ending, Ending::kDied);
  }
}

TEST(Swarm, StopsAfterEnoughFailures) {
  SwarmCommand command;
  command.first = 1;
  command.seeds = 1'000'000'000;
  command.jobs = 1;
  command.stop_after = 3;
  const auto fails = run_swarm(command, [](std::uint64_t) { return bad("credits conserved"); });
  ASSERT_GE(fails.failures.size(), 3U);
  EXPECT_EQ(fails.failures[0].seed, 1U);
  EXPECT_EQ(fails.failures[2].seed, 3U);
}

TEST(Swarm, ReportsEachWorldAsItEnds) {
  SwarmCommand command;
  command.first = 7;
  command.seeds = 3;
  std::set<std::uint64_t> seeds;
  run_swarm(
      command, [](std::uint64_t) { return Report{}; },
      [&](std::uint64_t seed, const Report&) { seeds.insert(seed); });
  EXPECT_EQ(seeds, (std::set<std::uint64_t>{7, 8, 9}));
}

TEST(Features, AreCountedInTheWorldsInWhichTheyOccur) {
  Scenario plain;
  plain.nodes.resize(2);
  Scenario with_switches = plain;
  with_switches.switches.links.resize(1);
  Report crashed;
  crashed.acts["fault crash"] = 3;
  FeatureCounts counts;
  counts.add(plain, {});
  counts.add(with_switches, {});
  counts.add(plain, crashed);
  counts.add(plain, crashed);
  EXPECT_EQ(counts.worlds(), 4U);
  const std::string table = counts.table();
  EXPECT_THAT(table, HasSubstr("      1  switches with limited bandwidth\n"));
  EXPECT_THAT(table, HasSubstr("      2  a node crashes\n"));
  const auto is_rare = [&](std::string_view name) {
    return std::ranges::any_of(counts.rarer_than(4000),
                               [&](const Feature* each) { return each->name == name; });
  };
  EXPECT_TRUE(is_rare("switches with limited bandwidth"));
  EXPECT_FALSE(is_rare("a node crashes"));
}

/// The run fails while the act at 3 s and the second load are there.
TEST(Shrink, LeavesWhatTheFailureNeeds) {
  Scenario scenario;
  scenario.nodes.resize(5);
  scenario.loads.resize(3);
  scenario.loads[1].count = 100;
  scenario.loads[1].from = {0};
  scenario.loads[1].to = {1};
  for (int i = 0; i < 10; ++i) {
    sim::Act act;
    act.at = std::chrono::seconds(i);
    act.other = 1;
    scenario.acts.push_back(act);
  }
  const auto attempt = [](const Scenario& tried) {
    bool load = false;
    bool act = false;
    for (const auto& each : tried.loads) load = load || (each.count >= 7 && !each.from.empty());
    for (const auto& each : tried.acts) act = act || each.at == std::chrono::seconds(3);
    Report report = load && act ? bad("x") : Report{};
    report.steps = tried.acts.size();
    return report;
  };
  const Shrunk shrunk = shrink(scenario, attempt(scenario), attempt);
  ASSERT_EQ(shrunk.scenario.acts.size(), 1U);
  EXPECT_EQ(shrunk.scenario.acts[0].at, std::chrono::seconds(3));
  ASSERT_EQ(shrunk.scenario.loads.size(), 1U);
  EXPECT_EQ(shrunk.scenario.loads[0].count, 12U);
  EXPECT_EQ(shrunk.scenario.nodes.size(), 2U);
  EXPECT_EQ(shrunk.report.checker, "x");
  EXPECT_EQ(difference(scenario, attempt(scenario), shrunk),
            "2 of 5 nodes, 1 of 10 faults, 1 of 3 loads, 12 of 100 operations, 1 of 10 steps");
}

TEST(Shrink, KeepsToTheSameFailure) {
  Scenario scenario;
  scenario.nodes.resize(2);
  scenario.acts.resize(4);
  // Without faults the scenario fails in another way.
  const auto attempt = [](const Scenario& tried) {
    return bad(tried.acts.size() >= 2 ? "x" : "y");
  };
  const Shrunk shrunk = shrink(scenario, attempt(scenario), attempt);
  EXPECT_EQ(shrunk.scenario.acts.size(), 2U);
  EXPECT_EQ(shrunk.report.checker, "x");
}

/// The run fails while the second NI of node 1 is there, discovery of node 0 is off, and the act is
/// not before 1.2 s.
TEST(Shrink, MakesNisSettingsAndTimesPlainer) {
  Scenario scenario = sim::draw_scenario(1);
  scenario.nodes.resize(3);
  scenario.nodes[0].globals.discovery = 0;
  scenario.nodes[0].globals.retry_count = 1;
  scenario.nodes[1].sock.keepalive = 7;
  scenario.nodes[1].partitions = 4;
  for (sim::NodeSetup& node : scenario.nodes) {
    const std::uint32_t number =
        0x0a000001U + static_cast<std::uint32_t>(&node - &scenario.nodes[0]);
    node.nis.clear();
    for (std::uint32_t net = 0; net < 3; ++net)
      node.nis.push_back({.nid = Nid::small({NetType::kTcp, static_cast<std::uint16_t>(net)},
                                            number + (net << 16))});
  }
  const Nid kept = scenario.nodes[1].nis[1].nid;
  scenario.loads.clear();
  sim::Act act;
  act.at = std::chrono::microseconds(1'234'567);
  act.lasts = std::chrono::microseconds(45'678);
  act.node = 0, act.other = 1, act.ni = 2;
  act.fault = sim::FaultKind::kInterface;
  scenario.acts = {act};
  const auto attempt = [&](const Scenario& tried) {
    bool has_ni = false;
    for (const sim::NiSetup& ni : tried.nodes[1].nis) has_ni |= ni.nid == kept;
    const bool late = tried.acts.size() == 1 && tried.acts[0].at >= std::chrono::milliseconds(1200);
    return has_ni && late && tried.nodes[0].globals.discovery == 0 ? bad("x") : Report{};
  };
  const Scenario small = shrink(scenario, attempt(scenario), attempt).scenario;
  ASSERT_EQ(small.nodes.size(), 2U);
  ASSERT_EQ(small.nodes[1].nis.size(), 1U);
  EXPECT_EQ(small.nodes[1].nis[0].nid, kept);
  EXPECT_EQ(small.nodes[0].nis.size(), 1U);
  core::Globals usual;
  usual.discovery = 0;
  EXPECT_EQ(small.nodes[0].globals, usual);
  EXPECT_EQ(small.nodes[1].sock.keepalive, lnd::sock::SockTunables().keepalive);
  EXPECT_EQ(small.nodes[1].partitions, 1U);
  EXPECT_EQ(small.acts[0].at, std::chrono::milliseconds(1200));
  EXPECT_EQ(small.acts[0].lasts, std::chrono::milliseconds(40));
  EXPECT_EQ(small.acts[0].ni, 0U);
  EXPECT_EQ(small.link, sim::LinkModel{.delay = small.link.delay});
}

/// The run fails while the second old node exchanges 5 messages, and is upgraded.
TEST(Shrink, MakesOldNodesPlainer) {
  Scenario scenario;
  scenario.nodes.resize(2);
  sim::OldNodeSetup old;
  for (std::uint32_t i = 1; i <= 2; ++i)
    old.nids.push_back(Nid::small({NetType::kTcp, 0}, 0x0a000000U + i));
  old.more_nids = {Nid::small({NetType::kTcp, 0}, 0x0a000003)};
  old.change_at = std::chrono::microseconds(1'234'567);
  old.back_at = std::chrono::seconds(2);
  old.count = 100;
  scenario.old_nodes = {old, old, old};
  scenario.old_nodes[1].count = 40;
  const auto attempt = [](const Scenario& tried) {
    const bool fails = std::ranges::any_of(tried.old_nodes, [](const sim::OldNodeSetup& each) {
      return each.count >= 5 && each.count <= 40 && each.change_at != Duration{};
    });
    return fails ? bad("x") : Report{};
  };
  const Scenario small = shrink(scenario, attempt(scenario), attempt).scenario;
  ASSERT_EQ(small.old_nodes.size(), 1U);
  const sim::OldNodeSetup expected{
      .nids = {old.nids[0]}, .change_at = std::chrono::seconds(1), .count = 5, .max_bytes = 0};
  EXPECT_EQ(small.old_nodes[0], expected);
}

TEST(InWords, HasASentenceForEachNodeLoadAndFault) {
  const auto scenario = sim::read_scenario(
      "edge: tcp\n"
      "links: {default: {delay: 20us, loss: 1%}}\n"
      "nodes:\n"
      "    - {name: a, nids: [10.0.0.1@tcp, 10.1.0.1@tcp1], settings: {discovery: 0, keepalive: "
      "5}}\n"
      "    - {name: b, nids: 10.0.0.2@tcp, partitions: 2}\n"
      "workload: [{from: a, to: b, count: 3, size: 4KiB, window: 2, start: 5ms}]\n"
      "old nodes:\n"
      "    - {nids: [10.0.0.9@tcp, 10.1.0.9@tcp1], release: no-discovery, every: 0s}\n"
      "    - {nids: 10.0.0.8@tcp, release: downrev, count: 1, size: 9, change: {at: 1s, release: "
      "uprev,\n"
      "       more nids: 10.1.0.8@tcp1, back at: 2s}}\n"
      "faults:\n"
      "    - {at: 1.2s, what: interface, node: a, ni: 1, for: 40ms}\n"
      "    - {at: 2s, what: crash, node: b, silent: yes}\n"
      "    - {at: 3s, what: peer-del, from: a, to: b}\n"
      "    - {at: 4s, what: setting, node: a, name: retry_count, value: 0, for: 1s}\n"
      "    - {at: 4s, what: health, node: a, nid: 10.0.0.2@tcp, of peer: yes, value: 5}\n"
      "    - {at: 4s, what: policy, node: a, src: tcp, priority: 1, for: 1s}\n"
      "    - {at: 5s, what: route-del, node: b, net: tcp1, gateway: 10.0.0.1@tcp, for: 1s}\n"
      "    - {at: 5s, what: routing, node: a, on: yes}\n"
      "    - {at: 6s, what: peer-add, node: b, primary: 10.0.0.1@tcp, nids: 10.1.0.1@tcp1}\n"
      "lasts: 10s\n");
  ASSERT_TRUE(scenario);
  EXPECT_EQ(
      in_words(*scenario),
      "  a has 10.0.0.1@tcp and 10.1.0.1@tcp1, over TCP; discovery 0, keepalive 5.\n"
      "  b has 10.0.0.2@tcp, over TCP; 2 CPU partitions.\n"
      "  Links take 20us, lose 1 %.\n"
      "  a begins 3 PUTs of 4096 bytes with ACK to b, up to 2 at a time, from 5ms on.\n"
      "  Other software, with multi-rail, without discovery, has 10.0.0.9@tcp and 10.1.0.9@tcp1; "
      "nodes and it begin 50 operations of at most 4096 bytes with each other.\n"
      "  Other software, without multi-rail, has 10.0.0.8@tcp; nodes and it begin 1 operation of "
      "at most 9 bytes with each other, up to 1ms between two of them; at 1s it restarts with "
      "multi-rail and discovery and with 10.1.0.8@tcp1 too, at 2s as before.\n"
      "  At 1200ms the link of a's NI 10.1.0.1@tcp1 goes down; 40ms later it comes up.\n"
      "  At 2s b crashes, and its peers are not notified, until all faults end.\n"
      "  At 3s an administrator of a deletes the peer b.\n"
      "  At 4s an administrator of a sets retry_count to 0; 1s later sets it back.\n"
      "  At 4s an administrator of a gives a peer's NI 10.0.0.2@tcp health 5.\n"
      "  At 4s an administrator of a adds the selection policy src tcp priority 1; 1s later "
      "deletes it.\n"
      "  At 5s an administrator of b deletes the route to tcp1 by 10.0.0.1@tcp; 1s later adds "
      "it again.\n"
      "  At 5s an administrator of a turns routing on, until all faults end.\n"
      "  At 6s an administrator of b adds the peer 10.0.0.1@tcp with 10.1.0.1@tcp1, until all "
      "faults end.\n"
      "  At 10s at the latest all faults end and no operation begins any more.\n");
}

TEST(Diagram, ShowsMessagesLossesAndFaults) {
  const auto scenario = sim::read_scenario(
      "nodes:\n"
      "    - {name: <one>, nids: 10.0.0.1@tcp, settings: {transaction_timeout: 5, retry_count: "
      "0}}\n"
      "    - {name: two, nids: 10.0.0.2@tcp}\n"
      "workload: [{from: <one>, to: two, count: 2, size: 4KiB, window: 1, every: 10ms}]\n"
      "faults: [{at: 5ms, what: partition, from: <one>, to: two, for: 20ms}]\n");
  ASSERT_TRUE(scenario);
  sim::RunOptions options;
  options.timeline = 10;
  options.trace.keep = sim::TraceOptions::Keep::kAll;
  sim::Run run(*scenario, options);
  run.go();
  const std::string svg = diagram(*run.timeline(), sim::Timeline::breaches(run.world().trace()),
                                  {"<one>", "two"}, {"a & b", "good"});
  EXPECT_THAT(svg, HasSubstr("PUT p4, 4096 B</text>"));
  EXPECT_THAT(svg, HasSubstr("ACK, 4096 B</text>"));
  EXPECT_THAT(svg, HasSubstr("PUT p4, 4096 B (lost)</text>"));
  EXPECT_THAT(svg, HasSubstr("partition \u2192</text>"));
  EXPECT_THAT(svg, HasSubstr("ETIMEDOUT"));
  EXPECT_THAT(svg, HasSubstr("&lt;one&gt;"));
  EXPECT_THAT(svg, HasSubstr("a &amp; b"));
  EXPECT_THAT(svg, Not(HasSubstr("<one>")));
}

}  // namespace
}  // namespace ulnet::tools

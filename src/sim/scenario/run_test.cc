#include "sim/scenario/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/scenario/draw.h"
#include "sim/scenario/reader.h"
#include "sim/scenario/script.h"
#include "sim/scenario/switches.h"

namespace ulnet::sim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Scenario scenario(const std::string& more, const std::string& driver = "pipe") {
  auto read = read_scenario("edge: " + driver +
                            "\n"
                            "nodes:\n"
                            "    - name: a\n"
                            "      nids: 10.0.0.1@tcp\n"
                            "      settings: {transaction_timeout: 5, retry_count: 0}\n"
                            "    - {name: b, nids: 10.0.0.2@tcp}\n" +
                            more);
  EXPECT_TRUE(read) << read.error().front().reason;
  return read.value_or(Scenario{});
}

Report run(const Scenario& what, const RunOptions& options = {}) { return Run(what, options).go(); }

TEST(Run, CarriesItsWorkload) {
  for (const std::string driver : {"pipe", "tcp"}) {
    const Scenario good = scenario(
        "workload:\n"
        "    - {what: put, from: a, to: b, count: 20, size: 1..9KB}\n"
        "    - {what: get, from: b, to: a, count: 5, size: 1MiB}\n"
        "    - {what: ping, from: a, to: b, count: 2}\n"
        "expect: {delivered: 27, failed: 0, drops: {total: 0}, events: {ACK: 20, REPLY: 5}}\n",
        driver);
    const Report report = run(good);
    EXPECT_EQ(report.ending, Ending::kGood) << driver << report.checker << ": " << report.what;
    EXPECT_EQ(report.delivered, 27U);
  }
}

// Each of 20 PUTs and 20 ACKs keeps each NI busy for 1 ms, one after the other. The two nodes
// discover each other first, with 6 messages. The rest is three round trips, and the time at the
// less busy NI.
TEST(Run, AnNiHandlesOneMessageAtATime) {
  const auto text = [](const char* trips) {
    return std::string(
               "links: {default: {delay: 10ms}}\n"
               "nodes:\n"
               "    - {name: a, nids: 10.0.0.1@tcp, service: 1ms}\n"
               "    - {name: b, nids: 10.0.0.2@tcp, service: 1ms}\n"
               "workload: [{from: a, to: b, count: 20, window: 20}]\n"
               "expect: {delivered: 20, discovery of a pair: 6, round trips: ") +
           trips + "}\n";
  };
  const Report report = run(*read_scenario(text("4")));
  EXPECT_EQ(report.ending, Ending::kGood) << report.what;
  EXPECT_GE(report.age, std::chrono::milliseconds(46 + 40));
  const Report other = run(*read_scenario(text("..3")));
  EXPECT_THAT(other.unmet, ElementsAre(HasSubstr("round trips: 4, expected ..3")));
}

TEST(Run, SaysWhatIsNotAsExpected) {
  const Scenario wrong = scenario(
      "workload: [{from: a, to: b, count: 3}]\n"
      "expect:\n"
      "    delivered: 4\n"
      "    failed: 0\n"
      "    events: {total: ..1}\n");
  const Report report = run(wrong);
  EXPECT_EQ(report.ending, Ending::kUnexpected);
  EXPECT_THAT(report.unmet, ElementsAre(HasSubstr("delivered: 3, expected 4"),
                                        HasSubstr("events: total: 9, expected ..1")));
}

TEST(Run, AMessageIntoACutFails) {
  const Scenario cut = scenario(
      "workload: [{from: a, to: b, count: 2, window: 1, every: 10ms}]\n"
      "faults: [{at: 8ms, what: partition, from: a, to: b, for: 20ms}]\n"
      "expect: {delivered: 1, failed: 1, lost: {cut: 1}, faults: {partition: 1}}\n");
  const Report report = run(cut);
  EXPECT_EQ(report.ending, Ending::kGood) << report.what;
}

/// a and b at two switches, with a link of 10 MB/s.
Scenario switched(const std::string& more, const std::string& driver) {
  auto read = read_scenario("edge: " + driver +
                            "\n"
                            "switches: [left, right]\n"
                            "switch links: [{between: [left, right], bandwidth: 10MB/s}]\n"
                            "nodes:\n"
                            "    - name: a\n"
                            "      nids: 10.0.0.1@tcp\n"
                            "      switch: left\n"
                            "      settings: {transaction_timeout: 5, retry_count: 0}\n"
                            "    - {name: b, nids: 10.0.0.2@tcp, switch: right}\n" +
                            more);
  EXPECT_TRUE(read) << read.error().front().reason;
  return read.value_or(Scenario{});
}

TEST(Run, CountsWhatLinksBetweenSwitchesCarry) {
  for (const std::string driver : {"pipe", "tcp"}) {
    const Report report =
        run(switched("workload: [{what: put, from: a, to: b, count: 20, size: 1MiB}]\n"
                     "expect:\n"
                     "    delivered: 20\n"
                     "    switch links:\n"
                     "        left to right: {bytes: 20971520..21200000, busy: 95.., lost: 0}\n"
                     "        right to left: {bytes: ..20000, busy: 0}\n",
                     driver));
    EXPECT_EQ(report.ending, Ending::kGood) << driver << report.checker << ": " << report.what;
    ASSERT_EQ(report.switch_links.size(), 2U);
    EXPECT_EQ(report.switch_links[1].from, "right");
    EXPECT_GT(report.switch_links[0].counters.highest_queue, 100'000U) << driver;
  }
}

std::uint64_t bytes_in(const LoadResult& load, std::size_t first, std::size_t end) {
  std::uint64_t bytes = 0;
  for (std::size_t i = first; i < end && i < load.series.size(); ++i) bytes += load.series[i].bytes;
  return bytes;
}

// The link carries 10 MB/s, and 1 MB/s in the third second.
TEST(Run, ALoadThatLastsATimeFillsALinkAndIsSampled) {
  for (const std::string driver : {"pipe", "tcp"}) {
    const Report report = run(switched(
        "workload:\n"
        "    - {what: put, from: a, to: b, size: 100KB, window: 4, start: 1s, lasts: 4s}\n"
        "    - {what: ping, from: b, to: a, count: 3, start: 6s}\n"
        "faults: [{at: 2s, what: link-slow, link: [left, right], bandwidth: 1MB/s, for: 1s}]\n"
        "lasts: 60s\n"
        "sample: 500ms\n"
        "expect: {failed: 0}\n",
        driver));
    EXPECT_EQ(report.ending, Ending::kGood) << driver << report.checker << ": " << report.what;
    ASSERT_EQ(report.loads.size(), 2U);
    const LoadResult& puts = report.loads[0];
    EXPECT_EQ(bytes_in(puts, 0, 2), 0U) << driver;
    EXPECT_NEAR(static_cast<double>(bytes_in(puts, 2, 4)), 10e6, 1e6) << driver;
    EXPECT_NEAR(static_cast<double>(bytes_in(puts, 5, 6)), 0.5e6, 0.2e6) << driver;
    EXPECT_NEAR(static_cast<double>(bytes_in(puts, 8, 10)), 10e6, 1e6) << driver;
    EXPECT_EQ(bytes_in(puts, 0, ~0U), puts.counts.delivered * 100'000) << driver;
    EXPECT_EQ(puts.counts.begun, puts.counts.delivered);
    EXPECT_EQ(report.loads[1].counts.delivered, 3U);
    EXPECT_LT(report.age, std::chrono::seconds(30)) << "it ends with its loads";
  }
}

// Operations that fail at once must not be begun without end at one and the same time.
TEST(Run, ALoadThatLastsATimeWaitsAfterAFailure) {
  const Report report = run(scenario(
      "workload: [{what: put, from: a, to: b, window: 1, ack: no, every: 1ms, lasts: 4s}]\n"
      "faults: [{at: 1s, what: interface, node: a, for: 2s}]\n"
      "sample: 1s\n"));
  EXPECT_EQ(report.ending, Ending::kGood) << report.checker << ": " << report.what;
  ASSERT_EQ(report.loads.size(), 1U);
  EXPECT_GT(report.loads[0].counts.failed, 2U);
  EXPECT_LE(report.loads[0].counts.failed, 22U);
  ASSERT_EQ(report.loads[0].series.size(), 4U) << "it goes on afterwards";
  EXPECT_GT(report.loads[0].series[3].messages, 100U);
}

// A message that the cut has lost is given up after a second, and others follow; LNet alone would
// wait for its transaction time-out. Without a fault, patience changes nothing.
TEST(Run, AnOperationThatTakesTooLongHasFailed) {
  const auto load = [](const std::string& what, const std::string& faults) {
    const Report report = run(switched("workload: [{what: " + what +
                                           ", from: a, to: b, window: 2, every: 10ms, lasts: 8s, "
                                           "patience: 1s}]\n" +
                                           faults + "sample: 1s\n",
                                       "tcp"));
    EXPECT_EQ(report.ending, Ending::kGood) << report.checker << ": " << report.what;
    EXPECT_EQ(report.loads.size(), 1U);
    return report.loads.at(0);
  };
  for (const std::string what : {"put", "get"}) {
    EXPECT_EQ(load(what, "").counts.failed, 0U);
    const LoadResult cut =
        load(what, "faults: [{at: 2s, what: link-cut, link: [left, right], for: 3s}]\n");
    EXPECT_GE(cut.counts.failed, 2U) << what;
    EXPECT_LE(cut.counts.failed, 8U) << what;
    ASSERT_EQ(cut.series.size(), 8U) << what;
    EXPECT_EQ(cut.series[3].messages, 0U) << what;
    EXPECT_GT(cut.series[6].messages, 50U) << what << ": it goes on at once";
  }
}

TEST(Run, LinksBetweenSwitchesAreCutAndSlowed) {
  for (const std::string driver : {"pipe", "tcp"}) {
    const Report report = run(switched(
        "workload: [{what: put, from: a, to: b, count: 40, size: 100KiB, window: 1, every: 1s}]\n"
        "faults:\n"
        "    - {at: 100ms, what: link-slow, link: [right, left], bandwidth: 1MB/s,"
        " for: 2s}\n"
        "    - {at: 5s, what: link-cut, link: [left, right], for: 10s}\n"
        "lasts: 60s\n"
        "expect:\n"
        "    delivered: 20..39\n"
        "    failed: 1..20\n"
        "    faults: {link-cut: 1, link-slow: 1, total: 2}\n",
        driver));
    EXPECT_EQ(report.ending, Ending::kGood)
        << driver << report.checker << ": " << report.what << " failed " << report.failed;
  }
}

/// The link's bandwidth in kB/s in the middle of each second; 0: it is cut.
std::vector<std::uint64_t> bandwidths(const Scenario& of, int seconds) {
  World world(1);
  const Fabric& fabric = world.wire().fabric();
  build(of.switches, world.wire().fabric());
  for (const NodeSetup& node : of.nodes) world.add_node(node);
  world.add<Script>(of);
  std::vector<std::uint64_t> seen;
  for (int i = 0; i < seconds; ++i) {
    world.run_for(std::chrono::milliseconds(i == 0 ? 500 : 1000));
    seen.push_back(fabric.is_cut({0}) ? 0 : fabric.port({0}, {0}).rate() / 1000);
    EXPECT_EQ(fabric.port({0}, {1}).rate(), fabric.port({0}, {0}).rate());
  }
  return seen;
}

TEST(Run, TheWorstOfOverlappingLinkFaultsCounts) {
  const auto on_the_link = [](const char* faults) {
    return switched(std::string("faults:\n") + faults, "pipe");
  };
  EXPECT_THAT(bandwidths(on_the_link("    - {at: 1s, what: link-slow, link: [left, right],"
                                     " bandwidth: 2MB/s, for: 2s}\n"
                                     "    - {at: 2s, what: link-slow, link: [left, right],"
                                     " bandwidth: 3MB/s, for: 3s}\n"
                                     "    - {at: 4s, what: link-slow, link: [right, left],"
                                     " bandwidth: 1MB/s, for: 3s}\n"),
                         8),
              ElementsAre(10'000, 2'000, 2'000, 3'000, 1'000, 1'000, 1'000, 10'000));
  EXPECT_THAT(
      bandwidths(on_the_link("    - {at: 1s, what: link-cut, link: [left, right], for: 2s}\n"
                             "    - {at: 2s, what: link-cut, link: [right, left], for: 3s}\n"
                             "    - {at: 3s, what: link-slow, link: [left, right],"
                             " bandwidth: 2MB/s, for: 3s}\n"),
                 7),
      ElementsAre(10'000, 0, 0, 0, 0, 2'000, 10'000));
  // The faults stay in force until everything is healed.
  EXPECT_THAT(
      bandwidths(on_the_link("    - {at: 1s, what: link-slow, link: [left, right],"
                             " bandwidth: 2MB/s}\n"
                             "    - {at: 1s, what: link-cut, link: [left, right]}\n"
                             "    - {at: 2s, what: link-cut, link: [left, right], for: 1s}\n"
                             "    - {at: 4s, what: heal}\n"),
                 5),
      ElementsAre(10'000, 0, 0, 0, 10'000));
}

/// c stops with the step in which its first PUT to a ends. It still awaits the ACK of another PUT.
TEST(Run, AStoppedNodeDoesNothing) {
  const std::string rest =
      ", lnd_timeout: 100s, settings: {transaction_timeout: 5, retry_count: 0}}\n";
  const auto world = read_scenario(
      "edge: tcp\n"
      "nodes:\n"
      "    - {name: a, nids: 10.0.0.1@tcp" +
      rest + "    - {name: b, nids: 10.0.0.2@tcp" + rest + "    - {name: c, nids: 10.0.0.3@tcp" +
      rest +
      "workload:\n"
      "    - {what: put, from: c, to: a, size: 100}\n"
      "    - {what: put, from: c, to: b, size: 100}\n"
      "    - {what: put, from: c, to: a, size: 100, start: 3s}\n"
      "    - {what: put, from: c, to: b, size: 100, start: 3500ms}\n"
      "faults:\n"
      "    - {at: 1s, what: partition, from: c, to: a, both: true, for: 30s}\n"
      "    - {at: 1100ms, what: crash, node: a, for: 30s}\n"
      "    - {at: 1200ms, what: reset, from: c, to: a}\n"
      "    - {at: 1210ms, what: reset, from: c, to: a}\n"
      "    - {at: 1220ms, what: reset, from: c, to: a}\n"
      "    - {at: 3s, what: pause, node: b, for: 20s}\n"
      "    - {at: 4s, what: shutdown, node: c, for: 20s}\n"
      "lasts: 60s\n");
  ASSERT_TRUE(world) << world.error().front().reason;
  const Report report = run(*world);
  EXPECT_EQ(report.ending, Ending::kGood) << report.checker << ": " << report.what;
}

/// b is paused until all faults end. It reads the data in its sockets before the world is judged.
TEST(Run, APausedNodeReadsItsMessagesLater) {
  const Report report = run(scenario(
      "workload: [{what: put, from: a, to: b, count: 20, size: 100, every: 1ms, ack: no}]\n"
      "faults: [{at: 10ms, what: pause, node: b}]\n"
      "lasts: 1s\n"
      "expect: {delivered: 20, failed: 0}\n",
      "tcp"));
  EXPECT_EQ(report.ending, Ending::kGood) << report.checker << ": " << report.what;
}

TEST(Run, RunningOutOfStepsIsAVerdict) {
  // The run exhausts its steps.
  Scenario load = scenario("workload: [{what: mix}]\n");
  load.steps = 50;
  EXPECT_EQ(run(load).ending, Ending::kOutOfSteps);
  // The run exhausts its time: the message would arrive long after "quiet within".
  const Scenario slow = scenario(
      "links: {default: {delay: 2s}}\n"
      "workload: [{from: a, to: b, ack: no}]\n"
      "lasts: 1ms\n"
      "quiet within: 1s\n");
  const Report report = run(slow);
  EXPECT_EQ(report.ending, Ending::kViolated);
  EXPECT_EQ(report.checker, "not quiet");
}

// The ACK of the second PUT does not come, so a pings b from 8 s on. The third PUT ends at 11 s; a
// awaits the answer to its ping for 2 s more, which is longer than "quiet within".
TEST(Run, APingOfRecoveryThatIsLostDoesNotCountAsUnderWay) {
  const Scenario lost = scenario(
      "workload: [{from: a, to: b, count: 3, window: 2, every: 3s}]\n"
      "faults: [{at: 1s, what: partition, from: b, to: a}]\n"
      "quiet within: 1s\n"
      "lasts: 100s\n"
      "expect: {delivered: 3, failed: 2}\n");
  const Report report = run(lost);
  EXPECT_EQ(report.ending, Ending::kGood) << report.checker << ": " << report.what;
  EXPECT_GE(report.age, std::chrono::seconds(12));
}

TEST(Run, StopsAtTheStepThatWasAsked) {
  RunOptions options;
  options.until_step = 30;
  const Report report = run(scenario("workload: [{what: mix}]\n"), options);
  EXPECT_EQ(report.ending, Ending::kStopped);
  EXPECT_EQ(report.steps, 30U);
}

TEST(Run, WatchingChangesNothing) {
  const Scenario drawn = draw_scenario(2);
  RunOptions blind;
  blind.checkers = blind.marks = false;
  RunOptions seen;
  seen.timeline = 50;
  seen.trace.keep = TraceOptions::Keep::kAll;
  EXPECT_EQ(run(drawn, blind).digest, run(drawn, seen).digest);
}

/// The random worlds of the swarm over a chain of three switches, whose links are slow, cut and
/// slowed during everything else. Checkers find nothing, and a seed has one history.
TEST(Run, RandomWorldsOverSwitchesAreSound) {
  std::uint64_t carried = 0, lost = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Scenario drawn = draw_scenario(seed);
    drawn.switches = {{"x", "y", "z"},
                      {{{0}, {1}, {(1ULL << 20) << seed % 6, std::chrono::microseconds(3)}},
                       {{1}, {2}, {(1ULL << 20) << seed % 4, std::chrono::microseconds(1)}}}};
    std::uint32_t nis = 0;
    for (NodeSetup& node : drawn.nodes)
      for (NiSetup& ni : node.nis) ni.at_switch = SwitchId{nis++ % 3};
    Act act;
    act.at = drawn.lasts / 4;
    act.lasts = std::chrono::seconds(1);
    act.what = Act::What::kLinkCut;
    drawn.acts.push_back(act);
    act.at *= 2;
    act.what = Act::What::kLinkSlow;
    act.switch_link = {1};
    act.bandwidth = 1 << 18;
    drawn.acts.push_back(act);
    drawn.nothing_fails = false;
    const Report report = run(drawn);
    EXPECT_EQ(report.ending, Ending::kGood)
        << "seed " << seed << ": " << report.checker << ": " << report.what;
    if (seed % 10 == 0) {
      EXPECT_EQ(run(drawn).digest, report.digest) << "seed " << seed;
    }
    for (const LinkUse& use : report.switch_links) {
      carried += use.counters.bytes;
      lost += use.counters.lost;
    }
  }
  EXPECT_GT(carried, 10U << 20);
  EXPECT_GT(lost, 100U);
}

TEST(Draw, TheSameSeedIsTheSameWorld) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Report first = run(draw_scenario(seed));
    const Report second = run(draw_scenario(seed));
    EXPECT_EQ(first.digest, second.digest);
    EXPECT_EQ(first.steps, second.steps);
  }
  EXPECT_NE(run(draw_scenario(1)).digest, run(draw_scenario(2)).digest);
}

/// Every random scenario could have been written by hand.
TEST(Draw, DrawsWhatIsPossible) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const Scenario drawn = draw_scenario(seed);
    const std::size_t nodes = drawn.nodes.size();
    ASSERT_GE(nodes, 2U);
    for (const NodeSetup& node : drawn.nodes) {
      ASSERT_FALSE(node.nis.empty());
      ASSERT_LT(node.globals.retry_count, node.globals.transaction_timeout);
      for (const NiSetup& ni : node.nis) ASSERT_LE(ni.tunables.peer_credits, ni.tunables.credits);
    }
    for (const Act& act : drawn.acts) {
      ASSERT_LT(act.node, nodes);
      ASSERT_LT(act.other, nodes);
      ASSERT_EQ(act.other == act.node, act.what == Act::What::kAdmin);
      ASSERT_LT(act.ni, drawn.nodes[act.node].nis.size());
      ASSERT_LE(act.at, drawn.lasts);
    }
    for (const LoadSpec& load : drawn.loads) {
      ASSERT_LE(load.min_bytes, load.max_bytes);
      for (const NodeNumber from : load.from) ASSERT_NE(from, load.to.front());
    }
  }
}

/// A large NID cannot cross a net of small NIDs (spec/wire-lnet.md 3.1).
TEST(Draw, ANetHasSmallNidsOrLargeOnesAndRoutersJoinNetsOfOneKind) {
  std::size_t mixed = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const Scenario drawn = draw_scenario(seed);
    std::map<NetId, bool> small;
    std::set<bool> kinds;
    const auto note = [&](const Nid& nid) {
      EXPECT_EQ(small.emplace(nid.net(), nid.is_small()).first->second, nid.is_small());
      kinds.insert(nid.is_small());
    };
    for (const NodeSetup& node : drawn.nodes) {
      for (const NiSetup& ni : node.nis) note(ni.nid);
      for (const auto& [gateway, nets] : node.routes->by_gateway()) note(gateway);
    }
    const auto routes = [](const NodeSetup& node) { return node.routing.on; };
    const bool routed = std::ranges::any_of(drawn.nodes, routes);
    EXPECT_TRUE(!routed || kinds.size() == 1) << "seed " << seed;
    mixed += kinds.size() - 1;
  }
  EXPECT_GT(mixed, 5U);
}

TEST(Timeline, KnowsBothEndsOfAMessage) {
  const Scenario cut = scenario(
      "links: {default: {delay: 1ms}}\n"
      "workload: [{from: a, to: b, count: 2, size: 77, window: 1, every: 10ms}]\n"
      "faults: [{at: 8ms, what: partition, from: a, to: b, for: 20ms}]\n");
  RunOptions options;
  options.timeline = 20;
  options.trace.keep = TraceOptions::Keep::kAll;
  sim::Run one(cut, options);
  ASSERT_EQ(one.go().ending, Ending::kGood);
  // Discovery comes first.
  std::vector<Journey> puts;
  for (const auto& journey : one.timeline()->journeys())
    if (journey.type == wire::MsgType::kPut && journey.length == 77U) puts.push_back(journey);
  ASSERT_EQ(puts.size(), 2U);
  EXPECT_EQ(puts[0].from, 0U);
  EXPECT_EQ(puts[0].to, 1U);
  EXPECT_EQ(puts[0].arrived - puts[0].sent, std::chrono::milliseconds(1));
  EXPECT_EQ(puts[1].arrived, kNever);
  const auto breaches = Timeline::breaches(one.world().trace());
  ASSERT_EQ(breaches.size(), 1U);
  EXPECT_EQ(breaches[0].detail, static_cast<std::uint8_t>(FaultKind::kPartition));
  EXPECT_EQ(breaches[0].until - breaches[0].from, std::chrono::milliseconds(20));
}

}  // namespace
}  // namespace ulnet::sim

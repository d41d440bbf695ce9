#include "lab/experiment/simulate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/experiment/experiment_fixture.h"
#include "lab/experiment/judge.h"

namespace ulnet::tools::lab {
namespace {

using testing::AllOf;
using testing::Ge;
using testing::HasSubstr;
using testing::Le;
using testing::Optional;

/// Runs an example; its expectations must be met.
Judgement judgement_of(const Experiment& experiment, std::uint64_t seed = 1) {
  const auto measured = simulate(experiment, seed);
  EXPECT_TRUE(measured) << (measured ? "" : measured.error().reason);
  if (!measured) return {};
  Judgement judgement = judge(experiment, *measured);
  for (const Verdict& verdict : judgement.verdicts)
    EXPECT_EQ(verdict.is, Verdict::Is::kMet)
        << experiment.name << ": " << verdict.expected << ": " << verdict.found;
  return judgement;
}

// Document 004: "the decrease of LNET bandwidth caused by the loss of a LNET router is confined to
// the LNET group to which it belongs".
TEST(SimulatedExperiment, WithFineGrainedRoutingALostRouterShowsInItsGroupOnly) {
  const Experiment experiment = example_experiment(ULNET_SOURCE_DIR, "lost-router-fgr");
  const Judgement judgement = judgement_of(experiment);
  ASSERT_EQ(judgement.loads.size(), 2U);
  const FaultEffect &even = judgement.loads[0].faults.at(0), &odd = judgement.loads[1].faults.at(0);
  EXPECT_THAT(even.share_during, Optional(AllOf(Ge(0.95), Le(1.1))));
  EXPECT_THAT(odd.share_during, Optional(AllOf(Ge(0.45), Le(0.57))));
  EXPECT_THAT(odd.share_after, Optional(Ge(0.85))) << "the clients use the restarted router again";
}

// "In a flat LNET implementation ... losing a LNET router connection would mean that there is some
// percentage of bandwidth no longer available to the entire file system": one of four routers.
TEST(SimulatedExperiment, WithFlatRoutingALostRouterCostsAllGroupsAlike) {
  const Experiment experiment = example_experiment(ULNET_SOURCE_DIR, "lost-router-flat");
  const Judgement judgement = judgement_of(experiment);
  ASSERT_EQ(judgement.loads.size(), 2U);
  const auto even = judgement.loads[0].faults.at(0).share_during;
  const auto odd = judgement.loads[1].faults.at(0).share_during;
  EXPECT_THAT(even, Optional(AllOf(Ge(0.68), Le(0.85))));
  EXPECT_THAT(odd, Optional(AllOf(Ge(0.68), Le(0.85))));
  EXPECT_NEAR(*even, *odd, 0.08);
}

// "we could lose up to seven of the eight LNET routers and still have connectivity": each group
// continues at the rate of the remaining router, and is as before when the others are back.
TEST(SimulatedExperiment, SevenOfEightRoutersMayDie) {
  const Experiment experiment = example_experiment(ULNET_SOURCE_DIR, "seven-of-eight-routers");
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Judgement judgement = judgement_of(experiment, seed);
    ASSERT_EQ(judgement.loads.size(), 2U);
    for (const LoadEffect& load : judgement.loads) {
      EXPECT_LE(load.no_data, std::chrono::seconds(6)) << "until rpc_timeout at the most";
      EXPECT_THAT(load.faults.at(6).share_after, Optional(Ge(0.85)));
    }
  }
}

// Operations that the dead router has swallowed are given up after rpc_timeout, as in a live run.
TEST(SimulatedExperiment, AnOperationFailsAfterTheClientsRpcTimeout) {
  const std::string loads = "wires at most: 100mbit\nloads: [{name: x, from: a, to: b}]\n";
  EXPECT_THAT(scenario_of(experiment_of("topology:\n    nodes: {a: tcp, b: tcp}\n" + loads), 1),
              HasSubstr(" patience: 5s,"));
  EXPECT_THAT(scenario_of(experiment_of("topology:\n    settings: {rpc_timeout: 9}\n"
                                        "    nodes: {a: tcp, b: tcp}\n" +
                                        loads),
                          1),
              HasSubstr(" patience: 9s,"));
}

TEST(SimulatedExperiment, ACutRailCostsNoOperation) {
  const Judgement judgement = judgement_of(example_experiment(ULNET_SOURCE_DIR, "rail-cut"));
  EXPECT_THAT(judgement.loads.at(0).faults.at(0).share_after, Optional(Ge(0.9)));
}

TEST(SimulatedExperiment, AChainStallsWhileItsRouterIsPaused) {
  judgement_of(example_experiment(ULNET_SOURCE_DIR, "chain-router-pause"));
}

TEST(SimulatedExperiment, ReadsAndPingsAndLinksOfSwitches) {
  const Experiment experiment = experiment_of(R"(topology:
    switches: [left, right]
    switch links:
        - {between: [left, right], rate: 80mbit, delay: 1ms}
    nets: {tcp: {rate: 200mbit}}
    nodes:
        client: {nets: {net: tcp, switch: left}}
        server: {nets: {net: tcp, switch: right}}
        other: {nets: {net: tcp, switch: right}}
loads:
    - {name: reads, what: read, from: client, to: server, size: 64KiB, lasts: 7s}
    - {name: pings, what: ping, from: client, to: other, start: 7s, concurrency: 2}
faults:
    - {at: 2s, what: link-rate, link: left-right, rate: 8mbit, for: 2s}
    - {at: 5s, what: link-down, link: right-left, for: 500ms}
lasts: 10s
expect:
    operations lost: 0
    recovered within: {reads: 3s}
)");
  const Judgement judgement = judgement_of(experiment);
  EXPECT_NEAR(*judgement.loads.at(0).before, 10e6, 1e6);
  EXPECT_THAT(judgement.loads[0].faults.at(0).share_during, Optional(Le(0.2)));
  const auto measured = simulate(experiment, 1);
  ASSERT_TRUE(measured);
  EXPECT_GT(measured->loads.at(1).operations, 1000U);
  EXPECT_EQ(measured->loads[1].intervals.front().operations, 0U) << "the load begins later";
}

TEST(SimulatedExperiment, ASeedGivesTheSameResultEachTime) {
  const Experiment experiment = example_experiment(ULNET_SOURCE_DIR, "chain-router-pause");
  const auto first = simulate(experiment, 7), again = simulate(experiment, 7);
  ASSERT_TRUE(first && again);
  EXPECT_EQ(first->loads[0].intervals, again->loads[0].intervals);
  EXPECT_THAT(scenario_of(experiment, 7), HasSubstr("seed: 7\n"));
}

TEST(SimulatedExperiment, ARailWithoutARateCanBeSlowed) {
  const std::string text = scenario_of(experiment_of(R"(topology:
    nodes: {a: {nets: {net: tcp, rate: 10mbit}}, b: tcp}
loads: [{name: x, from: a, to: b}]
faults: [{at: 5s, what: link-rate, link: b, rate: 1mbit, for: 5s}]
)"),
                                       1);
  EXPECT_THAT(text, HasSubstr("what: link-slow, link: [\"b:0\", \"tcp\"], bandwidth: 125000B/s"));
  EXPECT_THAT(text, HasSubstr("{between: [\"b:0\", \"tcp\"], bandwidth: 1000000000000B/s"));
}

}  // namespace
}  // namespace ulnet::tools::lab

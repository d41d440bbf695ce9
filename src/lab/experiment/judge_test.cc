#include "lab/experiment/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/experiment/experiment_fixture.h"
#include "lab/experiment/report.h"

namespace ulnet::tools::lab {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;
using testing::Not;
using Is = Verdict::Is;

/// Ten seconds with a sample each second; the router is paused from 3 s to 6 s.
Experiment paused_router(const std::string& expect, const std::string& what = "write") {
  return experiment_of(std::string(kSmallLab) + "loads:\n    - {name: up, what: " + what +
                       ", from: client, to: far}\n"
                       "faults:\n    - {at: 3s, what: pause, node: router, for: 3s}\n"
                       "lasts: 10s\nsample: 1s\nexpect:\n    " +
                       expect + "\n");
}

/// A load with this number of operations of 1000 bytes in each second.
Measured moved(const std::vector<std::uint64_t>& operations, std::uint64_t lost = 0) {
  Measured measured;
  LoadRecord record;
  record.lost = lost;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    record.intervals.push_back({seconds(i), seconds(i + 1), operations[i], operations[i] * 1000});
    record.operations += operations[i];
  }
  measured.loads = {record};
  measured.faults = {{seconds(3), seconds(6)}};
  return measured;
}

Verdict verdict(const std::string& expect, const Measured& measured) {
  const Judgement judgement = judge(paused_router(expect), measured);
  EXPECT_EQ(judgement.verdicts.size(), 1U);
  EXPECT_EQ(judgement.good(), judgement.verdicts.at(0).is != Is::kNotMet);
  return judgement.verdicts.at(0);
}

TEST(Judge, TheMedianIsTheMiddle) {
  EXPECT_EQ(median({}), std::nullopt);
  EXPECT_EQ(median({7}), 7);
  EXPECT_EQ(median({9, 1, 5}), 5);
  EXPECT_EQ(median({4, 1, 100, 2}), 3);
}

TEST(Judge, ComparesWithTheTimeBeforeTheFirstFault) {
  const Measured measured = moved({90, 100, 110, 50, 40, 60, 80, 100, 100, 100});
  const LoadEffect effect = judge(paused_router("operations lost: 0"), measured).loads.at(0);
  EXPECT_DOUBLE_EQ(*effect.before, 100'000);
  EXPECT_DOUBLE_EQ(*effect.faults.at(0).during, 50'000);
  EXPECT_DOUBLE_EQ(*effect.faults[0].share_during, 0.5);
  EXPECT_DOUBLE_EQ(*effect.faults[0].share_after, 1.0);
  EXPECT_EQ(effect.faults[0].back_after, seconds(3)) << "low until 6 s; then 80 is enough";
}

TEST(Judge, IntervalsAcrossTheEdgeOfAFaultDoNotCount) {
  Measured measured = moved({100, 100, 100, 7, 50, 50, 7, 100, 100, 100});
  measured.faults = {{std::chrono::milliseconds(3500), std::chrono::milliseconds(6500)}};
  const FaultEffect effect =
      judge(paused_router("operations lost: 0"), measured).loads.at(0).faults.at(0);
  EXPECT_DOUBLE_EQ(*effect.share_during, 0.5);
  EXPECT_DOUBLE_EQ(*effect.share_after, 1.0);
}

TEST(Judge, SimultaneousFaultsCountAsOne) {
  const Experiment experiment =
      experiment_of(std::string(kSmallLab) +
                    "loads:\n    - {name: up, from: client, to: far}\n"
                    "faults:\n    - {at: 3s, what: pause, node: router, for: 3s}\n"
                    "    - {at: 3s, what: pause, node: server2, for: 2s}\n"
                    "lasts: 10s\nsample: 1s\nexpect: {recovered within: {up: 4s}}\n");
  Measured measured = moved({100, 100, 100, 100, 20, 20, 100, 100, 100, 100});
  measured.faults.push_back({std::chrono::milliseconds(3020), seconds(5)});
  const Judgement judgement = judge(experiment, measured);
  EXPECT_EQ(judgement.loads.at(0).faults.at(0).back_after, seconds(3));
  EXPECT_TRUE(judgement.good()) << judgement.verdicts.at(0).found;
}

TEST(Judge, LostOperationsAreCounted) {
  const std::vector<std::uint64_t> even(10, 100);
  EXPECT_EQ(verdict("operations lost: 0", moved(even)).is, Is::kMet);
  EXPECT_EQ(verdict("operations lost: 0", moved(even, 1)).is, Is::kNotMet);
  EXPECT_EQ(verdict("operations lost: {up: ..5}", moved(even, 5)).is, Is::kMet);
  EXPECT_EQ(verdict("operations lost: {up: 6..}", moved(even, 5)).found, "5 lost");
}

TEST(Judge, RatesWhileAFaultLasts) {
  const Measured half = moved({100, 100, 100, 55, 45, 50, 100, 100, 100, 100});
  EXPECT_EQ(verdict("rate: {up: 0.4..0.6}", half).is, Is::kMet);
  EXPECT_EQ(verdict("rate: {up: 0.6..}", half).is, Is::kNotMet);
  EXPECT_EQ(verdict("rate: 0.6..", half).found, "pause router: 0.50");
  EXPECT_EQ(verdict("rate: ..0.4", half).is, Is::kNotMet);
}

TEST(Judge, RecoveryIsForGood) {
  const auto within = [](const std::vector<std::uint64_t>& operations) {
    return verdict("recovered within: {up: 5s}", moved(operations));
  };
  EXPECT_EQ(within({100, 100, 100, 99, 98, 97, 99, 99, 99, 99}).found, "pause router: 0.0 s");
  EXPECT_EQ(within({100, 100, 100, 0, 0, 0, 0, 0, 90, 90}).is, Is::kMet);
  EXPECT_EQ(within({100, 100, 100, 0, 0, 0, 0, 0, 90, 90}).found, "pause router: 5.0 s");
  // The rate recovers for a while and falls again: it counts as recovered only after that fall.
  EXPECT_EQ(within({100, 100, 100, 0, 90, 90, 0, 0, 0, 90}).is, Is::kNotMet);
  // A single odd sample is not a relapse.
  EXPECT_EQ(within({100, 100, 100, 0, 0, 90, 90, 10, 90, 90}).found, "pause router: 2.0 s");
  EXPECT_EQ(within({100, 100, 100, 0, 0, 90, 90, 90, 90, 10}).found, "pause router: 2.0 s");
  EXPECT_EQ(within({100, 100, 100, 0, 0, 90, 90, 90, 10, 10}).is, Is::kNotMet);
  const Verdict never = within({100, 100, 100, 0, 0, 0, 0, 0, 0, 0});
  EXPECT_EQ(never.is, Is::kNotMet);
  EXPECT_EQ(never.found, "pause router: not back at the end");
}

TEST(Judge, ALoadThatNeverMovedAnythingHasNoShares) {
  const Measured nothing = moved(std::vector<std::uint64_t>(10, 0));
  const Verdict rate = verdict("rate: {up: 0..}", nothing);
  EXPECT_EQ(rate.is, Is::kNotMet);
  EXPECT_THAT(rate.found, HasSubstr("nothing moved before the first fault"));
  EXPECT_EQ(verdict("recovered within: {up: 5s}", nothing).is, Is::kNotMet);
}

TEST(Judge, RatesOnLoopbackAreJudgedOnRequestOnly) {
  Measured measured = moved({100, 100, 100, 1, 1, 1, 1, 1, 1, 1});
  measured.where = Measured::Where::kLoopback;
  EXPECT_EQ(verdict("rate: {up: 0.9..}", measured).is, Is::kNotJudged);
  EXPECT_EQ(verdict("recovered within: {up: 1s}", measured).is, Is::kNotJudged);
  EXPECT_EQ(verdict("operations lost: 1", measured).is, Is::kNotMet);
  const Judgement asked =
      judge(paused_router("{rate: {up: 0.9..}, rates on loopback: yes}"), measured);
  EXPECT_EQ(asked.verdicts.at(0).is, Is::kNotMet);
}

TEST(Judge, RatesOfAMachineThatWasTooBusyAreNotJudged) {
  Measured measured = moved({100, 100, 100, 1, 1, 1, 1, 1, 1, 1});
  measured.where = Measured::Where::kNamespaces;
  measured.late = seconds(2);
  EXPECT_EQ(verdict("rate: {up: 0.9..}", measured).is, Is::kNotMet);
  measured.late = std::chrono::milliseconds(2100);
  const Verdict late = verdict("rate: {up: 0.9..}", measured);
  EXPECT_EQ(late.is, Is::kNotJudged);
  EXPECT_THAT(late.found, HasSubstr("2.1 s late"));
  EXPECT_EQ(verdict("operations lost: 1", measured).is, Is::kNotMet);
}

TEST(Judge, PingsAreCountedAndNotMeasured) {
  const Experiment pings = paused_router("rate: {up: 0.4..0.6}", "ping");
  Measured measured = moved({100, 100, 100, 50, 50, 50, 100, 100, 100, 100});
  for (Interval& each : measured.loads[0].intervals) each.bytes = 0;
  const Judgement judgement = judge(pings, measured);
  EXPECT_DOUBLE_EQ(*judgement.loads.at(0).before, 100);
  EXPECT_TRUE(judgement.good());
}

// ---- the report ---------------------------------------------------------------------------------

Trial trial_of(const Experiment& experiment, Measured measured) {
  Judgement judgement = judge(experiment, measured);
  return {std::move(measured), std::move(judgement)};
}

TEST(ExperimentReport, PrintsTextForPeople) {
  const Experiment experiment = paused_router("rate: {up: 0.9..}");
  const Trial trial =
      trial_of(experiment, moved({100, 100, 100, 50, 50, 50, 100, 100, 100, 100}, 3));
  const std::string text = report_text(experiment, trial);
  EXPECT_THAT(text, HasSubstr("simulated, seed 1; 10s, a sample each 1s"));
  EXPECT_THAT(text, HasSubstr("LOAD  WHAT   OPERATIONS  LOST  NO DATA    BEFORE\n"
                              "up    write         850     3    0.0 s  100 kB/s\n"));
  EXPECT_THAT(text, HasSubstr("pause router at 3s for 3s"));
  EXPECT_THAT(text, testing::ContainsRegex("up +50(.0)? kB/s +0.50 +100 kB/s +1.00 +3.0 s"));
  EXPECT_THAT(text, HasSubstr("NOT MET     rate: up: 0.9..   (pause router: 0.50)"));
}

// Seven routers that die at the same time count as one fault.
TEST(ExperimentReport, ReportsSimultaneousFaultsOnce) {
  const Experiment experiment = experiment_of(
      std::string(kSmallLab) +
      "loads:\n    - {name: up, from: client, to: far}\n"
      "faults:\n    - {at: 3s, what: pause, node: router, for: 3s}\n"
      "    - {at: 3s, what: link-down, link: \"router:0\", for: 3s}\nlasts: 10s\nsample: 1s\n");
  Measured measured = moved({100, 100, 100, 50, 50, 50, 100, 100, 100, 100});
  measured.faults.push_back(measured.faults[0]);
  const Trial trial = trial_of(experiment, measured);
  const std::string text = report_text(experiment, trial);
  EXPECT_THAT(text, HasSubstr("pause router at 3s for 3s: there from 3.0 s to 6.0 s\n"
                              "link-down router:0 at 3s for 3s: there from 3.0 s to 6.0 s\n"
                              "LOAD  MEANWHILE"));
  EXPECT_THAT(side_by_side(experiment, trial, trial),
              HasSubstr("pause router and 1 more: share meanwhile"));
}

TEST(ExperimentReport, PutsTwoTrialsSideBySide) {
  const Experiment experiment = paused_router("operations lost: 0");
  Measured measured = moved({200, 200, 200, 50, 50, 50, 200, 200, 200, 200});
  measured.where = Measured::Where::kNamespaces;
  const std::vector<Trial> both = {
      trial_of(experiment, measured),
      trial_of(experiment, moved({100, 100, 100, 50, 50, 50, 100, 100, 100, 100}))};
  const std::string text = side_by_side(experiment, both[0], both[1]);
  EXPECT_THAT(text, testing::ContainsRegex("rate before +200 kB/s +100 kB/s +2.00"));
  EXPECT_THAT(text, testing::ContainsRegex("pause router: share meanwhile +0.25 +0.50 +0.50"));
  const nlohmann::json tree = report_json(experiment, both);
  EXPECT_EQ(tree["trials"].size(), 2U);
  EXPECT_EQ(tree["trials"][0]["where"], "namespaces");
  EXPECT_FALSE(tree["trials"][0].contains("seed"));
  EXPECT_DOUBLE_EQ(tree["ratios"][0]["share_during"].get<double>(), 0.5);
  EXPECT_TRUE(tree["good"].get<bool>());
}

TEST(ExperimentReport, PrintsJsonForPrograms) {
  const Experiment experiment = paused_router("{operations lost: 0, rate: {up: 0.9..}}");
  const std::vector<Trial> one = {
      trial_of(experiment, moved({100, 100, 100, 0, 0, 0, 0, 0, 0, 0}, 3))};
  const nlohmann::json tree = report_json(experiment, one);
  EXPECT_FALSE(tree["good"].get<bool>());
  EXPECT_EQ(tree["faults"][0]["target"], "router");
  const nlohmann::json& load = tree["trials"][0]["loads"][0];
  EXPECT_EQ(load["lost"], 3);
  EXPECT_DOUBLE_EQ(load["seconds_without_data"].get<double>(), 7);
  EXPECT_EQ(load["intervals"].size(), 10U);
  EXPECT_TRUE(load["faults"][0]["back_after_s"].is_null());
  EXPECT_EQ(tree["trials"][0]["expectations"][0]["met"], false);
  const std::string csv = report_csv(experiment, one);
  EXPECT_THAT(csv, HasSubstr("where,load,from_s,to_s,operations,bytes,rate\n"
                             "simulator,up,0.000,1.000,100,100000,100000\n"));
  const std::string picture = report_picture(experiment, one);
  EXPECT_THAT(picture, HasSubstr("up (simulated)"));
  EXPECT_THAT(picture, HasSubstr("pause router"));
  EXPECT_THAT(picture, Not(HasSubstr("nan")));
}

}  // namespace
}  // namespace ulnet::tools::lab

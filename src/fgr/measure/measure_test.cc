#include "fgr/measure/measure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fgr/plan/plan_fixture.h"

namespace ulnet::plan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr double kUsual = 100 << 20;

/// The paper's system: groups 002 to 005 of three OSSs each.
const Plan& paper() {
  static const Plan plan = *make_plan(paper_site());
  return plan;
}

/// The paper's system with this number of OSSs in each group, and its four groups.
Plan with_osss(std::uint32_t each) {
  Plan plan = paper();
  for (Group& group : plan.groups)
    if (group.suffix != 0) group.servers.resize(each);
  return plan;
}

/// All OSSs of the plan, with this figure.
std::vector<OssFigure> all_alike(const Plan& plan, double figure = kUsual) {
  std::vector<OssFigure> figures;
  const auto runs = measure_runs(plan, {.scopes = {MeasureScope::kAllOsss}, .groups = {}});
  for (const Oss& oss : runs->front().osss) figures.push_back({.oss = oss, .bytes_per_s = figure});
  return figures;
}

/// "003" for a group, "003/snx11001n005" for an OSS, and why.
std::vector<std::string> names(const Plan& plan, const MeasureVerdict& verdict) {
  std::vector<std::string> all;
  for (const MeasureSuspect& each : verdict.suspects) {
    std::string name = fmt::format("{:03}", plan.groups[each.group].suffix);
    if (each.server) name += "/" + server_of(plan, {each.group, *each.server}).host;
    all.push_back(name);
  }
  return all;
}

std::vector<std::size_t> sizes(const std::vector<MeasureRun>& runs) {
  std::vector<std::size_t> all;
  for (const MeasureRun& run : runs) all.push_back(run.osss.size());
  return all;
}

TEST(MeasureRuns, EachOssAllOsssEachGroupAllGroups) {
  const auto runs = measure_runs(paper(), {});
  ASSERT_TRUE(runs);
  EXPECT_THAT(sizes(*runs), ElementsAre(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 12, 3, 3, 3, 3));
  EXPECT_THAT((*runs)[12].scopes, ElementsAre(MeasureScope::kAllOsss, MeasureScope::kAllGroups))
      << "the same traffic is measured once";
  EXPECT_TRUE((*runs)[13].is_for(MeasureScope::kEachGroup));
  EXPECT_FALSE((*runs)[13].is_for(MeasureScope::kEachOss));
  const Oss first = runs->front().osss.front();
  EXPECT_EQ(server_of(paper(), first).host, "snx11001n004");
  EXPECT_EQ(nid_of(paper(), first).to_string(), "10.10.100.4@o2ib6002");
  EXPECT_EQ(paper().name_of(paper().groups[first.group]), "home 002");
}

TEST(MeasureRuns, OnlyTheRequestedRunsAreMade) {
  EXPECT_THAT(sizes(*measure_runs(paper(), {.scopes = {MeasureScope::kEachGroup}, .groups = {}})),
              ElementsAre(3, 3, 3, 3));
  const auto two =
      measure_runs(paper(), {.scopes = {MeasureScope::kEachGroup, MeasureScope::kAllGroups},
                             .groups = {"home:004", "003"}});
  EXPECT_THAT(sizes(*two), ElementsAre(3, 3, 6));
  EXPECT_EQ(paper().groups[two->front().osss.front().group].suffix, 3U) << "the plan's order";
  EXPECT_THAT(sizes(*measure_runs(paper(), {.scopes = {}, .groups = {"002"}})),
              ElementsAre(1, 1, 1, 3))
      << "a group alone is all groups";
}

TEST(MeasureRuns, GroupsWithoutOsssAreRefused) {
  for (const char* word : {"000", "6", "away:002", ""}) {
    const auto runs = measure_runs(paper(), {.scopes = {}, .groups = {word}});
    ASSERT_FALSE(runs) << word;
    EXPECT_THAT(runs.error().reason, HasSubstr("those are home 002, home 003, home 004, home 005"));
  }
  Plan none = paper();
  none.groups.resize(1);
  EXPECT_EQ(measure_runs(none, {}).error().reason, "the site has no OSS");
}

TEST(MeasureRuns, EachOssHasEquallyManyClients) {
  for (const std::uint32_t least : {1U, 4U, 16U})
    for (std::size_t clients = 1; clients < 30; ++clients)
      for (std::size_t osss = 1; osss < 50; ++osss) {
        const std::uint32_t each = osss_of_a_client(clients, osss, least);
        ASSERT_GE(each, std::min<std::size_t>(least, osss));
        ASSERT_LE(each, osss);
        std::vector<int> load(osss, 0);
        for (std::size_t client = 0; client < clients; ++client)
          for (std::size_t k = 0; k < each; ++k) ++load[(client % osss * each + k) % osss];
        ASSERT_THAT(load, testing::Each(load.front())) << clients << " " << osss;
        ASSERT_GT(load.front(), 0);
      }
  EXPECT_EQ(osss_of_a_client(360, 360, 16), 16U) << "no more than needed";
}

TEST(MeasureVerdict, AllAlike) {
  auto figures = all_alike(paper());
  figures[3].bytes_per_s *= 0.81;
  const MeasureVerdict verdict = judge_measured(paper(), figures, {});
  EXPECT_THAT(verdict.suspects, IsEmpty());
  EXPECT_THAT(verdict.not_compared, IsEmpty());
  EXPECT_EQ(verdict.median, kUsual);
  EXPECT_EQ(verdict.deviation, 0);
}

TEST(MeasureVerdict, OneSlowOss) {
  for (std::size_t slow = 0; slow < 12; ++slow) {
    auto figures = all_alike(paper());
    figures[slow].bytes_per_s *= 0.5;
    const MeasureVerdict verdict = judge_measured(paper(), figures, {});
    ASSERT_THAT(verdict.suspects, SizeIs(1)) << slow;
    EXPECT_EQ(verdict.suspects[0].server, figures[slow].oss.server);
    EXPECT_EQ(verdict.suspects[0].why,
              "50.00 MiB/s, 50 % of the median 100.00 MiB/s of its siblings");
  }
}

TEST(MeasureVerdict, OneSlowGroup) {
  auto figures = all_alike(paper());
  for (const std::size_t k : {3U, 4U, 5U}) figures[k].bytes_per_s *= 0.7;
  figures[4].bytes_per_s *= 0.9;
  const MeasureVerdict verdict = judge_measured(paper(), figures, {});
  EXPECT_THAT(names(paper(), verdict), ElementsAre("003")) << "the group, but none of its OSSs";
  EXPECT_EQ(verdict.suspects[0].why,
            "the mean of its OSSs is 67.67 MiB/s, 68 % of the median 100.00 MiB/s of its siblings");
  EXPECT_EQ(verdict.suspects[0].of_siblings, kUsual);
}

TEST(MeasureVerdict, TheShareIsTheCallers) {
  auto figures = all_alike(paper());
  figures[0].bytes_per_s *= 0.7;
  EXPECT_THAT(judge_measured(paper(), figures, {.share = 0.6}).suspects, IsEmpty());
  EXPECT_THAT(judge_measured(paper(), figures, {.share = 0.71}).suspects, SizeIs(1));
}

TEST(MeasureVerdict, TwoOfThreeGroupsAreSlow) {
  Plan plan = paper();
  plan.groups.pop_back();
  auto figures = all_alike(plan);
  for (std::size_t k = 3; k < 9; ++k) figures[k].bytes_per_s *= 0.5;
  EXPECT_THAT(names(plan, judge_measured(plan, figures, {})), ElementsAre("003", "004"));
}

TEST(MeasureVerdict, ASlowOssOfTwoIsNotItsGroup) {
  const Plan plan = with_osss(2);
  auto figures = all_alike(plan);
  figures[2].bytes_per_s *= 0.1;
  EXPECT_THAT(names(plan, judge_measured(plan, figures, {})), ElementsAre("003/snx11001n005"));
}

TEST(MeasureVerdict, TheOnlyOssOfAGroupIsNamedOnce) {
  const Plan plan = with_osss(1);
  auto figures = all_alike(plan);
  figures[1].bytes_per_s *= 0.1;
  const MeasureVerdict verdict = judge_measured(plan, figures, {});
  EXPECT_THAT(names(plan, verdict), ElementsAre("003/snx11001n005"));
  EXPECT_THAT(verdict.suspects[0].why, HasSubstr("the only OSS of its group: 10.00 MiB/s, 10 %"));
}

TEST(MeasureVerdict, TooFewSiblings) {
  auto figures = all_alike(paper());
  figures.resize(3);
  figures[1].bytes_per_s *= 0.5;
  const MeasureVerdict one_group = judge_measured(paper(), figures, {});
  EXPECT_THAT(names(paper(), one_group), ElementsAre("002/snx11001n006"));
  const std::string alone = "home 002: it is the only group that was measured";
  EXPECT_THAT(one_group.not_compared, ElementsAre(alone));
  figures.resize(2);
  const MeasureVerdict two = judge_measured(paper(), figures, {});
  EXPECT_THAT(names(paper(), two), ElementsAre("002/snx11001n006"));
  EXPECT_THAT(two.suspects[0].why, HasSubstr("50 % of the 100.00 MiB/s of its sibling"));
  figures.resize(1);
  const MeasureVerdict one = judge_measured(paper(), figures, {});
  EXPECT_THAT(one.suspects, IsEmpty());
  EXPECT_THAT(one.not_compared, ElementsAre(alone));
  EXPECT_THAT(judge_measured(paper(), {}, {}).suspects, IsEmpty());
}

TEST(MeasureVerdict, TheGainOfOthersFromASlowOssIsIgnored) {
  auto figures = all_alike(paper());
  figures[3].bytes_per_s *= 0.1;
  for (const std::size_t k : {4U, 5U}) figures[k].bytes_per_s *= 1.5;
  EXPECT_THAT(names(paper(), judge_measured(paper(), figures, {.together = true})),
              ElementsAre("003/snx11001n005"));
  figures.resize(6);
  const MeasureVerdict two_groups = judge_measured(paper(), figures, {.together = true});
  EXPECT_THAT(names(paper(), two_groups), ElementsAre("003/snx11001n005"));
  EXPECT_THAT(two_groups.not_compared,
              ElementsAre("home 002: no other group has all its OSSs in line"));
  // When OSSs are measured one by one, none leaves bandwidth to the others.
  EXPECT_THAT(names(paper(), judge_measured(paper(), figures, {})),
              ElementsAre("002", "003/snx11001n005"));
}

TEST(MeasureVerdict, GroupsOfFewOsssLeaveMoreToEach) {
  auto figures = all_alike(paper());
  figures.resize(6);
  figures.erase(figures.begin() + 1, figures.begin() + 3);
  figures.front().bytes_per_s *= 3;
  EXPECT_THAT(judge_measured(paper(), figures, {.together = true}).suspects, IsEmpty());
  EXPECT_THAT(names(paper(), judge_measured(paper(), figures, {})), ElementsAre("003"))
      << "OSSs measured one by one do not share bandwidth";
  for (OssFigure& each : figures)
    each.bytes_per_s *= each.oss.group == figures[1].oss.group ? 0.5 : 1;
  EXPECT_THAT(names(paper(), judge_measured(paper(), figures, {.together = true})),
              ElementsAre("003"));
}

TEST(MeasureVerdict, ASlowOssOfASlowGroup) {
  auto figures = all_alike(paper());
  for (const std::size_t k : {3U, 4U, 5U}) figures[k].bytes_per_s *= 0.5;
  figures[4].bytes_per_s *= 0.5;
  EXPECT_THAT(names(paper(), judge_measured(paper(), figures, {.together = true})),
              ElementsAre("003", "003/snx11001n007"));
}

TEST(MeasureVerdict, NoDataAtAll) {
  auto figures = all_alike(paper(), 0);
  EXPECT_THAT(names(paper(), judge_measured(paper(), figures, {})),
              ElementsAre("002", "003", "004", "005"));
  figures.resize(1);
  const MeasureVerdict one = judge_measured(paper(), figures, {});
  ASSERT_THAT(names(paper(), one), ElementsAre("002/snx11001n004")) << "without siblings too";
  EXPECT_EQ(one.suspects[0].why, "no data moved");
}

TEST(MeasureVerdict, FailuresAreNamedWithTheReason) {
  auto figures = all_alike(paper());
  figures[4].failed = "no answer";
  figures[4].bytes_per_s = 0;
  figures[7].errors = 3;
  const MeasureVerdict verdict = judge_measured(paper(), figures, {});
  EXPECT_THAT(names(paper(), verdict), ElementsAre("003/snx11001n007", "004/snx11001n012"));
  EXPECT_EQ(verdict.suspects[0].why, "no answer");
  EXPECT_EQ(verdict.suspects[1].why, "3 of its RPCs failed");
  EXPECT_EQ(verdict.median, kUsual) << "the median of the OSSs that have figures";
  for (const std::size_t k : {3U, 5U}) figures[k].failed = "no answer";
  const MeasureVerdict cut_off = judge_measured(paper(), figures, {});
  EXPECT_THAT(names(paper(), cut_off), ElementsAre("003", "004/snx11001n012"));
  EXPECT_EQ(cut_off.suspects[0].why, "none of its 3 OSSs moved data: no answer");
}

TEST(MeasureVerdict, OtherFileSystemsAreNoSiblings) {
  Site site = paper_site();
  FileSystem second = sonexion(6);
  second.name = "work";
  second.base.num = 7000;
  site.file_systems.push_back(second);
  const std::size_t routers = site.clients[0].routers.size();
  for (std::size_t k = 0; k < routers; ++k) {
    Router router = site.clients[0].routers[k];
    router.file_systems = {1};
    site.clients[0].routers.push_back(router);
  }
  const auto plan = make_plan(site);
  ASSERT_TRUE(plan);
  auto figures = all_alike(*plan);
  ASSERT_THAT(figures, SizeIs(24));
  for (std::size_t k = 12; k < 24; ++k) figures[k].bytes_per_s /= 3;
  EXPECT_THAT(judge_measured(*plan, figures, {}).suspects, IsEmpty());
}

TEST(Median, HandlesAnyCount) {
  EXPECT_EQ(median_of({}), 0);
  EXPECT_EQ(median_of({3}), 3);
  EXPECT_EQ(median_of({4, 1}), 2.5);
  EXPECT_EQ(median_of({9, 1, 2}), 2);
}

}  // namespace
}  // namespace ulnet::plan

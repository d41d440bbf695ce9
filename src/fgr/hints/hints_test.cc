#include "fgr/hints/hints.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fgr/plan/plan_fixture.h"
#include "lnet/base/shortest_items.h"

namespace ulnet::plan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Plan plan_with(std::uint32_t osts_per_oss) {
  Site site = paper_site();
  site.file_systems[0].osts_per_oss = osts_per_oss;
  return *make_plan(site);
}

std::string outcome_text(const Plan& plan, const HintQuery& query) {
  const auto hints = hints_of(plan, query);
  if (!hints) return hints.error();
  std::string text;
  for (const GroupHint& hint : *hints) {
    text += plan.groups[hint.group].net.to_string() + ":";
    for (const OssHint& oss : hint.osss)
      text += fmt::format(" {}={}", plan.site.file_systems[0].servers[oss.server].host,
                          shortest_items(oss.osts));
    text += fmt::format(" load {}\n", hint.load);
  }
  return text;
}

TEST(Hints, NameTheGroupOfEachOst) {
  const Plan plan = plan_with(4);
  // OSS n004 has OSTs 0 to 3, n005 has 4 to 7, and so on; the left and the right side are different
  // groups.
  EXPECT_EQ(outcome_text(plan, {.osts = {0, 1, 3, 5, 8, 24}}),
            "o2ib6002: snx11001n004=0,1,3 snx11001n006=8 load 4\n"
            "o2ib6003: snx11001n005=5 load 1\n"
            "o2ib6004: snx11001n010=24 load 1\n");
  EXPECT_EQ(outcome_text(plan, {.osts = {47}}), "o2ib6005: snx11001n015=47 load 1\n");
  EXPECT_EQ(outcome_text(plan, {.osts = {3, 3}, .osss = {"snx11001n004"}}),
            "o2ib6002: snx11001n004=0-3 load 4\n");
  EXPECT_THAT(outcome_text(plan, {}), HasSubstr("snx11001n015=44-47 load 12\n"));
}

TEST(Hints, NameOsssWhereOstsAreNotKnown) {
  const Plan plan = plan_with(0);
  EXPECT_EQ(outcome_text(plan, {.osss = {"snx11001n010", "snx11001n014"}}),
            "o2ib6004: snx11001n010= snx11001n014= load 2\n");
  EXPECT_THAT(outcome_text(plan, {.osts = {1}}), HasSubstr("'OSTs per OSS'"));
}

TEST(Hints, RefuseWhatIsNotThere) {
  const Plan plan = plan_with(4);
  EXPECT_THAT(outcome_text(plan, {.osts = {48}}),
              HasSubstr("no OST 48: 12 OSSs have 4 each, from 0 to 47"));
  EXPECT_THAT(outcome_text(plan, {.osss = {"snx11001n01"}}),
              HasSubstr("did you mean 'snx11001n01"));
  EXPECT_THAT(outcome_text(plan, {.osss = {"snx11001n002"}}), HasSubstr("has no OSS snx11001n002"))
      << "an MGS";
}

TEST(Hints, LoadsAreSpreadOverPrimaryRouters) {
  const Plan plan = plan_with(4);
  const auto hints = hints_of(plan, {.osts = {0, 1, 2, 5}});
  ASSERT_TRUE(hints);
  std::vector<std::string> loads;
  for (const RouterLoad& load : loads_of(plan, 0, *hints))
    loads.push_back(
        fmt::format("{} {:.4f}", plan.site.clients[0].routers[load.router].host, load.share));
  EXPECT_THAT(loads, ElementsAre("nid00750 0.1875", "nid00751 0.1875", "nid00752 0.1875",
                                 "nid00753 0.1875", "nid00618 0.0625", "nid00619 0.0625",
                                 "nid00628 0.0625", "nid00629 0.0625"));
}

class RankNodes : public testing::Test {
 protected:
  std::string ranked(std::string_view text, std::size_t count) const {
    const auto map = NodeMap::read(text);
    if (!map) return map.error()[0].reason;
    std::vector<std::size_t> candidates;
    for (std::size_t i = 0; i < map->names().size(); ++i)
      if (map->names()[i].starts_with("n")) candidates.push_back(i);
    const auto ranking = rank_nodes(clients_, {{0, 0.75}, {1, 0.25}}, *map, candidates, count);
    if (!ranking) return fmt::format("missing {}", fmt::join(ranking.error(), ", "));
    std::string all;
    for (const RankedNode& node : ranking->nodes)
      all += fmt::format("{} {} {}-{}, ", map->names()[node.node], node.mean, node.nearest,
                         node.farthest);
    return all + fmt::format("{} cut off", ranking->cut_off);
  }

  const ClientSystem clients_{.name = "xe",
                              .routers = {{.host = "r0", .physical = "c0"}, {.host = "r1"}}};
};

TEST_F(RankNodes, AreOrderedByMeanDistance) {
  EXPECT_EQ(ranked("torus 16\nr0 0\nr1 8\nn5 5\nn1 1\nn15 15\nn8 8\n", 3),
            "n1 2.5 1-7, n15 2.5 1-7, n5 4.5 3-5, 0 cut off");
  EXPECT_EQ(ranked("torus 16\nr1 8\nc0 0\nn5 5\n", 3), "n5 4.5 3-5, 0 cut off")
      << "the place finds the router";
}

TEST_F(RankNodes, SaysWhichRoutersAreMissing) {
  EXPECT_EQ(ranked("torus 16\nn5 5\n", 3), "missing r0 (c0), r1");
}

TEST_F(RankNodes, LeavesOutWhatIsCutOff) {
  EXPECT_EQ(ranked("graph\nr0 n1\nn1 r1 3\nn2 n3\n", 3), "n1 1.5 1-3, 2 cut off");
}

}  // namespace
}  // namespace ulnet::plan

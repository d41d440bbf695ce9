#include "fgr/hints/placement.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "fgr/hints/nodes.h"
#include "fgr/plan/plan_fixture.h"

namespace ulnet::tools::fgr {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

TEST(SlurmList, HasRangesWithoutSteps) {
  EXPECT_EQ(slurm_list({"nid00010", "nid00011", "nid00012", "nid00020", "login1", "gw"}),
            "nid[00010-00012,00020],login1,gw");
  EXPECT_EQ(slurm_list({"n9", "n10", "n8", "n12", "n14"}), "n[8,9],n[10,12,14]");
  EXPECT_EQ(slurm_list({"a1234567890123", "a1234567890124"}), "a1234[567890123,567890124]");
}

/// Reads Slurm's topology.conf as its manual page describes it: lines of NAME=VALUE with blanks
/// between, '#' begins a comment. Returns the members of each switch; nothing may appear twice.
std::map<std::string, std::vector<std::string>> read_topology_conf(const std::string& text) {
  std::map<std::string, std::vector<std::string>> switches;
  std::istringstream lines(text);
  std::set<std::string> below;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string name, value, word;
    while (words >> word) {
      const std::string key = word.substr(0, word.find('='));
      if (key == "SwitchName")
        name = word.substr(word.find('=') + 1);
      else if (key == "Nodes" || key == "Switches")
        value = word.substr(word.find('=') + 1);
      else
        ADD_FAILURE() << word;
    }
    if (name.empty() && value.empty()) continue;
    EXPECT_EQ(value.find('/'), std::string::npos) << "Slurm has no steps";
    const auto names = node_names(value, 1000);
    if (!names) {
      ADD_FAILURE() << line;
      continue;
    }
    for (const std::string& each : *names) EXPECT_TRUE(below.insert(each).second) << each;
    EXPECT_TRUE(switches.emplace(name, *names).second) << name;
  }
  return switches;
}

/// The routers of the left side's first group are at 0 and 1 of a ring of 32, those of the right
/// side at 16 and 17.
class Placement : public testing::Test {
 protected:
  Placement() : plan_(*plan::make_plan(plan::paper_site())) {
    hints_.clients = {0};
    hints_.groups = *plan::hints_of(plan_, {.osss = {"snx11001n004", "snx11001n005"}});
    RankedHints ranked{.client = 0};
    ranked.loads = plan::loads_of(plan_, 0, hints_.groups);
    ranked.map = *plan::NodeMap::read(
        "torus 32\nnid00750 0\nnid00751 0\nnid00752 1\nnid00753 1\nnid00618 16\nnid00619 16\n"
        "nid00628 17\nnid00629 17\nc18 18\nc15 15\nc2 2\nc31 31\n");
    ranked.candidates = nodes_but_routers(ranked.map, plan_.site);
    ranked.ranking =
        *plan::rank_nodes(plan_.site.clients[0], ranked.loads, ranked.map, ranked.candidates, 3);
    ranked.links = plan::links_of_routers(plan_.site.clients[0], ranked.loads, ranked.map,
                                          ranked.ranking.nodes);
    hints_.ranked = std::move(ranked);
  }

  std::string file(const std::string& name) {
    const auto files = placement_files(plan_, hints_, 2);
    EXPECT_TRUE(files);
    for (const plan::OutputFile& each : *files)
      if (each.path == name) return each.text;
    return "there is no " + name;
  }

  plan::Plan plan_;
  Hints hints_;
};

TEST_F(Placement, ListsTheNearestNodes) {
  // All have the same mean distance from the eight routers, so they keep the order of the
  // candidates.
  EXPECT_EQ(file("hosts"), "c18\nc15\nc2\n");
  EXPECT_EQ(file("nodes.slurm"), "c[15,18],c2\n");
}

TEST_F(Placement, GivesTheNearestNodeTheFirstRanks) {
  std::ranges::reverse(hints_.ranked->ranking.nodes);  // now c2 is the nearest, and c18 the third
  EXPECT_THAT(file("MPICH_RANK_ORDER"), testing::EndsWith("=3: the node nearest to the routers has "
                                                          "the first ranks.\n4,5\n2,3\n0,1\n"));
}

TEST_F(Placement, MakesSwitchesOfTheGroupsForSlurm) {
  const auto switches = read_topology_conf(file("topology.conf"));
  ASSERT_EQ(switches.size(), 3U) << file("topology.conf");
  EXPECT_THAT(switches.at("group-home-002"), UnorderedElementsAre("c2", "c31"));
  EXPECT_THAT(switches.at("group-home-003"), UnorderedElementsAre("c15", "c18"));
  EXPECT_THAT(switches.at("clients-xe"), ElementsAre("group-home-002", "group-home-003"));
}

// Each of c18, c15 and c2 sends a twelfth to each of the four places. These use the links of 0:
// c18, around the ring, to 0 (x-) and on to 1 (x-, x+); c15 to 0 (x+), since 17 hops upwards are
// the longer path; c2 to 0 (x+). So three twelfths go over x+, and two over x-.
TEST_F(Placement, ListsTheLinksOfRouters) {
  EXPECT_THAT(file("links.txt"),
              testing::StartsWith("routers             at  share  x+     x-\n"
                                  "nid00750, nid00751  0   25.0%  25.0%  16.7%\n"));
}

TEST_F(Placement, RefusesNamesThatListsCannotHave) {
  hints_.ranked->map = *plan::NodeMap::read("torus 4\na,b 0\n");
  hints_.ranked->candidates = {0};
  const auto files = placement_files(plan_, hints_, 1);
  ASSERT_FALSE(files);
  EXPECT_EQ(files.error().reason, "'a,b' is no host name: letters, digits, '-', '_' and '.'");
}

}  // namespace
}  // namespace ulnet::tools::fgr

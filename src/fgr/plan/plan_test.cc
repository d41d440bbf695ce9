#include "fgr/plan/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fgr/plan/bandwidth.h"
#include "fgr/plan/options.h"
#include "fgr/plan/plan_fixture.h"

namespace ulnet::plan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::uint32_t> numbers_of(const Plan& plan, const Group& group) {
  std::vector<std::uint32_t> numbers;
  for (const std::size_t server : group.servers)
    numbers.push_back(plan.site.file_systems[group.file_system].servers[server].number);
  return numbers;
}

std::string problems_of(const Site& site) {
  const auto plan = make_plan(site);
  std::string text;
  if (!plan)
    for (const Finding& problem : plan.error()) text += sentence_of(problem) + "\n";
  return text;
}

TEST(Kinds, AreThoseOfTheTable) {
  // The table's rows for one to six units; three OSSs and four XE routers are the paper's case.
  EXPECT_DOUBLE_EQ(*bandwidth_of(oss_kinds(), "sonexion-1600") * 6, 18.0);
  EXPECT_DOUBLE_EQ(*bandwidth_of(router_kinds(), "xe") * 6, 15.6);
  EXPECT_DOUBLE_EQ(*bandwidth_of(router_kinds(), "xc30-single-hca") * 6, 33.0);
  EXPECT_DOUBLE_EQ(*bandwidth_of(router_kinds(), "xc30-dual-hca") * 6, 25.2);
  EXPECT_FALSE(bandwidth_of(router_kinds(), "abacus"));
  EXPECT_EQ(osss_for(4, 2.6, 3.0), 3U);
  EXPECT_EQ(osss_for(1, 2.6, 3.0), 0U);
  EXPECT_EQ(osss_for(3, 2.6, 3.9), 2U) << "7.8 is enough for 7.8";
  EXPECT_EQ(routers_for(3, 2.6, 3.0), 4U);
  EXPECT_EQ(routers_for(3, 5.5, 3.0), 2U);
  EXPECT_EQ(routers_for(2, 2.6, 3.9), 3U);
  EXPECT_EQ(routers_for(3, 1e-300, 1e5), 1'000'000'000U) << "no number of routers is enough";
  EXPECT_EQ(osss_for(3, 1e5, 1e-300), 1'000'000'000U);
}

TEST(Plan, ThePapersSystem) {
  const auto plan = make_plan(paper_site());
  ASSERT_TRUE(plan) << problems_of(paper_site());
  ASSERT_EQ(plan->groups.size(), 5U);
  std::vector<std::string> nets;
  for (const Group& group : plan->groups) nets.push_back(group.net.to_string());
  EXPECT_THAT(nets, ElementsAre("o2ib6000", "o2ib6002", "o2ib6003", "o2ib6004", "o2ib6005"));
  EXPECT_THAT(numbers_of(*plan, plan->groups[1]), ElementsAre(0, 2, 4));
  EXPECT_THAT(numbers_of(*plan, plan->groups[2]), ElementsAre(1, 3, 5));
  EXPECT_THAT(numbers_of(*plan, plan->groups[3]), ElementsAre(6, 8, 10)) << "as in figure 8";
  EXPECT_THAT(numbers_of(*plan, plan->groups[4]), ElementsAre(7, 9, 11));
  for (std::size_t i = 1; i < 5; ++i) {
    EXPECT_EQ(plan->groups[i].routers[0].primary.size(), 4U);
    EXPECT_NEAR(plan->surplus_of(plan->groups[i], 0), 1.4, 1e-9);
  }
  EXPECT_EQ(plan->groups[0].routers[0].primary.size(), 2U);
  EXPECT_EQ(plan->groups[0].routers[0].secondary.size(), 16U);
  EXPECT_EQ(plan->groups[1].routers[0].secondary, plan->groups[3].routers[0].primary);
  EXPECT_EQ(plan->groups[2].routers[0].secondary, plan->groups[4].routers[0].primary);
}

TEST(Plan, ThreeRacksHaveTwelveGroups) {
  Site site = paper_site();
  site.file_systems = {sonexion(18)};
  auto& routers = site.clients[0].routers;
  routers.resize(2);
  for (std::uint32_t i = 0; i < 48; ++i)
    routers.push_back(
        router(1000 + i, 103 + i, fmt::format("{}{}", i % 2 == 0 ? "left" : "right", i / 16)));
  const auto plan = make_plan(site);
  ASSERT_TRUE(plan) << problems_of(site);
  ASSERT_EQ(plan->groups.size(), 13U);
  EXPECT_EQ(plan->groups.back().suffix, 13U);
  for (const Group& group : plan->groups)
    if (group.suffix != 0) {
      const bool even = numbers_of(*plan, group).front() % 2 == 0;
      EXPECT_EQ(group.suffix % 2 == 0, even);
      EXPECT_EQ(group.at_switch.starts_with("left"), even);
      for (const std::size_t router : group.routers[0].primary)
        EXPECT_EQ(routers[router].at_switch, group.at_switch);
    }
}

TEST(Plan, AFlatFileSystemIsOneGroup) {
  Site site = paper_site();
  site.file_systems[0].layout = FileSystem::Layout::kFlat;
  const auto plan = make_plan(site);
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->groups.size(), 1U);
  EXPECT_EQ(plan->groups[0].servers.size(), 14U);
  EXPECT_EQ(plan->groups[0].routers[0].primary.size(), 18U);
  EXPECT_TRUE(plan->groups[0].routers[0].secondary.empty());
}

TEST(Plan, LargeSwitchesHaveSeveralGroups) {
  Site site = paper_site();
  site.file_systems[0].layout = FileSystem::Layout::kSwitches;
  const auto plan = make_plan(site);
  ASSERT_TRUE(plan) << problems_of(site);
  ASSERT_EQ(plan->groups.size(), 5U);
  EXPECT_THAT(numbers_of(*plan, plan->groups[1]), ElementsAre(0, 2, 4));
  EXPECT_THAT(numbers_of(*plan, plan->groups[2]), ElementsAre(6, 8, 10)) << "at the same switch";
  EXPECT_EQ(plan->groups[2].suffix, 3U);
  EXPECT_EQ(plan->groups[2].routers[0].secondary, plan->groups[1].routers[0].primary);
}

// Figure 5: two SSUs, and four routers that all carry metadata.
TEST(Plan, RoutersForAllAreNoSecondariesOfMetadata) {
  Site site = paper_site();
  site.file_systems = {sonexion(2)};
  site.file_systems[0].osss_per_group = site.file_systems[0].routers_per_group = 2;
  auto& routers = site.clients[0].routers;
  routers.clear();
  for (std::uint32_t i = 0; i < 4; ++i) {
    routers.push_back(router(1 + i, 101 + i, i < 2 ? "left0" : "right0"));
    routers.back().use = Router::Use::kBoth;
  }
  const auto plan = make_plan(site);
  ASSERT_TRUE(plan) << problems_of(site);
  ASSERT_EQ(plan->groups.size(), 3U);
  EXPECT_THAT(plan->groups[0].routers[0].primary, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(plan->groups[0].routers[0].secondary, ElementsAre());
  EXPECT_THAT(plan->groups[1].routers[0].primary, ElementsAre(0, 1));
  EXPECT_THAT(plan->groups[2].routers[0].primary, ElementsAre(2, 3));
}

TEST(Plan, SaysWhyItCannotBeMade) {
  Site site = paper_site();
  site.clients[0].routers.back().at_switch = "left0";
  std::string said = problems_of(site);
  EXPECT_EQ(said,
            "home, group 005: 3 of 4 routers that 'routers per group' wants: 3 routers of xe at "
            "switch right0 carry 7.8 GB/s, and 3 OSSs move 9.0 GB/s at peak\n");
  site = paper_site();
  site.file_systems[0].servers[4].at_switch = "right0";
  EXPECT_THAT(problems_of(site), HasSubstr("group 002: snx11001n006 is at switch right0"));
  site = paper_site();
  site.file_systems[0].base.num = 65535;
  EXPECT_THAT(problems_of(site), HasSubstr("group 002: its net would have the number 65537"));
  site = paper_site();
  for (Router& router : site.clients[0].routers) router.use = Router::Use::kData;
  EXPECT_THAT(problems_of(site), HasSubstr("no router of xe is for metadata"));
  site = paper_site();
  site.file_systems[0].servers.erase(site.file_systems[0].servers.begin(),
                                     site.file_systems[0].servers.begin() + 2);
  EXPECT_THAT(problems_of(site), HasSubstr("neither an MGS nor an MDS"));
  site = paper_site();
  site.file_systems[0].osss_per_group = 0;
  EXPECT_THAT(problems_of(site), HasSubstr("less than one OSS"));
}

/// The paper's system, whose groups get as many routers as they need, and an XC30 with this number
/// of routers at each switch.
Site site_of_two_kinds(std::uint32_t xc_routers) {
  Site site = paper_site();
  site.file_systems[0].routers_per_group = 0;
  ClientSystem xc{.name = "xc",
                  .net = {NetType::kGni, 2},
                  .addresses = "10.129.*.*",
                  .router_gb_per_s = *bandwidth_of(router_kinds(), "xc30-single-hca")};
  std::uint32_t number = 0;
  for (const char* at : {"left0", "right0"}) {
    for (std::uint32_t i = 0; i <= xc_routers; ++i, ++number)
      xc.routers.push_back(router(2000 + number, 150 + number, at, i == 0));
  }
  for (Router& each : xc.routers) each.client_nid = Nid::small(xc.net, each.client_nid.address4());
  site.clients.push_back(xc);
  return site;
}

TEST(Plan, MatchesEachPairOfClientsAndFileSystem) {
  const auto plan = make_plan(site_of_two_kinds(4));
  ASSERT_TRUE(plan) << problems_of(site_of_two_kinds(4));
  for (const Group& group : plan->groups) {
    if (group.suffix == 0) continue;
    EXPECT_EQ(group.routers[0].primary.size(), 4U);
    EXPECT_EQ(group.routers[1].primary.size(), 2U) << "11.0 for 9.0";
    EXPECT_NEAR(plan->surplus_of(group, 1), 2.0, 1e-9);
  }
  EXPECT_EQ(matching_text(*plan),
            "clients  file system  routers  GB/s  of their rate  OSSs  peak  ratio  spare\n"
            "xe       home         16       41.6  100 %          12    36.0  1.16   0\n"
            "xc       home         8        44.0  100 %          12    36.0  1.22   0\n");
}

TEST(Plan, SpareRoutersAreTheSecondChoiceOfTheGroupsThere) {
  const auto plan = make_plan(site_of_two_kinds(5));
  ASSERT_TRUE(plan) << problems_of(site_of_two_kinds(5));
  const std::size_t left = 5, right = 11;  // the last one at each switch
  for (const Group& group : plan->groups) {
    const GroupRouters& routers = group.routers[1];
    EXPECT_FALSE(routers.has(1, left) || routers.has(1, right));
    EXPECT_EQ(routers.has(2, left), group.suffix % 2 == 0) << group.suffix;
    EXPECT_EQ(routers.has(2, right), group.suffix == 0 || group.suffix % 2 == 1) << group.suffix;
  }
  EXPECT_TRUE(plan->is_spare(1, left, 0));
  EXPECT_FALSE(plan->is_spare(1, 0, 0)) << "the router is for metadata";
  EXPECT_FALSE(plan->is_spare(1, 1, 0));
  EXPECT_THAT(matching_text(*plan), HasSubstr("xc to home, spare at switch left0: nid02005\n"));
  Site without = site_of_two_kinds(5);
  without.file_systems[0].secondary_routes = false;
  EXPECT_TRUE(make_plan(without)->groups[1].routers[1].secondary.empty());
}

TEST(Plan, AGroupOfFewerOsssNeedsFewerRouters) {
  Site site = paper_site();
  site.file_systems = {sonexion(4)};  // three OSSs and one on each side
  site.file_systems[0].routers_per_group = 0;
  std::erase_if(site.clients[0].routers, [](const Router& each) {
    return each.host == "nid00638" || each.host == "nid00639" || each.host == "nid00662" ||
           each.host == "nid00663";
  });
  const auto plan = make_plan(site);
  ASSERT_TRUE(plan) << problems_of(site);
  ASSERT_EQ(plan->groups.size(), 5U);
  EXPECT_EQ(plan->groups[1].routers[0].primary.size(), 4U);
  EXPECT_EQ(plan->groups[3].routers[0].primary.size(), 2U) << "5.2 for 3.0";
  site.file_systems[0].shares["xe"] = 0.5;
  EXPECT_EQ(make_plan(site)->groups[1].routers[0].primary.size(), 2U) << "5.2 for 4.5";
  site.file_systems[0].routers_per_group_of["xe"] = 3;
  EXPECT_EQ(make_plan(site)->groups[3].routers[0].primary.size(), 3U) << "as the site file says";
}

TEST(Plan, AShortageIsReportedWithBothSidesAndItsCure) {
  Site site = site_of_two_kinds(3);
  const auto plan = make_plan(site);
  ASSERT_FALSE(plan);
  ASSERT_EQ(plan.error().size(), 2U) << problems_of(site);
  const Finding& first = plan.error()[0];
  EXPECT_EQ(sentence_of(first),
            "home, group 004: 1 router of xc at switch left0 carries 5.5 GB/s, and 3 OSSs move 9.0 "
            "GB/s at peak");
  EXPECT_EQ(first.rule, Rule::kTooFewRouters);
  EXPECT_EQ(first.hint,
            "Plug 1 more router of xc into switch left0, or ask for less ('share of clients', or a "
            "number of 'routers per group').");
  site.clients[1].routers.back().at_switch = "left0";
  ASSERT_EQ(make_plan(site).error().size(), 1U);
  EXPECT_EQ(problems_of(site),
            "home, group 005: 0 routers of xc at switch right0 carry 0.0 GB/s, "
            "and 3 OSSs move 9.0 GB/s at peak\n");
  site.clients[1].routers.push_back(router(2500, 200, "left0"));
  EXPECT_THAT(make_plan(site).error()[0].hint, HasSubstr("(spare: nid02500 at switch left0)"));
  EXPECT_EQ(make_plan(site).error()[0].subject, "nid02500");
}

TEST(Plan, LargerGroupsMayRemoveAShortage) {
  Site site = paper_site();
  site.file_systems[0].routers_per_group = 0;
  std::erase_if(site.clients[0].routers,
                [](const Router& each) { return each.host == "nid00639"; });
  EXPECT_EQ(make_plan(site).error()[0].hint,
            "Plug 1 more router of xe into switch left0, or make larger groups ('OSSs per group: "
            "6'), or ask for less ('share of clients', or a number of 'routers per group').");
  site.file_systems[0].osss_per_group = 6;
  EXPECT_EQ(problems_of(site), "") << "18.2 for 18.0";
}

/// Two file systems at one switch, home with 6 OSSs there and projects with 3, and this number of
/// routers that lead to both.
Site site_with_shared_routers(std::uint32_t routers) {
  Site site = paper_site();
  site.switches = {{"core"}};
  for (const char* name : {"home", "projects"}) {
    const bool home = std::string_view(name) == "home";
    FileSystem system = sonexion(home ? 3 : 2);
    system.name = name;
    system.layout = FileSystem::Layout::kSwitches;
    system.base.num = home ? 6000 : 7000;
    system.routers_per_group = 0;
    if (!home) system.servers.pop_back();
    for (Server& server : system.servers) {
      server.host = name + server.host;
      server.address += home ? 0 : 50;
      server.at_switch = "core";
    }
    if (home)
      site.file_systems = {system};
    else
      site.file_systems.push_back(system);
  }
  auto& all = site.clients[0].routers;
  all.clear();
  for (std::uint32_t i = 0; i <= routers; ++i) {
    all.push_back(router(100 + i, 100 + i, "core", i == 0));
    all.back().file_systems = {0, 1};
  }
  return site;
}

TEST(Plan, ARouterOfSeveralFileSystemsSharesItsRate) {
  const auto plan = make_plan(site_with_shared_routers(12));
  ASSERT_TRUE(plan) << problems_of(site_with_shared_routers(12));
  ASSERT_EQ(plan->groups.size(), 5U);
  EXPECT_NEAR(plan->rate_of(0, 1, 0), 2.6 * 2 / 3, 1e-9);
  EXPECT_NEAR(plan->rate_of(0, 1, 1), 2.6 / 3, 1e-9);
  // A router gives home 2/3 of its 2.6 GB/s and projects 1/3. Each of home's two groups needs 9
  // GB/s, so 6 routers. The group of projects needs 9 GB/s, so 11 routers.
  EXPECT_THAT(plan->groups[1].routers[0].primary, ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(plan->groups[2].routers[0].primary, ElementsAre(7, 8, 9, 10, 11, 12));
  EXPECT_EQ(plan->groups[4].routers[0].primary.size(), 11U);
  EXPECT_TRUE(plan->is_spare(0, 12, 1));
  EXPECT_FALSE(plan->is_spare(0, 12, 0));
  EXPECT_THAT(plan->groups[0].routers[0].primary, ElementsAre(0));
  EXPECT_THAT(plan->groups[3].routers[0].primary, ElementsAre(0)) << "for both file systems";
  EXPECT_THAT(matching_text(*plan), HasSubstr("67 %"));
  const std::string options = router_options(*plan, 0, ListForm::kWrittenOut).text();
  for (const char* net : {"o2ib6002 ", "o2ib6003 ", "o2ib7002 "})
    EXPECT_THAT(options, HasSubstr(net)) << "the nets of both file systems";
  Site weighed = site_with_shared_routers(12);
  for (Router& each : weighed.clients[0].routers) each.weights = {1, 1};
  EXPECT_THAT(problems_of(weighed),
              HasSubstr("home, group 003: 5 routers of xe at switch core carry 6.5 GB/s, and 3 "
                        "OSSs move 9.0 GB/s at peak"));
}

TEST(Plan, ANetAmongServersHasOnlyServers) {
  Site site = paper_site_with_net_among_servers();
  EXPECT_TRUE(make_plan(site));
  const auto refused = [](const Site& with) {
    const auto plan = make_plan(with);
    if (plan) return std::string("planned");
    EXPECT_EQ(plan.error().size(), 1U);
    EXPECT_EQ(plan.error()[0].rule, Rule::kNetsOverlap);
    return sentence_of(plan.error()[0]);
  };
  auto& net = site.file_systems[0].among_servers;
  net->num = 6004;
  EXPECT_EQ(refused(site),
            "home, net among servers: o2ib6004 is already the net of home, group 004");
  net->num = 6006;
  EXPECT_TRUE(make_plan(site)) << "the first number that no group has";
  net = site.clients[0].net;
  EXPECT_THAT(refused(site), HasSubstr("gni1 is already the net of the clients of xe"));
  *net = {NetType::kO2ib, 6500};
  FileSystem other = sonexion(2);
  other.name = "scratch";
  other.base.num = 6500;
  site.file_systems.push_back(other);
  EXPECT_THAT(refused(site), HasSubstr("home, net among servers: o2ib6500 is already the net of "
                                       "scratch, group 000"));
  site.file_systems[1].base.num = 7000;
  site.file_systems[1].among_servers = site.file_systems[0].among_servers;
  EXPECT_THAT(refused(site), HasSubstr("scratch, net among servers: o2ib6500 is already the net of "
                                       "the servers of home"));
}

}  // namespace
}  // namespace ulnet::plan

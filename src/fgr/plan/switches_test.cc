#include "fgr/plan/switches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "fgr/plan/cables.h"
#include "fgr/plan/lab_topology.h"
#include "fgr/plan/plan_fixture.h"

namespace ulnet::plan {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// The paper's system, and a second Sonexion of the same size with routers of its own.
Site two_sonexions() {
  Site site = paper_site();
  FileSystem second = sonexion(6);
  second.name = "projects";
  second.base.num = 7000;
  for (Server& server : second.servers) {
    server.host += "p";
    server.address += 256;
  }
  site.file_systems.push_back(second);
  const std::vector<Router> routers = site.clients[0].routers;
  for (Router router : routers) {
    router.host += "p";
    router.client_nid = Nid::small(site.clients[0].net, router.client_nid.address4() + 1000);
    router.addresses[0] += 256;
    router.file_systems = {1};
    site.clients[0].routers.push_back(router);
  }
  return site;
}

std::vector<std::string> said_of(const Site& site) {
  const auto plan = make_plan(site);
  std::vector<std::string> said;
  if (!plan)
    for (const Finding& each : plan.error()) said.push_back(sentence_of(each));
  return said;
}

std::set<std::string> switch_names(const Plan& plan) {
  std::set<std::string> names;
  for (const Cable& cable : cables_of(plan, CableOrder::kSwitches)) names.insert(cable.at_switch);
  return names;
}

TEST(Switches, OneFileSystemKeepsItsNames) {
  Site site = paper_site();
  EXPECT_THAT(settle_switches(site), IsEmpty());
  EXPECT_EQ(site.file_systems[0].servers[0].at_switch, "left0");
  EXPECT_EQ(site.file_systems[0].servers[0].rack, "R0");
  EXPECT_EQ(site.clients[0].routers[1].at_switch, "right0");
}

TEST(Switches, TwoSonexionsHaveFour) {
  const Plan plan = *make_plan(two_sonexions());
  EXPECT_THAT(switch_names(plan),
              ElementsAre("home/left0", "home/right0", "projects/left0", "projects/right0"));
  EXPECT_EQ(plan.site.file_systems[1].servers[0].rack, "projects/R0");
  for (const Group& group : plan.groups)
    for (const std::size_t router : group.routers[0].secondary)
      EXPECT_TRUE(plan.site.clients[0].routers[router].leads_to(group.file_system));
  EXPECT_THAT(lab_topology(plan, {.clients_of_each = 1}),
              HasSubstr("switches: [net-of-xe, home-left0, home-right0, projects-left0, "
                        "projects-right0]"));
  Site again = plan.site;
  EXPECT_THAT(settle_switches(again), IsEmpty());
  EXPECT_EQ(again.clients[0].routers[0].at_switch, "home/left0") << "names stay";
  EXPECT_EQ(again.file_systems[1].servers[0].rack, "projects/R0");
}

TEST(Switches, SiteSwitchesAreShared) {
  Site site = two_sonexions();
  site.switches = {{"left0"}};
  EXPECT_THAT(switch_names(*make_plan(site)),
              ElementsAre("home/right0", "left0", "projects/right0"));
}

TEST(Switches, FileSystemsMayShareASwitch) {
  Site site = two_sonexions();
  site.file_systems[0].servers[1].at_switch = "projects/left0";
  site.clients[0].routers[0].at_switch = "projects/left0";
  EXPECT_THAT(said_of(site), Contains(HasSubstr("snx11001n003 has a switch of another file system: "
                                                "declare it in 'switches' if they share it")));
  site.switches = {{"projects/left0"}};
  EXPECT_THAT(switch_names(*make_plan(site)),
              ElementsAre("home/left0", "home/right0", "projects/left0", "projects/right0"));
  EXPECT_THAT(said_of(make_plan(site)->site), IsEmpty());
}

TEST(Switches, SwitchesWithoutServersAreNamedOnce) {
  Site site = paper_site();
  for (Router& router : site.clients[0].routers)
    if (router.at_switch == "left0") router.at_switch = "lefto";
  EXPECT_THAT(said_of(site),
              ElementsAre("home, switch lefto: no server of home is plugged into it, and "
                          "'switches' does not have it (did you mean 'left0'?)"));
  site = paper_site();
  site.clients[0].routers[0].at_switch = "lefto";  // a router for metadata only
  EXPECT_THAT(said_of(site), ElementsAre(HasSubstr("switch lefto: no server of home is")));
  EXPECT_EQ(make_plan(site).error()[0].subject, "nid00068");
  site.switches = {{"lefto"}};
  EXPECT_THAT(said_of(site), IsEmpty()) << "a declared switch may have no servers";
}

TEST(Switches, ASwitchOfOneServerAloneIsReported) {
  Site site = paper_site();
  site.file_systems[0].servers[1].at_switch = "righto";  // the MDS
  EXPECT_THAT(said_of(site),
              ElementsAre("home, switch righto: only snx11001n003 is plugged into it, and "
                          "'switches' does not have it (did you mean 'right0'?)"));
  site.clients[0].routers[1].at_switch = "righto";
  EXPECT_THAT(said_of(site), IsEmpty()) << "a router for metadata is there as well";
  site.file_systems[0].layout = FileSystem::Layout::kFlat;
  site.clients[0].routers[1].at_switch = "right0";
  EXPECT_THAT(said_of(site), IsEmpty());
}

TEST(Switches, ARouterOfSeveralFileSystemsHasOneSwitch) {
  Site site = two_sonexions();
  Router& router = site.clients[0].routers[0];
  router.file_systems = {0, 1};
  EXPECT_THAT(said_of(site),
              ElementsAre("home and projects, switch left0: home and projects have a switch of "
                          "that name each: say which, as 'home/left0', or declare it in "
                          "'switches' if it is one"));
  router.at_switch = "projects/left0";
  EXPECT_THAT(said_of(site), IsEmpty());
  EXPECT_EQ(make_plan(site)->site.clients[0].routers[0].at_switch, "projects/left0");
}

}  // namespace
}  // namespace ulnet::plan

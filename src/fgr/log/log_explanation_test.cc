#include "fgr/log/log_explanation.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fgr/plan/plan_fixture.h"

namespace ulnet::plan {
namespace {

using testing::HasSubstr;

class ExplainLog : public testing::Test {
 protected:
  void say(const std::string& nid, int times, const char* what = "timed out") {
    for (int i = 0; i < times; ++i) log_ += fmt::format("kernel: peer {} {}\n", nid, what);
  }
  /// Adds some lines for each server, as any log has them.
  void say_of_all_servers(int times) {
    for (const Group& group : plan_.groups)
      for (const std::size_t each : group.servers)
        say(Nid::small(group.net, plan_.site.file_systems[0].servers[each].address).to_string(),
            times);
  }
  LogExplanation explained(std::size_t most = 5) {
    LogScanner scanner(NidOwners(plan_).planned());
    scanner.feed(log_);
    return explain_log(plan_, scanner.finish(), most);
  }
  std::vector<std::string> suspects() {
    std::vector<std::string> names;
    for (const Suspect& suspect : explained().suspects) names.push_back(suspect.name);
    return names;
  }

  const Plan plan_ = *make_plan(paper_site());
  std::string log_;
};

TEST_F(ExplainLog, EqualLossesAccuseNoHost) {
  say_of_all_servers(100);
  EXPECT_TRUE(suspects().empty());
  EXPECT_THAT(explanation_text(plan_, explained(), 5), HasSubstr("Nothing stands out"));
}

TEST_F(ExplainLog, OneServer) {
  say_of_all_servers(2);
  say("10.10.100.8@o2ib6002", 60);
  const auto explanation = explained();
  ASSERT_EQ(explanation.suspects.size(), 1U);
  const Suspect& suspect = explanation.suspects[0];
  EXPECT_EQ(suspect.kind, Suspect::Kind::kServer);
  EXPECT_EQ(suspect.name, "snx11001n008");
  EXPECT_EQ(suspect.where, "rack R0, switch left0, group home 002");
  EXPECT_EQ(suspect.mentions, 62U);
  EXPECT_EQ(suspect.of, 14U * 2 + 60);
  EXPECT_EQ(suspect.what.by_trouble[0], 62U);
}

TEST_F(ExplainLog, OneRouterAndTheSideOnWhichItIsHit) {
  say("10.10.100.105@o2ib6002", 40);
  say("10.10.100.105@o2ib6004", 20);
  auto explanation = explained();
  ASSERT_EQ(explanation.suspects.size(), 1U);
  EXPECT_EQ(explanation.suspects[0].name, "nid00752");
  EXPECT_EQ(explanation.suspects[0].mentions, 60U);
  EXPECT_THAT(explanation.suspects[0].look, HasSubstr("on the servers' fabric"));
  say("752@gni1", 10);
  EXPECT_THAT(explained().suspects.at(0).look, HasSubstr("both sides"));
  log_.clear();
  say("752@gni1", 30);
  EXPECT_THAT(explained().suspects.at(0).look, HasSubstr("its side to the clients"));
}

TEST_F(ExplainLog, AGroupASwitch) {
  for (const char* nid :
       {"10.10.100.10@o2ib6004", "10.10.100.12@o2ib6004", "10.10.100.14@o2ib6004"})
    say(nid, 30);
  EXPECT_THAT(suspects(), testing::ElementsAre("group home 004"));
  for (const char* nid : {"10.10.100.4@o2ib6002", "10.10.100.6@o2ib6002", "10.10.100.8@o2ib6002",
                          "10.10.100.2@o2ib6000"})
    say(nid, 30);
  EXPECT_THAT(suspects(), testing::ElementsAre("switch left0"));
}

TEST_F(ExplainLog, MentionsOfOneSuspectDoNotCountForTheNext) {
  say("10.10.100.4@o2ib6002", 3000, "refused");
  for (const char* nid : {"10.10.100.6@o2ib6002", "10.10.100.8@o2ib6002", "10.10.100.2@o2ib6000",
                          "10.10.100.10@o2ib6004", "10.10.100.12@o2ib6004"})
    say(nid, 60);
  const auto explanation = explained();
  ASSERT_THAT(suspects(), testing::ElementsAre("snx11001n004", "switch left0"));
  const Suspect& left = explanation.suspects[1];
  EXPECT_EQ(left.mentions, 300U);
  std::uint64_t sum = 0;
  for (const auto& [host, mentions] : left.hosts) {
    EXPECT_NE(host, "snx11001n004");
    sum += mentions;
  }
  EXPECT_EQ(sum, left.mentions);
  EXPECT_EQ(left.what.troubled, left.mentions);
  EXPECT_EQ(left.what.by_trouble[static_cast<std::size_t>(Trouble::kRefused)], 0U);
}

TEST_F(ExplainLog, SwitchesOfOneNameInTwoFileSystemsAreTwo) {
  Site site = paper_site();
  FileSystem second = site.file_systems[0];
  second.name = "scratch";
  second.base = {NetType::kO2ib, 7000};
  for (Server& server : second.servers) {
    server.host += "s";
    server.address += 256;
  }
  site.file_systems.push_back(second);
  std::vector<Router> routers = site.clients[0].routers;
  for (Router& router : routers) {
    router.host += "s";
    router.client_nid = Nid::small(site.clients[0].net, router.client_nid.address4() + 1000);
    router.addresses[0] += 256;
    router.file_systems = {1};
    site.clients[0].routers.push_back(router);
  }
  const auto suspects = [&](bool home) {
    const Plan plan = *make_plan(site);
    LogScanner scanner(NidOwners(plan).planned());
    for (int i = 0; i < 30; ++i)
      for (const Group& group : plan.groups)
        for (const std::size_t each : group.servers) {
          const Server& server = plan.site.file_systems[group.file_system].servers[each];
          if (server.at_switch.ends_with("left0") && (home || group.file_system == 1))
            scanner.feed(Nid::small(group.net, server.address).to_string() + " timed out\n");
        }
    std::vector<std::string> said;
    for (const Suspect& each : explain_log(plan, scanner.finish(), 5).suspects)
      said.push_back(fmt::format("{} {}", each.name, each.mentions));
    return said;
  };
  EXPECT_THAT(suspects(false), testing::ElementsAre("switch scratch/left0 210"));
  EXPECT_THAT(suspects(true),
              testing::UnorderedElementsAre("switch home/left0 210", "switch scratch/left0 210"));
  site.switches = {{"left0"}};
  EXPECT_THAT(suspects(true), testing::ElementsAre("switch left0 420"));
}

TEST_F(ExplainLog, AClientAmongOthers) {
  for (int i = 0; i < 50; ++i) say(fmt::format("{}@gni1", 2000 + i), 2, "evicted");
  say("2007@gni1", 70, "evicted");
  const auto explanation = explained();
  ASSERT_EQ(explanation.suspects.size(), 1U);
  EXPECT_EQ(explanation.suspects[0].kind, Suspect::Kind::kClient);
  EXPECT_EQ(explanation.suspects[0].name, "2007@gni1");
  ASSERT_EQ(explanation.clients.size(), 1U);
  EXPECT_EQ(explanation.clients[0].nids, 50U);
}

TEST_F(ExplainLog, LinesWithoutErrorsCountOnlyWhenNoLineHasErrors) {
  say("10.10.100.8@o2ib6002", 60, "is named");
  EXPECT_THAT(suspects(), testing::ElementsAre("snx11001n008"));
  say("10.10.100.5@o2ib6003", 30, "timed out");
  EXPECT_THAT(suspects(), testing::ElementsAre("snx11001n005"));
}

TEST_F(ExplainLog, ReadsLikeThis) {
  say_of_all_servers(1);
  for (const char* nid :
       {"10.10.100.10@o2ib6004", "10.10.100.12@o2ib6004", "10.10.100.14@o2ib6004"})
    say(nid, 20);
  say("10.10.100.14@o2ib6004", 5, "is unreachable, rc = -113");
  say("77@gni1", 3, "comes again");
  say("10.10.100.4@o2ib6004", 2, "refused");
  say("192.168.0.1@tcp", 1, "is named");
  log_ += "a line without a NID\n";
  EXPECT_EQ("\n" + explanation_text(plan_, explained(), 3), R"(
3869 bytes, 85 lines with NIDs; 81 of them say what went wrong:
timed out 74, no route 5, refused 2

Where to look first
1. group home 004 (net o2ib6004, switch left0): 70 of 81 mentions; 17.4 if all were hit alike
   snx11001n014 26, snx11001n010 21, snx11001n012 21, snx11001n004 2
   timed out 63, no route 5, refused 2
   Look at what its hosts share: routers nid00608, nid00609, nid00638, nid00639, and the routes to o2ib6004.

Groups; "if alike": the mentions that a group would have if all hosts were hit alike
group     net       switch  mentions  trouble  if alike  what
home 004  o2ib6004  left0   70        70       17.4      timed out 63, no route 5, refused 2
home 002  o2ib6002  left0   3         3        17.4      timed out 3
home 003  o2ib6003  right0  3         3        17.4      timed out 3
and 2 more

Servers and routers
host          where                  group     mentions  trouble  NIDs
snx11001n014  rack R0, switch left0  home 004  26        26       10.10.100.14@o2ib6004
snx11001n010  rack R0, switch left0  home 004  21        21       10.10.100.10@o2ib6004
snx11001n012  rack R0, switch left0  home 004  21        21       10.10.100.12@o2ib6004
and 11 more

Clients
clients  NIDs  mentions  trouble  the most mentioned
xe       1     3         0        -

Hosts that the plan has not put on these nets
NID                   mentions  trouble
10.10.100.4@o2ib6004  2         2        snx11001n004 on the net of group home 004

NIDs that belong to no host of the site
NID              mentions  trouble
192.168.0.1@tcp  1         0
)");
}

TEST_F(ExplainLog, SaysSoWhenThereAreNoNids) {
  log_ = "nothing\n";
  EXPECT_EQ(explanation_text(plan_, explained(), 3), "8 bytes, no NIDs\n");
}

}  // namespace
}  // namespace ulnet::plan

#include "fgr/check/check.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "fgr/check/covering.h"
#include "fgr/plan/plan_fixture.h"

namespace ulnet::plan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// All findings of the site: the problems that keep it from having a plan, else the mistakes of the
/// plan.
std::vector<Finding> find(const Site& site, const CheckLimits& limits = {}) {
  const auto plan = make_plan(site);
  auto findings = check_site(site, plan ? std::vector<Finding>{} : plan.error());
  if (!plan) return findings;
  for (Finding& each : check_plan(Planned(*plan), limits)) findings.push_back(std::move(each));
  return findings;
}
/// "FGR001 where: what"
std::vector<std::string> texts_of(const std::vector<Finding>& findings) {
  std::vector<std::string> all;
  for (const Finding& each : findings)
    all.push_back(fmt::format("{} {}: {}", info_of(each.rule).id, each.where, each.reason));
  return all;
}
std::vector<std::string> texts_of(const Site& site, const CheckLimits& limits = {}) {
  return texts_of(find(site, limits));
}

TEST(Rules, AreInTheOrderOfTheirIds) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < all_rules().size(); ++i) {
    const RuleInfo& rule = all_rules()[i];
    EXPECT_EQ(rule.id, fmt::format("FGR{:03}", i + 1));
    EXPECT_EQ(static_cast<std::size_t>(rule.rule), i);
    EXPECT_EQ(&info_of(rule.rule), &rule);
    EXPECT_TRUE(names.insert(rule.name).second);
    EXPECT_TRUE(rule.about.ends_with('.')) << rule.about;
    EXPECT_TRUE(rule.cure.ends_with('.')) << rule.cure;
  }
}

TEST(CheckSite, FindsNothingInThePapersSite) { EXPECT_THAT(texts_of(paper_site()), IsEmpty()); }

TEST(CheckSite, FindsAddressesThatAreThereTwice) {
  Site site = paper_site();
  site.clients[0].routers[3].addresses = {kFabric + 103};
  EXPECT_THAT(texts_of(site), ElementsAre("FGR001 : nid00751 has the address of nid00750, "
                                          "10.10.100.103"));
  site = paper_site();
  site.clients[0].routers[3].client_nid = site.clients[0].routers[2].client_nid;
  EXPECT_THAT(texts_of(site), ElementsAre("FGR001 : nid00751 has the NID of nid00750, 750@gni1"));
  site = paper_site();
  site.file_systems[0].servers[2].address = kFabric + 104;
  EXPECT_THAT(texts_of(site), ElementsAre("FGR001 : snx11001n004 has the address of nid00751, "
                                          "10.10.100.104"));
}

TEST(CheckSite, FindsNamesThatAreThereTwice) {
  Site site = paper_site();
  site.file_systems[0].servers[2].host = "nid00750";
  EXPECT_THAT(texts_of(site), ElementsAre("FGR002 : there are two hosts of the name nid00750"));
}

TEST(CheckSite, FindsMissingAddresses) {
  Site site = paper_site();
  site.clients[0].routers[3].addresses.clear();
  EXPECT_THAT(texts_of(site),
              ElementsAre("FGR003 : nid00751 has no address on the servers' fabric"));
  site = paper_site();
  site.file_systems[0].servers[2].address = 0;
  EXPECT_THAT(texts_of(site),
              ElementsAre("FGR003 : snx11001n004 has no address on the servers' fabric"));
  site = paper_site();
  site.clients[0].addresses = " ";
  EXPECT_THAT(texts_of(site), ElementsAre(HasSubstr("FGR003 : the clients of xe have no pattern")));
}

TEST(CheckSite, FindsARouterAtTheWrongSwitch) {
  Site site = paper_site();
  site.clients[0].routers.back().at_switch = "left0";
  EXPECT_THAT(
      texts_of(site),
      ElementsAre("FGR007 home, group 005: 3 of 4 routers that 'routers per group' wants: 3 "
                  "routers of xe at switch right0 carry 7.8 GB/s, and 3 OSSs move 9.0 GB/s "
                  "at peak"));
  EXPECT_THAT(find(site)[0].hint, HasSubstr("(spare: nid00663 at switch left0)"));
  EXPECT_EQ(find(site)[0].subject, "nid00663");
}

TEST(CheckSite, FindsAnOssAtTheWrongSwitch) {
  Site site = paper_site();
  site.file_systems[0].servers[4].at_switch = "right0";
  EXPECT_THAT(texts_of(site),
              ElementsAre("FGR005 home, group 002: snx11001n006 is at switch right0, "
                          "and snx11001n004 at switch left0"));
  site = paper_site();
  site.file_systems[0].servers[2].at_switch = "right0";  // the first of its group
  EXPECT_THAT(texts_of(site), ElementsAre(HasSubstr("FGR005 home, group 002: snx11001n004 is at")));
  site.file_systems[0].servers[2].at_switch = "left9";
  EXPECT_THAT(texts_of(site),
              ElementsAre("FGR027 home, switch left9: only snx11001n004 is plugged into it, and "
                          "'switches' does not have it (did you mean 'left0'?)"));
  site.switches = {{"left9"}};
  EXPECT_THAT(texts_of(site), ElementsAre(HasSubstr("FGR004 home, group 002: snx11001n004 is at")));
}

TEST(CheckSite, FindsBothSidesAtOneSwitch) {
  Site site = paper_site();
  for (Server& server : site.file_systems[0].servers) server.at_switch = "left0";
  for (Router& router : site.clients[0].routers) router.at_switch = "left0";
  const auto findings = find(site);
  EXPECT_THAT(texts_of(findings), ElementsAre(HasSubstr("FGR005 home, group 003: its OSSs are at "
                                                        "switch left0 as those of group 002")));
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].severity, Severity::kWarning);
  site.file_systems[0].layout = FileSystem::Layout::kSwitches;
  EXPECT_THAT(texts_of(site), IsEmpty());
}

TEST(CheckSite, FindsGroupsWithoutRouters) {
  Site site = paper_site();
  std::erase_if(site.clients[0].routers, [](const Router& each) {
    return each.at_switch == "right0" && each.carries_data();
  });
  EXPECT_THAT(texts_of(site),
              ElementsAre(HasSubstr("FGR006 home, groups 003, 005: 0 of 8 routers")));
  site = paper_site();
  for (Router& router : site.clients[0].routers) router.use = Router::Use::kData;
  EXPECT_THAT(texts_of(site), testing::Contains("FGR006 home, group 000: no router of xe is for "
                                                "metadata"));
  site = paper_site();
  FileSystem other = sonexion(2);
  other.name = "scratch";
  other.base.num = 7000;
  for (Server& server : other.servers) {
    server.host = "other" + server.host;
    server.address += 256;
  }
  site.file_systems.push_back(other);
  EXPECT_THAT(texts_of(site),
              ElementsAre("FGR006 scratch, group 000: no router of any clients leads to it"));
}

TEST(CheckSite, FindsTooFewRoutersAndTooMany) {
  Site site = paper_site();
  site.clients[0].routers.pop_back();
  EXPECT_THAT(texts_of(site), ElementsAre(HasSubstr("FGR007 home, group 005: 3 of 4 routers")));
  site = paper_site();
  site.clients[0].routers.push_back(router(999, 200, "right0"));
  EXPECT_THAT(texts_of(site), IsEmpty()) << "the router is spare";
  site.switches = {{"core"}};
  site.clients[0].routers.back().at_switch = "core";
  EXPECT_THAT(texts_of(site),
              ElementsAre("FGR008 xe, router nid00999: no group of home is at switch core"));
}

TEST(CheckSite, FindsThatThereIsNoMetadata) {
  Site site = paper_site();
  auto& servers = site.file_systems[0].servers;
  servers.erase(servers.begin(), servers.begin() + 2);
  EXPECT_THAT(texts_of(site), ElementsAre("FGR009 home, group 000: there is neither an MGS nor an "
                                          "MDS"));
}

TEST(CheckSite, FindsABandwidthDeficit) {
  Site site = paper_site();
  site.file_systems[0].oss_gb_per_s = 4;
  const auto findings = find(site);
  ASSERT_EQ(findings.size(), 4U) << "each group of OSSs";
  EXPECT_EQ(texts_of(findings)[0],
            "FGR010 home, group 002: 4 routers of xe at switch left0 carry 10.4 GB/s, and 3 OSSs "
            "move 12.0 GB/s at peak");
  EXPECT_EQ(findings[0].severity, Severity::kWarning);
}

TEST(CheckSite, FindsNetsThatOverlap) {
  Site site = paper_site();
  FileSystem other = sonexion(2);
  other.name = "scratch";
  other.base.num = 6004;
  for (Server& server : other.servers) {
    server.host = "other" + server.host;
    server.address += 256;
    server.at_switch = "of " + server.at_switch;
  }
  other.osss_per_group = 2;
  other.routers_per_group = 3;
  site.file_systems.push_back(other);
  auto& routers = site.clients[0].routers;
  for (std::uint32_t i = 0; i < 8; ++i) {
    routers.push_back(router(2000 + i, 130 + i, i % 2 == 0 ? "of left0" : "of right0", i < 2));
    routers.back().file_systems = {1};
  }
  EXPECT_THAT(texts_of(site), ElementsAre("FGR011 scratch: scratch has the net of home: o2ib6004"));
  site.file_systems[1].base.num = 6003;
  EXPECT_THAT(texts_of(site),
              ElementsAre("FGR011 scratch: scratch has the nets of home: o2ib6003, o2ib6005"));
  site.file_systems[1].base.num = 7000;
  EXPECT_THAT(texts_of(site), IsEmpty());
}

TEST(CheckSite, FindsANetAmongServersThatOthersHave) {
  Site site = paper_site_with_net_among_servers();
  EXPECT_THAT(texts_of(site), IsEmpty());
  site.file_systems[0].among_servers->num = 6003;
  const auto findings = find(site);
  EXPECT_THAT(texts_of(findings),
              ElementsAre("FGR011 home, net among servers: o2ib6003 is already the net of home, "
                          "group 003"));
  EXPECT_EQ(findings[0].severity, Severity::kError);
  site.file_systems[0].among_servers->num = 6500;
  const auto nets = texts_of(site, {.nets = 1});
  EXPECT_EQ(std::ranges::count_if(
                nets, [](const std::string& each) { return each.starts_with("FGR015 snx11001n"); }),
            14)
      << "the net among servers counts among a server's nets";
}

TEST(CheckSite, FindsAClientsPatternWithServersIn) {
  Site site = paper_site();
  site.clients[0].addresses = "10.128.*.* 10.10.100.[4-5]";
  EXPECT_THAT(texts_of(site),
              ElementsAre(HasSubstr("FGR012 xe: the clients' pattern '10.128.*.* "
                                    "10.10.100.[4-5]' also matches addresses on the "
                                    "servers' fabric: snx11001n004, snx11001n005")));
}

TEST(CheckSite, FindsWhatIsBeyondLimits) {
  Site site = paper_site();
  site.file_systems[0].base.num = 65533;  // group 003 is 65536
  EXPECT_THAT(texts_of(site),
              ElementsAre(HasSubstr("FGR013 home, group 004: its net would have the "
                                    "number 65537")))
      << "once for the file system";
  EXPECT_THAT(
      texts_of(paper_site(), {.routes = 49}),
      ElementsAre("FGR014 xe: the clients of xe would have 50 routes, and 49 are the most"));
  EXPECT_THAT(texts_of(paper_site(), {.nets = 3}),
              testing::Each(HasSubstr("on 4 nets, and 3 are the")));
  EXPECT_EQ(texts_of(paper_site(), {.nets = 3}).size(), 16U)
      << "own group, secondary, metadata, gni1";
}

Covering covering(const std::vector<std::string>& patterns, const std::string& wanted) {
  std::vector<wire::AddressPattern> all;
  for (const std::string& each : patterns) all.push_back(*wire::AddressPattern::parse_ip(each));
  return covering_of(all, *wire::AddressPattern::parse_ip(wanted));
}

TEST(Covering, PatternsAreTakenTogether) {
  EXPECT_EQ(covering({"10.*.*.*"}, "10.128.*.*"), Covering::kAll);
  EXPECT_EQ(covering({"10.128.[0-3].*"}, "10.128.*.*"), Covering::kSome);
  EXPECT_EQ(covering({"10.128.[0-3].*", "10.128.[4-255].*"}, "10.128.*.*"), Covering::kAll);
  EXPECT_EQ(covering({"10.128.*.[0-254/2]", "10.128.*.[1-255/2]"}, "10.128.*.*"), Covering::kAll);
  EXPECT_EQ(covering({"10.128.*.[0-254/2]", "10.128.*.[3-255/2]"}, "10.128.*.*"), Covering::kSome);
  EXPECT_EQ(covering({"10.129.*.*"}, "10.128.*.*"), Covering::kNone);
  EXPECT_EQ(covering({}, "10.128.*.*"), Covering::kNone);
  EXPECT_EQ(covering({"2001:db8::/32"}, "2001:db8:1::/48"), Covering::kAll);
  EXPECT_EQ(covering({"2001:db8:1::/48"}, "2001:db8::/32"), Covering::kSome);
  EXPECT_EQ(covering({"10.0.0.*"}, "2001:db8::/32"), Covering::kNone);
}

}  // namespace
}  // namespace ulnet::plan

// Plants one mistake at a time in the files of a site, and expects that the check finds exactly
// this mistake.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "fgr/check/check.h"
#include "fgr/existing/existing_files.h"
#include "fgr/existing/read_actual.h"
#include "fgr/plan/outputs.h"
#include "fgr/plan/plan_fixture.h"

namespace ulnet::tools::fgr {
namespace {

using plan::Rule;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Two racks of the paper's system: groups 002, 004 at left0, 003, 005 at right0, 006 and 008 at
/// left1, 007 and 009 at right1.
plan::Site two_racks() {
  plan::Site site = plan::paper_site();
  site.file_systems = {plan::sonexion(12)};
  std::uint32_t last = 119;
  for (std::uint32_t i = 0; i < 16; ++i)
    site.clients[0].routers.push_back(plan::router(1000 + i, last++, i < 8 ? "left1" : "right1"));
  return site;
}

class Planted : public testing::Test {
 protected:
  explicit Planted(const plan::Site& site = two_racks())
      : plan_(*plan::make_plan(site)), planned_(plan_) {
    // Written out, so that a test can replace each number.
    for (plan::OutputFile& file : plan::outputs_of(plan_, {}, plan::ListForm::kWrittenOut))
      if (file.path.find('/') != std::string::npos) files_[file.path] = std::move(file.text);
  }

  void replace(const std::string& file, const std::string& from, const std::string& to) {
    std::string& text = files_.at(file);
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from << " is not in\n" << text;
    text.replace(at, from.size(), to);
  }
  /// Writes an export of a host, with its NIDs and routes.
  void make_export(const std::string& host, const std::string& path) {
    const plan::PlannedHost& each = planned_.host(*planned_.find(host));
    std::string text = "net:\n    - net type: lo\n      local NI(s):\n        - nid: 0@lo\n";
    for (const auto& [net, interface] : each.nets) {
      const auto& address = each.interfaces[interface].address;
      const Nid nid = address ? Nid::small(net, *address) : planned_.router(each).client_nid;
      text += fmt::format(
          "    - net type: {}\n      local NI(s):\n        - nid: {}\n"
          "          status: up\n          interfaces:\n              0: ib0\n",
          net.to_string(), nid.to_string());
    }
    text += "route:\n";
    for (const plan::HostRoute& route : each.config.routes)
      text += fmt::format(
          "    - net: {}\n      gateway: {}\n      hop: {}\n      priority: 0\n"
          "      state: up\n      type: single-hop\n",
          route.net.to_string(), route.gateway.to_string(), route.hops);
    if (each.router()) text += "routing:\n    - enable: 1\n";
    files_[path] = text + "global:\n    numa_range: 0\n    discovery: 1\n";
  }

  std::vector<plan::Finding> find() {
    std::vector<plan::Actual> read;
    for (const auto& [path, text] : files_) {
      auto actual = check_text(path, text);
      EXPECT_TRUE(actual) << path << ": " << actual.error().reason;
      if (!actual) continue;
      actual->hosts = hosts_of(planned_, path, *actual);
      actual->shared = actual->shared || actual->hosts.size() > 1;
      read.push_back(std::move(*actual));
    }
    auto findings = plan::check_files(planned_, read, {.parameter = limit_});
    for (const plan::Finding& finding : findings) EXPECT_FALSE(finding.hint.empty());
    return findings;
  }
  /// Expects only this finding, in this file, with this text.
  void expect_one(Rule rule, const std::string& file, const std::string& what, int line = -1) {
    const auto findings = find();
    std::vector<std::string> all;
    for (const plan::Finding& each : findings)
      all.push_back(fmt::format("{}:{} {} {}", each.file, each.place.line,
                                plan::info_of(each.rule).name, each.reason));
    ASSERT_EQ(findings.size(), 1U) << fmt::format("{}", fmt::join(all, "\n"));
    EXPECT_EQ(findings[0].rule, rule) << all[0];
    EXPECT_EQ(findings[0].file, file);
    EXPECT_THAT(findings[0].reason, HasSubstr(what));
    if (line >= 0) {
      EXPECT_EQ(findings[0].place.line, line);
    }
  }
  void only(const std::string& file) {
    std::erase_if(files_, [&](const auto& each) { return each.first != file; });
  }

  const plan::Plan plan_;
  const plan::Planned planned_;
  std::map<std::string, std::string> files_;
  std::size_t limit_ = 100'000;
};

constexpr const char* kServers = "modprobe/servers-home.conf";
constexpr const char* kRouters = "modprobe/routers-xe.conf";
constexpr const char* kClients = "modprobe/clients-xe.conf";

TEST_F(Planted, APlanHasNoFindings) {
  EXPECT_THAT(find(), IsEmpty());
  make_export("nid00750", "exports/nid00750.yaml");
  make_export("snx11001n004", "exports/snx11001n004.yaml");
  EXPECT_THAT(find(), IsEmpty());
}

TEST_F(Planted, AnOssInTheGroupOfTheOtherSide) {
  replace(kServers, "o2ib6002 10.10.100.[4,6,8]", "o2ib6002 10.10.100.[4,6]");
  replace(kServers, "o2ib6003 10.10.100.[5,7,9]", "o2ib6003 10.10.100.[5,7,8,9]");
  expect_one(Rule::kWrongParity, kServers,
             "server snx11001n008 is on o2ib6003 (home, group 003) instead of o2ib6002 (home, "
             "group 002): the group is at switch right0, the host at switch left0",
             3);
}

TEST_F(Planted, AnOssInAGroupOfAnotherSwitch) {
  replace(kServers, "o2ib6002 10.10.100.[4,6,8]", "o2ib6002 10.10.100.[4,6]");
  replace(kServers, "o2ib6006 10.10.100.[16,18,20]", "o2ib6006 10.10.100.[8,16,18,20]");
  expect_one(Rule::kOtherSwitch, kServers, "server snx11001n008 is on o2ib6006");
}

TEST_F(Planted, ARouterInAGroupOfAnotherSwitch) {
  replace(kRouters, "o2ib6006 10.10.100.[", "o2ib6006 10.10.100.[103,");
  expect_one(Rule::kOtherSwitch, kRouters, "router nid00750 is on o2ib6006 (home, group 006)");
}

TEST_F(Planted, ARouterInAGroupOfTheOtherSide) {
  replace(kRouters, "o2ib6003 10.10.100.[", "o2ib6003 10.10.100.[103,");
  expect_one(Rule::kWrongParity, kRouters, "router nid00750 is on o2ib6003");
}

TEST_F(Planted, ARouterOutOfItsGroup) {
  replace(kRouters, "o2ib6002 10.10.100.[103,", "o2ib6002 10.10.100.[");
  expect_one(Rule::kMissingNet, kRouters, "router nid00750 is not on o2ib6002");
}

TEST_F(Planted, AGroupWithoutRouters) {
  std::string& text = files_.at(kRouters);
  const std::size_t begin = text.find("o2ib6002 10.10"), end = text.find("o2ib6003 10.10");
  text.erase(begin, end - begin);
  expect_one(Rule::kNoRouters, kRouters, "none of the routers of xe is on o2ib6002");
}

TEST_F(Planted, APatternThatMatchesOthers) {
  replace(kServers, "o2ib6002 10.10.100.[4,6,8]", "o2ib6002 10.10.100.*");
  expect_one(Rule::kPatternMatchesOthers, kServers,
             "the pattern of o2ib6002 (home, group 002) also matches ", 2);
}

TEST_F(Planted, AClientsPatternThatMatchesTheServers) {
  replace(kClients, "gni1 10.128.*.*", "gni1 10.*.*.*");
  expect_one(Rule::kPatternMatchesOthers, kClients, "the pattern of gni1 (clients xe) also");
}

TEST_F(Planted, ANetForSomeClientsOnly) {
  replace(kClients, "gni1 10.128.*.*", "gni1 10.128.[0-3].*");
  expect_one(Rule::kMissingNet, kClients, "the clients of xe are not on gni1 (clients xe), some");
  replace(kClients, "gni1 10.128.[0-3].*", "gni1 10.128.[0-3].* 10.128.[4-255].*");
  EXPECT_THAT(find(), IsEmpty()) << "together they match all";
}

TEST_F(Planted, AnUnplannedNet) {
  replace(kClients, "gni1 10.128.*.*", "gni1 10.128.*.*; tcp7 10.128.0.1");
  expect_one(Rule::kUnplannedNet, kClients, "the clients of xe are on tcp7, some of them");
}

/// The same site, with two addresses of router nid00750.
class PlantedTwoAddresses : public Planted {
 protected:
  PlantedTwoAddresses() : Planted(with_two()) {}

 private:
  static plan::Site with_two() {
    plan::Site site = two_racks();
    site.clients[0].routers[2].addresses.push_back(plan::kFabric + 250);
    return site;
  }
};

TEST_F(PlantedTwoAddresses, ARuleOfModuleParametersTakesOneInterface) {
  EXPECT_THAT(find(), IsEmpty());
  replace(kRouters, "o2ib6002 10.10.100.250", "o2ib6002 10.10.99.250");
  replace(kRouters, "o2ib6002 10.10.100.[103,", "o2ib6002 10.10.100.[250,103,");
  expect_one(Rule::kMissingNet, kRouters,
             "router nid00750 is not on o2ib6002 (home, group 002) with 10.10.100.250");
  replace(kRouters, "o2ib6002 10.10.100.[250,103,", "o2ib6002(ib0,ib1) 10.10.100.[250,103,");
  EXPECT_THAT(find(), IsEmpty()) << "the rule names its interfaces";
}

/// The same site, with o2ib6500 among the servers.
class PlantedAmongServers : public Planted {
 protected:
  PlantedAmongServers() : Planted(with_net()) {}

 private:
  static plan::Site with_net() {
    plan::Site site = two_racks();
    site.file_systems[0].among_servers = NetId{NetType::kO2ib, 6500};
    return site;
  }
};
constexpr const char* kOss = "lnetctl/snx11001n004.yaml";
constexpr const char* kAmong = "  - net-spec: o2ib6500\n    ip-range:\n        0: 10.10.100.4\n";

TEST_F(PlantedAmongServers, APlanHasNoFindings) {
  EXPECT_THAT(find(), IsEmpty());
  make_export("snx11001n004", "exports/snx11001n004.yaml");
  EXPECT_THAT(find(), IsEmpty());
}

TEST_F(PlantedAmongServers, AServerLacksIt) {
  replace(kServers, "o2ib6500 10.10.100.[2,3,4,", "o2ib6500 10.10.100.[2,3,");
  expect_one(Rule::kMissingNet, kServers,
             "server snx11001n004 is not on o2ib6500 (servers of home) with 10.10.100.4");
}

TEST_F(PlantedAmongServers, AServersFileLacksIt) {
  replace(kOss, kAmong, "");
  expect_one(Rule::kMissingNet, kOss, "server snx11001n004 is not on o2ib6500 (servers of home)");
}

TEST_F(PlantedAmongServers, NoServerHasIt) {
  std::string& text = files_.at(kServers);
  const std::size_t at = text.find("o2ib6500 10.10");
  ASSERT_NE(at, std::string::npos);
  const std::size_t begin = text.rfind(";\\\n", at);
  text.erase(begin, text.find('"', at) - begin);
  expect_one(Rule::kMissingNet, kServers,
             "the servers of home are not on o2ib6500 (servers of home)");
}

TEST_F(PlantedAmongServers, ARouterHasIt) {
  replace("lnetctl/nid00750.yaml", "  - net-spec: o2ib6000\n",
          "  - net-spec: o2ib6500\n    ip-range:\n        0: 10.10.100.103\n"
          "  - net-spec: o2ib6000\n");
  expect_one(Rule::kUnplannedNet, "lnetctl/nid00750.yaml",
             "router nid00750 is on o2ib6500 (servers of home)");
}

TEST_F(PlantedAmongServers, ItsPatternMatchesRouters) {
  replace(kServers, "o2ib6500 10.10.100.[2,3,", "o2ib6500 10.10.100.[2,3,103,");
  expect_one(Rule::kPatternMatchesOthers, kServers,
             "the pattern of o2ib6500 (servers of home) also matches nid00750");
}

TEST_F(PlantedAmongServers, AnotherNumberOfAllServersOrOfOne) {
  replace(kServers, "o2ib6500", "o2ib6501");
  expect_one(Rule::kUnplannedNet, kServers,
             "the servers of home are on o2ib6501 instead of o2ib6500 (servers of home)");
  replace(kServers, "o2ib6501", "o2ib6500");
  replace(kOss, "o2ib6500", "o2ib6501");
  expect_one(Rule::kUnplannedNet, kOss,
             "server snx11001n004 is on o2ib6501 instead of o2ib6500 (servers of home)");
}

TEST_F(PlantedAmongServers, AGroupsNetIsNotInItsPlace) {
  replace(kOss, "o2ib6002\n    ip-range", "o2ib6003\n    ip-range");
  expect_one(Rule::kWrongParity, kOss,
             "is on o2ib6003 (home, group 003) instead of o2ib6002 (home, group 002)");
}

TEST_F(PlantedAmongServers, AnotherServersAddressOnBothNetsIsReportedOnce) {
  const std::string file = "exports/snx11001n004.yaml";
  make_export("snx11001n004", file);
  replace(file, "10.10.100.4@o2ib6002", "10.10.100.6@o2ib6002");
  replace(file, "10.10.100.4@o2ib6500", "10.10.100.6@o2ib6500");
  expect_one(Rule::kDuplicateAddress, file,
             "server snx11001n004 has 10.10.100.6@o2ib6002, which is the address of server "
             "snx11001n006");
  replace(file, "10.10.100.6@o2ib6500", "10.10.100.99@o2ib6500");
  EXPECT_EQ(find().size(), 2U) << "two addresses that are not its own";
}

TEST_F(PlantedAmongServers, ARouteToIt) {
  replace("lnetctl/nid00750.yaml", "route:\n",
          "route:\n  - net: o2ib6500\n    gateway: 68@gni1\n    hop: 1\n");
  expect_one(Rule::kUnplannedRoute, "lnetctl/nid00750.yaml",
             "an unplanned route to o2ib6500 (servers of home) through nid00068");
}

TEST_F(PlantedAmongServers, ARouteByAServerOnIt) {
  replace(kOss, "route:\n",
          "route:\n  - net: gni1\n    gateway: 10.10.100.2@o2ib6500\n    hop: 1\n");
  expect_one(Rule::kUnplannedRoute, kOss,
             "by o2ib6500 (servers of home) through 10.10.100.2@o2ib6500, which is server "
             "snx11001n002");
}

TEST_F(Planted, AMissingRouteOfTheServers) {
  replace(kServers, "gni1 1 10.10.100.[103,", "gni1 1 10.10.100.[");
  expect_one(Rule::kOneSidedRoute, kServers,
             "the servers of home have no route to gni1 (clients xe) by o2ib6002 (home, group "
             "002) through nid00750, and the clients have one to them");
  only(kServers);
  expect_one(Rule::kMissingRoute, kServers, "through nid00750");
}

TEST_F(Planted, AMissingRouteOfTheClients) {
  replace(kClients, "o2ib6002 1 [750,751,752,753]@gni1;\\\n", "");
  expect_one(Rule::kOneSidedRoute, kClients,
             "no route to o2ib6002 (home, group 002) through "
             "nid00750, nid00751, nid00752, nid00753, and");
}

TEST_F(Planted, AMissingRouteOfOneHost) {
  replace("routes/nid00068.routes", "o2ib6002: { gateway: 750@gni1, hop: 1 }\n", "");
  expect_one(Rule::kMissingRoute, "routes/nid00068.routes", "router nid00068 has no route");
}

TEST_F(Planted, AnUnplannedRoute) {
  replace("lnetctl/snx11001n004.yaml", "route:\n",
          "route:\n  - net: tcp9\n    gateway: 10.10.100.103@o2ib6002\n    hop: 1\n");
  expect_one(Rule::kUnplannedRoute, "lnetctl/snx11001n004.yaml",
             "server snx11001n004 has an unplanned route to tcp9 by o2ib6002 (home, group 002) "
             "through nid00750");
}

TEST_F(Planted, ARouteThroughARouterOfAnotherSwitch) {
  replace(kClients, "o2ib6002 1 [750,751,752,753]@gni1", "o2ib6002 1 [750,751,752,753,1000]@gni1");
  expect_one(Rule::kOtherSwitch, kClients,
             "through nid01000: the group is at switch left0, the router at switch left1");
}

TEST_F(Planted, ARouteThroughARouterOfTheOtherSide) {
  replace(kClients, "o2ib6002 1 [750,751,752,753]@gni1", "o2ib6002 1 [751,752,753]@gni1");
  replace(kClients, "o2ib6003 1 [", "o2ib6003 1 [750,");
  expect_one(Rule::kWrongParity, kClients, "through nid00750");
}

TEST_F(Planted, AnUnknownNid) {
  replace(kClients, "o2ib6002 1 [750,751,752,753]@gni1", "o2ib6002 1 [75,751,752,753]@gni1");
  expect_one(Rule::kUnknownNid, kClients, "through 75@gni1, which is nobody's NID", 3);
}

TEST_F(Planted, AnUnknownGatewayOfAServer) {
  replace("routes/snx11001n004.routes", "10.10.100.103@o2ib6002", "10.10.100.253@o2ib6002");
  expect_one(Rule::kUnknownNid, "routes/snx11001n004.routes", "10.10.100.253@o2ib6002", 1);
}

TEST_F(Planted, SecondariesBeforePrimaries) {
  replace(kClients, "o2ib6002 1 [", "o2ib6002 3 [");
  expect_one(Rule::kSecondaryFirst, kClients,
             "the primary route to o2ib6002 (home, group 002) through nid00750, nid00751, "
             "nid00752, nid00753 with hop count 3, not 1");
}

TEST_F(Planted, ASecondaryThatIsNoWorseThanPrimaries) {
  replace(kServers, "gni1 2 10.10.100.[107,108,109,110]@o2ib6002",
          "gni1 1 10.10.100.[107,108,109,110]@o2ib6002");
  expect_one(Rule::kSecondaryFirst, kServers, "the secondary route to gni1");
}

TEST_F(Planted, PrioritiesGoBeforeHops) {
  replace(kClients, "o2ib6002 1 [750,751,752,753]@gni1", "o2ib6002 1 [750,751,752,753]@gni1:4");
  expect_one(Rule::kSecondaryFirst, kClients, "with hop count 1 and priority 4, not 1");
}

TEST_F(Planted, OtherHopsThatChangeNothing) {
  replace(kClients, "o2ib6002 2 [", "o2ib6002 5 [");
  expect_one(Rule::kOtherHops, kClients, "with hop count 5, not 2");
  replace(kClients, "o2ib6002 5 [", "o2ib6002 2 [");
  replace(kClients, "o2ib6002 1 [750", "o2ib6002 [750");
  EXPECT_THAT(find(), IsEmpty()) << "no hop count is 1";
}

TEST_F(Planted, ADuplicateAddress) {
  make_export("snx11001n004", "exports/snx11001n004.yaml");
  replace("exports/snx11001n004.yaml", "10.10.100.4@o2ib6002", "10.10.100.6@o2ib6002");
  expect_one(Rule::kDuplicateAddress, "exports/snx11001n004.yaml",
             "server snx11001n004 has 10.10.100.6@o2ib6002, which is the address of server "
             "snx11001n006");
}

TEST_F(Planted, AnUnknownAddress) {
  make_export("nid00750", "exports/nid00750.yaml");
  replace("exports/nid00750.yaml", "750@gni1", "757@gni1");
  expect_one(Rule::kUnknownNid, "exports/nid00750.yaml", "router nid00750 has 757@gni1");
}

TEST_F(Planted, AnNiThatIsMissing) {
  make_export("nid00750", "exports/nid00750.yaml");
  replace("exports/nid00750.yaml",
          "    - net type: o2ib6004\n      local NI(s):\n        - nid: 10.10.100.103@o2ib6004\n"
          "          status: up\n          interfaces:\n              0: ib0\n",
          "");
  expect_one(Rule::kMissingNet, "exports/nid00750.yaml", "router nid00750 is not on o2ib6004");
}

TEST_F(Planted, ARouterThatDoesNotRoute) {
  make_export("nid00750", "exports/nid00750.yaml");
  replace("exports/nid00750.yaml", "enable: 1", "enable: 0");
  expect_one(Rule::kNotRouting, "exports/nid00750.yaml", "routing is off on router nid00750");
  replace("exports/nid00750.yaml", "routing:\n    - enable: 0\n", "");
  expect_one(Rule::kNotRouting, "exports/nid00750.yaml", "routing is off on router nid00750");
}

TEST_F(Planted, AFileOfAnUnknownHost) {
  files_["lnetctl/oss99.yaml"] =
      "net:\n    - net type: tcp\n      local NI(s):\n        - nid: "
      "10.0.0.1@tcp\n";
  expect_one(Rule::kUnknownHost, "lnetctl/oss99.yaml", "no host of the site");
}

TEST_F(Planted, ATextThatIsTooLongForAParameter) {
  only(kServers);
  limit_ = 500;
  expect_one(Rule::kLongParameter, kServers, "the text of routes= has ");
}

TEST_F(Planted, TheNidsOfAnExportIdentifyItsHost) {
  make_export("snx11001n004", "exports/from-the-oss.yaml");
  EXPECT_THAT(find(), IsEmpty());
  make_export("nid00750", "exports/first.yaml");
  EXPECT_THAT(find(), IsEmpty());
  replace("exports/first.yaml", "    - net: o2ib6003", "    - net: o2ib6013");
  expect_one(Rule::kUnplannedRoute, "exports/first.yaml", "router nid00750 has an unplanned route");
}

}  // namespace
}  // namespace ulnet::tools::fgr

#include "fgr/plan/host_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "fgr/plan/lab_topology.h"
#include "fgr/plan/outputs.h"
#include "fgr/plan/plan_fixture.h"

namespace ulnet::plan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

HostConfig config_of(const Plan& plan, const std::string& host) {
  for (HostConfig& config : host_configs(plan))
    if (config.host == host) return config;
  ADD_FAILURE() << "no host " << host;
  return {};
}
std::vector<std::string> nets_of(const HostConfig& config) {
  std::vector<std::string> names;
  for (const HostNet& net : config.nets) names.push_back(net.net.to_string());
  return names;
}

TEST(HostConfigs, AreOfAllHosts) {
  const auto hosts = host_configs(*make_plan(paper_site()));
  ASSERT_EQ(hosts.size(), 1U + 18U + 14U);
  EXPECT_EQ(hosts.front().host, "xe");
  EXPECT_EQ(hosts.front().kind, HostConfig::Kind::kClients);
  EXPECT_EQ(hosts.back().host, "snx11001n015");
}

TEST(HostConfigs, HaveTheNetsAndRoutesOfTheirGroups) {
  const Plan plan = *make_plan(paper_site());
  // A router of group 002, secondary router for 004. All routers carry metadata when the metadata
  // group's own routers are gone.
  const HostConfig router = config_of(plan, "nid00750");
  EXPECT_THAT(nets_of(router), ElementsAre("gni1", "o2ib6000", "o2ib6002", "o2ib6004"));
  EXPECT_EQ(router.routes.size(), 16U) << "to groups 003 and 005, four first and four second ones";
  EXPECT_EQ(router.routes.front().net.to_string(), "o2ib6003");

  const HostConfig oss = config_of(plan, "snx11001n010");
  EXPECT_THAT(nets_of(oss), ElementsAre("o2ib6004"));
  ASSERT_EQ(oss.routes.size(), 8U);
  EXPECT_EQ(oss.routes.front(),
            (HostRoute{{NetType::kGni, 1}, 1, *Nid::parse("10.10.100.107@o2ib6004")}));
  EXPECT_EQ(oss.routes.back(),
            (HostRoute{{NetType::kGni, 1}, 2, *Nid::parse("10.10.100.106@o2ib6004")}));

  const HostConfig clients = config_of(plan, "xe");
  EXPECT_THAT(nets_of(clients), ElementsAre("gni1"));
  EXPECT_EQ(clients.routes.size(), 2U + 16U + 4 * 8U);
}

TEST(HostConfigs, ARouterWithTwoAddressesHasBothOnItsNets) {
  Site site = paper_site();
  site.clients[0].routers[2].addresses.push_back(kFabric + 200);
  const Plan plan = *make_plan(site);
  EXPECT_THAT(config_of(plan, "nid00750").nets[2].addresses,
              ElementsAre("10.10.100.103", "10.10.100.200"));
  EXPECT_EQ(config_of(plan, "snx11001n010").routes.size(), 9U) << "over each of its addresses";
}

TEST(HostConfigs, ServersHaveTheNetAmongThemBehindTheirGroups) {
  const Plan plan = *make_plan(paper_site_with_net_among_servers());
  const auto hosts = host_configs(plan), without = host_configs(*make_plan(paper_site()));
  ASSERT_EQ(hosts.size(), without.size());
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    auto expected = nets_of(without[i]);
    if (hosts[i].kind == HostConfig::Kind::kServer) expected.emplace_back("o2ib6500");
    EXPECT_EQ(nets_of(hosts[i]), expected) << hosts[i].host;
    EXPECT_EQ(hosts[i].routes, without[i].routes) << hosts[i].host;
  }
  const HostConfig oss = config_of(plan, "snx11001n010");
  EXPECT_THAT(oss.nets.back().addresses, ElementsAre("10.10.100.10"));
  EXPECT_THAT(
      lnetctl_yaml(oss),
      HasSubstr("ip2nets:\n  - net-spec: o2ib6004\n    ip-range:\n        0: 10.10.100.10\n"
                "  - net-spec: o2ib6500\n    ip-range:\n        0: 10.10.100.10\nroute:\n"));
  EXPECT_THAT(inventory(plan), HasSubstr("        snx11001n010:\n"
                                         "          ulnet_nets: [o2ib6004, o2ib6500]\n"));
  EXPECT_THAT(groups_text(plan), HasSubstr("\nhome: the net among its servers is o2ib6500\n"));
}

TEST(HostConfigs, AreYamlAndRoutes) {
  const Plan plan = *make_plan(paper_site());
  const std::string yaml = lnetctl_yaml(config_of(plan, "nid00750"));
  EXPECT_THAT(yaml, HasSubstr("ip2nets:\n  - net-spec: gni1\n    ip-range:\n"
                              "        0: 10.128.*.*\n  - net-spec: o2ib6000\n"));
  EXPECT_THAT(yaml, HasSubstr("route:\n  - net: o2ib6003\n    gateway: 618@gni1\n    hop: 1\n"));
  EXPECT_THAT(yaml, HasSubstr("routing:\n    enable: 1\n"));
  const HostConfig oss = config_of(plan, "snx11001n010");
  EXPECT_THAT(lnetctl_yaml(oss), Not(HasSubstr("routing")));
  EXPECT_THAT(routes_text(oss), HasSubstr("gni1: { gateway: 10.10.100.107@o2ib6004, hop: 1 }\n"));
}

TEST(HostConfigs, PatternsThatYamlReadsOtherwiseAreInQuotes) {
  Site site = paper_site();
  site.clients[0].addresses = "10.128.*.* *.1.0.0 [11-12].0.*.*";
  EXPECT_THAT(lnetctl_yaml(config_of(*make_plan(site), "xe")),
              HasSubstr("        0: 10.128.*.*\n        1: \"*.1.0.0\"\n"
                        "        2: \"[11-12].0.*.*\"\n"));
}

TEST(HostConfigs, LoopbackUsesAddressesAsInterfaces) {
  Site site = paper_site();
  for (Router& router : site.clients[0].routers) {
    router.client_nid = Nid::small({NetType::kTcp, 0}, 127U << 24 | router.client_nid.address4());
    router.addresses[0] = 127U << 24 | 1U << 16 | (router.addresses[0] & 0xff);
  }
  site.clients[0].net = {NetType::kTcp, 0};
  const Plan plan = *make_plan(site);
  const std::string yaml = lnetctl_yaml(config_of(plan, "nid00750"));
  EXPECT_THAT(yaml, HasSubstr("net:\n  - net type: tcp\n    local NI(s):\n      - interfaces:\n"
                              "            0: 127.0.2.238\n  - net type: o2ib6000\n"));
  EXPECT_THAT(yaml, Not(HasSubstr("ip2nets")));
  EXPECT_THAT(lnetctl_yaml(config_of(plan, "xe")), HasSubstr("ip2nets:")) << "patterns";
}

TEST(Outputs, HaveAFileForEachHost) {
  const Plan plan = *make_plan(paper_site());
  std::set<std::string> paths;
  for (const OutputFile& file : outputs_of(plan, {})) {
    EXPECT_TRUE(paths.insert(file.path).second) << file.path;
    EXPECT_FALSE(file.text.empty()) << file.path;
  }
  EXPECT_EQ(paths.size(), 3U + 2 * 33U + 7U);
  for (const char* path : {"modprobe/routers-xe.conf", "lnetctl/clients-xe.yaml",
                           "lnetctl/nid00750.yaml", "routes/snx11001n010.routes", "lab.yaml"})
    EXPECT_TRUE(paths.contains(path)) << path;
}

TEST(Outputs, LaboratoriesHaveTheNetAmongServersUnderANumberOfItsOwn) {
  Site site = paper_site_with_net_among_servers();
  std::string text = lab_topology(*make_plan(site), {});
  EXPECT_THAT(text, HasSubstr("    tcp6500: {label: servers of home}\n"));
  EXPECT_THAT(text, HasSubstr("    snx11001n010: {nets: {net: [tcp6004, tcp6500], switch: left0, "
                              "rate: 15MB/s}, group: home-004}\n"));
  EXPECT_THAT(text, Not(HasSubstr("net: tcp6500, via")));
  site.file_systems[0].among_servers->num = 0;
  text = lab_topology(*make_plan(site), {});
  EXPECT_THAT(text, HasSubstr("    tcp: {label: servers of home}\n"));
  EXPECT_THAT(text, HasSubstr("    tcp1: {label: xe, switch: net-of-xe}\n")) << "the next one";
  EXPECT_THAT(text, HasSubstr("{net: [tcp6000, tcp], switch: left0}, group: home-000}\n"));
}

TEST(Outputs, GroupsShowWhatTheirRoutersCarry) {
  EXPECT_THAT(groups_text(*make_plan(paper_site())),
              HasSubstr("home 004  o2ib6004  left0   snx11001n010, snx11001n012, snx11001n014  xe  "
                        "     4        4          10.4  9.0   +1.4\n"));
}

TEST(Outputs, TheInventoryNamesTheFilesOfEachHost) {
  const std::string text = inventory(*make_plan(paper_site()));
  EXPECT_THAT(text, HasSubstr("    routers_xe:\n      hosts:\n        nid00068:\n"));
  EXPECT_THAT(text, HasSubstr("        snx11001n010:\n          ulnet_nets: [o2ib6004]\n"
                              "          ulnet_modprobe: modprobe/servers-home.conf\n"
                              "          ulnet_lnetctl: lnetctl/snx11001n010.yaml\n"));
}

}  // namespace
}  // namespace ulnet::plan

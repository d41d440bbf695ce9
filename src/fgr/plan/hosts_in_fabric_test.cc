#include "fgr/plan/hosts_in_fabric.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "fgr/check/check.h"
#include "fgr/fabric/fabric.h"
#include "fgr/fabric/fabric_fixture.h"
#include "fgr/plan/cables.h"
#include "fgr/plan/plan_fixture.h"
#include "lnet/base/text.h"

namespace ulnet::plan {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr Guid kLeft = 0xa1, kRight = 0xb2;

/// The fabric of a site: each host has an adapter, at the switch of its file system.
class FabricOf {
 public:
  explicit FabricOf(const Site& site) {
    for (const ClientSystem& clients : site.clients)
      for (const Router& router : clients.routers) add(router.host, router.at_switch);
    for (const FileSystem& system : site.file_systems)
      for (const Server& server : system.servers) add(server.host, server.at_switch);
  }

  Guid add(const std::string& host, const std::string& at) {
    const Guid guid = 0x1000 + fabric_.adapters.size();
    const Guid to = at == "left0" ? kLeft : kRight;
    fabric_.adapters[guid] = host + " HCA-1";
    fabric_.switches[kLeft] = "MF0;left0:IS5035/U1";
    fabric_.switches[kRight] = "MF0;right0:IS5035/U1";
    fabric_.links.push_back(
        {guid, 1, to, static_cast<std::uint32_t>(fabric_.links.size() + 1), "4xQDR"});
    return guid;
  }
  FabricLink& link(const std::string& host) {
    const auto adapter = std::ranges::find(fabric_.adapters, host + " HCA-1",
                                           [](const auto& each) { return each.second; });
    return *std::ranges::find(fabric_.links, adapter->first, &FabricLink::adapter);
  }
  std::string& description(const std::string& host) { return fabric_.adapters[link(host).adapter]; }
  Fabric& operator*() {
    std::ranges::sort(fabric_.links, {}, &FabricLink::adapter);
    return fabric_;
  }
  Fabric* operator->() { return &fabric_; }

 private:
  Fabric fabric_;
};

Site without_switches(Site site) {
  for (ClientSystem& clients : site.clients)
    for (Router& router : clients.routers) router.at_switch.clear();
  return site;
}
std::vector<std::string> named_texts_of(const std::vector<Finding>& problems) {
  std::vector<std::string> texts;
  for (const Finding& problem : problems)
    texts.push_back(std::string(info_of(problem.rule).name) + " " + problem.where + ": " +
                    problem.reason);
  return texts;
}
/// The findings about the fabric of the paper's site.
std::vector<std::string> findings(FabricOf& fabric, const Site& site = paper_site()) {
  Plan plan = *make_plan(site);
  plan.fabric = see_fabric(plan, *fabric);
  std::vector<std::string> texts;
  for (const Finding& each : check_fabric(plan))
    texts.push_back(std::string(info_of(each.rule).name) + " " + each.subject);
  return texts;
}
std::string switch_of(const Plan& plan, const std::string& host) {
  for (const Cable& cable : cables_of(plan, CableOrder::kRouters))
    if (cable.host == host) return cable.at_switch;
  return {};
}

TEST(HostsInFabric, SwitchesAreFound) {
  FabricOf fabric(paper_site());
  const auto plan = make_plan(without_switches(paper_site()), *fabric);
  ASSERT_TRUE(plan) << plan.error()[0].reason;
  const Plan with = *make_plan(paper_site());
  ASSERT_EQ(plan->groups.size(), with.groups.size());
  for (std::size_t i = 0; i < with.groups.size(); ++i)
    EXPECT_EQ(plan->groups[i].routers[0].primary, with.groups[i].routers[0].primary);
  EXPECT_THAT(plan->fabric->unchecked, IsEmpty());
  EXPECT_THAT(findings(fabric), IsEmpty());
}

TEST(HostsInFabric, SwitchesAreKnownByGuidOrDescription) {
  FabricOf fabric(paper_site());
  fabric->switches[kLeft] = fabric->switches[kRight] = "Infiniscale-IV Mellanox Technologies";
  Site site = without_switches(paper_site());
  site.switches = {{.name = "left0", .guid = kLeft}};
  auto plan = make_plan(site, *fabric);
  ASSERT_TRUE(plan) << "right0 is where most of those planned there are";
  EXPECT_EQ(switch_of(*plan, "nid00618"), "right0");
  fabric->switches[kRight] = "MF0;core:SX6536/L01/U1";
  site.switches.push_back({.name = "right0", .description = "core", .rack = "R0 U42"});
  plan = make_plan(site, *fabric);
  ASSERT_TRUE(plan);
  const auto cables = cables_of(*plan, CableOrder::kRouters);
  const auto cable = std::ranges::find(cables, "nid00618", &Cable::host);
  EXPECT_EQ(cable->switch_place, "R0 U42");
  EXPECT_EQ(cable->switch_guid, guid_text(kRight));
  EXPECT_EQ(cable->switch_port, fabric.link("nid00618").switch_port);
  EXPECT_EQ(cable->adapter_guid, guid_text(fabric.link("nid00618").adapter));
}

TEST(HostsInFabric, ASwitchThatTheSiteDoesNotKnowHasTheFabricsName) {
  Site site = without_switches(paper_site());
  for (Server& server : site.file_systems[0].servers) server.at_switch.clear();
  FabricOf fabric(paper_site());
  auto plan = make_plan(site, *fabric);
  ASSERT_TRUE(plan);
  EXPECT_EQ(switch_of(*plan, "snx11001n004"), "MF0;left0:IS5035/U1");
  fabric->switches[kLeft] = "SwitchX - Mellanox Technologies";
  plan = make_plan(site, *fabric);
  ASSERT_TRUE(plan);
  EXPECT_EQ(switch_of(*plan, "snx11001n004"), guid_text(kLeft)) << "the vendor's name is no name";
}

TEST(HostsInFabric, TwoFileSystemsMayHaveOneNameForTwoSwitches) {
  Site site = paper_site();
  site.file_systems.push_back(sonexion(6));
  site.file_systems[1].name = "projects";
  site.file_systems[1].base = {NetType::kO2ib, 7000};
  site.file_systems[1].servers = sonexion_servers({"snx2", 6, kFabric + 202});
  auto& routers = site.clients[0].routers;
  for (std::size_t i = 0, count = routers.size(); i < count; ++i) {
    Router router = routers[i];
    router.host = "p" + router.host;
    router.client_nid = Nid::small({NetType::kGni, 1}, 1000 + static_cast<std::uint32_t>(i));
    router.addresses = {(11U << 24) + static_cast<std::uint32_t>(i + 1)};
    router.file_systems = {1};
    routers.push_back(router);
  }
  FabricOf fabric(site);
  fabric->switches[0xc3] = "MF0;left0:IS5035/U2";
  fabric->switches[0xd4] = "MF0;right0:IS5035/U2";
  for (FabricLink& link : fabric->links) {
    const std::string& name = fabric->adapters[link.adapter];
    if (name.starts_with("p") || name.starts_with("snx2"))
      link.to_switch = link.to_switch == kLeft ? 0xc3 : 0xd4;
  }
  const auto plan = make_plan(without_switches(site), *fabric);
  ASSERT_TRUE(plan) << plan.error()[0].where << ": " << plan.error()[0].reason;
  EXPECT_EQ(switch_of(*plan, "nid00750"), "home/left0");
  EXPECT_EQ(switch_of(*plan, "pnid00750"), "projects/left0");
  EXPECT_EQ(switch_of(*plan, "pnid00618"), "projects/right0");
  EXPECT_THAT(plan->fabric->unchecked, IsEmpty());
  EXPECT_THAT(check_fabric(*plan), IsEmpty());
}

TEST(HostsInFabric, AHostThatIsMissing) {
  FabricOf fabric(paper_site());
  fabric.description("nid00750") = "somebody HCA-1";
  EXPECT_THAT(findings(fabric), ElementsAre("not-in-fabric nid00750"));
  const auto plan = make_plan(without_switches(paper_site()), *fabric);
  ASSERT_FALSE(plan);
  EXPECT_THAT(named_texts_of(plan.error()),
              ElementsAre("missing-switch nid00750: it has no 'switch', and no adapter of it is in "
                          "the fabric"));
  Site site = paper_site();
  site.clients[0].routers[2].guid = fabric->links[2].adapter;
  EXPECT_THAT(findings(fabric, site), IsEmpty()) << "known by the GUID";
  site = paper_site();
  site.clients[0].routers[5].addresses.push_back(99);
  FabricOf one_cable(paper_site());
  EXPECT_THAT(findings(one_cable, site), ElementsAre("not-in-fabric nid00753"))
      << "two addresses, and one cable";
}

TEST(HostsInFabric, AHostUnderTheVendorsName) {
  FabricOf fabric(paper_site());
  fabric.description("nid00750") = "MT25408 ConnectX Mellanox Technologies";
  EXPECT_THAT(findings(fabric), ElementsAre("default-name ", "not-in-fabric nid00750"));
  const auto plan = make_plan(without_switches(paper_site()), *fabric);
  ASSERT_FALSE(plan);
  EXPECT_THAT(named_texts_of(plan.error()),
              Contains("default-name the fabric: 1 adapter has the vendor's default name: "
                       "0000000000001002 at left0 port 3"));
  for (const char* name : {"MT4099", "", "localhost mlx5_0", "0x0002c90300a10010", "HCA-1",
                           "'Infiniscale-IV Mellanox Technologies'", "0002c90300a10010 HCA-2"})
    EXPECT_TRUE(is_default_name(name)) << name;
  for (const char* name : {"nid00750 HCA-1", "mtl01", "MF0;left0:IS5035/U1", "cafe HCA-1"})
    EXPECT_FALSE(is_default_name(name)) << name;
  FabricOf others(paper_site());
  others.add("x", "left0");
  others.description("x") = "MT25408 ConnectX Mellanox Technologies";
  EXPECT_THAT(findings(others), IsEmpty())
      << "all hosts of the site are known: the adapter is another's";
}

TEST(HostsInFabric, AnotherSitesFabricAndOneThatIsCut) {
  FabricOf fabric(paper_site());
  for (auto& [guid, description] : fabric->adapters) description = "other-" + description;
  EXPECT_THAT(findings(fabric), ElementsAre("other-fabric "));
  auto plan = make_plan(without_switches(paper_site()), *fabric);
  ASSERT_FALSE(plan);
  EXPECT_THAT(named_texts_of(plan.error()),
              ElementsAre("other-fabric the fabric: none of the site's 32 routers and servers is "
                          "among its 32 adapters"));
  FabricOf cut(paper_site());
  cut->one_sided = 1;
  EXPECT_THAT(findings(cut), ElementsAre("cut-fabric "));
  plan = make_plan(without_switches(paper_site()), *cut);
  ASSERT_TRUE(plan) << "all hosts are there";
  EXPECT_THAT(named_texts_of(plan->fabric->unchecked),
              ElementsAre("cut-fabric the fabric: the text is cut or changed: 1 link is at one end "
                          "only"));
}

TEST(HostsInFabric, CablesInTheWrongSwitch) {
  FabricOf fabric(paper_site());
  fabric.link("nid00750").to_switch = kRight;
  EXPECT_THAT(findings(fabric), ElementsAre("other-cable nid00750"));
  Plan plan = *make_plan(paper_site());
  plan.fabric = see_fabric(plan, *fabric);
  const auto cables = cables_of(plan, CableOrder::kRouters);
  const auto cable = std::ranges::find(cables, "nid00750", &Cable::host);
  EXPECT_EQ(cable->at_switch, "left0");
  EXPECT_EQ(cable->switch_port, 0U) << "the port is to be chosen";
  EXPECT_EQ(cable->adapter_guid, guid_text(fabric.link("nid00750").adapter));
  fabric->switches[0xe5] = "Infiniscale-IV Mellanox Technologies";
  fabric.link("nid00750").to_switch = 0xe5;
  EXPECT_THAT(findings(fabric), ElementsAre("other-cable nid00750"))
      << "no other host is there, and left0 is known elsewhere";
}

TEST(HostsInFabric, AHostAtSeveralSwitches) {
  FabricOf fabric(paper_site());
  fabric.add("nid00750", "right0");
  EXPECT_THAT(findings(fabric), IsEmpty()) << "a host may have more cables than the site says";
  const auto plan = make_plan(without_switches(paper_site()), *fabric);
  ASSERT_FALSE(plan);
  EXPECT_THAT(plan.error()[0].reason, HasSubstr("it is plugged into home/left0 and home/right0"));
}

TEST(HostsInFabric, WithoutAFabricItIsSaidOnce) {
  const auto plan = make_plan(without_switches(paper_site()));
  ASSERT_FALSE(plan);
  EXPECT_THAT(named_texts_of(plan.error()),
              ElementsAre("missing-switch nid00068: it has no 'switch', nor have 17 others"));
  EXPECT_THAT(plan.error()[0].hint, HasSubstr("--ibnetdiscover"));
}

TEST(HostsInFabric, TheCableTableHasPortsAndGuids) {
  FabricOf fabric(paper_site());
  Site site = paper_site();
  site.clients[0].routers[2].cable = "C0017, 5 m";
  EXPECT_THAT(cable_text(cables_of(*make_plan(paper_site()), CableOrder::kRouters)),
              Not(HasSubstr("GUID")));
  const auto plan = make_plan(site, *fabric);
  ASSERT_TRUE(plan);
  const auto cables = cables_of(*plan, CableOrder::kSwitches);
  EXPECT_THAT(cable_text(cables), HasSubstr("adapter GUID"));
  EXPECT_THAT(cable_csv(cables),
              HasSubstr("\r\nnid00750,,0000000000001002,1,10.10.100.103,\"C0017, 5 m\",4xQDR,left0,"
                        ",00000000000000a1,3,\"home 002, 000, 004\"\r\n"));
  EXPECT_THAT(cable_csv(cables), HasSubstr("\r\nsnx11001n004,R0,"));
}

}  // namespace
}  // namespace ulnet::plan

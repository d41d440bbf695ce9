#include "fgr/log/nid_owners.h"

#include <gtest/gtest.h>

#include "fgr/plan/plan_fixture.h"

namespace ulnet::plan {
namespace {

using Kind = HostConfig::Kind;

TEST(NidOwners, NameHostsOfThePapersSystem) {
  const auto plan = make_plan(paper_site());
  ASSERT_TRUE(plan);
  const NidOwners owners(*plan);
  const auto of = [&](const char* nid) { return owners.of(*Nid::parse(nid)); };

  const NidOwner server = of("10.10.100.4@o2ib6002");
  EXPECT_EQ(server.kind, Kind::kServer);
  EXPECT_EQ(plan->site.file_systems[0].servers[server.number].host, "snx11001n004");
  EXPECT_EQ(server.group, 1U);
  EXPECT_FALSE(server.stray);

  const NidOwner router = of("750@gni1");
  EXPECT_EQ(router.kind, Kind::kRouter);
  EXPECT_EQ(plan->site.clients[0].routers[router.number].host, "nid00750");
  EXPECT_FALSE(router.group);

  const NidOwner secondary = of("10.10.100.103@o2ib6004");
  EXPECT_EQ(secondary.kind, Kind::kRouter);
  EXPECT_EQ(secondary.group, 3U);
  EXPECT_FALSE(secondary.stray) << "a secondary router's";

  EXPECT_TRUE(of("10.10.100.4@o2ib6003").stray);
  EXPECT_TRUE(of("10.10.100.103@o2ib6005").stray);
  EXPECT_EQ(of("10.10.100.250@o2ib6002").kind, std::nullopt);
  EXPECT_EQ(of("10.10.100.250@o2ib6002").group, 1U) << "the group is known all the same";
  EXPECT_EQ(of("2001:db8::1@o2ib6002").kind, std::nullopt);
  EXPECT_EQ(of("751000@gni1").kind, Kind::kClients);
  EXPECT_EQ(of("7@gni2").kind, std::nullopt);
  EXPECT_EQ(of("10.10.100.4@tcp").kind, std::nullopt);
}

TEST(NidOwners, ClientsAreKnownByTheirAddresses) {
  Site site = paper_site();
  site.clients[0].net = {NetType::kTcp, 1};
  site.clients[0].addresses = "10.128.*.* 10.129.0.[1-9]";
  const auto plan = make_plan(site);
  ASSERT_TRUE(plan);
  const NidOwners owners(*plan);
  EXPECT_EQ(owners.of(*Nid::parse("10.128.3.4@tcp1")).kind, Kind::kClients);
  EXPECT_EQ(owners.of(*Nid::parse("10.129.0.9@tcp1")).kind, Kind::kClients);
  EXPECT_EQ(owners.of(*Nid::parse("10.129.0.10@tcp1")).kind, std::nullopt);
  EXPECT_EQ(owners.of(*Nid::parse("10.128.3.4@tcp2")).kind, std::nullopt);
}

TEST(NidOwners, NameServersOnTheNetAmongThem) {
  const auto plan = make_plan(paper_site_with_net_among_servers());
  ASSERT_TRUE(plan);
  const NidOwners owners(*plan);
  EXPECT_EQ(owners.planned().size(), 14U + 18 + 18 + 4 * 8 + 14);
  const NidOwner server = owners.of(*Nid::parse("10.10.100.4@o2ib6500"));
  EXPECT_EQ(server.kind, Kind::kServer);
  EXPECT_EQ(plan->site.file_systems[0].servers[server.number].host, "snx11001n004");
  EXPECT_FALSE(server.group) << "that net belongs to no group";
  EXPECT_FALSE(server.stray);
  const NidOwner router = owners.of(*Nid::parse("10.10.100.103@o2ib6500"));
  EXPECT_EQ(router.kind, Kind::kRouter);
  EXPECT_TRUE(router.stray) << "no router is on it";
  EXPECT_FALSE(router.group);
  EXPECT_EQ(owners.of(*Nid::parse("10.10.100.250@o2ib6500")).kind, std::nullopt);
}

TEST(NidOwners, AnAddressOnAnotherNetIsAStray) {
  Site site = paper_site();
  site.clients[0].net = {NetType::kTcp, 1};
  for (Router& router : site.clients[0].routers)
    router.client_nid = Nid::small(site.clients[0].net, 0x0a140000 + router.client_nid.address4());
  const auto plan = make_plan(site);
  ASSERT_TRUE(plan);
  const Router& router = plan->site.clients[0].routers[0];
  const NidOwners owners(*plan);
  const NidOwner owner =
      owners.of(Nid::small({NetType::kO2ib, 6002}, router.client_nid.address4()));
  EXPECT_EQ(owner.kind, Kind::kRouter) << "the address on the clients' net gives the owner";
  EXPECT_EQ(owner.number, 0U);
  EXPECT_EQ(owner.group, 1U);
  EXPECT_TRUE(owner.stray);
}

TEST(NidOwners, EveryPlannedNidHasItsHost) {
  const auto plan = make_plan(paper_site());
  ASSERT_TRUE(plan);
  const NidOwners owners(*plan);
  // 14 servers; 18 routers on the clients' net; on the fabric all 18 routers in group 000, and 8 in
  // each of the other four.
  EXPECT_EQ(owners.planned().size(), 14U + 18 + 18 + 4 * 8);
  for (const Nid& nid : owners.planned()) {
    EXPECT_NE(owners.of(nid).kind, std::nullopt) << nid.to_string();
    EXPECT_FALSE(owners.of(nid).stray) << nid.to_string();
  }
}

}  // namespace
}  // namespace ulnet::plan

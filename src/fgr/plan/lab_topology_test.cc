#include "fgr/plan/lab_topology.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fgr/plan/lab_plan.h"
#include "fgr/plan/options.h"
#include "fgr/plan/plan_fixture.h"

namespace ulnet::plan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(LabTopology, HasTheRatesOfTheKindsToScaleAndSaysTheScale) {
  Site site = paper_site();
  const std::string text = lab_topology(*make_plan(site), {.scale = 100});
  EXPECT_THAT(text, HasSubstr("about: planned by ulnet-fgr; rates are 1:100 of the site's\n"));
  EXPECT_THAT(text,
              HasSubstr("    nid00750: {nets: [{net: tcp, rate: 26MB/s}, {net: [tcp6000, "
                        "tcp6002, tcp6004], switch: left0, rate: 26MB/s}], routing: yes, group: "
                        "routers-xe}\n"));
  EXPECT_THAT(text, HasSubstr("snx11001n004: {nets: {net: [tcp6002], switch: left0, rate: 30MB/s}, "
                              "group: home-002}\n"));
  EXPECT_THAT(text, HasSubstr("snx11001n002: {nets: {net: [tcp6000], switch: left0}, group"))
      << "an MGS has no peak";
  EXPECT_THAT(text, HasSubstr("    - {between: [left0, right0]}\n"));
  site.file_systems[0].isl_gb_per_s = 4;
  EXPECT_THAT(lab_topology(*make_plan(site), {.scale = 100}),
              HasSubstr("    - {between: [left0, right0], rate: 40MB/s}\n"));
}

TEST(LabTopology, ScalesSoThatOneMachineCanMoveIt) {
  Plan plan = *make_plan(paper_site());
  EXPECT_EQ(lab_scale(plan), 200U) << "12 OSSs with 3 GB/s: 180 MB/s";
  plan.site.file_systems[0].oss_gb_per_s = 0.01;
  EXPECT_EQ(lab_scale(plan), 20U) << "a router with 2.6 GB/s";
  plan.site.clients[0].router_gb_per_s = 0.01;
  EXPECT_EQ(lab_scale(plan), 1U);
  plan.site.clients[0].router_gb_per_s = 1e12;
  EXPECT_EQ(lab_scale(plan), 1'000'000U);
}

TEST(LabTopology, ARouterWithTwoPortsSharesItsRateAndIsAGatewayByBoth) {
  Site site = paper_site();
  for (Router& router : site.clients[0].routers)
    router.addresses.push_back(router.addresses[0] + 99);
  const std::string text = lab_topology(*make_plan(site), {.scale = 100});
  const std::string port = ", {net: [tcp6000, tcp6002, tcp6004], switch: left0, rate: 13MB/s}";
  EXPECT_THAT(text, HasSubstr("nid00750: {nets: [{net: tcp, rate: 26MB/s}" + port + port + "]"));
  EXPECT_THAT(text, HasSubstr("on: home-004, net: tcp, via: [\"nid00608:3\", \"nid00608:6\", "))
      << "rails 1 to 3, and 4 to 6";
}

TEST(LabTopology, ModuleParametersKeepAddressesAndTexts) {
  const Plan plan = *make_plan(paper_site());
  const auto text = lab_topology_of_module_parameters(plan, {.clients_of_each = 2, .scale = 100});
  ASSERT_TRUE(text) << text.error().reason;
  EXPECT_THAT(*text,
              HasSubstr("    xe[2]: {nets: {net: tcp, address: 10.128.0.2}, group: xe, module "
                        "parameters: xe}\n"));
  EXPECT_THAT(*text,
              HasSubstr("    nid00068: {nets: [{net: tcp, rate: 26MB/s, address: 10.128.0.3}, "
                        "{net: [tcp6000], switch: left0, rate: 26MB/s, address: "
                        "10.10.100.101}], routing: yes, group: routers-xe, module "
                        "parameters: routers-xe}\n"));
  EXPECT_THAT(*text, HasSubstr("    xe: |\n        options lnet ip2nets=\"tcp 10.128.*.*\"\n"));
  EXPECT_THAT(*text, Not(HasSubstr("@gni")));
  EXPECT_THAT(*text, Not(HasSubstr("o2ib")));
}

TEST(LabPlan, AddressesMatchOnlyTheClientsPatterns) {
  Site site = paper_site();
  site.clients[0].addresses = "10.10.100.[101-103] 10.9.0.255 10.1.*.[5-6]";
  const Plan plan = *make_plan(site);
  LabPlan lab = lab_plan(plan);
  const auto given = give_addresses(lab, plan, 3);
  ASSERT_TRUE(given) << given.error().reason;
  const Address pair = 10U << 24 | 1U << 16 | 5;
  EXPECT_THAT(given->at(0), ElementsAre(10U << 24 | 9U << 16 | 255, pair, pair + 1))
      << "10.10.100.101 to 103 are routers'";
  EXPECT_EQ(lab.plan.site.clients[0].routers[0].client_nid.to_string(), "10.1.1.5@tcp");
  EXPECT_EQ(lab.plan.site.clients[0].routers[1].client_nid.to_string(), "10.1.1.6@tcp");

  site.clients[0].addresses = "10.1.0.[1-4]";
  const Plan few = *make_plan(site);
  LabPlan small = lab_plan(few);
  const auto refused = give_addresses(small, few, 3);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason,
            "xe: its addresses 10.1.0.[1-4] are too few for 3 clients and 18 routers of a "
            "laboratory");
}

}  // namespace
}  // namespace ulnet::plan

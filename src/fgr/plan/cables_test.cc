#include "fgr/plan/cables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fgr/plan/plan_fixture.h"

namespace ulnet::plan {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(Cables, ThePapersSystem) {
  const Plan plan = *make_plan(paper_site());
  const auto by_router = cables_of(plan, CableOrder::kRouters);
  ASSERT_EQ(by_router.size(), 18U + 14U);
  EXPECT_EQ(by_router[0].host, "nid00068");
  EXPECT_EQ(by_router[0].groups, "home 000");
  EXPECT_EQ(by_router[2].host, "nid00750");
  EXPECT_EQ(by_router[2].address, "10.10.100.103");
  EXPECT_EQ(by_router[2].groups, "home 002, 000, 004") << "the groups of its primary routes first";
  const auto by_server = cables_of(plan, CableOrder::kServers);
  EXPECT_EQ(by_server[0].host, "snx11001n002");
  EXPECT_EQ(by_server[2].groups, "home 002");
  EXPECT_FALSE(by_server[13].router);
  EXPECT_TRUE(by_server[14].router);
  const auto by_switch = cables_of(plan, CableOrder::kSwitches);
  for (std::size_t i = 1; i < by_switch.size(); ++i) {
    EXPECT_LE(by_switch[i - 1].at_switch, by_switch[i].at_switch);
    const bool same = by_switch[i - 1].at_switch == by_switch[i].at_switch;
    EXPECT_TRUE(!same || by_switch[i - 1].router || !by_switch[i].router);
  }
}

TEST(Cables, AreATableAndAFile) {
  std::vector<Cable> cables = {{"r1", "c0-0", "10.0.0.1", "left", "home 002, 004", true},
                               {"oss \"a\"", "", "10.0.0.22", "l", "home 002", false}};
  EXPECT_EQ(cable_text(cables),
            "host     place  address    switch  groups\n"
            "r1       c0-0   10.0.0.1   left    home 002, 004\n"
            "oss \"a\"         10.0.0.22  l       home 002\n");
  EXPECT_EQ(
      cable_csv(cables),
      "host,place,adapter GUID,adapter port,address,cable,rate,switch,switch place,switch GUID,"
      "switch port,groups\r\n"
      "r1,c0-0,,,10.0.0.1,,,left,,,,\"home 002, 004\"\r\n"
      "\"oss \"\"a\"\"\",,,,10.0.0.22,,,l,,,,home 002\r\n");
}

}  // namespace
}  // namespace ulnet::plan

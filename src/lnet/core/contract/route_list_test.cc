// spec/multirail.md 9.2.
#include "lnet/core/contract/route_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <set>

namespace ulnet::core {
namespace {

using testing::ElementsAre;

constexpr NetId kFar{NetType::kTcp, 1}, kFarther{NetType::kTcp, 2};
Nid gateway(std::uint32_t i) { return Nid::small({NetType::kTcp, 0}, 0x0a000000U + i); }

std::vector<Nid> gateways_to(const RouteList& list, NetId net) {
  std::vector<Nid> all;
  const auto found = list.nets().find(net);
  if (found == list.nets().end()) return all;
  for (const Route& route : found->second) all.push_back(route.gateway);
  return all;
}

TEST(RouteList, KeepsTheRoutesOfANetInThePlacesThatWereDrawn) {  // spec/multirail.md 9.2
  RouteList list;
  ASSERT_TRUE(list.add({kFar, gateway(1)}, 0));
  ASSERT_TRUE(list.add({kFar, gateway(2)}, 0));
  ASSERT_TRUE(list.add({kFar, gateway(3)}, 1));
  ASSERT_TRUE(list.add({kFar, gateway(4)}, 99));
  ASSERT_TRUE(list.add({kFarther, gateway(1)}, 0));
  EXPECT_THAT(gateways_to(list, kFar), ElementsAre(gateway(2), gateway(3), gateway(1), gateway(4)));
  EXPECT_EQ(list.size(), 5U);
  EXPECT_TRUE(list.has_gateway(gateway(4)));
  EXPECT_FALSE(list.has_gateway(gateway(5)));
}

TEST(RouteList, HasOneRouteToANetByAGateway) {  // spec/multirail.md 9.2
  RouteList list;
  ASSERT_TRUE(list.add({kFar, gateway(1)}, 0));
  EXPECT_EQ(list.add({kFar, gateway(1), 2, 7}, 0).error().code, -EEXIST);
  EXPECT_EQ(list.size(), 1U);
}

TEST(RouteList, KnowsTheNetsOfEachGateway) {
  RouteList list;
  for (const NetId net : {kFar, kFarther})
    for (std::uint32_t i = 1; i <= 3; ++i) ASSERT_TRUE(list.add({net, gateway(i)}, 0));
  EXPECT_EQ(list.by_gateway().size(), 3U);
  EXPECT_EQ(list.by_gateway().at(gateway(2)), (std::set<NetId>{kFar, kFarther}));
  ASSERT_TRUE(list.del(kFar, gateway(2)));
  EXPECT_FALSE(list.has(kFar, gateway(2)));
  EXPECT_TRUE(list.has(kFarther, gateway(2)));
  EXPECT_TRUE(list.has_gateway(gateway(2)));
  ASSERT_TRUE(list.del(kFarther, std::nullopt));
  EXPECT_FALSE(list.has_gateway(gateway(2)));
  EXPECT_EQ(list.by_gateway().size(), 2U);
  EXPECT_EQ(list.size(), 2U);
}

TEST(RouteList, TakesAsManyRoutesToOneNetAsThereMayBe) {  // adding costs the same each time
  RouteList list;
  constexpr std::uint32_t kMany = 65'536;
  for (std::uint32_t i = 0; i < kMany; ++i) ASSERT_TRUE(list.add({kFar, gateway(i)}, i / 2));
  EXPECT_EQ(list.size(), kMany);
  EXPECT_EQ(gateways_to(list, kFar).size(), kMany);
  EXPECT_EQ(list.add({kFar, gateway(77)}, 0).error().code, -EEXIST);
}

TEST(RouteList, HopsAreOneTo255OrUndefined) {  // spec/multirail.md 9.2
  RouteList list;
  for (const std::int32_t bad : {0, -2, 256}) {
    EXPECT_EQ(list.add({kFar, gateway(1), bad}, 0).error().code, -EINVAL) << bad;
    EXPECT_EQ(list.size(), 0U);
  }
  EXPECT_TRUE(list.add({kFar, gateway(1), 255}, 0));
  EXPECT_TRUE(list.add({kFar, gateway(2), kHopsUndefined}, 0));
  EXPECT_EQ(list.nets().at(kFar).front().distance(), 1);
}

TEST(RouteList, RoutesGoByNetByGatewayOrBoth) {  // spec/multirail.md 9.2
  RouteList list;
  for (const NetId net : {kFar, kFarther})
    for (std::uint32_t i = 1; i <= 3; ++i) ASSERT_TRUE(list.add({net, gateway(i)}, 99));
  EXPECT_EQ(list.del(kFar, gateway(2)).value(), 1U);
  EXPECT_EQ(list.del(kFar, gateway(2)).error().code, -ENOENT);
  EXPECT_EQ(list.del({}, gateway(3)).value(), 2U);
  EXPECT_THAT(gateways_to(list, kFarther), ElementsAre(gateway(1), gateway(2)));
  EXPECT_EQ(list.del(kFarther, {}).value(), 2U);
  EXPECT_EQ(list.nets().size(), 1U);
  EXPECT_EQ(list.size(), 1U);
}

}  // namespace
}  // namespace ulnet::core

// Messages that cross routers: clients on one net, servers on another, and what is between them.
// spec/multirail.md 3.3, 9.7, spec/core-semantics.md 10.3. Watched by all checkers.
#include "routed_world.h"

namespace ulnet::sim {
namespace {

TEST_P(RoutedWorld, OneRouterBetweenAClientAndAServer) {
  SimNode& client = node("client", {rail(1)}, {{kSecond, rail(9)}});
  SimNode& server = node("server", {rail(2, 1, 1)}, {{kFirst, rail(9, 1, 1)}});
  SimNode& router = node("router", {rail(9), rail(9, 1, 1)}, {}, true);
  for (const Op op : {Op::kGet, Op::kPutAck, Op::kPut}) works(client, server, op);
  const core::GlobalStats at_router = counted(router);
  EXPECT_GT(at_router.route_count, 300U);
  EXPECT_EQ(at_router.drop_count, 0U);
  expect_idle(router);
}

TEST_P(RoutedWorld, TwoRoutersBesideEachOtherShareTheMessages) {  // 3.3, observed-routing.md 1.1
  SimNode& client = node("client", {rail(1)}, {{kSecond, rail(8)}, {kSecond, rail(9)}});
  SimNode& server =
      node("server", {rail(2, 1, 1)}, {{kFirst, rail(8, 1, 1)}, {kFirst, rail(9, 1, 1)}});
  SimNode& one = node("one", {rail(8), rail(8, 1, 1)}, {}, true);
  SimNode& two = node("two", {rail(9), rail(9, 1, 1)}, {}, true);
  works(client, server, Op::kPutAck);
  const auto first = static_cast<double>(counted(one).route_count);
  const auto second = static_cast<double>(counted(two).route_count);
  EXPECT_GT(first, 0.8 * second);
  EXPECT_GT(second, 0.8 * first);
}

TEST_P(RoutedWorld, TwoRoutersOneBehindTheOther) {  // 9.7, observed-routing.md 2
  SimNode& client = node("client", {rail(1)}, {{kThird, rail(8)}});
  SimNode& server = node("server", {rail(2, 2, 2)}, {{kFirst, rail(9, 2, 2)}});
  SimNode& first = node("first", {rail(8), rail(8, 1, 1)}, {{kThird, rail(9, 1, 1)}}, true);
  SimNode& second = node("second", {rail(9, 1, 1), rail(9, 2, 2)}, {{kFirst, rail(8, 1, 1)}}, true);
  for (const Op op : {Op::kGet, Op::kPutAck}) works(client, server, op);
  EXPECT_EQ(counted(first).route_count, counted(second).route_count);
  expect_idle(first);
  expect_idle(second);
}

TEST_P(RoutedWorld, ARouterBetweenNetsOfDifferentDrivers) {
  constexpr NetId kFabric{NetType::kO2ib, 0};
  const auto on_fabric = [&](std::uint32_t host) {
    return Nid::small(kFabric, 0x0a000000U + host);
  };
  SimNode& client = node("client", {on_fabric(1)}, {{kFirst, on_fabric(9)}});
  SimNode& server = node("server", {rail(2)}, {{kFabric, rail(9)}});
  SimNode& router = node("router", {on_fabric(9), rail(9)}, {}, true);
  for (const Op op : {Op::kGet, Op::kPutAck, Op::kPut}) works(client, server, op);
  EXPECT_GT(counted(router).route_count, 300U);
  expect_idle(router);
}

INSTANTIATE_TEST_SUITE_P(Shapes, RoutedWorld, kShapes, name_of);

}  // namespace
}  // namespace ulnet::sim

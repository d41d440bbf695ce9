// Messages that cross routers: clients on one net, servers on another, and routers between them.
// spec/multirail.md 3.3, 9.7, spec/core-semantics.md 10.3. All checkers watch.
#include "routed_world.h"
#include "upstream.h"

namespace ulnet::sim {
namespace {

TEST_P(RoutedWorld, OneRouterBetweenAClientAndAServer) {  // spec/core-semantics.md 10.3.3, 18.14
  SimNode& client = node("client", {rail(1)}, {{kSecond, rail(9)}});
  SimNode& server = node("server", {rail(2, 1, 1)}, {{kFirst, rail(9, 1, 1)}});
  SimNode& router = node("router", {rail(9), rail(9, 1, 1)}, {}, true);
  for (const Op op : {Op::kGet, Op::kPutAck, Op::kPut}) works(client, server, op);
  const core::GlobalStats at_router = counted(router);
  EXPECT_GT(at_router.route_count, 300U);
  EXPECT_EQ(at_router.drop_count, 0U);
  expect_idle(router);
}

// spec/multirail.md 3.3.5; spec/observed-routing.md 1.1
TEST_P(RoutedWorld, TwoRoutersBesideEachOtherShareTheMessages) {
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

// spec/multirail.md 9.7; spec/observed-routing.md 2
TEST_P(RoutedWorld, TwoRoutersOneBehindTheOther) {
  SimNode& client = node("client", {rail(1)}, {{kThird, rail(8)}});
  SimNode& server = node("server", {rail(2, 2, 2)}, {{kFirst, rail(9, 2, 2)}});
  SimNode& first = node("first", {rail(8), rail(8, 1, 1)}, {{kThird, rail(9, 1, 1)}}, true);
  SimNode& second = node("second", {rail(9, 1, 1), rail(9, 2, 2)}, {{kFirst, rail(8, 1, 1)}}, true);
  for (const Op op : {Op::kGet, Op::kPutAck}) works(client, server, op);
  EXPECT_EQ(counted(first).route_count, counted(second).route_count);
  expect_idle(first);
  expect_idle(second);
}

TEST_P(RoutedWorld, ARouterBetweenNetsOfDifferentDrivers) {  // spec/core-semantics.md 10.3.3
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

/// Three routers, each of which sends messages for kNowhere to the next one, and a client and a
/// server that two of the routers join.
class RoutingLoop : public RoutedWorld {
 protected:
  static constexpr NetId kNowhere{NetType::kTcp, 7};
  RoutingLoop() : RoutedWorld(Loops::kExpected) {
    globals.alive_router_check_interval = globals.router_ping_timeout = 5;
  }
  /// The first router is a neighbour of the nodes on kFirst and kSecond.
  std::vector<SimNode*> circle() {
    return {&node("one", {rail(7), rail(7, 1, 1)}, {{kNowhere, rail(8, 1, 1)}}, true),
            &node("two", {rail(8, 1, 1), rail(8, 2, 2)}, {{kNowhere, rail(9, 2, 2)}}, true),
            &node("three", {rail(9, 2, 2), rail(9)}, {{kNowhere, rail(7)}}, true)};
  }
  /// How many of the routers have found the loop.
  int found(const std::vector<SimNode*>& routers) {
    int count = 0;
    for (SimNode* router : routers)
      for (const core::RouteRow& row :
           does(Person{given.world, *router}, core::call::ShowRoutes{}).routes)
        count += row.trouble == core::RouteTrouble::kLoop ? 1 : 0;
    return count;
  }
  static std::uint64_t forwarded(const std::vector<SimNode*>& routers) {
    std::uint64_t sum = 0;
    for (const SimNode* router : routers) sum += counted(*router).route_count;
    return sum;
  }
};

TEST_P(RoutingLoop, IsFoundAndOthersDoNotNotice) {
  SimNode& client = node("client", {rail(1)}, {{kNowhere, rail(7)}, {kSecond, rail(7)}});
  SimNode& server = node("server", {rail(2, 1, 1)}, {{kFirst, rail(7, 1, 1)}});
  const std::vector<SimNode*> routers = circle();
  given.runs_for(seconds(6));
  const Person user{given.world, client};
  EXPECT_LT(pinged(user, rail(5, 7, 7)), 0);
  works(client, server, Op::kPutAck);
  EXPECT_GE(found(routers), 1) << "one is enough to break it";
  const std::uint64_t before = forwarded(routers);
  given.runs_for(seconds(4));
  EXPECT_LE(forwarded(routers), before + 12) << "nothing goes round any more";
  for (const SimNode* router : routers) expect_idle(*router);
}

TEST_P(RoutingLoop, IsFoundAgainUntilItIsRepaired) {
  SimNode& client = node("client", {rail(1)}, {{kNowhere, rail(7)}});
  const std::vector<SimNode*> routers = circle();
  given.runs_for(seconds(6));
  const Person user{given.world, client};
  for (int i = 0; i < 3; ++i) {
    const std::uint64_t before = forwarded(routers);
    EXPECT_LT(pinged(user, rail(5, 7, 7)), 0);
    EXPECT_GE(found(routers), 1);
    EXPECT_LT(forwarded(routers), before + 40) << "it goes round a few times, not for ever";
    given.runs_for(seconds(31));
    EXPECT_EQ(found(routers), 0);
  }
  routers[2]->configure(core::RouteList::none());
  EXPECT_LT(pinged(user, rail(5, 7, 7)), 0);
  EXPECT_EQ(found(routers), 0);
}

INSTANTIATE_TEST_SUITE_P(Shapes, RoutingLoop, kShapes, name_of);

}  // namespace
}  // namespace ulnet::sim

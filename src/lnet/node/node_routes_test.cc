// Routes and routing of a live node. Source: spec/multirail.md 9.1, 9.2, spec/cli-lnetctl.md 9.2.
#include "lnet/node/node_fixture.h"

namespace ulnet::node {
namespace {

class NodeRoutes : public TwoNodes {
 protected:
  static core::Route route(const char* net, const std::string& gateway, std::int32_t hops = -1,
                           std::uint32_t priority = 0) {
    return {*NetId::parse(net), *Nid::parse(gateway), hops, priority};
  }
  std::string on_my_net(int host) const {
    std::string text = id_a_.nid.to_string();
    const auto at = text.find('@');
    return text.substr(0, text.rfind('.', at)) + "." + std::to_string(host) + text.substr(at);
  }
};
INSTANTIATE_TEST_SUITE_P(Modes, NodeRoutes, testing::Values(Mode::kInline, Mode::kShared),
                         mode_name);

TEST_P(NodeRoutes, AddRefusesImpossibleRoutes) {  // spec/multirail.md 9.2
  const std::string there = "-17 Route already exists or the specified network is local";
  const std::string wrong = "-22 invalid settings for route creation";
  const std::string gateway = on_my_net(200);
  EXPECT_EQ(said(a_->change(add_route(route("tcp7", gateway)))), "0");
  EXPECT_EQ(said(a_->change(add_route(route("tcp7", gateway, 2, 5)))), there)
      << "whatever its hops";
  EXPECT_EQ(said(a_->change(add_route(route("tcp", "10.0.0.9@tcp7")))), there) << "a local net";
  EXPECT_EQ(said(a_->change(add_route(route("tcp", gateway)))), wrong);
  EXPECT_EQ(said(a_->change(add_route(route("tcp7", "0@lo")))), wrong);
  EXPECT_EQ(said(a_->change(add_route({*NetId::parse("tcp7"), Nid()}))), wrong);
  EXPECT_EQ(said(a_->change(add_route({NetId::loopback(), *Nid::parse(gateway)}))), wrong);
  EXPECT_EQ(said(a_->change(add_route(route("tcp8", "10.0.0.9@tcp9")))),
            "-113 No interface configured on the same net as gateway");
  EXPECT_EQ(a_->change(add_route(route("tcp8", gateway, 256))).error().code, -EINVAL);
  EXPECT_EQ(a_->change(add_route(route("tcp8", gateway, 0))).error().code, -EINVAL);
  EXPECT_EQ(said(a_->change(add_route(route("tcp9", id_a_.nid.to_string())))), "0")
      << "accepted, and down";
  const auto shown = routes_of(*a_);
  ASSERT_EQ(shown.routes.size(), 2U);
  EXPECT_EQ(shown.routes[0].route, route("tcp7", gateway));
  EXPECT_EQ(shown.routes[1].trouble, core::RouteTrouble::kSelf);
  EXPECT_TRUE(shown.routes[1].multi_hop);
}

TEST_P(NodeRoutes, ARejectedPingIsExplained) {
  PingRequest request;
  request.target = {*Nid::parse("10.0.0.1@tcp7"), Pid::lustre()};
  EXPECT_EQ(said(a_->ping(request)), "-113 this node has no net tcp7, and no route to it");
  const std::string self = id_a_.nid.to_string();
  ASSERT_TRUE(a_->change(add_route(route("tcp7", self))));
  const std::string down = "-113 no route to tcp7 is up: " + self + ": the gateway is this node";
  EXPECT_EQ(said(a_->ping(request)), down);
  EXPECT_EQ(said(a_->discover(request.target.nid, false)), down);
}

TEST_P(NodeRoutes, ARoutedNetCannotBecomeLocal) {  // spec/multirail.md 2.1
  ASSERT_TRUE(a_->change(add_route(route("tcp7", on_my_net(200)))));
  conf::NiItem ni;
  ni.interface = "lo";
  EXPECT_EQ(said(a_->change(AddNi{*NetId::parse("tcp7"), ni})),
            "-87 routes lead to tcp7, so this node cannot be on it: 'route del --net tcp7' first");
}

TEST_P(NodeRoutes, RemovingANetRemovesItsRoutes) {  // spec/multirail.md 2.1
  ASSERT_TRUE(a_->change(add_route(route("tcp7", on_my_net(200)))));
  ASSERT_TRUE(a_->change(DelNi{*NetId::parse("tcp")}));
  EXPECT_TRUE(routes_of(*a_).routes.empty());
  EXPECT_TRUE(routes_of(*a_).gateways.empty());
}

TEST_P(NodeRoutes, TheRoutesThatExistAreDeleted) {  // spec/multirail.md 9.2
  const std::string one = on_my_net(200), two = on_my_net(201);
  for (const char* net : {"tcp7", "tcp8", "tcp9"})
    for (const std::string& gateway : {one, two})
      ASSERT_TRUE(a_->change(add_route(route(net, gateway))));
  EXPECT_EQ(routes_of(*a_).gateways.size(), 2U);
  const NetId tcp7 = *NetId::parse("tcp7"), tcp8 = *NetId::parse("tcp8");
  const Nid first = *Nid::parse(one);
  EXPECT_EQ(said(a_->change(DelRoutes{{{tcp7, first}}})), "0");
  EXPECT_EQ(said(a_->change(DelRoutes{{{tcp7, first}}})), "-2 failed to delete route");
  EXPECT_EQ(said(a_->change(DelRoutes{{{tcp7, *Nid::parse("10.9.9.9@tcp")}}})), "0")
      << "nobody knows it";
  const DelRoutes several{{{tcp8, first}, {tcp7, first}, {tcp8, *Nid::parse(two)}}};
  EXPECT_EQ(said(a_->change(several)), "-2 failed to delete route: no route to tcp7 through " +
                                           one + "; the routes that existed are deleted");
  EXPECT_EQ(said(a_->change(DelRoutes{{route("tcp9", one)}})), "0");
  const auto left = routes_of(*a_);
  ASSERT_EQ(left.routes.size(), 2U);
  EXPECT_EQ(left.routes[0].route, route("tcp7", two));
  EXPECT_EQ(left.routes[1].route, route("tcp9", two));
  ASSERT_EQ(left.gateways.size(), 1U);
  EXPECT_EQ(left.gateways[0].routes, 2U);
}

TEST_P(NodeRoutes, ARoutesPositionIsRandom) {  // spec/multirail.md 9.2
  // 200 routes to one net: if places are random, they practically never all stay in the order in
  // which they were added.
  std::vector<Nid> asked;
  AddRoutes all;
  for (int host = 20; host < 220; ++host) {
    asked.push_back(*Nid::parse(on_my_net(host)));
    all.routes.push_back({{*NetId::parse("tcp7"), asked.back()}});
  }
  ASSERT_TRUE(a_->change(all));
  std::vector<Nid> shown;
  for (const core::RouteRow& row : routes_of(*a_).routes) shown.push_back(row.route.gateway);
  EXPECT_NE(shown, asked);
  std::ranges::sort(shown);
  std::ranges::sort(asked);
  EXPECT_EQ(shown, asked);
}

TEST_P(NodeRoutes, AListComesIntoForceInOneSnapshot) {
  std::vector<conf::RouteItem> list;
  for (std::uint16_t net = 1; net <= 20; ++net)
    for (int gateway = 1; gateway <= 100; ++gateway)
      list.push_back(
          {{{NetType::kTcp, net}, *Nid::parse("10.7.0." + std::to_string(gateway) + "@tcp")}});
  const auto before = a_->state().generation;
  EXPECT_EQ(said(a_->change(AddRoutes{list})), "0");
  EXPECT_EQ(a_->state().generation, before + 1);
  const auto shown = routes_of(*a_);
  EXPECT_EQ(shown.routes.size(), 2000U);
  EXPECT_EQ(shown.gateways.size(), 100U);
}

TEST_P(NodeRoutes, AListIsAddedAsAWholeOrNotAtAll) {
  const std::string one = on_my_net(200);
  ASSERT_TRUE(a_->change(add_route(route("tcp8", one))));
  const AddRoutes list{{{route("tcp7", one)}, {route("tcp8", one)}, {route("tcp9", one)}}};
  EXPECT_EQ(a_->change(list).error().code, -EEXIST);
  ASSERT_EQ(routes_of(*a_).routes.size(), 1U);
  EXPECT_EQ(routes_of(*a_).routes[0].route, route("tcp8", one));
}

// spec/cli-lnetctl.md 9.2; spec/multirail.md 9.2
TEST_P(NodeRoutes, OnlyThisNodesPartOfASharedTextCounts) {
  const Nid me = id_a_.nid, other = *Nid::parse(on_my_net(200));
  const NetId tcp = *NetId::parse("tcp"), far = *NetId::parse("tcp7");
  const std::vector<conf::RouteItem> list = {{{tcp, *Nid::parse("10.0.0.1@tcp7")}, true},
                                             {{far, *Nid::parse("10.0.0.1@tcp8")}, true},
                                             {{far, other}, true}};
  EXPECT_EQ(said(a_->change(AddRoutes{list})), "0");
  EXPECT_EQ(routes_of(*a_).routes.size(), 1U)
      << "the others lead to a net of this node, or by a gateway on no net of this node";
  EXPECT_FALSE(a_->routing().was_on);

  EXPECT_EQ(said(a_->change(AddRoutes{{{{far, me}, true}}})), "0");
  EXPECT_EQ(routes_of(*a_).routes.size(), 1U);
  EXPECT_EQ(a_->routing().now.state, core::RoutingState::kEnabled)
      << "this node is the gateway: it routes, at once";
}

TEST_P(NodeRoutes, RoutingStartsAndStopsGracefully) {  // spec/multirail.md 9.1
  EXPECT_EQ(a_->routing().now.state, core::RoutingState::kDisabled);
  EXPECT_FALSE(a_->routing().was_on);
  EXPECT_EQ(said(a_->change(SetRouting{.buffers = {16, 8, 4}})), "0");
  EXPECT_EQ(said(a_->change(SetRouting{.buffers = {std::nullopt, 12, std::nullopt}})), "0");
  EXPECT_EQ(a_->change(SetRouting{.buffers = {-1, std::nullopt, std::nullopt}}).error().code,
            -EINVAL);
  EXPECT_EQ(said(a_->change(SetRouting{true})), "0");
  EXPECT_EQ(said(a_->change(SetRouting{true})), "0") << "routing is on already";
  auto shown = a_->routing();
  EXPECT_EQ(shown.now.state, core::RoutingState::kStarting);
  EXPECT_TRUE(shown.was_on);
  EXPECT_EQ(shown.wanted.buffers, (std::array<std::int32_t, 3>{16, 12, 4}));
  ASSERT_EQ(shown.now.pools.size(), 3 * a_->cpts());
  std::int32_t tiny = 0;
  for (std::size_t i = 0; i < shown.now.pools.size(); i += 3) tiny += shown.now.pools[i].buffers;
  EXPECT_GE(tiny, 16);

  EXPECT_EQ(said(a_->change(SetRouting{false})), "0");
  EXPECT_EQ(a_->routing().now.state, core::RoutingState::kStopping);
  EXPECT_EQ(said(a_->change(SetRouting{true})), "-16 routing is being turned off");
  EXPECT_EQ(said(a_->change(SetRouting{false})), "0");
}

TEST(NodeStart, ForwardingEnabledRoutesAtOnce) {  // spec/multirail.md 9.1
  NodeOptions options;
  options.mode = Mode::kInline;
  options.params = {{"forwarding", "enabled"}, {"tiny_router_buffers", "512"}};
  auto node = Node::start(options);
  ASSERT_TRUE(node) << node.error().reason;
  const auto shown = (*node)->routing();
  EXPECT_EQ(shown.now.state, core::RoutingState::kEnabled);
  EXPECT_TRUE(shown.was_on);
  EXPECT_EQ(shown.wanted.buffers[0], 512);
  options.params["forwarding"] = "perhaps";
  EXPECT_EQ(Node::start(options).error().code, -EINVAL);
}

// 9.4. The first gateway's address has no node; the second one's has a router.
TEST(NodeStart, WithCheckRoutersBeforeUseItWaitsForTheFirstChecks) {  // spec/multirail.md 9.4
  for (const Mode mode : {Mode::kInline, Mode::kShared}) {
    const std::string mine = own_address(1), nobody = own_address(2), gateway = own_address(3);
    NodeOptions options;
    options.params = {{"accept", "trust"}, {"accept_port", free_port()}};
    options.params["accept_port_bulk"] = options.params["accept_port"];
    NodeOptions of_router = options;
    of_router.params["forwarding"] = "enabled";
    of_router.networks = "tcp(" + gateway + "),tcp7(" + own_address(4) + ")";
    const auto router = ulnet::Node::start(of_router);
    ASSERT_TRUE(router) << router.error().reason;
    options.mode = mode;
    options.networks = "tcp(" + mine + ")";
    options.params["routes"] = "tcp7 " + nobody + "@tcp; tcp7 " + gateway + "@tcp";
    options.params["check_routers_before_use"] = "1";
    const auto started = ulnet::Node::start(options);
    ASSERT_TRUE(started) << started.error().reason;
    const auto shown = routes_of(dynamic_cast<Node&>(**started));
    ASSERT_EQ(shown.routes.size(), 2U);
    for (const core::RouteRow& row : shown.routes) {  // in the order that the node drew
      const bool dead = row.route.gateway.to_string() == nobody + "@tcp";
      EXPECT_EQ(row.trouble, dead ? core::RouteTrouble::kSilent : core::RouteTrouble::kNone);
    }
  }
}

TEST(NodeStart, TheParametersOfPeersThatOnlyTrafficMade) {
  NodeOptions options;
  options.mode = Mode::kInline;
  options.params = {{"peer_idle_timeout", "30"}};
  auto node = Node::start(options);
  ASSERT_TRUE(node) << node.error().reason;
  EXPECT_EQ((*node)->state().globals.peer_idle_timeout, 30);
  EXPECT_EQ((*node)->state().globals.max_peers, 65536);
  ASSERT_TRUE((*node)->change(SetParams{{{"peer_idle_timeout", "0"}}}));
  ASSERT_TRUE((*node)->change(SetParams{{{"max_peers", "100"}}}));
  EXPECT_EQ((*node)->state().globals.peer_idle_timeout, 0) << "also while the node runs";
  EXPECT_EQ((*node)->state().globals.max_peers, 100);
  EXPECT_FALSE((*node)->change(SetParams{{{"max_peers", "0"}}}));
}

TEST(NodeStart, TheParametersOfRouters) {  // spec/cli-lnetctl.md 11.3
  NodeOptions options;
  options.mode = Mode::kInline;
  options.params = {{"alive_router_check_interval", "10"},
                    {"router_ping_timeout", "5"},
                    {"avoid_asym_router_failure", "0"},
                    {"auto_down", "0"}};
  auto node = Node::start(options);
  ASSERT_TRUE(node) << node.error().reason;
  auto globals = (*node)->state().globals;
  EXPECT_EQ(globals.alive_router_check_interval, 10);
  EXPECT_EQ(globals.router_ping_timeout, 5);
  EXPECT_FALSE(globals.avoid_asym_router_failure);
  EXPECT_FALSE(globals.auto_down);
  ASSERT_TRUE((*node)->change(SetParams{{{"avoid_asym_router_failure", "1"}}}));
  ASSERT_TRUE((*node)->change(SetParams{{{"check_routers_before_use", "1"}}}));
  EXPECT_TRUE((*node)->state().globals.avoid_asym_router_failure) << "also while the node runs";
  EXPECT_TRUE((*node)->routing().wanted.check_before_use);
  EXPECT_EQ((*node)->change(SetParams{{{"forwarding", "enabled"}}}).error().code, -EBUSY);
}

}  // namespace
}  // namespace ulnet::node

// The use cases of the Multi-Rail design with routers: routers with and without multi-rail between
// nodes with and without, routers whose software changes, and routes that change in a running
// cluster. use_cases_test.cc has the other cases, and the meaning of "downrev". spec/multirail.md
// 3.3, 3.4, 9.2, 9.3, 9.7.
#include "routed_world.h"

namespace ulnet::sim {
namespace {

using wire::MsgType;

constexpr std::uint32_t kPortal = 5;
const Posting kLargePosting{.bytes = 1 << 20};

const Nid kClient = rail(1), kClient2 = rail(1, 1);
const Nid kServer = rail(2, 2, 1), kServer2 = rail(2, 3, 1);
const Nid kNear = rail(9), kNear2 = rail(9, 1), kFar = rail(9, 2, 1), kFar2 = rail(9, 3, 1);

/// The number of PUTs that the node has sent by this NI, to any neighbour and for any target.
std::uint64_t puts_by(const SimNode& node, const Nid& ni) {
  std::uint64_t sum = 0;
  for (std::uint32_t shard = 0; shard < node.shards(); ++shard)
    if (const core::LocalNi* at = node.shard_state(shard)->nis.find(ni))
      sum += at->traffic.sent.put;
  return sum;
}

// ---- all nodes with today's software: with both drivers, with one and several partitions

class RoutedUseCase : public RoutedWorld {};

// 4. Uprev clients and servers with multi-rail, and an uprev router with several NIs on each net.
// Both ends discover each other through the router, and messages use all rails of all three.
TEST_P(RoutedUseCase, Static4ClientsServersAndRouters) {  // spec/multirail.md 9.7
  SimNode& client = node("client", {kClient, kClient2}, {{kSecond, kNear}});
  SimNode& server = node("server", {kServer, kServer2}, {{kFirst, kFar}});
  SimNode& router = node("router", {kNear, kNear2, kFar, kFar2}, {}, true);
  for (const Op op : {Op::kGet, Op::kPutAck}) works(client, server, op);
  for (const auto& [who, nids] : {std::pair{&client, std::vector{kServer, kServer2}},
                                  std::pair{&server, std::vector{kClient, kClient2}}}) {
    const core::Peer* peer = who->shard_state()->directory.find(nids[1]);
    ASSERT_NE(peer, nullptr) << who->name();
    EXPECT_EQ(std::vector<Nid>(peer->nids().begin(), peer->nids().end()), nids);
    EXPECT_TRUE(peer->has(core::kPeerMultiRail));
  }
  const core::Peer* gateway = client.shard_state()->directory.find(kNear2);
  ASSERT_NE(gateway, nullptr);
  EXPECT_TRUE(gateway->has(core::kPeerMultiRail));
  const std::uint64_t one = puts_by(client, kClient), two = puts_by(client, kClient2);
  EXPECT_GT(one, 0.8 * static_cast<double>(two));
  EXPECT_GT(two, 0.8 * static_cast<double>(one));
  for (const Nid& nid : {kFar, kFar2}) EXPECT_GT(puts_by(router, nid), one / 2) << nid.to_string();
  expect_idle(router);
}

// Live 3. Routes are added: before that there is no path to the far net, afterwards messages cross
// the router in both directions.
TEST_P(RoutedUseCase, Live3RoutesAreAdded) {  // spec/multirail.md 9.2
  SimNode& client = node("client", {kClient}, {});
  SimNode& server = node("server", {kServer}, {});
  SimNode& router = node("router", {kNear, kFar}, {}, true);
  Person at_client(given.world, client);
  Lent& put = at_client.puts({.to = server.id()});
  given.runs_for(seconds(1));
  EXPECT_EQ(put.reported(), "SEND -113 (last)");
  EXPECT_EQ(counted(router).route_count, 0U);

  client.configure(routes({{kSecond, kNear}}));
  server.configure(routes({{kFirst, kFar}}));
  given.runs_for(seconds(1));
  for (const Op op : {Op::kGet, Op::kPutAck}) works(client, server, op);
  EXPECT_GT(counted(router).route_count, 400U);
}

// Live 4. Routes are deleted while messages are under way. Through the remaining router all traffic
// goes on, and each operation succeeds or its caller gets an error; without any route each new one
// ends at once.
TEST_P(RoutedUseCase, Live4RoutesAreDeleted) {  // spec/multirail.md 9.2
  const Nid near2 = rail(8), far2 = rail(8, 2, 1);
  SimNode& client = node("client", {kClient}, {{kSecond, kNear}, {kSecond, near2}});
  SimNode& server = node("server", {kServer}, {{kFirst, kFar}, {kFirst, far2}});
  SimNode& one = node("one", {kNear, kFar}, {}, true);
  SimNode& two = node("two", {near2, far2}, {}, true);
  Person at_client(given.world, client);
  {
    const Target target(server);
    Users users(client, server.id(), Op::kPutAck, 12);
    given.runs_for(seconds(1));
    EXPECT_GT(counted(one).route_count, 50U);
    client.configure(routes({{kSecond, near2}}));
    server.configure(routes({{kFirst, far2}}));
    given.runs_for(seconds(1));
    const std::uint64_t by_one = counted(one).route_count, by_two = counted(two).route_count;
    given.runs_for(seconds(1));
    EXPECT_EQ(counted(one).route_count, by_one);
    EXPECT_GT(counted(two).route_count, by_two + 100);

    client.configure(core::RouteList::none());
    users.begin_no_more();
    const auto all_ended = [&](World&) { return users.under_way() == 0; };
    EXPECT_TRUE(given.world.run_until(all_ended, {.time = seconds(60)}).reached());
    EXPECT_EQ(users.account.unreported, 0U);
    EXPECT_LE(users.account.reported(), 12U) << "at most those that were under way at the end";
  }
  Lent& put = at_client.puts({.to = server.id(), .bits = {99}});
  given.runs_for(seconds(1));
  EXPECT_EQ(put.reported(), "SEND -113 (last)");
  expect_idle(one);
  expect_idle(two);
}

INSTANTIATE_TEST_SUITE_P(Shapes, RoutedUseCase, kShapes, name_of);

// ---- with software from before multi-rail: over TCP

class UseCaseWithRouters : public ::testing::Test {
 protected:
  Person person(const char* name, const std::vector<Nid>& nids,
                const std::vector<core::Route>& its_routes, bool routes_for_others = false) {
    NodeSetup setup;
    setup.name = name;
    setup.driver = DriverKind::kSock;
    for (const Nid& nid : nids) setup.nis.push_back({.nid = nid});
    setup.routes = routes(its_routes);
    setup.routing.on = setup.routing.at_once = routes_for_others;
    setup.globals = globals;
    return {given.world, given.world.add_node(std::move(setup))};
  }
  Person client() { return person("client", {kClient, kClient2}, {{kSecond, kNear}}); }
  Person server() { return person("server", {kServer, kServer2}, {{kFirst, kFar}}); }
  static ProcessId at(const Nid& nid) { return {nid, Pid::lustre()}; }

  Cluster given;
  core::Globals globals;  ///< the settings of the nodes that are added from now on
};

// 5. Uprev clients and servers, and a downrev router. Its one NID on each net is used. Both ends
// discover each other through it, and use all of their own NIs (3.3).
TEST_F(UseCaseWithRouters, Static5UprevClientsAndServersDownrevRouters) {  // spec/multirail.md 9.7
  ForeignNode router(given.world, {kNear, kFar}, ForeignNode::downrev_router());
  Person at_client = client(), at_server = server();
  at_client.posts(kLargePosting);
  at_server.posts(kLargePosting);

  all_arrive(given, at_client, at_server.id(), 8);
  all_arrive(given, at_server, at_client.id(), 8);

  EXPECT_EQ(peer_of(at_client, kServer)->state, kFoundOut);
  EXPECT_EQ(peer_of(at_server, kClient)->state, kFoundOut);
  EXPECT_EQ(nids_of(at_client, kServer), (std::vector{kServer, kServer2}));
  EXPECT_EQ(nids_of(at_server, kClient), (std::vector{kClient, kClient2}));
  EXPECT_FALSE(peer_of(at_client, kNear)->has(core::kPeerMultiRail));
  EXPECT_EQ(router.heard_of(MsgType::kPut, kPortal), 16U);
  EXPECT_EQ(router.sources_of(MsgType::kPut, kPortal).size(), 4U);
  EXPECT_GE(router.forwarded(), 32U) << "PUTs and ACKs";
}

// 6. Uprev clients with multi-rail, downrev servers and downrev routers: as 1, behind the router.
TEST_F(UseCaseWithRouters, Static6UprevClientsDownrevServersAndRouters) {  // spec/multirail.md 3.4
  ForeignNode router(given.world, {kNear, kFar}, ForeignNode::downrev_router());
  ForeignNode old(given.world, {kServer}, ForeignNode::downrev());
  Person at_client = client();

  all_arrive(given, at_client, at(kServer), 10);

  EXPECT_EQ(old.heard_of(MsgType::kPut, kPortal), 10U);
  EXPECT_EQ(old.sources_of(MsgType::kPut, kPortal).size(), 1U);
  EXPECT_EQ(old.heard_of(MsgType::kPut, 0), 0U) << "it gets no push";
  EXPECT_EQ(router.heard_of(MsgType::kPut, 0), 0U);
  EXPECT_FALSE(peer_of(at_client, kServer)->has(core::kPeerMultiRail));
  EXPECT_EQ(nids_of(at_client, kServer), std::vector{kServer});
}

/// The node pings the router after this time at the latest (spec/multirail.md 9.4).
constexpr Duration kChecked = seconds(60 + 50 + 1);

// Change 3. A router is upgraded from downrev to uprev. When it is checked, the nodes learn that it
// has multi-rail; then messages use its new NI too.
TEST_F(UseCaseWithRouters, Change3ARouterIsUpgraded) {  // spec/multirail.md 9.3.2, 9.4
  Person at_client = client(), at_server = server();
  at_client.posts(kLargePosting);
  at_server.posts(kLargePosting);
  {
    ForeignNode old(given.world, {kNear, kFar}, ForeignNode::downrev_router());
    given.runs_for(kChecked);
    all_arrive(given, at_client, at_server.id(), 4);
    EXPECT_EQ(old.heard_of(MsgType::kPut, kPortal), 4U);
    EXPECT_FALSE(peer_of(at_client, kNear)->has(core::kPeerMultiRail));
  }
  Person router = person("router", {kNear, kNear2, kFar, kFar2}, {}, true);
  given.runs_for(kChecked);

  EXPECT_TRUE(peer_of(at_client, kNear)->has(core::kPeerMultiRail));
  EXPECT_EQ(nids_of(at_client, kNear), (std::vector{kNear, kNear2, kFar, kFar2}));
  // Each NI of the client notices the restart when it connects to the router again, and a push
  // follows, which is a PUT too.
  all_arrive(given, at_client, at_server.id(), 4);
  const std::uint64_t before = puts_by(at_client.node, kClient);
  const std::uint64_t before2 = puts_by(at_client.node, kClient2);
  all_arrive(given, at_client, at_server.id(), 8);
  all_arrive(given, at_server, at_client.id(), 8);
  EXPECT_EQ(puts_by(at_client.node, kClient), before + 4);
  EXPECT_EQ(puts_by(at_client.node, kClient2), before2 + 4);
  EXPECT_GE(puts_by(router.node, kFar2), 2U);
}

// Change 4. A router is downgraded from uprev to downrev. Until it is checked, messages may go to
// the NID that it no longer has; then it is used as a router without multi-rail, by the NID that
// the routes name.
TEST_F(UseCaseWithRouters, Change4ARouterIsDowngraded) {  // spec/multirail.md 9.3.2
  Person at_client = client(), at_server = server();
  at_client.posts(kLargePosting);
  at_server.posts(kLargePosting);
  {
    Person router = person("router", {kNear, kNear2, kFar, kFar2}, {}, true);
    given.runs_for(kChecked);
    all_arrive(given, at_client, at_server.id(), 4);
    EXPECT_TRUE(peer_of(at_client, kNear)->has(core::kPeerMultiRail));
    router.node.crash();
    for (const Nid& nid : {kFar2, kFar, kNear2, kNear}) router.node.remove_ni(nid);
  }
  ForeignNode old(given.world, {kNear, kFar}, ForeignNode::downrev_router());
  old.restart();
  given.runs_for(kChecked);

  ASSERT_NE(peer_of(at_client, kNear), nullptr);
  EXPECT_FALSE(peer_of(at_client, kNear)->has(core::kPeerMultiRail));
  all_arrive(given, at_client, at_server.id(), 8);
  all_arrive(given, at_server, at_client.id(), 8);
  EXPECT_EQ(old.heard_of(MsgType::kPut, kPortal), 16U);
}

// ---- ... and with another router beside it, through which traffic goes on

class RouterChanges : public UseCaseWithRouters {
 protected:
  RouterChanges() {
    globals.alive_router_check_interval = 10;
    globals.router_ping_timeout = 5;
    globals.transaction_timeout = 40;
    const std::vector<core::Route> there{{kSecond, kNear}, {kSecond, rail(8)}};
    const std::vector<core::Route> back{{kFirst, kFar}, {kFirst, rail(8, 2, 1)}};
    for (Person* made : {&at_client.emplace(person("client", {kClient, kClient2}, there)),
                         &at_server.emplace(person("server", {kServer, kServer2}, back)),
                         &beside.emplace(person("beside", {rail(8), rail(8, 2, 1)}, {}, true))})
      slow_down(*made);
    target.emplace(at_server->node);
  }
  void slow_down(const Person& who) {
    for (std::size_t i = 0; i < who.node.setup().nis.size(); ++i)
      given.world.wire().set_rate(who.node.place(i), 2 << 20);
  }
  Person uprev_router() {
    Person router = person("router", {kNear, kNear2, kFar, kFar2}, {}, true);
    slow_down(router);
    return router;
  }
  std::unique_ptr<ForeignNode> downrev_router() {
    return std::make_unique<ForeignNode>(given.world, std::vector{kNear, kFar},
                                         ForeignNode::downrev_router());
  }
  std::uint64_t routed(const Person& who) const { return who.state().counters.global.route_count; }
  /// The users' operations end, and each of them has either completed or its caller got an error.
  void all_are_accounted_for(Users& users) {
    users.begin_no_more();
    given.runs_for(std::chrono::minutes(2));
    EXPECT_EQ(users.under_way(), 0U);
    EXPECT_EQ(users.account.unreported, 0U);
    EXPECT_GT(users.account.completed, 20 * users.account.reported());
  }
  void all_complete() {
    target->arrived.clear();
    Users users(at_client->node, at_server->id(), Op::kPutAck, 6);
    given.runs_for(seconds(3));
    users.begin_no_more();
    given.runs_for(seconds(10));
    EXPECT_EQ(users.account.completed, users.account.begun);
    EXPECT_GT(users.account.completed, 50U);
  }
  static constexpr Duration kNoticed = seconds(10 + 5 + 1);

  std::optional<Person> at_client, at_server, beside;
  std::optional<Target> target;
};

TEST_F(RouterChanges, Change3ARouterIsUpgradedUnderLoad) {  // spec/multirail.md 9.3.2
  auto old = downrev_router();
  given.runs_for(kNoticed);
  all_complete();
  EXPECT_GT(old->forwarded(), 20U);
  EXPECT_GT(routed(*beside), 20U);
  target->arrived.clear();
  Users users(at_client->node, at_server->id(), Op::kPutAck, 6);
  given.runs_for(seconds(2));
  old.reset();
  given.runs_for(kNoticed);
  Person router = uprev_router();
  given.runs_for(kNoticed);
  all_are_accounted_for(users);
  EXPECT_GT(routed(router), 20U);
  EXPECT_TRUE(peer_of(*at_client, kNear2)->has(core::kPeerMultiRail));
  all_complete();
}

TEST_F(RouterChanges, Change4ARouterIsDowngradedUnderLoad) {  // spec/multirail.md 9.3.2
  Person router = uprev_router();
  given.runs_for(kNoticed);
  all_complete();
  EXPECT_GT(routed(router), 20U);
  target->arrived.clear();
  Users users(at_client->node, at_server->id(), Op::kPutAck, 6);
  given.runs_for(seconds(2));
  router.node.crash();
  for (const Nid& nid : {kFar2, kFar, kNear2, kNear}) router.node.remove_ni(nid);
  const auto old = downrev_router();
  old->restart();
  given.runs_for(kNoticed);
  all_are_accounted_for(users);
  EXPECT_FALSE(peer_of(*at_client, kNear)->has(core::kPeerMultiRail));
  const std::size_t before = old->forwarded();
  all_complete();
  EXPECT_GT(old->forwarded(), before + 20);
}

}  // namespace
}  // namespace ulnet::sim

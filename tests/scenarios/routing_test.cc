// Messages that cross routers: clients on one net, servers on another, and what is between them.
// spec/multirail.md 3.3, 9.7, spec/core-semantics.md 10.3. Watched by all checkers.
#include "dying_rail.h"
#include "sim/checkers/all.h"

namespace ulnet::sim {
namespace {

struct Shape {
  DriverKind driver;
  std::uint32_t partitions;
};
std::string name_of(const ::testing::TestParamInfo<Shape>& info) {
  return std::string(info.param.driver == DriverKind::kPipe ? "Pipe" : "Sock") +
         std::to_string(info.param.partitions);
}

std::shared_ptr<const core::RouteList> routes(const std::vector<core::Route>& all) {
  auto list = std::make_shared<core::RouteList>();
  for (const core::Route& route : all) EXPECT_TRUE(list->add(route, list->size()));
  return list;
}

constexpr std::uint64_t kRate = 16 << 20;  ///< bytes a second of one interface
constexpr NetId kFirst{NetType::kTcp, 0}, kSecond{NetType::kTcp, 1}, kThird{NetType::kTcp, 2};

struct Watched {
  Watched() { add_all_checkers(world); }
  ~Watched() {
    if (world.violation()) ADD_FAILURE() << world.explain();
  }
  void runs_for(Duration time) { EXPECT_TRUE(world.run_for(time).reached()) << world.explain(); }

  World world{1};
};

class RoutedWorld : public ::testing::TestWithParam<Shape> {
 protected:
  SimNode& node(const char* name, const std::vector<Nid>& nids,
                const std::vector<core::Route>& its_routes, bool routes_for_others = false) {
    NodeSetup setup;
    setup.name = name;
    setup.driver = GetParam().driver;
    setup.partitions = GetParam().partitions;
    for (const Nid& nid : nids) setup.nis.push_back({.nid = nid});
    setup.routes = routes(its_routes);
    setup.routing.on = setup.routing.at_once = routes_for_others;
    SimNode& made = given.world.add_node(std::move(setup));
    for (std::size_t i = 0; i < nids.size(); ++i) given.world.wire().set_rate(made.place(i), kRate);
    return made;
  }
  static core::GlobalStats counted(const SimNode& node) {
    core::GlobalStats sum;
    for (std::uint32_t shard = 0; shard < node.shards(); ++shard)
      core::add(core::kGlobalStats, sum, node.shard_state(shard)->counters.global);
    return sum;
  }
  /// Every buffer and router credit is back.
  static void expect_idle(const SimNode& router) {
    for (std::uint32_t shard = 0; shard < router.shards(); ++shard) {
      const core::ShardState& state = *router.shard_state(shard);
      for (const auto kind :
           {core::RouterPools::kTiny, core::RouterPools::kSmall, core::RouterPools::kLarge})
        EXPECT_EQ(state.pools[kind].gate().credits(), state.pools[kind].gate().max());
      state.peers.for_each_ni([&](const core::PeerNi& ni) {
        const core::Gate* gate = state.peers.router_gate(ni);
        if (gate == nullptr) return;
        EXPECT_EQ(gate->credits(), gate->max()) << ni.nid.to_string();
      });
    }
  }
  /// Users at `from` do `op` with `to` for a while; all operations end well.
  void works(SimNode& from, SimNode& to, Op op) {
    if (!target_) target_.emplace(to);
    target_->arrived.clear();
    Users users(from, to.id(), op, 12);
    given.runs_for(seconds(1));
    users.begin_no_more();
    const auto all_ended = [&](World&) { return users.under_way() == 0; };
    EXPECT_TRUE(given.world.run_until(all_ended, {.time = seconds(60)}).reached())
        << given.world.explain();
    EXPECT_GT(users.account.completed, 100U) << to_string(op);
    EXPECT_EQ(users.account.completed, users.account.begun) << to_string(op);
    given.runs_for(seconds(1));
  }

  Watched given;

 private:
  std::optional<Target> target_;  // of one server, as long as the world
};

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

INSTANTIATE_TEST_SUITE_P(Shapes, RoutedWorld,
                         ::testing::Values(Shape{DriverKind::kPipe, 1}, Shape{DriverKind::kPipe, 3},
                                           Shape{DriverKind::kSock, 1},
                                           Shape{DriverKind::kSock, 3}),
                         name_of);

}  // namespace
}  // namespace ulnet::sim

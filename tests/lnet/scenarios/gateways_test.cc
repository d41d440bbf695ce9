// Gateways that die and come back under load, and routers whose routing is turned off: the result
// of each operation, and how long it takes until nothing is lost any more. spec/multirail.md 9.1,
// 9.3, 9.4, 9.7; spec/observed-routing.md 1.8 to 1.12, 4.3.
#include "routed_world.h"

namespace ulnet::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class Gateways : public RoutedWorld {
 protected:
  /// Intervals of an administrator who wants to notice failures soon.
  Gateways() {
    globals.alive_router_check_interval = 10;
    globals.router_ping_timeout = 5;
    globals.transaction_timeout = 40;
  }
  static constexpr Duration kNoticed = seconds(10 + 5 + 1);

  static bool uses(const SimNode& node, const Nid& gateway, NetId net) {
    bool all = true;
    for (std::uint32_t shard = 0; shard < node.shards(); ++shard) {
      const core::Gateway* known = node.shard_state(shard)->routes.gateway(gateway);
      all = all && known != nullptr && known->entry.reaches(net);
    }
    return all;
  }
  bool ends(Users& users) {
    users.begin_no_more();
    const auto all_ended = [&](World&) { return users.under_way() == 0; };
    return given.world.run_until(all_ended, {.time = seconds(200)}).reached();
  }
};

TEST_P(Gateways, OneOfTwoDiesUnderLoadAndComesBack) {
  SimNode& client = node("client", {rail(1)}, {{kSecond, rail(8)}, {kSecond, rail(9)}});
  SimNode& server =
      node("server", {rail(2, 1, 1)}, {{kFirst, rail(8, 1, 1)}, {kFirst, rail(9, 1, 1)}});
  SimNode& one = node("one", {rail(8), rail(8, 1, 1)}, {}, true);
  SimNode& two = node("two", {rail(9), rail(9, 1, 1)}, {}, true);
  Target target(server);
  given.runs_for(seconds(1));
  for (const Op op : {Op::kGet, Op::kPutAck}) {
    target.arrived.clear();
    Users during(client, server.id(), op, 12);
    given.runs_for(seconds(2));
    one.crash(true);
    given.runs_for(kNoticed);
    EXPECT_FALSE(uses(client, rail(8), kSecond)) << "an interval and a ping are over";
    EXPECT_FALSE(uses(server, rail(8, 1, 1), kFirst));
    EXPECT_TRUE(ends(during));
    EXPECT_EQ(during.account.unreported, 0U) << "each lost operation is reported to its caller";

    target.arrived.clear();
    Users after(client, server.id(), op, 12);
    given.runs_for(seconds(2));
    EXPECT_TRUE(ends(after));
    EXPECT_EQ(after.account.completed, after.account.begun) << "all go by the other";
    EXPECT_GT(after.account.completed, 100U);

    one.start();
    given.runs_for(seconds(11));
    EXPECT_TRUE(uses(client, rail(8), kSecond)) << "within one interval";
    const std::uint64_t routed = counted(one).route_count;
    target.arrived.clear();
    Users again(client, server.id(), op, 12);
    given.runs_for(seconds(2));
    EXPECT_TRUE(ends(again));
    EXPECT_EQ(again.account.completed, again.account.begun);
    EXPECT_GT(counted(one).route_count, routed + 50) << "both carry traffic again";
    target.arrived.clear();
  }
  expect_idle(one);
  expect_idle(two);
}

TEST_P(Gateways, ARouterThatIsTurnedOffLosesNothing) {  // 9.1
  SimNode& client = node("client", {rail(1)}, {{kSecond, rail(8)}, {kSecond, rail(9)}});
  SimNode& server =
      node("server", {rail(2, 1, 1)}, {{kFirst, rail(8, 1, 1)}, {kFirst, rail(9, 1, 1)}});
  SimNode& one = node("one", {rail(8), rail(8, 1, 1)}, {}, true);
  node("two", {rail(9), rail(9, 1, 1)}, {}, true);
  Target target(server);
  given.runs_for(seconds(1));
  Users users(client, server.id(), Op::kPutAck, 12);
  given.runs_for(seconds(1));
  one.configure(core::Routing{});
  given.runs_for(seconds(20));
  EXPECT_FALSE(uses(client, rail(8), kSecond));
  EXPECT_TRUE(ends(users));
  EXPECT_EQ(users.account.completed, users.account.begun);
  EXPECT_EQ(one.shard_state(0)->router.state, core::RoutingState::kDisabled);

  one.configure(core::Routing{.on = true});
  given.runs_for(seconds(10));
  EXPECT_FALSE(uses(client, rail(8), kSecond)) << "it is starting";
  given.runs_for(seconds(8));
  EXPECT_TRUE(uses(client, rail(8), kSecond));
}

TEST_P(Gateways, AnUncheckedHealthyRouterIsNotDown) {  // better than 9.5
  SimNode& client = node("client", {rail(1)}, {{kSecond, rail(9)}});
  SimNode& server = node("server", {rail(2, 1, 1)}, {});
  node("router", {rail(9), rail(9, 1, 1)}, {}, true);
  EXPECT_TRUE(server.discover(rail(9, 1, 1), false));
  given.runs_for(seconds(120));
  EXPECT_TRUE(uses(client, rail(9), kSecond));
}

// spec/core-semantics.md 10.3: a router lends one peer NI at most peer_buffer_credits buffers.
TEST_P(Gateways, ADeadNextHopDoesNotHoldUpTheOthers) {  // spec/core-semantics.md 10.3.3
  SimNode& stuck = node("stuck", {rail(1)}, {{kSecond, rail(8)}});
  SimNode& client = node("client", {rail(2)}, {{kSecond, rail(8)}});
  SimNode& dead = node("dead", {rail(3, 1, 1)}, {{kFirst, rail(8, 1, 1)}});
  SimNode& server = node("server", {rail(4, 1, 1)}, {{kFirst, rail(8, 1, 1)}});
  SimNode& router = node("router", {rail(8), rail(8, 1, 1)}, {}, true);
  Target of_dead(dead), of_server(server);
  given.runs_for(seconds(1));
  Users to_dead(stuck, dead.id(), Op::kPut, 40);
  Users to_server(client, server.id(), Op::kPutAck, 12);
  const auto in_five_seconds = [&] {
    const std::uint64_t before = to_server.account.completed;
    given.runs_for(seconds(5));
    return to_server.account.completed - before;
  };
  given.runs_for(seconds(1));
  const std::uint64_t with_all = in_five_seconds();
  EXPECT_GT(with_all, 100U);
  dead.crash(true);
  given.runs_for(milliseconds(100));
  std::uint64_t lent = 0;
  for (std::uint32_t shard = 0; shard < router.shards(); ++shard)
    router.shard_state(shard)->messages.for_each([&](Handle, const core::Msg& msg) {
      lent += msg.has_buffer && msg.from != nullptr && msg.from->nid == rail(1) ? 1 : 0;
    });
  if (GetParam().driver == DriverKind::kSock) {  // the pipe driver refuses at once
    EXPECT_GT(lent, 0U);
  }
  EXPECT_LE(lent, 8U) << "peer_buffer_credits, which equals peer_credits";
  EXPECT_GE(in_five_seconds() * 10, with_all * 8);
  EXPECT_TRUE(ends(to_server));
  EXPECT_EQ(to_server.account.completed, to_server.account.begun);
  EXPECT_TRUE(ends(to_dead));
  given.runs_for(seconds(120));
  expect_idle(router);
}

INSTANTIATE_TEST_SUITE_P(Shapes, Gateways, kShapes, name_of);

}  // namespace
}  // namespace ulnet::sim

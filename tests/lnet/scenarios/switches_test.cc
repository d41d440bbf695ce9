// Nodes at switches, and the links between these: a link carries what its bandwidth allows, all its
// users share it, and a message over a cut link fails as over any cut rail. All checkers watch.
// docs/DESIGN.md 6.
#include "routed_world.h"

namespace ulnet::sim {
namespace {

constexpr std::uint64_t kLinkRate = 4 << 20;  ///< bytes a second of a link between switches
constexpr Duration kLong = seconds(8);

struct SwitchedWorld : testing::TestWithParam<DriverKind> {
  SimNode& node(const char* name, const std::vector<Nid>& nids,
                const std::vector<SwitchId>& switches) {
    NodeSetup setup;
    setup.name = name;
    setup.driver = GetParam();
    for (std::size_t i = 0; i < nids.size(); ++i)
      setup.nis.push_back({.nid = nids[i], .at_switch = switches[i]});
    SimNode& made = given.world.add_node(std::move(setup));
    for (std::size_t i = 0; i < nids.size(); ++i)
      given.world.wire().set_rate(made.place(i), 4 * kLinkRate);
    return made;
  }
  SimNode& node(const char* name, const Nid& nid, SwitchId at) {
    return node(name, std::vector{nid}, std::vector{at});
  }
  SwitchLinkId join(SwitchId a, SwitchId b, std::uint64_t rate = kLinkRate) {
    return fabric.join(a, b, {rate, std::chrono::microseconds(2)});
  }
  PortCounters over(SwitchLinkId link, SwitchId from) const {
    return fabric.port(link, from).counters(given.world.now());
  }
  /// The payload bytes a second that these users have completed during `time`, after a second in
  /// which all nodes discover each other.
  std::vector<double> rates_of(const std::vector<Users*>& all, Duration time = kLong) {
    given.runs_for(seconds(1));
    std::vector<std::uint64_t> before;
    for (const Users* users : all) before.push_back(users->account.completed);
    given.runs_for(time);
    std::vector<double> rates;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::uint64_t completed = all[i]->account.completed - before[i];
      rates.push_back(static_cast<double>(completed * kOpBytes) /
                      std::chrono::duration<double>(time).count());
    }
    return rates;
  }
  void all_end(const std::vector<Users*>& all) {
    for (Users* users : all) users->begin_no_more();
    const auto ended = [&](World&) {
      return std::all_of(all.begin(), all.end(), [](auto* each) { return !each->under_way(); });
    };
    EXPECT_TRUE(given.world.run_until(ended, {.time = std::chrono::minutes(5)}).reached())
        << given.world.explain();
  }

  Watched given;
  Fabric& fabric = given.world.wire().fabric();
  SwitchId left = fabric.add_switch("left"), right = fabric.add_switch("right");
};

TEST_P(SwitchedWorld, TwoNodesReachTheBandwidthOfTheLinkBetweenThemAndNoMore) {
  const SwitchLinkId link = join(left, right);
  SimNode& client = node("client", rail(1), left);
  SimNode& server = node("server", rail(2), right);
  const Target target(server);
  Users users(client, server.id(), Op::kPutAck, 12);
  given.runs_for(seconds(1));
  const PortCounters before = over(link, left);
  const double rate = rates_of({&users})[0];
  const PortCounters after = over(link, left);
  EXPECT_GT(rate, 0.95 * kLinkRate);
  EXPECT_LT(rate, 1.001 * kLinkRate);
  const std::uint64_t may_carry =
      kLinkRate * static_cast<std::uint64_t>((kLong + seconds(1)) / seconds(1));
  EXPECT_GT(after.bytes - before.bytes, may_carry / 100 * 99);
  EXPECT_LE(after.bytes - before.bytes, may_carry + 2 * kOpBytes)
      << "operations that were under way before";
  EXPECT_GT(after.busy - before.busy, 0.99 * (kLong + seconds(1)));
  EXPECT_GT(after.highest_queue, kOpBytes);
  EXPECT_LT(after.highest_queue, 12U * 2 * kOpBytes) << "the operations under way bound it";
  EXPECT_LT(over(link, right).bytes * 50, after.bytes) << "only ACKs go back";
  all_end({&users});
  EXPECT_EQ(users.account.completed, users.account.begun);
}

TEST_P(SwitchedWorld, TwoFlowsShareALinkFairly) {
  join(left, right);
  SimNode& first = node("first", rail(1), left);
  SimNode& second = node("second", rail(2), left);
  SimNode& third = node("third", rail(3), right);
  SimNode& fourth = node("fourth", rail(4), right);
  const Target at_third(third), at_fourth(fourth);
  Users one(first, third.id(), Op::kPutAck, 12), two(second, fourth.id(), Op::kPutAck, 12);
  const std::vector<double> rates = rates_of({&one, &two});
  EXPECT_GT(rates[0], 0.9 * rates[1]);
  EXPECT_GT(rates[1], 0.9 * rates[0]);
  EXPECT_GT(rates[0] + rates[1], 0.95 * kLinkRate);
  EXPECT_LT(rates[0] + rates[1], 1.001 * kLinkRate);
  all_end({&one, &two});
}

// Traffic in the other direction, at another link, and between nodes of one switch.
TEST_P(SwitchedWorld, FlowsOverDifferentLinksDoNotNoticeEachOther) {
  const SwitchId other = fabric.add_switch("other");
  join(left, right);
  join(left, other);
  SimNode& first = node("first", rail(1), left);
  SimNode& second = node("second", rail(2), right);
  SimNode& third = node("third", rail(3), left);
  SimNode& fourth = node("fourth", rail(4), other);
  SimNode& fifth = node("fifth", rail(5), left);
  SimNode& sixth = node("sixth", rail(6), left);
  const Target at_second(second), at_fourth(fourth), at_sixth(sixth);
  Users there(first, second.id(), Op::kPutAck, 12), elsewhere(third, fourth.id(), Op::kPutAck, 12),
      near(fifth, sixth.id(), Op::kPutAck, 12);
  const std::vector<double> rates = rates_of({&there, &elsewhere, &near});
  EXPECT_GT(rates[0], 0.95 * kLinkRate);
  EXPECT_GT(rates[1], 0.95 * kLinkRate);
  EXPECT_GT(rates[2], 3.5 * kLinkRate) << "as fast as the interfaces are";
  all_end({&there, &elsewhere, &near});
}

TEST_P(SwitchedWorld, AWayOverSeveralLinksIsAsFastAsTheSlowest) {
  const SwitchId middle = fabric.add_switch("middle");
  const SwitchLinkId fast = join(left, middle, 3 * kLinkRate);
  const SwitchLinkId slow = join(middle, right);
  SimNode& client = node("client", rail(1), left);
  SimNode& server = node("server", rail(2), right);
  const Target target(server);
  Users users(client, server.id(), Op::kPutAck, 12);
  const double rate = rates_of({&users})[0];
  EXPECT_GT(rate, 0.95 * kLinkRate);
  EXPECT_LT(rate, 1.001 * kLinkRate);
  all_end({&users});
  EXPECT_EQ(over(fast, left).bytes, over(slow, middle).bytes);
  EXPECT_GT(over(slow, middle).busy, 2.9 * over(fast, left).busy);
}

TEST_P(SwitchedWorld, ASlowedLinkIsSlowAndFastAgain) {
  const SwitchLinkId link = join(left, right);
  SimNode& client = node("client", rail(1), left);
  SimNode& server = node("server", rail(2), right);
  const Target target(server);
  Users users(client, server.id(), Op::kPutAck, 12);
  EXPECT_GT(rates_of({&users})[0], 0.95 * kLinkRate);
  fabric.set_rate(link, kLinkRate / 8);
  const double slowed = rates_of({&users})[0];
  EXPECT_GT(slowed, 0.9 * kLinkRate / 8);
  EXPECT_LT(slowed, 1.1 * kLinkRate / 8);
  fabric.set_rate(link, kLinkRate);
  given.runs_for(seconds(2));
  EXPECT_GT(rates_of({&users})[0], 0.95 * kLinkRate);
  all_end({&users});
  EXPECT_EQ(users.account.completed, users.account.begun);
}

// The same operations, once over a link between switches and once over a rail, each cut for longer
// than any time-out. The operations under way end in the same ways.
TEST_P(SwitchedWorld, ACutLinkMakesMessagesFailAsACutRailDoes) {
  const SwitchLinkId link = join(left, right);
  SimNode& client = node("client", rail(1), left);
  SimNode& server = node("server", rail(2), right);
  Wire& wire = given.world.wire();
  Target target(server);
  const auto outage = [&](auto&& cut) {
    target.arrived.clear();
    Users during(client, server.id(), Op::kPutAck, 12);
    given.runs_for(seconds(2));
    EXPECT_GT(during.account.completed, 50U);
    cut(true);
    during.begin_no_more();
    given.runs_for(std::chrono::minutes(3));
    EXPECT_EQ(during.under_way(), 0U);
    EXPECT_EQ(during.account.unreported, 0U);
    EXPECT_GT(during.account.reported(), 0U);
    cut(false);
    given.runs_for(std::chrono::minutes(3));
    target.arrived.clear();
    Users after(client, server.id(), Op::kPutAck, 12);
    given.runs_for(seconds(2));
    all_end({&after});
    EXPECT_GT(after.account.completed, 50U);
    EXPECT_EQ(after.account.completed, after.account.begun);
    return during.account;
  };
  const Account by_link = outage([&](bool cut) { wire.cut_switch_link(link, cut); });
  EXPECT_GT(over(link, left).lost, 0U);
  const Account by_rail = outage([&](bool cut) {
    wire.cut(client.place(), server.place(), cut);
    wire.cut(server.place(), client.place(), cut);
  });
  EXPECT_EQ(by_link.reported(), by_rail.reported());
  EXPECT_EQ(by_link.reported_by_send == 0, by_rail.reported_by_send == 0);
  EXPECT_EQ(by_link.reported_by_timeout == 0, by_rail.reported_by_timeout == 0);
}

// Two nets, each over a pair of switches of its own: while one of the links is cut, the other net
// carries all messages.
TEST_P(SwitchedWorld, AnotherNetCarriesOnWhenALinkIsCut) {
  const SwitchId upper = fabric.add_switch("upper"), lower = fabric.add_switch("lower");
  const SwitchLinkId one = join(left, right), two = join(upper, lower);
  SimNode& client = node("client", {rail(1), rail(1, 1, 1)}, {left, upper});
  SimNode& server = node("server", {rail(2), rail(2, 1, 1)}, {right, lower});
  const Target target(server);
  Users users(client, server.id(), Op::kPutAck, 12);
  EXPECT_GT(rates_of({&users})[0], 1.5 * kLinkRate) << "both nets are used";
  const std::uint64_t before = over(one, left).bytes;
  given.world.wire().cut_switch_link(one, true);
  given.runs_for(std::chrono::minutes(3));
  EXPECT_LT(over(one, left).bytes, before + kOpBytes);
  EXPECT_GT(rates_of({&users})[0], 0.8 * kLinkRate);
  EXPECT_EQ(users.account.unreported, 0U);
  given.world.wire().heal();
  given.runs_for(std::chrono::minutes(3));
  EXPECT_GT(rates_of({&users})[0], 1.5 * kLinkRate) << "and again";
  all_end({&users});
  EXPECT_GT(over(two, upper).bytes, over(one, left).bytes);
}

INSTANTIATE_TEST_SUITE_P(Drivers, SwitchedWorld,
                         ::testing::Values(DriverKind::kPipe, DriverKind::kSock),
                         [](const auto& each) { return std::string(to_string(each.param)); });

// ---- with routers

struct RoutedSwitches : RoutedWorld {
  Fabric& fabric = given.world.wire().fabric();
  SwitchId left = fabric.add_switch("left"), right = fabric.add_switch("right");
  SwitchLinkId link = fabric.join(left, right, {2 * kLinkRate, std::chrono::microseconds(2)});
  PortCounters over(SwitchId from) const {
    return fabric.port(link, from).counters(given.world.now());
  }
};

// A client and a server at the left switch, on two nets. The router at their switch is preferred;
// while it works, only pings cross the link. Then the router at the other switch serves, and each
// payload crosses the link twice.
TEST_P(RoutedSwitches, ARouterAtTheSameSwitchKeepsTheLinkFree) {  // spec/multirail.md 9.8
  hangs_on = left;
  SimNode& client =
      node("client", {rail(1)}, {{kSecond, rail(8)}, {kSecond, rail(9), core::kHopsUndefined, 1}});
  SimNode& server =
      node("server", {rail(2, 1, 1)},
           {{kFirst, rail(8, 1, 1)}, {kFirst, rail(9, 1, 1), core::kHopsUndefined, 1}});
  SimNode& near = node("near", {rail(8), rail(8, 1, 1)}, {}, true);
  hangs_on = right;
  SimNode& far = node("far", {rail(9), rail(9, 1, 1)}, {}, true);

  works(client, server, Op::kPutAck);
  EXPECT_GT(counted(near).route_count, 200U);
  EXPECT_EQ(counted(far).route_count, 0U);
  EXPECT_LT(over(left).bytes + over(right).bytes, 64U << 10);

  near.crash();
  given.runs_for(seconds(150));
  const std::uint64_t to_the_right = over(left).bytes, to_the_left = over(right).bytes;
  works(client, server, Op::kPutAck);
  const std::uint64_t forwarded = counted(far).route_length;
  EXPECT_GT(forwarded, 0U);
  EXPECT_GE(over(left).bytes - to_the_right, forwarded);
  EXPECT_GE(over(right).bytes - to_the_left, forwarded);
  EXPECT_LT(over(left).bytes - to_the_right, forwarded + forwarded / 20);
  expect_idle(far);
}

INSTANTIATE_TEST_SUITE_P(Shapes, RoutedSwitches, kShapes, name_of);

}  // namespace
}  // namespace ulnet::sim

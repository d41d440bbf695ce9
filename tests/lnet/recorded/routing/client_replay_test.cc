// Recorded nodes that have routes. A core in their place sends their gateways the same requests,
// has the same states of routes, and sends through the same gateways. Source: spec/multirail.md
// 9.3, 9.4, 9.6, spec/observed.md 4, spec/observed-routing.md 1, 4.1.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>

#include "tests/lnet/recorded/routing/client.h"

namespace ulnet::capture {
namespace {

using core::RouteTrouble;
using ::testing::Each;
using ::testing::ElementsAre;

// ---- 07a, 07b: 1@tcp, a router 3, 2@tcp1

const Nids k07 = {{"10.99.0.1", nid("10.99.0.1@tcp")},
                  {"10.99.0.3", nid("10.99.0.3@tcp")},
                  {"10.99.1.3", nid("10.99.1.3@tcp1")},
                  {"10.99.1.2", nid("10.99.1.2@tcp1")}};
const Nid k1 = nid("10.99.0.1@tcp"), k2 = nid("10.99.1.2@tcp1");
const Nid k3 = nid("10.99.0.3@tcp"), k3Far = nid("10.99.1.3@tcp1");

TEST(Replay07a, ANodeThatGetsARouteDiscoversItsGateway) {  // spec/multirail.md 9.4
  const std::vector<Leg> legs = legs_of("07a_route_setup_router_starting", k07);
  Client two({k2}, 2, -1, legs);
  two.at(0.04, [&] { two.add_route(kNetTcp, k3Far); });
  two.run(10);
  expect_as_recorded(two, 0, 10);
  EXPECT_EQ(two.route(kNetTcp, k3Far).trouble, RouteTrouble::kNotRouting);
  Client one({k1}, 2, -1, legs);
  one.at(3.75, [&] { one.add_route(kNetTcp1, k3); });
  one.run(10);
  expect_as_recorded(one, 0, 10);
  EXPECT_EQ(one.route(kNetTcp1, k3).trouble, RouteTrouble::kNotRouting);
}

TEST(Replay07b, TheNodeThatAsksThroughTheRouter) {  // spec/multirail.md 9.3.2
  Client node({k1}, 2, -1, legs_of("07b_routed_router_enabled_transition", k07));
  node.at(3.628, [&] { node.add_route(kNetTcp1, k3); });
  node.at(50.26, [&] { EXPECT_EQ(node.route(kNetTcp1, k3).trouble, RouteTrouble::kNotRouting); });
  node.at(50.27, [&] { EXPECT_TRUE(node.route(kNetTcp1, k3).up()); });
  node.ping_at(116.8166, k2);
  node.ping_at(117.0208, k2);
  node.at(117.2047, [&] { node.begin_discover(node.a, k2); });
  node.run(120);
  expect_as_recorded(node, 0, 120);
  EXPECT_THAT(node.pings(), ElementsAre(0, 0));
  EXPECT_EQ(node.state(node.a, k2), 273U);
}

TEST(Replay07b, TheNodeThatIsAsked) {
  Client node({k2}, 2, -1, legs_of("07b_routed_router_enabled_transition", k07));
  node.at(0, [&] { node.add_route(kNetTcp, k3Far); });
  node.run(120);
  expect_as_recorded(node, 0, 120);
  EXPECT_EQ(node.state(node.a, k1), 273U);
}

// ---- r11: 13@tcp, two routers 14 and 16 one behind the other, 15@tcp2

const Nids kMultihop = {
    {"10.99.0.13", nid("10.99.0.13@tcp")},  {"10.99.0.14", nid("10.99.0.14@tcp")},
    {"10.99.1.14", nid("10.99.1.14@tcp1")}, {"10.99.1.16", nid("10.99.1.16@tcp1")},
    {"10.99.0.16", nid("10.99.0.16@tcp2")}, {"10.99.0.15", nid("10.99.0.15@tcp2")}};
const Nid k13 = nid("10.99.0.13@tcp"), k15 = nid("10.99.0.15@tcp2");

TEST(ReplayR11, TheNodeThatAsksThroughTwoRouters) {  // spec/multirail.md 9.7
  Client node({k13}, 1, -1, legs_of("r11_multihop_ping_discover", kMultihop));
  node.at(-0.5, [&] { node.add_route(kNetTcp2, nid("10.99.0.14@tcp")); });
  node.ping_at(0, k15);
  node.at(0.5216, [&] { node.begin_discover(node.a, k15); });
  node.run(10);
  expect_as_recorded(node, 0, 10);
  EXPECT_THAT(node.pings(), ElementsAre(0));
  EXPECT_EQ(node.state(node.a, k15), 273U);
}

TEST(ReplayR11, TheNodeThatIsAsked) {
  Client node({k15}, 1, -11, legs_of("r11_multihop_ping_discover", kMultihop));
  node.be_quick();
  node.at(0.1358 - 10, [&] { node.add_route(kNetTcp, nid("10.99.0.16@tcp2")); });
  node.run(5);
  expect_as_recorded(node, 0, 5);
  EXPECT_EQ(node.state(node.a, k13), 273U);
}

// ---- A, 3@tcp, routers 4 and 6, B, 5@tcp1; recorded at A's cable

const Nids kAtA = {{"10.99.0.1", nid("10.99.0.1@tcp")},
                   {"10.99.0.3", nid("10.99.0.3@tcp")},
                   {"10.99.0.4", nid("10.99.0.4@tcp")},
                   {"10.99.0.6", nid("10.99.0.6@tcp")}};
const Nid kR1 = nid("10.99.0.4@tcp"), kR1Far = nid("10.99.1.4@tcp1"), kR2 = nid("10.99.0.6@tcp");

/// A line of route_samples_gateway_killed.txt: the node's output at that time.
struct Sample {
  double at = 0;
  std::string route, router, near, far;
  std::uint32_t peer_state = 0;
  int health = 0;
};

std::vector<Sample> samples() {
  std::ifstream file(ULNET_SOURCE_DIR "/tests/data/text/route_samples_gateway_killed.txt");
  const std::regex line_of(
      R"(t=(\d+) up=\d+ route tcp1 (\w+) via 10\.99\.0\.4@tcp router alive=(\w+) ps=(\d+) )"
      R"(\[10\.99\.0\.4@tcp (\w+)\] hv=(\d+) pc=\d+ \[10\.99\.1\.4@tcp1 (\w+)\] hv=1000 pc=0)");
  std::vector<Sample> all;
  std::smatch found;
  for (std::string line; std::getline(file, line);)
    if (std::regex_match(line, found, line_of))
      all.push_back({std::stod(found[1]), found[2], found[3], found[5], found[7],
                     static_cast<std::uint32_t>(std::stoul(found[4])), std::stoi(found[6])});
  return all;
}

TEST(ReplayR05, ANodeWhoseGatewayDiesAndReturns) {  // spec/multirail.md 9.4
  Client node({kA}, 3, -21, legs_of("r05_router_checker_dies_returns", kAtA));
  node.be_quick();
  node.at(-20, [&] { node.add_route(kNetTcp1, kR1); });
  node.dies(kR1, 22, 32.24, 56.08);
  const std::vector<Sample> recorded = samples();
  ASSERT_EQ(recorded.size(), 14U);
  for (const Sample& sample : recorded)
    node.at(sample.at + 0.7, [&node, &sample] {
      SCOPED_TRACE(sample.at);
      EXPECT_EQ(node.route(kNetTcp1, kR1).up() ? "up" : "down", sample.route);
      EXPECT_EQ(node.gateway(kR1).all_up ? "up" : "down", sample.router);
      // The recorded node took the far NID as up until its check had failed. At 56 it had got a
      // message by a connection that its driver had begun at 40.
      if (sample.at != 56) {
        EXPECT_EQ(node.peer_ni(kR1).state, sample.near);
      }
      if (sample.at != 32) {
        EXPECT_EQ(node.peer_ni(kR1Far).state, sample.far);
      }
      // How often the dead gateway is pinged, and how much health that costs, depends on the exact
      // times.
      if (sample.at >= 28 && sample.at <= 56) return;
      EXPECT_EQ(node.state(node.a, kR1), sample.peer_state);
      EXPECT_EQ(node.peer_ni(kR1).health_value, sample.health);
    });
  node.at(55, [&] { EXPECT_LT(node.peer_ni(kR1).health_value, 600); });
  node.run(145);
  expect_as_recorded(node, -0.5, 32);
  expect_like_recorded(node, 56.05, 141, 1);
}

TEST(ReplayR06b, ARouteWithADownFarNetIsUpIfThatIsUnchecked) {  // spec/multirail.md 9.3.3
  Client node({kA}, 3, -6, legs_of("r06b_avoid_asym_param", kAtA));
  node.be_quick();
  node.at(4.2558 - 10, [&] { node.add_route(kNetTcp1, kR1); });
  const auto avoid = [&](bool value) {
    node.a.config->globals.avoid_asym_router_failure = value;
    node.configure(node.a);
  };
  const auto trouble = [&] { return node.route(kNetTcp1, kR1).trouble; };
  const auto add_again = [&](std::int32_t hops) {
    node.del_route(kNetTcp1, kR1);
    node.add_route(kNetTcp1, kR1, hops);
    EXPECT_EQ(trouble(), RouteTrouble::kFarDown) << hops << " hops";
    EXPECT_FALSE(node.route(kNetTcp1, kR1).multi_hop) << "no matter its hops";
  };
  node.at(10.8, [&] { EXPECT_EQ(trouble(), RouteTrouble::kNone); });
  node.at(10.9, [&] { EXPECT_EQ(trouble(), RouteTrouble::kFarDown); });
  node.at(29, [&] {
    avoid(false);
    EXPECT_EQ(trouble(), RouteTrouble::kNone) << "at once";
  });
  node.ping_at(29.992, kB, std::chrono::seconds(3));
  node.at(33.5, [&] {
    avoid(true);
    EXPECT_EQ(trouble(), RouteTrouble::kFarDown) << "at once";
  });
  node.at(37.372, [&] { add_again(2); });
  node.at(37.8, [&] { add_again(1); });
  node.run(48);
  EXPECT_THAT(node.pings(), ElementsAre(-ETIMEDOUT)) << "shown as -EIO";
  expect_as_recorded(node, 0, 32.9);
  // The core sends more than was recorded: a check for the second of the routes that are added
  // again, and a recovery ping, because a ping that ends without an answer lowers the health of the
  // gateway through which it went.
  expect_like_recorded(node, 32.9, 48, 2);
}

std::vector<double> pings_to_b(const std::vector<Leg>& legs) {
  std::vector<double> all;
  for (const Leg& leg : legs)
    if (leg.from == kA && leg.header.dest_nid == kB && leg.header.type() == wire::MsgType::kGet)
      all.push_back(std::chrono::duration<double>(leg.at).count());
  return all;
}

/// How the pings of this recording ended: -5 was printed for the ping that was in R1.
std::vector<int> recorded_ends() {
  std::ifstream file(ULNET_SOURCE_DIR
                     "/tests/data/text/two_routers_failover_short_timeouts_recovery_limit.txt");
  const std::regex line_of(R"(up=[\d.]+ to [\d.]+: (ok|-5))");
  std::vector<int> ends;
  std::smatch found;
  for (std::string line; std::getline(file, line);)
    if (std::regex_match(line, found, line_of)) ends.push_back(found[1] == "ok" ? 0 : -ETIMEDOUT);
  return ends;
}

TEST(ReplayR10, ANodeWithTwoRoutersOneOfWhichDiesAndReturns) {  // spec/multirail.md 9.4
  const std::vector<Leg> legs = legs_of("r10_two_routers_r1_dies_returns", kAtA);
  Client node({kA}, 1, -20, legs);
  node.be_quick();
  node.set(&core::Globals::recovery_limit, 20);
  node.set(&core::Globals::max_recovery_ping_interval, 4);
  node.at(1.7602 - 20, [&] { node.add_route(kNetTcp1, kR2); });
  node.at(0.7202 - 10, [&] { node.add_route(kNetTcp1, kR1); });
  node.dies(kR1, 3.3, 6.72, 50.1);
  for (const double time : pings_to_b(legs)) node.ping_at(time, kB);
  node.at(6.71, [&] { EXPECT_TRUE(node.route(kNetTcp1, kR1).up()); });
  node.at(6.73, [&] { EXPECT_FALSE(node.route(kNetTcp1, kR1).up()); });
  node.at(50.5, [&] { EXPECT_FALSE(node.route(kNetTcp1, kR1).up()); });
  node.at(50.7, [&] {
    EXPECT_TRUE(node.route(kNetTcp1, kR1).up());
    EXPECT_EQ(node.peer_ni(kR1).health_value, 1000);
  });
  node.run(123);
  // Compares each ping by its gateway: they alternate, and use R2 alone while R1 is down.
  expect_as_recorded(node, 0, 5.7);
  expect_as_recorded(node, 0, 123, kR2);
  expect_like_recorded(node, 50.5, 123, 1);
  std::vector<int> ends = recorded_ends();
  ASSERT_EQ(ends.size(), 199U);
  ends.push_back(0);  // the capture has one more ping, with its answer
  EXPECT_EQ(node.pings(), ends);
}

TEST(ReplayR14, ANodeThatDropsAsymmetricMessages) {  // spec/multirail.md 9.6
  Client node({kA}, 1, -16, legs_of("r14_drop_asym_route", kAtA));
  node.be_quick();
  // Before the recording the node also had a route through R1, and it knows B.
  node.at(-15.5, [&] { node.add_route(kNetTcp1, kR1); });
  node.at(-6, [&] { node.del_route(kNetTcp1, kR1); });
  node.at(-4, [&] { node.begin_discover(node.a, kB); });
  node.set(&core::Globals::drop_asym_route, 1);
  node.at(4.9062 - 20, [&] { node.add_route(kNetTcp1, kR2); });
  for (const double time : {18.6486, 19.1573, 19.5498, 20.1157}) node.ping_at(time, kB);
  node.at(18, [&] {
    EXPECT_EQ(node.dropped(node.a, core::DropReason::kAsymmetricRoute), 4U);
    EXPECT_EQ(node.show(node.a).statistics.drop_length, 0U);
  });
  node.run(37);
  EXPECT_THAT(node.pings(), Each(0)) << "its own pings come back by the router by which they went";
  EXPECT_EQ(node.dropped(node.a, core::DropReason::kAsymmetricRoute), 5U);
  EXPECT_EQ(node.show(node.a).statistics.drop_count, 5U);
  EXPECT_EQ(node.show(node.a).statistics.drop_length, 48U) << "the push with which B discovers A";
  expect_as_recorded(node, 0, 37);
}

}  // namespace
}  // namespace ulnet::capture

// Recorded routers. The messages that came to a router over any of its nets go into a core that has
// its NIDs and routes. The messages that the core forwards are byte for byte those that the router
// forwarded, over the same NIs to the same neighbours. Source: spec/multirail.md 9.7,
// spec/observed-routing.md 1.2, 2.3.
#include <gtest/gtest.h>

#include "tests/lnet/recorded/routing/router.h"

namespace ulnet::capture {
namespace {

// ---- A, 13@tcp, two routers 14 and 16, C, 15@tcp2

const Nids kMultihop = {
    {"10.99.0.13", nid("10.99.0.13@tcp")},  {"10.99.0.14", nid("10.99.0.14@tcp")},
    {"10.99.1.14", nid("10.99.1.14@tcp1")}, {"10.99.1.16", nid("10.99.1.16@tcp1")},
    {"10.99.0.16", nid("10.99.0.16@tcp2")}, {"10.99.0.15", nid("10.99.0.15@tcp2")}};

constexpr std::uint32_t kRoutes = core::test::kUsualFeatures & ~wire::kPingRoutingDisabled;

class Multihop : public ::testing::TestWithParam<const char*> {};

TEST_P(Multihop, TheFirstRouter) {  // spec/wire-lnet.md 3.1
  Router router({nid("10.99.0.14@tcp"), nid("10.99.1.14@tcp1")}, 1, -1,
                legs_of(GetParam(), kMultihop));
  router.set_routing(true, true);
  router.add_route(kNetTcp2, nid("10.99.1.16@tcp1"));
  router.know(nid("10.99.1.14@tcp1"), {nid("10.99.1.16@tcp1"), nid("10.99.0.16@tcp2")}, 1, kRoutes);
  router.run(10);
  expect_sent_on(router, 8);
}

TEST_P(Multihop, TheSecondRouter) {  // spec/wire-lnet.md 3.1
  Router router({nid("10.99.1.16@tcp1"), nid("10.99.0.16@tcp2")}, 1, -1,
                legs_of(GetParam(), kMultihop));
  router.set_routing(true, true);
  router.add_route(kNetTcp, nid("10.99.1.14@tcp1"));
  router.know(nid("10.99.1.16@tcp1"), {nid("10.99.0.14@tcp"), nid("10.99.1.14@tcp1")}, 1, kRoutes);
  router.run(10);
  expect_sent_on(router, 8);
}

INSTANTIATE_TEST_SUITE_P(Recordings, Multihop,
                         ::testing::Values("r11_multihop_ping_discover",
                                           "r12_multihop_brw_64k_write"));

// ---- A, 3@tcp, two routers 4 and 6 beside each other, B, 5@tcp1; only A's cable was recorded

const Nids kAtA = {{"10.99.0.3", nid("10.99.0.3@tcp")},
                   {"10.99.0.4", nid("10.99.0.4@tcp")},
                   {"10.99.0.6", nid("10.99.0.6@tcp")}};

struct OneOfTwo {
  Nid near, far;
};
const OneOfTwo kR1{nid("10.99.0.4@tcp"), nid("10.99.1.4@tcp1")};
const OneOfTwo kR2{nid("10.99.0.6@tcp"), nid("10.99.1.6@tcp1")};

std::vector<Leg> legs_at(const OneOfTwo& router, const std::string& name) {
  return with_far_side(legs_of(name, kAtA), router.near, router.far, kB);
}
/// Plays until `end`, in seconds.
void play(Router& router, const OneOfTwo& nids, double end) {
  router.be_quick();
  router.set_routing(true, true);
  router.know(nids.near, {kA}, 1);
  router.know(nids.far, {kB}, 1);
  router.only_compare({kA});
  for (double time = 0; time < end; time += 10)
    router.at(time, [&] { router.check_of(kB, nids.far); });
  router.run(end);
}

TEST(ReplayR10, TheRouterThatLives) {  // spec/multirail.md 9.7
  Router router({kR2.near, kR2.far}, 1, -1, legs_at(kR2, "r10_two_routers_r1_dies_returns"));
  play(router, kR2, 130);
  expect_sent_on(router, 2 * 139);
  expect_as_recorded(router, 0, 130);
}

TEST(ReplayR10, TheRouterThatReturns) {
  Router router({kR1.near, kR1.far}, 1, 45,
                from_time(legs_at(kR1, "r10_two_routers_r1_dies_returns"), 45));
  router.be_quick();
  router.set_routing(true, true);
  router.only_compare({kA});
  for (double time = 50; time < 123; time += 10)
    router.at(time, [&] { router.check_of(kB, kR1.far); });
  router.run(123);
  expect_sent_on(router, 2 * 58);
  expect_as_recorded(router, 45, 123);
}

TEST(ReplayR14, TheRouterThatAUses) {  // spec/multirail.md 9.7
  Router router({kR2.near, kR2.far}, 1, -1, legs_at(kR2, "r14_drop_asym_route"));
  play(router, kR2, 37);
  expect_sent_on(router, 20);
  expect_as_recorded(router, 0, 37);
}

TEST(ReplayR14, TheRouterThatADoesNotUse) {  // spec/multirail.md 9.5
  Router router({kR1.near, kR1.far}, 1, -1, legs_at(kR1, "r14_drop_asym_route"));
  play(router, kR1, 37);
  expect_sent_on(router, 5);
  // A pings the router only every 16 s, so production's router reported three times that its near
  // net was down, and up again. This router pings A itself before it reports the net as down
  // (spec/multirail.md 9.5).
  const Texts recorded = texts_of(router.recorded, 0, 37), sent = texts_of(router.sent, 0, 37);
  const std::string reply = "REPLY 10.99.0.4@tcp > 10.99.0.3@tcp";
  EXPECT_EQ(recorded.at(reply).size(), 3U);
  EXPECT_EQ(sent.at(reply), recorded.at(reply));
  const std::string push = "PUT 10.99.0.4@tcp > 10.99.0.3@tcp";
  EXPECT_EQ(recorded.at(push).size(), 6U);
  EXPECT_FALSE(sent.contains(push));
}

}  // namespace
}  // namespace ulnet::capture

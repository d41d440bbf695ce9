// Messages that recorded routers sent themselves: answers to checks, and pushes when they began to
// route, or when one of their nets went down. A core in their place sends the same, byte for byte
// except for the names of its MDs. Source: spec/multirail.md 9.1, 9.4, 9.5.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/lnet/recorded/routing/router.h"

namespace ulnet::capture {
namespace {

std::vector<Leg> up_to_time(std::vector<Leg> legs, double seconds) {
  std::erase_if(legs, [&](const Leg& leg) { return leg.at >= seconds_of(seconds); });
  return legs;
}

// ---- 07a, 07b: 1@tcp, a router 3, 2@tcp1

const Nids k07 = {{"10.99.0.1", nid("10.99.0.1@tcp")},
                  {"10.99.0.3", nid("10.99.0.3@tcp")},
                  {"10.99.1.3", nid("10.99.1.3@tcp1")},
                  {"10.99.1.2", nid("10.99.1.2@tcp1")}};
const Nid k3 = nid("10.99.0.3@tcp"), k3Far = nid("10.99.1.3@tcp1");

TEST(Replay07a, ARouterThatStartsSaysThatItDoesNotRouteYet) {  // spec/multirail.md 9.1
  Router router({k3, k3Far}, 3, -1, legs_of("07a_route_setup_router_starting", k07));
  router.set_routing(true, false);
  router.run(10);
  expect_as_recorded(router, 0, 10);
}

TEST(Replay07b, ARouterThatIsEnabledWhileItForwards) {  // spec/multirail.md 9.1
  Router router({k3, k3Far}, 3, -60, legs_of("07b_routed_router_enabled_transition", k07));
  router.know(k3, {nid("10.99.0.1@tcp")}, 2);
  router.know(k3Far, {nid("10.99.1.2@tcp1")}, 2);
  // 110 s before the router reports it: spec/multirail.md 9.1.
  router.at(50.265 - 110, [&] { router.set_routing(true, false); });
  router.run(120);
  expect_sent_on(router, 10);
  expect_as_recorded(router, 0, 120);
}

// ---- r05, r06b: 3@tcp, a router 4; the far net was not recorded

const Nids kNear = {{"10.99.0.1", nid("10.99.0.1@tcp")},
                    {"10.99.0.3", nid("10.99.0.3@tcp")},
                    {"10.99.0.4", nid("10.99.0.4@tcp")},
                    {"10.99.0.6", nid("10.99.0.6@tcp")}};
const Nid k4 = nid("10.99.0.4@tcp"), k4Far = nid("10.99.1.4@tcp1");

TEST(ReplayR05, TheRouterBeforeItDies) {
  Router router({k4, k4Far}, 2, -1,
                up_to_time(legs_of("r05_router_checker_dies_returns", kNear), 29));
  router.be_quick();
  router.set_routing(true, true);
  router.know(k4, {kA}, 3);
  router.run(29);
  expect_as_recorded(router, -1, 29);
}

TEST(ReplayR05, TheRouterThatReturns) {  // spec/multirail.md 9.1
  // The router has one NI at first, then a second one, and routes 15 s after the command.
  Router router({k4}, 1, 50, from_time(legs_of("r05_router_checker_dies_returns", kNear), 50));
  router.be_quick();
  router.at(57, [&] { router.set_nids({k4, k4Far}); });
  router.at(73.679 - 15, [&] { router.set_routing(true, false); });
  router.only_compare({kA});
  router.run(141);
  expect_as_recorded(router, 50, 141);
}

TEST(ReplayR06b, ARouterWhoseFarNetHasDiedReportsItToItsPeers) {  // spec/multirail.md 9.5
  // B dies after its last check. The router pings it once before it takes the net as down: that is
  // 5 s later than production's routers (spec/multirail.md 9.5).
  const double last_check = 10.895 - 15 - 5 - 0.002;
  Router router({k4, k4Far}, 2, last_check - 1, legs_of("r06b_avoid_asym_param", kNear));
  router.be_quick();
  router.set_routing(true, true);
  router.know(k4, {kA}, 3);
  router.know(k4Far, {kB}, 1);
  router.only_compare({kA});
  router.at(last_check, [&] { router.check_of(kB, k4Far); });
  router.at(-6.1, [&] { router.check_of(kA, k4); });  // before the recording
  router.run(48);
  expect_as_recorded(router, 0, 48);
}

}  // namespace
}  // namespace ulnet::capture

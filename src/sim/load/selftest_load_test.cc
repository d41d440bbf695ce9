#include "sim/load/selftest_load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/load/faults.h"
#include "sim/world/world.h"

namespace ulnet::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;

/// The console is at the first node, which is not a member of the session.
SelftestSetup small_test() {
  SelftestSetup test;
  test.console = 0;
  test.from = {1};
  test.to = {2};
  test.lasts = seconds(3);
  test.session_timeout = seconds(5);
  return test;
}

struct Scene {
  explicit Scene(DriverKind driver, std::uint64_t seed = 1)
      : world(seed, {.link = {.delay = milliseconds(1)}}) {
    for (unsigned i = 1; i <= 4; ++i)
      world.add_node(
          {.nis = {{.nid = Nid::small({NetType::kTcp, 0}, 0x0a000000U + i)}}, .driver = driver});
    before = world.node(0).leftovers();
  }
  SelftestLoad& add(const SelftestSetup& test) { return world.add<SelftestLoad>("load", test); }
  std::uint64_t acts(const char* word) { return world.exercised().acts[word]; }
  /// The number of nodes that hold a session.
  std::size_t held(SelftestLoad& load) {
    std::size_t held = 0;
    for (std::size_t i = 0; i < world.size(); ++i)
      if (SelftestHost* host = load.host(world.node(i)))
        held += host->selftest().framework().session() != nullptr ? 1 : 0;
    return held;
  }
  Verdict run_until_done(const SelftestLoad& load) {
    return world.run_until([&](World&) { return load.done(); }, {.time = minutes(10)});
  }
  void expect_nothing_left(SelftestLoad& load) {
    world.wind_down();
    ASSERT_TRUE(world.run_until_quiet({.time = minutes(10)}).reached()) << world.explain();
    load.take_back(world);
    ASSERT_TRUE(world.run_until_quiet({.time = minutes(10)}).reached()) << world.explain();
    for (std::size_t i = 0; i < world.size(); ++i) {
      EXPECT_EQ(load.host(world.node(i)), nullptr) << i;
      EXPECT_EQ(world.node(i).leftovers(), before) << i;
    }
  }

  World world;
  Leftovers before;
};

struct Selftests : testing::TestWithParam<DriverKind>, Scene {
  Selftests() : Scene(GetParam()) {}
};
INSTANTIATE_TEST_SUITE_P(Both, Selftests, testing::Values(DriverKind::kPipe, DriverKind::kSock),
                         [](const auto& driver) { return std::string(to_string(driver.param)); });

// spec/wire-selftest.md 1.3
TEST_P(Selftests, NodesFreeThemselvesWhenTheConsoleIsKilled) {
  SelftestLoad& load = add(small_test());
  world.run_for(seconds(2));
  EXPECT_EQ(held(load), 2U);
  ASSERT_TRUE(run_until_done(load).reached()) << world.explain();
  EXPECT_EQ(held(load), 0U);
  EXPECT_EQ(acts("selftest abandoned"), 1U);
  EXPECT_EQ(acts("selftest expired"), 2U);
  EXPECT_GT(world.age(), seconds(7));
  EXPECT_LT(world.age(), seconds(9));
  expect_nothing_left(load);
}

TEST_P(Selftests, NodesFreeThemselvesWhenTheConsoleAndItsNodeCrash) {  // spec/cli-lst.md 4
  SelftestSetup test = small_test();
  test.console = 1;
  test.what = SelftestSetup::What::kWrite;
  SelftestLoad& load = add(test);
  world.run_for(seconds(2));
  world.node(1).crash(true);
  world.run_for(seconds(1));
  EXPECT_EQ(held(load), 1U);
  world.node(1).start();
  ASSERT_TRUE(run_until_done(load).reached()) << world.explain();
  EXPECT_EQ(acts("selftest abandoned"), 1U);
  EXPECT_EQ(acts("selftest expired"), 1U);
  EXPECT_NE(load.host(world.node(1)), nullptr) << "it serves again";
  expect_nothing_left(load);
}

// spec/wire-selftest.md 1.3: the console's own time-out; spec/cli-lst.md 4
TEST_P(Selftests, AnUnusedConsoleEndsTheSession) {
  SelftestSetup test = small_test();
  test.forgotten = true;
  test.console_timeout = seconds(5);
  test.session_timeout = seconds(60);
  SelftestLoad& load = add(test);
  ASSERT_TRUE(run_until_done(load).reached()) << world.explain();
  EXPECT_EQ(acts("selftest expired"), 0U);
  EXPECT_LT(world.age(), seconds(20));
  expect_nothing_left(load);
}

TEST_P(Selftests, AConsoleThatStaysEventuallyEndsTheSession) {
  SelftestSetup test = small_test();
  test.lasts = {};
  test.what = SelftestSetup::What::kRead;
  SelftestLoad& load = add(test);
  world.run_for(seconds(20));
  EXPECT_FALSE(load.done());
  EXPECT_EQ(held(load), 2U);
  expect_nothing_left(load);
  EXPECT_EQ(acts("selftest abandoned") + acts("selftest expired"), 0U);
}

TEST_P(Selftests, AConsoleThatIsPausedDiesWhenItIsResumed) {
  SelftestLoad& load = add(small_test());
  world.run_for(seconds(2));
  world.node(0).pause();
  world.run_for(seconds(20));
  EXPECT_EQ(held(load), 0U);
  EXPECT_FALSE(load.done());
  world.node(0).resume();
  ASSERT_TRUE(run_until_done(load).reached()) << world.explain();
  expect_nothing_left(load);
}

TEST_P(Selftests, SurviveEveryFault) {
  for (const FaultKind kind : kFaultKinds) {
    Scene scene(GetParam());
    SelftestSetup test = small_test();
    test.keep_going = true;
    test.session_timeout = seconds(2);
    test.rpc_timeout = seconds(1);
    scene.add(test);
    scene.world.add_actor(
        make_fault(kind, {.every = milliseconds(200), .lasts = milliseconds(300)}));
    scene.world.run_for(seconds(4));
    scene.world.wind_down();
    EXPECT_TRUE(scene.world.run_until_quiet({.time = minutes(10)}).reached())
        << to_string(kind) << ": " << scene.world.explain();
  }
}

/// The node ends, before or after its selftest, while its console waits for an answer that goes to
/// the NI whose link is down. Found by seed 742427145.
TEST(SelftestLoads, AConsoleHearsThatItsRequestsFailWhenItsNodeHasGone) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Scene scene(DriverKind::kSock, seed);
    World& world = scene.world;
    const auto nid = [](std::uint32_t host) { return Nid::small({NetType::kTcp, 0}, host); };
    SimNode& node = world.add_node({.nis = {{.nid = nid(0x0a000009U)}, {.nid = nid(0x0a00000aU)}},
                                    .driver = DriverKind::kSock});
    SelftestSetup test = small_test();
    test.console = node.number();
    test.to = {node.number()};
    SelftestLoad& load = scene.add(test);
    node.set_link(0, false);
    world.run_for(milliseconds(700));
    node.shutdown();
    world.run_for(minutes(1));
    EXPECT_EQ(load.host(node), nullptr) << "seed " << seed;
    EXPECT_TRUE(load.done()) << "seed " << seed;
  }
}

struct WrongSelftests : Scene {
  WrongSelftests() : Scene(DriverKind::kPipe) {}
  /// The load's violation about node 1, whose session really has this time-out.
  std::string said_with(Duration timeout) {
    SelftestLoad& load = add(small_test());
    world.run_for({});
    load.host(world.node(1))->selftest().settings().session_timeout = timeout;
    EXPECT_EQ(run_until_done(load).outcome, Outcome::kViolated);
    if (!world.violation()) return "";
    EXPECT_STREQ(world.violation()->checker, "selftest");
    EXPECT_EQ(world.violation()->node, 1U);
    return world.violation()->what;
  }
};

TEST(SelftestLoad, ReportsANodeThatKeepsItsSession) {
  WrongSelftests scene;
  EXPECT_THAT(scene.said_with({}), HasSubstr("it holds a session without a request"));
  EXPECT_LT(scene.world.age(), seconds(12));
}

TEST(SelftestLoad, ReportsASessionThatEndsTooSoon) {
  WrongSelftests scene;
  EXPECT_THAT(scene.said_with(seconds(1)), HasSubstr("its session ended"));
}

/// A look at a paused node finds nothing out. Found by seed 1110027706.
TEST(SelftestLoad, CountsARequestThatCameBeforeAPause) {
  Scene scene(DriverKind::kPipe);
  World& world = scene.world;
  SelftestSetup test = small_test();
  test.forgotten = true;
  test.session_timeout = seconds(20);
  SelftestLoad& load = scene.add(test);
  world.run_for(seconds(4));  // after the last command
  const SelftestHost& host = *load.host(world.node(1));
  const auto another = [&, heard = host.heard()](World&) { return host.heard() != heard; };
  ASSERT_TRUE(world.run_until(another, {.time = seconds(20)}).reached()) << world.explain();
  world.node(1).pause();
  world.run_for(milliseconds(300));
  world.node(1).resume();
  world.run_for(seconds(10));
  EXPECT_FALSE(world.violation()) << world.explain();
  EXPECT_EQ(scene.held(load), 2U);
}

TEST(SelftestUser, ReportsACommandThatDoesNotEnd) {
  Scene scene(DriverKind::kPipe);
  scene.world.node(1).pause();
  SelftestHost host(scene.world, scene.world.node(0));
  host.run([&] { EXPECT_TRUE(host.selftest().start()); });
  EXPECT_GT(host.mds(), 0U);
  SelftestUser user(host, {.from = {scene.world.node(1).id()}, .to = {}, .test = {}}, Rng(1));
  user.begin();
  scene.world.run_for(seconds(2));
  EXPECT_EQ(user.stood_by(seconds(30)), "");
  EXPECT_EQ(user.stood_by(seconds(6)), "the command add_group goes on after 36 s");
  user.kill();
  EXPECT_TRUE(user.over());
  scene.world.node(1).resume();
  host.run([&] { host.selftest().stop(); });
  ASSERT_TRUE(scene.world.run_until_quiet().reached()) << scene.world.explain();
  scene.world.run_for(seconds(1));
  EXPECT_TRUE(host.selftest().quiet());
  EXPECT_EQ(host.mds(), 0U);
}

}  // namespace
}  // namespace ulnet::sim

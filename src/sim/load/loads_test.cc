#include "sim/load/loads.h"

#include <gtest/gtest.h>

#include "sim/load/faults.h"
#include "sim/world/world.h"

namespace ulnet::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

void add_nodes(World& world, unsigned count, DriverKind driver) {
  for (unsigned i = 1; i <= count; ++i)
    world.add_node(
        {.nis = {{.nid = Nid::small({NetType::kTcp, 0}, 0x0a000000U + i)}}, .driver = driver});
}

class Drivers : public testing::TestWithParam<DriverKind> {};
INSTANTIATE_TEST_SUITE_P(Both, Drivers, testing::Values(DriverKind::kPipe, DriverKind::kSock),
                         [](const auto& driver) { return std::string(to_string(driver.param)); });

TEST_P(Drivers, EveryOperationEndsWell) {
  World world(1);
  add_nodes(world, 3, GetParam());
  auto& load = world.add<VerifiedLoad>("load", LoadSetup{.operations = 2000});
  ASSERT_TRUE(world.run_until_quiet().reached()) << world.explain();
  EXPECT_EQ(load.counts().ended, 2000U);
  EXPECT_EQ(load.counts().failed, 0U);
  for (const std::uint64_t begun : load.counts().begun) EXPECT_GT(begun, 50U);
}

TEST_P(Drivers, LeavesNothingBehind) {
  World world(2);
  add_nodes(world, 3, GetParam());
  const Leftovers before = world.node(0).leftovers();
  auto& load = world.add<VerifiedLoad>("load");
  world.run_for(milliseconds(100));
  EXPECT_GT(load.under_way(), 0U);
  world.wind_down();
  ASSERT_TRUE(world.run_until_quiet().reached()) << world.explain();
  EXPECT_EQ(load.under_way(), 0U);
  load.take_back(world);
  ASSERT_TRUE(world.run_until_quiet().reached()) << world.explain();
  for (std::size_t i = 0; i < world.size(); ++i) {
    EXPECT_EQ(world.node(i).leftovers(), before) << i;
    world.node(i).shutdown();
  }
  ASSERT_TRUE(world.run_until_quiet().reached()) << world.explain();
  for (std::size_t i = 0; i < world.size(); ++i) {
    EXPECT_EQ(world.node(i).state(), SimNode::State::kStopped) << i;
    EXPECT_EQ(world.node(i).leftovers(), Leftovers{}) << i;
  }
}

TEST_P(Drivers, SurvivesEveryFault) {
  for (const FaultKind kind : kFaultKinds) {
    World world(3);
    add_nodes(world, 4, GetParam());
    auto& load = world.add<VerifiedLoad>("load");
    world.add_actor(make_fault(kind, {.every = milliseconds(20), .lasts = milliseconds(20)}));
    EXPECT_EQ(world.run_for(milliseconds(300)).outcome, Outcome::kReached) << world.explain();
    world.wind_down();
    EXPECT_TRUE(world.run_until_quiet().reached()) << to_string(kind) << ": " << world.explain();
    EXPECT_GT(load.counts().ended, load.counts().failed) << to_string(kind);
  }
}

/// The paused node's operations have ended with their time-out; their messages are still in its
/// sockets.
TEST(Load, LeavesNothingWaitingAtAPausedNode) {  // seed 276636873
  World world(5);
  core::Globals globals;
  globals.transaction_timeout = 5;
  for (unsigned i = 1; i <= 2; ++i)
    world.add_node({.nis = {{.nid = Nid::small({NetType::kTcp, 0}, 0x0a000000U + i)}},
                    .driver = DriverKind::kSock,
                    .globals = globals});
  auto& load = world.add<VerifiedLoad>("load", LoadSetup{.shares = {0, 0, 0, 1, 0, 0}});
  world.run_for(milliseconds(50));
  world.node(1).pause();
  world.run_for(milliseconds(50));
  world.wind_down();
  world.run_for(seconds(20));
  EXPECT_GT(load.counts().failed, 0U);
  world.node(1).resume();
  load.take_back(world);
  EXPECT_TRUE(world.run_until_quiet({.time = seconds(600)}).reached()) << world.explain();
}

TEST(Load, NoticesWrongContents) {
  World world(4);
  add_nodes(world, 2, DriverKind::kPipe);
  world.add<VerifiedLoad>("load", LoadSetup{.min_bytes = 1});
  // Damages memory that a driver is about to send.
  struct Spoiler final : Checker {
    Spoiler() : Checker("spoiler", kMemory) {}
    void on_memory(World&, SimNode&, const iovec& memory, bool written) override {
      if (!written) static_cast<char*>(memory.iov_base)[0] ^= 1;
    }
  };
  world.add<Spoiler>();
  EXPECT_EQ(world.run_for(seconds(1)).outcome, Outcome::kViolated);
  EXPECT_STREQ(world.violation()->checker, "load");
}

TEST(Faults, AreReadByName) {
  for (const FaultKind kind : kFaultKinds) EXPECT_EQ(fault_kind(to_string(kind)), kind);
  EXPECT_EQ(fault_kind("earthquake"), std::nullopt);
}

TEST(Faults, AreCountedAndMended) {
  World world(5);
  add_nodes(world, 3, DriverKind::kPipe);
  Fault& clog = *make_fault(FaultKind::kClog).release();
  world.add_actor(std::unique_ptr<Actor>(&clog));
  const auto broken = [&](World&) { return clog.broken(); };
  ASSERT_TRUE(world.run_until(broken).reached());
  EXPECT_EQ(world.exercised().acts["fault clog"], 1U);
  world.wind_down();
  EXPECT_FALSE(clog.broken());
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      EXPECT_TRUE(world.wire().link(world.node(i).place(), world.node(j).place()).open());
}

}  // namespace
}  // namespace ulnet::sim

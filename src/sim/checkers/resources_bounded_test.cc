#include "sim/checkers/checkers.h"
#include "sim/checkers/checkers_fixture.h"
#include "sim/foreign/raw_peer.h"

namespace ulnet::sim {
namespace {

struct ResourcesChecker : TcpWorld {
  /// Opens two connections from one address to node a, and one from another address.
  void visit() {
    for (int i = 0; i < 2; ++i) {
      eve.greet(a.nid(), 3, i == 0 ? wire::ConnType::kControl : wire::ConnType::kBulkIn);
      ASSERT_TRUE(world.run_for(seconds(1)).reached());
    }
    ian.greet(a.nid());
    ASSERT_TRUE(world.run_for(seconds(1)).reached());
    checker.check_all(world);
    EXPECT_EQ(said(), "");
  }
  /// Changes the limits that the checker reads; node a was started with others.
  NodeSetup& setup() { return const_cast<NodeSetup&>(a.setup()); }

  Checker& checker = world.add_checker(resources_bounded_checker());
  RawPeer eve{world, tcp(9)}, ian{world, tcp(8)};
};

TEST_F(ResourcesChecker, SeesMoreConnectionsThanPeersMayOpen) {
  visit();
  setup().sock.accept_open = 3;
  checker.check_all(world);
  EXPECT_EQ(said(), "");
  setup().sock.accept_open = 2;
  checker.check_all(world);
  EXPECT_EQ(said(), "peers have opened 3 connections");
}

TEST_F(ResourcesChecker, SeesMoreConnectionsThanOneAddressMayOpen) {
  visit();
  setup().sock.accept_open_per_address = 1;
  checker.check_all(world);
  EXPECT_EQ(said(), "10.0.0.9 has opened 2 connections");
}

TEST_F(ResourcesChecker, SeesMorePayloadHeldThanThereIsMemoryFor) {
  ASSERT_TRUE(b.set_lazy_portal({5}));
  put(2000);
  ASSERT_TRUE(world.run_for(seconds(1)).reached());
  checker.check_all(world);
  EXPECT_EQ(said(), "");
  const_cast<NodeSetup&>(b.setup()).hold_memory = 1999;
  checker.check_all(world);
  EXPECT_EQ(said(), "holds 2000 bytes of payload, 1999 allowed");
}

using WaitingAnswersChecker = Lies<resources_bounded_checker>;

TEST_F(WaitingAnswersChecker, SeesAnswersThatAreCountedWrongly) {
  put_to_a({7}, 10);
  ASSERT_TRUE(world.run_for(seconds(1)).reached());
  checker.check_all(world);
  EXPECT_EQ(said(), "");
  ++state.answers;
  checker.check_all(world);
  EXPECT_EQ(said(), "1 answers are counted as waiting, and 0 do");
}

TEST_F(WaitingAnswersChecker, SeesAnAnswerThatHasGoneAndCountsOn) {
  put_to_a({7}, 10);
  ASSERT_TRUE(world.run_for(seconds(1)).reached());
  ++state.answers;
  ++state.peers.find_ni(tcp(2))->answers;
  checker.check_all(world);
  EXPECT_EQ(said(), "1 answers are counted as waiting, and 0 do");
}

TEST_F(WaitingAnswersChecker, SeesAnAnswerThatCountsAtAnotherPeerNi) {
  put_to_a({7}, 10);
  ASSERT_TRUE(world.run_for(seconds(1)).reached());
  ++state.peers.find_ni(tcp(2))->answers;
  checker.check_all(world);
  EXPECT_EQ(said(), "1 answers are counted as waiting, and 0 do");
}

TEST_F(WaitingAnswersChecker, SeesMoreAnswersThanMayWait) {
  const_cast<core::Globals&>(state.config->globals).max_answers = 3;
  const wire::LnetHeader put = header();
  const core::Input input = core::HeaderArrived{ni, {tcp(2), Pid::lustre()}, &put, {}, {}};
  for (std::uint32_t waiting = 1; waiting <= 4; ++waiting) {
    EXPECT_EQ(said(), "");
    checker.before_step(world, {a, 0, world.now(), input, {}, state});
    state.answers = waiting;
    step(input);
  }
  EXPECT_EQ(said(), "answers one request more than may wait for their answers");
}

}  // namespace
}  // namespace ulnet::sim

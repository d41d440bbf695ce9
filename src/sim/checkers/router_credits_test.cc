#include "sim/checkers/checkers.h"
#include "sim/checkers/routers_fixture.h"

namespace ulnet::sim {
namespace {

/// A peer NI has one router credit.
struct RouterCreditChecker : RouterLies<router_credits_checker> {
  core::Msg& with_credit() {
    core::Msg& msg = message();
    msg.has_router_credit = true;
    return msg;
  }
};

TEST_F(RouterCreditChecker, IsSilentAboutASoundRouter) {
  sound_messages_cross();
  EXPECT_EQ(said(), "");
}

TEST_F(RouterCreditChecker, IsSilentAboutAPeerNiAtItsLimit) {
  with_credit().has_buffer = true;
  message();  // waits for a router credit
  step();
  EXPECT_EQ(said(), "");
}

// spec/core-semantics.md 10.3.1, 18.14
TEST_F(RouterCreditChecker, SeesAPeerNiWhoseMessagesHoldTooMany) {
  with_credit();
  with_credit();
  step();
  EXPECT_EQ(said(), "10.0.0.1@tcp: its messages hold 2 router credits of 1");
}

TEST_F(RouterCreditChecker, CountsEachPeerNiApart) {
  with_credit();
  with_credit().from = &state.peers.use_ni(tcp(3), 8);
  step();
  EXPECT_EQ(said(), "");
}

TEST_F(RouterCreditChecker, SeesABufferWithoutACredit) {
  message().has_buffer = true;
  step();
  EXPECT_EQ(said(), "a message from 10.0.0.1@tcp has a buffer and no credit");
}

TEST_F(RouterCreditChecker, SeesACreditThatDoesNotComeBack) {  // spec/core-semantics.md 18.14
  core::Gate& gate = state.peers.use_router_gate(state.peers.use_ni(tcp(1), 8), 1);
  checker.at_rest(world);
  EXPECT_EQ(said(), "");
  core::Msg& msg = message();
  ASSERT_TRUE(gate.take(msg));
  checker.at_rest(world);
  gate.give();
  EXPECT_EQ(said(), "10.0.0.1@tcp: some router credits did not come back");
}

}  // namespace
}  // namespace ulnet::sim

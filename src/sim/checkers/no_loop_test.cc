#include "sim/checkers/no_loop.h"

#include "sim/checkers/routers_fixture.h"

namespace ulnet::sim {
namespace {

/// Messages are for a node on a third net, so they may cross every router from either side.
struct LoopChecker : RouterLies<NoLoop> {
  wire::LnetHeader to_beyond() const {
    wire::LnetHeader made = header();
    made.dest_nid = Nid::small({NetType::kTcp, 2}, 0x0a020001);
    return made;
  }
  /// Such a message comes to the router from `hop`, and leaves for `next`.
  void crosses(SimNode& node, const Nid& hop, const Nid& next) {
    core::Msg& msg = message_at(node);
    msg.header = to_beyond();
    comes_to(node, msg.header, hop);
    step_at(node, core::Tick{}, {send(msg, next)});
  }
  SimNode& t = node("t", {tcp(7), tcp1(7)}, {});
};

TEST_F(LoopChecker, IsSilentAboutASoundRouter) {
  sound_messages_cross();
  EXPECT_EQ(said(), "");
}

TEST_F(LoopChecker, IsSilentAboutAChainOfRouters) {
  crosses(r, tcp(1), tcp1(9));
  crosses(s, tcp1(8), tcp(7));
  crosses(t, tcp(9), tcp1(3));
  EXPECT_EQ(said(), "");
}

TEST_F(LoopChecker, SeesOneThatComesRoundAgain) {
  crosses(r, tcp(1), tcp1(9));
  crosses(s, tcp1(8), tcp(7));
  crosses(t, tcp(9), tcp1(8));
  EXPECT_EQ(said(), "");
  comes_to(r, to_beyond(), tcp1(7));
  EXPECT_EQ(said(), "a message from 10.0.0.1@tcp to 10.2.0.1@tcp2 comes for the second time");
}

TEST_F(LoopChecker, AnotherOneThatIsAlikeIsNoLoop) {
  crosses(r, tcp(1), tcp1(9));
  crosses(r, tcp(1), tcp1(9));
  crosses(s, tcp1(8), tcp(7));
  EXPECT_EQ(said(), "");
}

TEST_F(LoopChecker, SeesOneThatGoesBackToWhereItCameFrom) {
  crosses(r, tcp(9), tcp(9));
  EXPECT_EQ(said(), "a message from 10.0.0.1@tcp to 10.2.0.1@tcp2 goes back to s");
}

// r has not been told that both NIDs are of s.
TEST_F(LoopChecker, IsSilentAboutARouterThatCannotKnowThatItGoesBack) {
  crosses(r, tcp(9), tcp1(9));
  EXPECT_EQ(said(), "");
}

TEST_F(LoopChecker, WhatIsForTheNodeThatItCameFromGoesThere) {
  core::Msg& msg = message_at(r);
  msg.header.dest_nid = tcp1(9);
  comes_to(r, msg.header, tcp(9));
  step(core::Tick{}, {send(msg, tcp1(9))});
  EXPECT_EQ(said(), "");
}

}  // namespace
}  // namespace ulnet::sim

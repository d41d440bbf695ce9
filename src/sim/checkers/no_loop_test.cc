#include "sim/checkers/checkers.h"
#include "sim/checkers/routers_fixture.h"

namespace ulnet::sim {
namespace {

/// Messages are for a node on a third net, so they may cross every router from either side.
struct LoopChecker : RouterLies<no_loop_checker> {
  wire::LnetHeader to_beyond() const {
    wire::LnetHeader made = header();
    made.dest_nid = Nid::small({NetType::kTcp, 2}, 0x0a020001);
    return made;
  }
  /// Such a message comes to the router from `hop`, and leaves for `next`: by the router's NI `by`,
  /// or by its first NI on that net.
  void crosses(SimNode& node, const Nid& hop, const Nid& next, const Nid& by = Nid::any()) {
    core::Msg& msg = message_at(node);
    msg.header = to_beyond();
    comes_to(node, msg.header, hop);
    msg.outgoing = true;
    msg.hop.nid = next;
    core::Send sends = send(msg, next);
    const core::NiTable& nis = state_of(node).nis;
    sends.ni = (by.is_any() ? nis.find(next.net())->nis.front() : nis.find(by))->config.id;
    step_at(node, core::Tick{}, {sends});
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

TEST_F(LoopChecker, SeesOneThatComesRoundAgain) {  // spec/core-semantics.md 10.3.3
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

// One message goes from a to s and r; the other goes from a to r, which forwards it to s.
TEST_F(LoopChecker, AnAlikeOneThatComesFromAnotherNeighbourIsNoLoop) {
  crosses(s, tcp(1), tcp(8));
  crosses(r, tcp(1), tcp(9));
  comes_to(s, to_beyond(), tcp(8));
  EXPECT_EQ(said(), "");
}

// The first message is lost between s and r. The second one has not been at t before r sends it
// there.
TEST_F(LoopChecker, AnAlikeOneThatWasLostIsNotTakenForIt) {
  crosses(t, tcp(1), tcp(9));
  crosses(s, tcp(7), tcp1(8));
  crosses(s, tcp(1), tcp1(8));
  crosses(r, tcp1(9), tcp(7));
  comes_to(t, to_beyond(), tcp(8));
  EXPECT_EQ(said(), "");
}

TEST_F(LoopChecker, AnAlikeOneForAnotherNodeIsNotTakenForIt) {
  node("beyond", {to_beyond().dest_nid}, {});
  node("other", {Nid::small({NetType::kTcp, 2}, 0x0a020002)}, {});
  crosses(t, tcp(1), tcp(9));
  crosses(s, tcp(7), tcp1(8));
  wire::LnetHeader to_other = to_beyond();
  to_other.dest_nid = Nid::small({NetType::kTcp, 2}, 0x0a020002);
  for (int i = 0; i < 2; ++i) comes_to(r, to_other, tcp1(9));
  crosses(r, tcp1(9), tcp(7));
  comes_to(t, to_beyond(), tcp(8));
  EXPECT_EQ(said(), "a message from 10.0.0.1@tcp to 10.2.0.1@tcp2 comes for the second time");
}

// r does not know that both NIDs are of u. When the message arrives, u has lost the first NID.
TEST_F(LoopChecker, ARouterMaySendBackWhatCameByANidThatIsGone) {
  SimNode& u = node("u", {tcp(6), tcp(5), tcp1(6)}, {});
  crosses(u, tcp(1), tcp(8), tcp(5));
  u.remove_ni(tcp(5));
  crosses(r, tcp(5), tcp(6));
  comes_to(u, to_beyond(), tcp(8));
  EXPECT_EQ(said(), "");
}

// r does not know that both NIDs are of u, whose second NI accepts the message while it is being
// deleted.
TEST_F(LoopChecker, ARouterMaySendBackByANidThatIsAboutToGo) {
  SimNode& u = node("u", {tcp(6), tcp1(6)}, {});
  crosses(u, tcp(1), tcp(8));
  const core::NodeConfig before = *u.config();
  u.remove_ni(tcp1(6));
  state_of(u).nis.apply(before);
  crosses(r, tcp(6), tcp1(6));
  comes_to(u, to_beyond(), tcp1(8));
  EXPECT_EQ(said(), "");
}

// The shard that transmits may know by then that both NIDs are of s.
TEST_F(LoopChecker, NidsLearntAfterTheChoiceDoNotCount) {
  core::Msg& msg = message_at(r);
  msg.header = to_beyond();
  comes_to(r, msg.header, tcp(9));
  msg.outgoing = true;
  msg.hop.nid = tcp1(9);
  step();
  const auto peer_entry =
      std::make_shared<const core::PeerEntry>(core::PeerEntry{{tcp(9), tcp1(9)}, true});
  state.peers.set_peer_entry(state.peers.use(tcp(9)), peer_entry);
  core::Send sends = send(msg, tcp1(9));
  sends.ni = state.nis.find(tcp1(8))->config.id;
  step(core::Tick{}, {sends});
  EXPECT_EQ(said(), "");
  ++msg.tries;
  step(core::Tick{}, {sends});
  EXPECT_EQ(said(), "a message from 10.0.0.1@tcp to 10.2.0.1@tcp2 goes back to s");
}

TEST_F(LoopChecker, SeesOneThatGoesBackToWhereItCameFrom) {
  crosses(r, tcp(9), tcp(9));
  EXPECT_EQ(said(), "a message from 10.0.0.1@tcp to 10.2.0.1@tcp2 goes back to s");
}

// r does not know that both NIDs are of s.
TEST_F(LoopChecker, IsSilentAboutARouterThatCannotKnowThatItGoesBack) {
  crosses(r, tcp(9), tcp1(9));
  EXPECT_EQ(said(), "");
}

TEST_F(LoopChecker, AMessageForItsSenderGoesBack) {
  core::Msg& msg = message_at(r);
  msg.header.dest_nid = tcp1(9);
  comes_to(r, msg.header, tcp(9));
  step(core::Tick{}, {send(msg, tcp1(9))});
  EXPECT_EQ(said(), "");
}

}  // namespace
}  // namespace ulnet::sim

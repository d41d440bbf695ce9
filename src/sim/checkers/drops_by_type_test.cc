// DropsByType finds a drop that is counted under another type, by another NI, or not at all.
#include "sim/checkers/checkers.h"
#include "sim/checkers/checkers_fixture.h"

namespace ulnet::sim {
namespace {

struct DropChecker : Lies<drops_by_type_checker> {
  core::Traffic& traffic() { return state.nis.find(tcp(1))->traffic; }
  core::HeaderArrived arrives(const wire::LnetHeader& what) {
    return {ni, {tcp(2), Pid::lustre()}, &what, {1}, {}};
  }
  /// A PUT for which there is no buffer; the NI has counted it under `counts`.
  void drops_a_put(std::uint64_t core::TypeCounts::*counts) {
    put = header();
    put.payload_length = 40;
    ++state.counters.global.drop_count;
    if (counts != nullptr) ++(traffic().dropped.*counts);
    step(arrives(put), {core::DropPayload{ni, {1}, 40}});
  }
  /// A message for b waited too long for a credit, and the NI has counted it.
  void expires() {
    state.counters.drop(core::DropReason::kQueuedTooLong);
    ++traffic().dropped.get;
  }
  core::Traffic& peer_traffic() { return state.peers.use_ni(tcp(2), 8).traffic; }

  wire::LnetHeader put;
};

TEST_F(DropChecker, IsSilentAboutASoundNode) {
  a.set_lazy_portal({5});
  put_to_a({7}, 100);
  ASSERT_TRUE(world.run_for(seconds(1)).reached());
  a.clear_lazy_portal({5});
  put_to_a({8}, 100);
  ASSERT_TRUE(world.run_for(seconds(1)).reached());
  EXPECT_EQ(traffic().dropped.put, 2U);
  checker.check_all(world);
  EXPECT_EQ(said(), "");
}

TEST_F(DropChecker, IsSilentAboutADropThatIsCounted) {
  drops_a_put(&core::TypeCounts::put);
  EXPECT_EQ(said(), "");
}

TEST_F(DropChecker, SeesADropThatItsNiDoesNotCount) {
  drops_a_put(nullptr);
  EXPECT_EQ(said(), "10.0.0.1@tcp: 0 dropped messages of type 1 counted, 1 seen");
}

TEST_F(DropChecker, SeesADropThatIsCountedAsSomethingElse) {
  drops_a_put(&core::TypeCounts::get);
  EXPECT_NE(said(), "");
}

TEST_F(DropChecker, SeesADropOfAHeldMessage) {
  put = header();
  step(arrives(put), {core::HoldPayload{ni, {1}, kMsg}});
  ++state.counters.global.drop_count;
  step(core::Tick{}, {core::DropPayload{ni, {1}, 40}});
  EXPECT_EQ(said(), "10.0.0.1@tcp: 0 dropped messages of type 1 counted, 1 seen");
}

/// The step makes and forgets the peer NI (spec/core-semantics.md 8).
TEST_F(DropChecker, AllowsALateFirstMessageFromAnotherShard) {
  peer_traffic();
  step(core::Tick{});
  expires();
  core::ShardMsg late;
  late.body.emplace<core::shard_msg::Transmit>().path.hop.nid = tcp(3);
  step(core::FromShard{1, &late});
  EXPECT_EQ(said(), "");
}

TEST_F(DropChecker, SeesAnAckThatIsDroppedAndNotCounted) {
  put = header();
  put.part.emplace<wire::AckPart>();
  ++state.counters.global.drop_count;
  step(arrives(put), {core::DropPayload{ni, {1}, 0}});
  EXPECT_EQ(said(), "1 messages were dropped, their NIs count 0");
}

TEST_F(DropChecker, SeesACountWithoutADrop) {
  ++traffic().dropped.reply;
  checker.check_all(world);
  EXPECT_EQ(said(), "10.0.0.1@tcp: counts a drop that did not happen");
}

TEST_F(DropChecker, IsSilentAboutAMessageThatWaitedTooLong) {
  expires();
  ++peer_traffic().dropped.get;
  step(core::Tick{});
  EXPECT_EQ(said(), "");
}

TEST_F(DropChecker, SeesAPeerThatDoesNotCountIt) {
  peer_traffic();
  step(core::Tick{});
  expires();
  step(core::Tick{});
  EXPECT_EQ(said(), "1 messages waited too long, their peers count 0");
}

TEST_F(DropChecker, SeesAnNiThatCountsItAsSomethingElse) {
  expires();
  ++peer_traffic().dropped.put;
  step(core::Tick{});
  EXPECT_NE(said(), "");
}

/// The last message to a peer that no message has reached expires, so the peer's entry is deleted.
/// A failed message is sent again to another peer, whose entry is made.
TEST_F(DropChecker, AllowsAnEntryReplacedByAnother) {
  peer_traffic();
  step(core::Tick{});
  expires();
  state.peers.erase_ni(*state.peers.find_ni(tcp(2)));
  state.peers.use_ni(tcp(3), 8);
  step(core::Tick{});
  EXPECT_EQ(said(), "");
}

TEST_F(DropChecker, SeesAPeerThatDoesNotCountItBesideAnEntryThatComes) {
  peer_traffic();
  step(core::Tick{});
  expires();
  state.peers.use_ni(tcp(3), 8);
  step(core::Tick{});
  EXPECT_EQ(said(), "1 messages waited too long, their peers count 0");
}

TEST_F(DropChecker, KnowsThatADeletedPeerCountsFromZero) {
  expires();
  ++peer_traffic().dropped.get;
  step(core::Tick{});
  core::call::PeerDel del{tcp(2)};
  del.gone = {tcp(2)};
  state.peers.renew_ni(*state.peers.find_ni(tcp(2)));
  call(del);
  expires();
  ++peer_traffic().dropped.get;
  step(core::Tick{});
  EXPECT_EQ(said(), "");
}

TEST_F(DropChecker, KnowsThatAPeerForgottenWithItsNetCountsFromZero) {
  expires();
  ++peer_traffic().dropped.get;
  step(core::Tick{});
  state.peers.renew_ni(*state.peers.find_ni(tcp(2)));
  state.directory.leave_net(tcp(2).net(), [](NetId) { return false; });
  step(core::Tick{});
  expires();
  ++peer_traffic().dropped.get;
  step(core::Tick{});
  EXPECT_EQ(said(), "");
}

}  // namespace
}  // namespace ulnet::sim

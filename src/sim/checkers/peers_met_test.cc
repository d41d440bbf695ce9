// Shows the checker peer NIs of which a node must not have entries.
#include "sim/checkers/checkers.h"
#include "sim/checkers/checkers_fixture.h"

namespace ulnet::sim {
namespace {

using MetChecker = Lies<peers_met_checker>;

TEST_F(MetChecker, SeesAnEntryOfAnUnknownPeer) {
  checker.check_all(world);
  EXPECT_EQ(said(), "");
  state.peers.use_ni(tcp(9), 8);
  checker.check_all(world);
  EXPECT_EQ(said(), "10.0.0.9@tcp: an entry is left of a peer that was never met");
}

TEST_F(MetChecker, AllowsAPeerWithAMessageUnderWay) {
  state.peers.use_ni(tcp(9), 8).in_flight = 1;
  checker.check_all(world);
  EXPECT_EQ(said(), "");
}

TEST_F(MetChecker, DoesNotMindAnNiWhoseStatusItsPeerHasReported) {
  // Behind a router, without multi-rail, so there is no peer entry shared with the shards.
  state.directory.meet(tcp(9));
  state.peers.use_ni(tcp(9), 8).reported = core::ReportedStatus::kDown;
  checker.check_all(world);
  EXPECT_EQ(said(), "");
}

TEST_F(MetChecker, SeesAStatusThatIsLeftOfAPeerThatWasDeleted) {
  state.peers.use_ni(tcp(9), 8).reported = core::ReportedStatus::kDown;
  checker.check_all(world);
  EXPECT_EQ(said(), "10.0.0.9@tcp: an entry is left of a peer that was never met");
}

TEST_F(MetChecker, SeesAPeerNiOutsideItsOwnerShard) {
  SimNode& c = world.add_node({.name = "c", .nis = {{.nid = tcp(3)}}, .partitions = 2});
  auto& other = const_cast<core::ShardState&>(*c.shard_state(1));
  Nid nid = tcp(9);
  while (other.placement.of(nid) == 1) nid.addr[3] += 1;
  other.peers.use_ni(nid, 8).in_flight = 1;
  checker.check_all(world);
  EXPECT_EQ(said(), nid.to_string() + ": a peer NI is not in its owner shard");
}

TEST_F(MetChecker, SeesThatAPeerWasForgotten) {
  put_to_a({7}, 10);
  ASSERT_TRUE(world.run_until_quiet().reached());
  checker.check_all(world);
  EXPECT_EQ(said(), "");
  state.peers.erase_ni(*state.peers.find_ni(tcp(2)));
  checker.check_all(world);
  EXPECT_EQ(said(), "10.0.0.2@tcp: met before, and forgotten");
}

TEST_F(MetChecker, SeesThatAReachedPeerWasForgotten) {
  wire::LnetHeader put;
  put.part = wire::PutPart{};
  step(core::Tick{}, {send(kMsg, put)});
  step(core::SendDone{kMsg, 0, core::Health::kOk});
  core::PeerNi& peer = state.peers.use_ni(tcp(2), 8);
  checker.check_all(world);
  EXPECT_EQ(said(), "");
  state.peers.erase_ni(peer);
  checker.check_all(world);
  EXPECT_EQ(said(), "10.0.0.2@tcp: met before, and forgotten");
}

struct Deleted : MetChecker {
  /// Makes a and b know each other, and lets the checker see that. Then deletes a's peer NI for b.
  void forget_b() {
    put_to_a({7}, 10);
    EXPECT_TRUE(world.run_until_quiet().reached());
    checker.check_all(world);
    state.peers.erase_ni(*state.peers.find_ni(tcp(2)));
  }
  void deletes(const Nid& nid) {
    core::call::PeerDel del{nid};
    del.gone = {nid};
    call(del);
  }
};

TEST_F(Deleted, APeerThatAnAdministratorDeletedIsNotMissed) {
  forget_b();
  deletes(tcp(2));
  checker.check_all(world);
  EXPECT_EQ(said(), "");
}

TEST_F(Deleted, NorOneThatTheControlShardReportedGone) {
  forget_b();
  const core::ShardMsg forget{core::shard_msg::Publish{.gone = {tcp(2)}}};
  step(core::FromShard{0, &forget});
  checker.check_all(world);
  EXPECT_EQ(said(), "");
}

TEST_F(Deleted, NorOneRecreatedInTheSameStep) {
  forget_b();
  state.directory.remove(std::vector{tcp(2)});
  state.directory.meet(tcp(2));
  step(core::Tick{});
  checker.check_all(world);
  EXPECT_EQ(said(), "");
}

TEST_F(Deleted, NorOneMovedToAnotherPeer) {  // spec/multirail.md 2.2
  state.directory.meet(tcp(4));
  forget_b();
  state.directory.configure({.primary = tcp(4), .others = {tcp(2)}});
  call(core::call::PeerAdd{tcp(4), {tcp(2)}});
  checker.check_all(world);
  EXPECT_EQ(said(), "");
}

TEST_F(Deleted, ANidThatBecameAnotherPeersIsMissed) {
  state.directory.meet(tcp(4));
  forget_b();
  state.directory.learn(*state.directory.find(tcp(4)), {tcp(4), tcp(2)}, true);
  step(core::Tick{});
  checker.check_all(world);
  EXPECT_EQ(said(), "10.0.0.2@tcp: met before, and forgotten");
}

TEST_F(Deleted, AnyOtherPeerIsMissed) {
  forget_b();
  deletes(tcp(3));
  checker.check_all(world);
  EXPECT_EQ(said(), "10.0.0.2@tcp: met before, and forgotten");
}

}  // namespace
}  // namespace ulnet::sim

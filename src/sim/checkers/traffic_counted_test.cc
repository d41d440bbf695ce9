// TrafficCounted finds messages that NIs and peer NIs do not count, and invented bytes.
#include "sim/checkers/checkers.h"
#include "sim/checkers/checkers_fixture.h"

namespace ulnet::sim {
namespace {

struct TrafficChecker : Lies<traffic_counted_checker> {
  /// A PUT that arrived and was dropped, as its shard should have counted it.
  core::HeaderArrived dropped_put() {
    put = header();
    put.payload_length = 40;
    state.counters.global.drop_length += 40;
    return {ni, {tcp(2), Pid::lustre()}, &put, {1}, {}};
  }
  std::string said_of_all() {
    checker.check_all(world);
    return said();
  }
  wire::LnetHeader put;
};

TEST_F(TrafficChecker, IsSilentAboutASoundNode) {
  attach({7}, kOpPut);
  put_to_a({7}, 100);
  put_to_a({8}, 100);
  ASSERT_TRUE(world.run_for(seconds(1)).reached());
  EXPECT_EQ(said_of_all(), "");
}

TEST_F(TrafficChecker, SeesAMessageThatItsNiDoesNotCount) {
  step(dropped_put(), {core::DropPayload{ni, {1}, 40}});
  EXPECT_EQ(said_of_all(), "NI 10.0.0.1@tcp: messages that were received are not counted");
}

TEST_F(TrafficChecker, SeesAMessageThatItsPeerDoesNotCount) {
  put_to_a({7}, 100);
  ASSERT_TRUE(world.run_for(seconds(1)).reached());
  --state.peers.find_ni(tcp(2))->traffic.received.put;
  EXPECT_EQ(said_of_all(), "peer 10.0.0.2@tcp: messages that were received are not counted");
}

TEST_F(TrafficChecker, SeesBytesThatItsNiDoesNotCount) {
  put_to_a({7}, 100);
  ASSERT_TRUE(world.run_for(seconds(1)).reached());
  --state.nis.configured().back()->bytes.received;
  EXPECT_EQ(said_of_all(), "NI 10.0.0.1@tcp: bytes that were sent or received are not counted");
}

TEST_F(TrafficChecker, SeesBytesThatWereOnlyAnnounced) {
  put_to_a({7}, 100);  // no entry matches it
  ASSERT_TRUE(world.run_for(seconds(1)).reached());
  EXPECT_EQ(said_of_all(), "");
  state.nis.configured().back()->bytes.received += 100;
  EXPECT_EQ(said_of_all(), "NI 10.0.0.1@tcp: bytes that were sent or received are not counted");
}

TEST_F(TrafficChecker, ADeletedPeerCountsFromZero) {
  put_to_a({7}, 100);
  ASSERT_TRUE(world.run_for(seconds(1)).reached());
  state.peers.renew_ni(*state.peers.find_ni(tcp(2)));
  core::call::PeerDel del{tcp(2)};
  del.gone = {tcp(2)};
  call(del);
  put_to_a({7}, 100);
  ASSERT_TRUE(world.run_for(seconds(1)).reached());
  EXPECT_EQ(said_of_all(), "");
  ++state.peers.find_ni(tcp(2))->traffic.received.put;
  EXPECT_EQ(said_of_all(), "peer 10.0.0.2@tcp: messages that were received are not counted");
}

TEST_F(TrafficChecker, APeerForgottenWithItsNetCountsFromZero) {
  put_to_a({7}, 100);
  ASSERT_TRUE(world.run_for(seconds(1)).reached());
  state.peers.renew_ni(*state.peers.find_ni(tcp(2)));
  state.directory.leave_net(tcp(2).net(), [](NetId) { return false; });
  step(core::Tick{});
  EXPECT_EQ(said_of_all(), "");
}

// spec/multirail.md 2.2
TEST_F(TrafficChecker, AConfiguredPeerCountsFromZero) {
  put_to_a({7}, 100);
  ASSERT_TRUE(world.run_for(seconds(1)).reached());
  core::ApiCall add{core::call::PeerAdd{.primary = tcp(2)}};
  a.call(add);
  ASSERT_EQ(add.status, 0);
  EXPECT_EQ(said_of_all(), "");
}

// A peer loses discovery while a message names it. When the message ends, the peer is made again
// and counts from 0.
TEST_F(TrafficChecker, ARecreatedPeerCountsFromZero) {
  put_to_a({7}, 100);
  ASSERT_TRUE(world.run_for(seconds(1)).reached());
  state.peers.renew_ni(*state.peers.find_ni(tcp(2)));
  state.directory.remove(std::vector{tcp(2)});
  state.directory.meet(tcp(2));
  step(core::Tick{});
  EXPECT_EQ(said_of_all(), "");
}

// A peer has lost discovery while a message names it. In the step in which a message leaves, an
// administrator configures the peer, which is made again and counts from 0.
TEST_F(TrafficChecker, APeerRecreatedByASendCountsFromZero) {
  put_to_a({7}, 100);
  ASSERT_TRUE(world.run_for(seconds(1)).reached());
  core::PeerNi& peer = *state.peers.find_ni(tcp(2));
  state.peers.renew_ni(peer);
  state.directory.remove(std::vector{tcp(2)});
  step(core::Tick{});
  wire::LnetHeader header;
  header.part.emplace<wire::PutPart>();
  const auto send_one = [&] {
    ++peer.traffic.sent.put;
    ++state.nis.find(tcp(1))->traffic.sent.put;
    step(core::Tick{}, {send({9, 1}, header)});
  };
  send_one();
  EXPECT_EQ(said_of_all(), "");
  state.peers.renew_ni(peer);
  state.directory.configure({.primary = tcp(2)});
  send_one();
  EXPECT_EQ(said_of_all(), "");
}

TEST_F(TrafficChecker, APeerInTheDirectoryIsNotForgotten) {
  put_to_a({7}, 100);
  ASSERT_TRUE(world.run_for(seconds(1)).reached());
  state.peers.renew_ni(*state.peers.find_ni(tcp(2)));
  state.directory.meet(tcp(3));
  state.directory.remove(std::vector{tcp(3)});
  step(core::Tick{});
  EXPECT_EQ(said_of_all(), "peer 10.0.0.2@tcp: messages that were received are not counted");
}

TEST_F(TrafficChecker, SeparatesAnImmediateCopyFromADrop) {
  const core::HeaderArrived arrived = dropped_put();
  step(arrived, {core::CopyPayload{}, core::DropPayload{ni, {1}, 40}});
  EXPECT_EQ(said(), "received: 0 bytes counted, 40 seen in one step");
}

TEST_F(TrafficChecker, SeesBytesThatWereNotDropped) {
  step(dropped_put(), {core::DropPayload{ni, {1}, 39}});
  EXPECT_EQ(said(), "dropped: 40 bytes counted, 39 seen in one step");
}

TEST_F(TrafficChecker, SeesBytesThatWereNotSent) {
  step(core::Tick{}, {send(kMsg, header())});
  state.counters.global.send_length += 5;
  step(core::SendDone{kMsg});
  EXPECT_EQ(said(), "sent: 5 bytes counted, 0 seen in one step");
}

TEST_F(TrafficChecker, SeesBytesThatWereReceivedAndAreNotCounted) {
  step(core::Tick{}, {core::Land{ni, {1}, kMsg, {}, 60}});
  step(core::PayloadLanded{kMsg});
  EXPECT_EQ(said(), "received: 0 bytes counted, 60 seen in one step");
}

}  // namespace
}  // namespace ulnet::sim

// Shows the checker peers that a node must not keep.
#include "sim/checkers/checkers.h"
#include "sim/checkers/routers_fixture.h"

namespace ulnet::sim {
namespace {

struct GoChecker : Lies<peers_go_checker> {
  /// In a running node the configuration sets these values.
  core::Globals& globals() { return const_cast<core::Globals&>(state.config->globals); }
  /// Peers that are silent for some seconds have to be forgotten.
  void check_with_short_timeouts() {
    globals().peer_idle_timeout = 1;
    globals().transaction_timeout = 5;
    checker.check_all(world);
  }
  /// A message comes from tcp(9), which is unknown, and makes a peer NI.
  void hear_a_stranger() {
    wire::LnetHeader put = header();
    put.src_nid = tcp(9);
    const core::Input input = core::HeaderArrived{ni, {tcp(9), Pid::lustre()}, &put, {}, {}};
    checker.before_step(world, {a, 0, world.now(), input, {}, state});
    state.peers.use_ni(tcp(9), 8);
    step(input);
  }
};

TEST_F(GoChecker, SeesAPeerThatStaysThoughItIsSilent) {
  put_to_a({7}, 10);
  ASSERT_TRUE(world.run_for(seconds(400)).reached());
  checker.check_all(world);
  EXPECT_EQ(said(), "") << "it may stay for 600 s";
  check_with_short_timeouts();
  EXPECT_EQ(said(), "10.0.0.2@tcp: silent for long, and still there");
}

TEST_F(GoChecker, AllowsConfiguredAndPermanentPeers) {
  put_to_a({7}, 10);
  ASSERT_TRUE(world.run_for(seconds(400)).reached());
  globals().transaction_timeout = 5;
  globals().peer_idle_timeout = 0;
  checker.check_all(world);
  globals().peer_idle_timeout = 1;
  state.directory.find(tcp(2))->state |= core::kPeerConfigured;
  checker.check_all(world);
  EXPECT_EQ(said(), "");
}

/// With the usual time-out of 600 s a message of the peer waits on a lazy portal (seed 276636873).
TEST_F(GoChecker, AllowsAPeerWithALongIdleTime) {
  put_to_a({7}, 10);
  ASSERT_TRUE(world.run_for(seconds(1)).reached());
  core::PeerNi& sender = *state.peers.find_ni(tcp(2));
  ++sender.in_flight;
  ASSERT_TRUE(world.run_for(seconds(1200)).reached());
  checker.check_all(world);
  EXPECT_EQ(said(), "");
  --sender.in_flight;
}

TEST_F(GoChecker, ANidCountsOnceItsPeerNoLongerAdvertisesIt) {
  put_to_a({7}, 10);
  ASSERT_TRUE(world.run_for(seconds(1)).reached());
  state.directory.meet(tcp(3));
  step(core::Tick{});
  core::Peer& peer = *state.directory.find(tcp(2));
  peer.state |= core::kPeerConfigured;
  state.directory.learn(peer, {tcp(2), tcp(3)}, true);
  step(core::Tick{});
  ASSERT_TRUE(world.run_for(seconds(400)).reached());
  state.directory.learn(peer, {tcp(2)}, true);
  step(core::Tick{});
  check_with_short_timeouts();
  EXPECT_EQ(said(), "");
  ASSERT_TRUE(world.run_for(seconds(20)).reached());
  checker.check_all(world);
  EXPECT_EQ(said(), "10.0.0.3@tcp: silent for long, and still there");
}

TEST_F(GoChecker, APeerRecreatedWithoutAMessageIsStillSilent) {
  put_to_a({7}, 10);
  ASSERT_TRUE(world.run_for(seconds(400)).reached());
  state.directory.remove(std::vector{tcp(2)});
  state.directory.meet(tcp(2));
  step(core::Tick{});
  check_with_short_timeouts();
  EXPECT_EQ(said(), "10.0.0.2@tcp: silent for long, and still there");
}

/// The ping to the peer finds no path, so nothing is sent (seed 800189484).
TEST_F(GoChecker, AnUnansweredPeerCountsFromTheRequest) {
  put_to_a({7}, 10);
  ASSERT_TRUE(world.run_for(seconds(400)).reached());
  core::Note note;
  note.about = core::Note::About::kDiscovery;
  note.nid = tcp(2);
  core::Actions actions;
  actions.emplace_back(note);
  step(core::Tick{}, std::move(actions));
  check_with_short_timeouts();
  EXPECT_EQ(said(), "");
  ASSERT_TRUE(world.run_for(seconds(20)).reached());
  checker.check_all(world);
  EXPECT_EQ(said(), "10.0.0.2@tcp: silent for long, and still there");
}

/// As long as the node's NI is in recovery, the node pings it (seed 800020618).
TEST_F(GoChecker, AllowsTheNodesOwnNids) {
  state.directory.meet(tcp(1));
  step(core::Tick{});
  ASSERT_TRUE(world.run_for(seconds(400)).reached());
  check_with_short_timeouts();
  EXPECT_EQ(said(), "");
}

/// The router r knows tcp1(9), with which no message was exchanged for 400 s.
struct GoAtRouter : RouterLies<peers_go_checker> {
  GoAtRouter() {
    state.directory.meet(tcp1(9));
    step();
    EXPECT_TRUE(world.run_for(seconds(400)).reached());
    for (const Nid& other : {tcp(1), tcp1(2)})
      if (core::Peer* peer = state.directory.find(other)) peer->state |= core::kPeerConfigured;
    auto& globals = const_cast<core::Globals&>(state.config->globals);
    globals.peer_idle_timeout = 1;
    globals.transaction_timeout = 5;
  }
};

TEST_F(GoAtRouter, SeesAPeerToWhichNothingIsForwarded) {
  checker.check_all(world);
  EXPECT_EQ(said(), "10.1.0.9@tcp1: silent for long, and still there");
}

TEST_F(GoAtRouter, AllowsATargetWhoseMessageTheRouterDropped) {
  wire::LnetHeader put = header();
  put.dest_nid = tcp1(9);
  comes_to(r, put, tcp(1));  // no Send
  checker.check_all(world);
  EXPECT_EQ(said(), "");
}

TEST_F(GoChecker, SeesAPeerNiMoreThanStrangersMayMake) {
  globals().max_peers = 2;
  put_to_a({7}, 10);
  ASSERT_TRUE(world.run_for(seconds(1)).reached());
  hear_a_stranger();
  EXPECT_EQ(said(), "") << "it is the second";
  state.peers.erase_ni(*state.peers.find_ni(tcp(9)));
  state.peers.erase(*state.peers.find(tcp(9)));
  globals().max_peers = 1;
  hear_a_stranger();
  EXPECT_EQ(said(), "a stranger's message has made a peer NI beyond max_peers");
}

TEST_F(GoChecker, SeesADirectoryThatGrowsFurther) {
  globals().max_peers = 2;
  for (std::uint8_t last = 1; last <= 5; ++last) state.directory.meet(tcp(last));
  checker.check_all(world);
  EXPECT_EQ(said(), "") << "two made by messages, two advertised, and those of the node itself";
  for (std::uint8_t last = 6; last <= 9; ++last) state.directory.meet(tcp(last));
  checker.check_all(world);
  EXPECT_EQ(said(), "knows 9 NIDs, far more than max_peers");
}

}  // namespace
}  // namespace ulnet::sim

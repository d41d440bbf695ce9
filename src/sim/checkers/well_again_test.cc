// Shows the checker a world that has not recovered after a minute without faults.
#include "sim/checkers/checkers.h"
#include "sim/checkers/checkers_fixture.h"

namespace ulnet::sim {
namespace {

struct CalmChecker : Lies<well_again_checker> {
  CalmChecker() { EXPECT_TRUE(world.run_until_quiet({.time = hours(1)}).reached()); }
  /// tcp(2) is in recovery, and its ping is due in `due`; no ping is sent.
  core::PeerNi& recovers(seconds due, std::int32_t health = 900) {
    core::PeerNi& peer = state.peers.use_ni(tcp(2), 8);
    std::tie(self, record) = state.recovering.make();
    record->self = self;
    record->nid = tcp(2);
    record->recovery.phase = core::RecoveryPhase::kWaiting;
    record->recovery.next_ping =
        std::chrono::floor<seconds>((world.now() + due).time_since_epoch()).count();
    peer.known->health = health;
    return peer;
  }
  ~CalmChecker() override {
    if (self) state.recovering.erase(self);
  }
  /// tcp(2) is a gateway that is down.
  core::KnownGateway& lost_gateway() {
    core::KnownGateway& gateway = state.gateways.by_nid[tcp(2)];
    gateway.nid = tcp(2);
    gateway.tried = true;
    gateway.alive = false;
    return gateway;
  }
  void a_minute_passes() {
    checker.on_calm(world, false);
    world.run_for(seconds(60));
    checker.on_calm(world, true);
  }
  Handle self;
  core::InRecovery* record = nullptr;
};

TEST_F(CalmChecker, IsSilentAboutASoundWorld) {
  a_minute_passes();
  EXPECT_EQ(said(), "");
}

TEST_F(CalmChecker, SeesAPeerNiThatDoesNotBecomeWell) {
  recovers(seconds(10));
  a_minute_passes();
  EXPECT_EQ(said(), "10.0.0.2@tcp has health 900, though its pings were answered for a minute");
}

/// The peer NI has recovered in between.
TEST_F(CalmChecker, AllowsAPeerNiInRecoveryAgain) {  // spec/multirail.md 7
  recovers(seconds(10));
  checker.on_calm(world, false);
  world.run_for(seconds(60));
  ++record->since;
  checker.on_calm(world, true);
  EXPECT_EQ(said(), "");
}

TEST_F(CalmChecker, AllowsRecoveryLongerThanAMinute) {  // spec/multirail.md 5.1, 7
  recovers(seconds(58));
  a_minute_passes();
  record->recovery.next_ping -= 60;
  a_minute_passes();
  EXPECT_THAT(said(), HasSubstr("has health 900"));
}

TEST_F(CalmChecker, AllowsManyOrFailedPings) {
  recovers(seconds(1), 0);
  record->recovery.ping_count = 5;  // the second ping goes 64 s after the first
  a_minute_passes();
  record->recovery.ping_count = 0;
  checker.on_calm(world, false);
  world.run_for(seconds(60));
  record->recovery.ping_count = 4;
  checker.on_calm(world, true);
  EXPECT_EQ(said(), "");
}

/// The link comes up after the minute has begun.
TEST_F(CalmChecker, KnowsTheHealthOfAnNiWhoseLinkIsDown) {  // spec/multirail.md 7
  core::LocalNi& own = *state.nis.find(tcp(1));
  recovers(seconds(1), core::kHealthMax);
  record->nid = tcp(1);
  record->ni = ni;
  own.health = 900;
  own.fatal = true;
  const_cast<core::Globals&>(state.config->globals).health_sensitivity = 1;
  checker.on_calm(world, false);
  own.fatal = false;
  world.run_for(seconds(60));
  checker.on_calm(world, true);
  EXPECT_EQ(said(), "") << "it takes 100 pings";
  const_cast<core::Globals&>(state.config->globals).health_sensitivity = 100;
  own.fatal = true;
  checker.on_calm(world, false);
  own.fatal = false;
  world.run_for(seconds(60));
  checker.on_calm(world, true);
  EXPECT_EQ(said(), "10.0.0.1@tcp has health 900, though its pings were answered for a minute");
}

TEST_F(CalmChecker, AllowsTheDiscoveryOfACheckedGateway) {  // spec/multirail.md 9.4
  state.directory.meet(tcp(2)).set(core::kPeerDiscovering);
  state.gateways.by_nid[tcp(2)].nid = tcp(2);
  checker.on_calm(world, true);
  EXPECT_EQ(said(), "");
  state.gateways.by_nid.clear();
  state.directory.find(tcp(2))->clear(core::kPeerDiscovering);
}

TEST_F(CalmChecker, SeesADiscoveryThatDoesNotEnd) {
  state.directory.meet(tcp(2)).set(core::kPeerDiscovering);
  checker.on_calm(world, true);
  EXPECT_EQ(said(), "10.0.0.2@tcp: its discovery has not ended, though all is quiet");
  state.directory.find(tcp(2))->clear(core::kPeerDiscovering);
}

/// The gateway disconnects just before the minute ends, and is pinged with the next tick
/// (spec/multirail.md 8, 9.4).
TEST_F(CalmChecker, AllowsAGatewayThatDisconnectsAfterItsAnswer) {
  checker.on_calm(world, false);
  core::KnownGateway& gateway = lost_gateway();
  gateway.last_answer = world.now();
  state.timers.arm(gateway, world.now());
  checker.on_calm(world, true);
  EXPECT_EQ(said(), "");
  gateway.cancel();
  checker.on_calm(world, true);
  EXPECT_THAT(said(), HasSubstr("the gateway does not answer"));
  state.gateways.by_nid.clear();
}

/// The answer to another check breaks off with its connection, and so takes the routes down.
TEST_F(CalmChecker, AllowsAGatewayWhoseNextAnswerIsCut) {  // spec/multirail.md 9.4
  checker.on_calm(world, false);
  lost_gateway().last_answer = world.now();
  step(core::PayloadLanded{{}, -ECONNRESET, core::Health::kNetworkTimeout});
  checker.on_calm(world, true);
  EXPECT_EQ(said(), "");
  state.gateways.by_nid.clear();
}

TEST_F(CalmChecker, SeesAGatewayThatStaysDown) {
  checker.on_calm(world, false);
  core::KnownGateway& gateway = lost_gateway();
  checker.on_calm(world, true);
  EXPECT_EQ(said(), "") << "it has not answered";
  gateway.last_answer = world.now();
  checker.on_calm(world, true);
  EXPECT_EQ(said(),
            "the gateway 10.0.0.2@tcp has answered, and its routes are down: the gateway does not "
            "answer");
  state.gateways.by_nid.clear();
}

}  // namespace
}  // namespace ulnet::sim

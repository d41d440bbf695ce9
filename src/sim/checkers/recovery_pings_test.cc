// Shows the checker false states of recovery.
#include "sim/checkers/checkers.h"
#include "sim/checkers/checkers_fixture.h"

namespace ulnet::sim {
namespace {

struct RecoveryChecker : Lies<recovery_pings_checker> {
  /// "a" has got a message from tcp(2), which is unhealthy and in recovery.
  RecoveryChecker() : peer(state.peers.use_ni(tcp(2), 8)) {
    std::tie(self, record) = state.recovering.make();
    record->self = self;
    record->nid = tcp(2);
    record->recovery.phase = core::RecoveryPhase::kWaiting;
    peer.recovery = record;
    peer.known->health = 900;
    peer.last_heard = world.now();
    state.timers.arm(*record, world.now() + seconds(1));
  }
  ~RecoveryChecker() override {
    if (ping) state.portal0.mds.erase(ping);
    if (self) state.recovering.erase(self);
    peer.recovery = nullptr;
    peer.known->health = core::kHealthMax;
  }
  /// A step in which `change` happens.
  template <class Fn>
  void changes(Fn change, core::Input input = core::Tick{}, core::Actions actions = {}) {
    const core::Actions none;
    checker.before_step(world, {a, 0, world.now(), input, none, state});
    change();
    step(std::move(input), std::move(actions));
  }
  static core::Note notes(const char* text) {
    return {core::Note::Level::kUnlogged, core::Note::About::kPeerNi, text, tcp(2)};
  }
  /// tcp(2) is a gateway of "a"; if `has` is false, "a" has no gateway any more.
  void is_gateway(bool has) {
    auto list = std::make_shared<core::RouteList>();
    if (has) {
      ASSERT_TRUE(list->add({{NetType::kTcp, 7}, tcp(2)}, 0));
    }
    state.routes.apply(list, true, state.peers);
  }
  std::int32_t& limit() { return const_cast<core::Globals&>(state.config->globals).recovery_limit; }
  /// The limit is `seconds`, and tcp(2) is not in recovery.
  void stays_out_by(std::int32_t seconds) {
    state.recovering.erase(std::exchange(self, {}));
    peer.recovery = nullptr;
    limit() = seconds;
  }
  void limit_changes_to(std::int32_t seconds) {
    changes([&] { limit() = seconds; }, core::Config{});
  }
  void pings() {
    auto [handle, md] = state.portal0.mds.make();
    md->kind = core::Portal0Md::Kind::kRecoveryPing;
    md->peer = self;
    ping = handle;
    record->recovery.phase = core::RecoveryPhase::kPinging;
    record->cancel();
  }

  core::PeerNi& peer;
  Handle self, ping;
  core::InRecovery* record = nullptr;
};

TEST_F(RecoveryChecker, AllowsAPingToAnUnhealthyNi) {
  checker.check_all(world);
  changes([&] { pings(); });
  checker.check_all(world);
  EXPECT_EQ(said(), "");
}

TEST_F(RecoveryChecker, SeesAPingToAHealthyNi) {
  changes([&] {
    peer.known->health = 1000;
    pings();
  });
  EXPECT_EQ(said(), "10.0.0.2@tcp is pinged though its health is full");
}

TEST_F(RecoveryChecker, SeesASecondPing) {
  pings();
  const Handle first = ping;
  record->recovery.phase = core::RecoveryPhase::kWaiting;
  changes([&] { pings(); });
  EXPECT_EQ(said(), "10.0.0.2@tcp is pinged, but not by exactly one ping");
  state.portal0.mds.erase(first);
}

TEST_F(RecoveryChecker, SeesRecoveryWithoutATimer) {
  record->cancel();
  checker.check_all(world);
  EXPECT_EQ(said(), "10.0.0.2@tcp is in recovery without a ping or a timer");
}

TEST_F(RecoveryChecker, SeesAnUnhealthyPeerNiWithoutPings) {
  state.recovering.erase(std::exchange(self, {}));
  peer.recovery = nullptr;
  checker.check_all(world);
  EXPECT_EQ(said(), "10.0.0.2@tcp has less than full health, and is not in recovery");
}

TEST_F(RecoveryChecker, AllowsAPeerNiBeyondTheLimit) {
  stays_out_by(5);
  ASSERT_TRUE(world.run_for(seconds(6)).reached());
  checker.check_all(world);
  EXPECT_EQ(said(), "");
  limit_changes_to(10);
  checker.check_all(world);
  EXPECT_EQ(said(), "");
  limit_changes_to(0);
  checker.check_all(world);
  EXPECT_EQ(said(), "") << "it comes back with the next message";
  peer.last_heard = world.now();
  checker.check_all(world);
  EXPECT_EQ(said(), "10.0.0.2@tcp has less than full health, and is not in recovery");
}

TEST_F(RecoveryChecker, SeesAPeerNiWithoutPingsWithinTheLimit) {
  stays_out_by(5);
  checker.check_all(world);
  EXPECT_EQ(said(), "10.0.0.2@tcp has less than full health, and is not in recovery");
}

TEST_F(RecoveryChecker, SeesAPeerNiWithoutPingsWithinALongerLimit) {
  stays_out_by(5);
  ASSERT_TRUE(world.run_for(seconds(4)).reached());
  limit_changes_to(0);
  checker.check_all(world);
  EXPECT_EQ(said(), "10.0.0.2@tcp has less than full health, and is not in recovery");
}

TEST_F(RecoveryChecker, SeesAnUnhealthyNiWithoutPings) {
  core::LocalNi& own = *state.nis.find(tcp(1));
  own.health = 0;
  checker.check_all(world);
  EXPECT_EQ(said(), "10.0.0.1@tcp has less than full health, and is not in recovery");
  own.health = 1000;
}

TEST_F(RecoveryChecker, SeesHealthThatRisesTwice) {
  changes([&] { peer.known->health = 1000; });
  EXPECT_EQ(said(), "") << "by 100";
  peer.known->health = 500;
  changes([&] { peer.known->health = 700; });
  EXPECT_EQ(said(), "10.0.0.2@tcp: one message raised its health twice");
}

/// A router's health is full with its first message.
TEST_F(RecoveryChecker, AllowsARouterWithFullHealthThatFailsTwice) {
  is_gateway(true);
  peer.known->health = 500;
  changes([&] { peer.known->health = 800; }, core::Tick{}, {notes("its health is full again")});
  EXPECT_EQ(said(), "");
  peer.known->health = 500;
  changes([&] { peer.known->health = 800; });
  EXPECT_EQ(said(), "10.0.0.2@tcp: one message raised its health twice");
  is_gateway(false);
}

TEST_F(RecoveryChecker, DoesNotMindAMessageThatShowsThatItsNiIsNoLongerARouters) {
  is_gateway(true);
  peer.known->health = 500;
  changes([&] {
    peer.known->health = 1000;
    is_gateway(false);
  });
  EXPECT_EQ(said(), "");
}

TEST_F(RecoveryChecker, AllowsHealthSetByAnAdministrator) {
  core::ApiCall call;
  changes([&] { peer.known->health = 990; }, core::Api{&call});
  EXPECT_EQ(said(), "");
}

TEST_F(RecoveryChecker, SeesAPingCountThatIsNotReset) {
  peer.known->health = 500;
  record->recovery.ping_count = 3;
  changes([&] { peer.known->health = 600; });
  EXPECT_EQ(said(), "10.0.0.2@tcp: a message came from it, and its pings do not count from 0");
}

/// The next ping was due when the answer to the last one arrived, and could not be sent.
TEST_F(RecoveryChecker, AllowsAPingBehindTheMessage) {
  peer.known->health = 500;
  record->recovery.ping_count = 3;
  changes([&] {
    peer.known->health = 600;
    record->recovery.ping_count = 1;
    record->recovery.next_ping += 2;
  });
  EXPECT_EQ(said(), "");
  changes([&] {
    peer.known->health = 700;
    record->recovery.ping_count = 2;
    record->recovery.next_ping += 4;
  });
  EXPECT_EQ(said(), "10.0.0.2@tcp: a message came from it, and its pings do not count from 0");
}

TEST_F(RecoveryChecker, SeesAMessageDuringAPing) {
  pings();
  peer.known->health = 500;
  record->recovery.ping_count = 1;
  changes([&] { peer.known->health = 600; });
  EXPECT_EQ(said(), "10.0.0.2@tcp: a message came from it, and its pings do not count from 0");
}

TEST_F(RecoveryChecker, SeesAPingThatTakesAnotherRail) {
  auto [handle, msg] = state.messages.make();
  msg->recovery = true;
  msg->target = tcp(2);
  core::Send made = send(state.name(handle));
  step(core::Tick{}, {made});
  EXPECT_EQ(said(), "");
  made.hop.nid = tcp(3);
  step(core::Tick{}, {made});
  EXPECT_THAT(said(), HasSubstr("is sent again, or to 10.0.0.3@tcp"));
  state.messages.erase(handle);
}

}  // namespace
}  // namespace ulnet::sim

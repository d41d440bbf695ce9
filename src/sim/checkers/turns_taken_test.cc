// Shows the checker nets and NIs that are passed over.
#include "sim/checkers/checkers.h"
#include "sim/checkers/paths_fixture.h"

namespace ulnet::sim {
namespace {

struct PassedOverChecker : TwoNets<turns_taken_checker> {
  PassedOverChecker() { (void)state.peers.rails_of(*state.peers.find(tcp(8)), *state.config); }
  /// A PUT to the peer leaves by this NI, which takes a turn.
  void puts_by(const Nid& by) {
    puts(by, by == tcp(1) ? tcp(8) : tcp(9, 1));
    core::Rails& rails = *state.peers.find(tcp(8))->rails;
    for (core::PeerNet& net : rails.nets)
      if (net.id == by.net()) net.sequence = ++rails.sequence;
  }
};

TEST_F(PassedOverChecker, SeesANetThatIsPassedOver) {
  puts_by(tcp(1));
  puts_by(tcp(1, 1));
  puts_by(tcp(1));
  EXPECT_EQ(said(), "");
  puts_by(tcp(1));
  EXPECT_EQ(said(),
            "10.0.0.9@tcp1 is passed over by 2 requests, and is no worse than the ones they took");
}

TEST_F(PassedOverChecker, AllowsSkippingAWorseNet) {
  ni(tcp(1, 1)).fatal = true;
  for (int i = 0; i < 5; ++i) puts_by(tcp(1));
  ni(tcp(1, 1)).fatal = false;
  puts_by(tcp(1, 1));
  EXPECT_EQ(said(), "");
}

/// As PassedOverChecker, but with two NIs, both on tcp. Each PUT leaves by the first NI.
struct PassedOverNiChecker : TwoNets<turns_taken_checker> {
  PassedOverNiChecker() : TwoNets({{.nid = tcp(1)}, {.nid = tcp(2)}}) {
    (void)state.peers.rails_of(*state.peers.find(tcp(8)), *state.config);
  }
  void takes_turn(const Nid& nid) { ni(nid).sequence = ++state.nis.turns; }
  /// In the same step, before that PUT, another message leaves or fails.
  void puts_after(std::function<void()> other) {
    within_step = [this, other = std::move(other)] {
      other();
      takes_turn(tcp(1));
    };
    puts(tcp(1), tcp(8));
  }
  void puts_alone() {
    puts_after([] {});
  }
};

TEST_F(PassedOverNiChecker, SeesAnNiThatIsPassedOver) {
  puts_alone();
  EXPECT_EQ(said(), "");
  puts_alone();
  EXPECT_EQ(said(),
            "10.0.0.2@tcp is passed over by 2 requests, and is no worse than the ones they took");
}

TEST_F(PassedOverNiChecker, SeesTheTurnOfAMessageThatWaitedForTheSameDiscovery) {
  puts_alone();
  puts_after([&] { takes_turn(tcp(2)); });
  puts_alone();
  EXPECT_EQ(said(), "");
}

TEST_F(PassedOverNiChecker, SeesTheCreditOfSuchAMessageWithAGivenSource) {
  puts_alone();
  core::Gate& gate = ni(tcp(2)).tx;
  puts_after([&] { gate.resize(gate.max() - 1); });
  EXPECT_EQ(said(), "");
}

TEST_F(PassedOverNiChecker, SeesTheFailureOfSuchAMessage) {
  puts_alone();
  puts_after([&] { ni(tcp(2)).health -= 100; });
  EXPECT_EQ(said(), "");
}

}  // namespace
}  // namespace ulnet::sim

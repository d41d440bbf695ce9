// Lies about nets and NIs that are passed over.
#include "sim/checkers/turns_taken.h"

#include "sim/checkers/paths_fixture.h"

namespace ulnet::sim {
namespace {

struct PassedOverChecker : TwoNets<TurnsTaken> {
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
            "10.0.0.9@tcp1 is passed over by 2 requests, and is no worse than what they took");
}

TEST_F(PassedOverChecker, DoesNotMindANetThatIsWorse) {
  ni(tcp(1, 1)).fatal = true;
  for (int i = 0; i < 5; ++i) puts_by(tcp(1));
  ni(tcp(1, 1)).fatal = false;
  puts_by(tcp(1, 1));
  EXPECT_EQ(said(), "");
}

}  // namespace
}  // namespace ulnet::sim

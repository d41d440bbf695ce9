// Queries of services about a peer: its primary NID, and whether that is up to date. Source:
// spec/core-semantics.md 15.
#include "lnet/core/flow/peer_identity.h"

#include "lnet/core/flow/peers_fixture.h"

namespace ulnet::core::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// b has two NIDs. The Sends of a are held.
struct Asking : Peers {
  Asking() : Peers({tcp(1), tcp(1, 1)}, {tcp(2), tcp(2, 1)}) { a.hold_sends = true; }
  void without_locks() {
    a.config->globals.lock_prim_nid = false;
    configure(a);
  }
  void run() {
    a.hold_sends = false;
    release_sends(a);
  }
};

// spec/core-semantics.md 15; spec/multirail.md 1
TEST(PrimaryNid, IsLockedAndThePeerDiscoveredInTheBackground) {
  Asking p;
  const auto answer = p.call(p.a, call::PrimaryNid{tcp(2, 1)});
  EXPECT_EQ(answer.primary, tcp(2, 1));
  EXPECT_FALSE(answer.unsettled) << "nobody waits";
  ASSERT_EQ(p.a.sends.size(), 1U);
  EXPECT_TRUE(std::holds_alternative<wire::GetPart>(p.a.sends[0].header.part)) << "the ping";
  EXPECT_EQ(p.ask_primary(tcp(2, 1)), tcp(2, 1));
  EXPECT_EQ(p.a.sends.size(), 1U) << "it is under way";
  p.run();
  EXPECT_THAT(p.peers(), ElementsAre(Nids{tcp(2, 1), tcp(2)})) << "the answer to the service stays";
  EXPECT_EQ(p.state(tcp(2)), kLockedMr | kFound);
  p.a.hold_sends = true;
  EXPECT_EQ(p.ask_primary(tcp(2)), tcp(2, 1));
  EXPECT_THAT(p.a.sends, IsEmpty()) << "it is up to date";
}

TEST(PrimaryNid, WithoutLocksTheCallerWaits) {  // spec/core-semantics.md 15
  Asking p;
  p.without_locks();
  const auto first = p.call(p.a, call::PrimaryNid{tcp(2, 1)});
  EXPECT_TRUE(first.unsettled);
  EXPECT_EQ(first.primary, tcp(2, 1)) << "as far as it is known";
  EXPECT_THAT(p.a.sends, IsEmpty()) << "the caller has it discovered";
  p.call(p.a, call::Discover{tcp(2, 1), false, 1});
  p.run();
  const auto then = p.call(p.a, call::PrimaryNid{tcp(2, 1)});
  EXPECT_FALSE(then.unsettled);
  EXPECT_EQ(then.primary, tcp(2));
  EXPECT_EQ(p.state(tcp(2)), kPeerMultiRail | kFound);
}

TEST(PrimaryNid, AConfiguredPeerKeepsIts) {  // spec/core-semantics.md 15
  Asking p;
  p.add(tcp(2, 1), {tcp(2)});
  EXPECT_EQ(p.ask_primary(tcp(2)), tcp(2, 1));
  p.run();
  EXPECT_EQ(p.state(tcp(2)), kConfiguredMr | kFound) << "no lock";
}

TEST(PrimaryNid, OwnAndUnknownNidsCauseNoPing) {
  Asking p;
  for (const Nid& nid : {tcp(1), Nid::loopback(), Nid::any()}) EXPECT_EQ(p.ask_primary(nid), nid);
  EXPECT_THAT(p.peers(), IsEmpty());
}

TEST(PeerDiscovered, SaysHowFarItIs) {  // spec/core-semantics.md 15
  Asking p;
  EXPECT_EQ(p.discovered(tcp(2)), -EAGAIN) << "it begins";
  EXPECT_EQ(p.discovered(tcp(2)), -EALREADY);
  p.run();
  EXPECT_EQ(p.discovered(tcp(2)), 0);
  EXPECT_EQ(p.discovered(tcp(2, 1)), 0);
}

TEST(PeerDiscovered, SaysThatItHasFailed) {  // spec/core-semantics.md 15
  Asking p;
  EXPECT_EQ(p.discovered(tcp(77)), -EAGAIN);
  p.run();  // no node has this NID
  EXPECT_EQ(p.discovered(tcp(77)), -EHOSTUNREACH);
  EXPECT_EQ(p.discovered(tcp(77)), -EHOSTUNREACH) << "until somebody tries again";
}

TEST(PeerDiscovered, SaysThatWhatWasKnownIsOutOfDate) {  // spec/core-semantics.md 15
  Asking p;
  p.run();
  p.call(p.a, call::Discover{tcp(2), false, 1});
  EXPECT_EQ(p.discovered(tcp(2)), 0);
  p.set_state(tcp(2), p.state(tcp(2)) | kPeerForcePing);
  p.a.hold_sends = true;
  EXPECT_EQ(p.discovered(tcp(2)), -ENETRESET);
  EXPECT_EQ(p.discovered(tcp(2)), -EALREADY) << "it is asked again";
  p.run();
  EXPECT_EQ(p.discovered(tcp(2)), 0);
}

TEST(PeerDiscovered, WhileThisNodePushesItsOwnChangesItIsUnderWay) {
  Asking p;
  p.run();
  p.call(p.a, call::Discover{tcp(2), false, 1});
  p.a.hold_sends = true;
  p.a.config->nis.pop_back();
  p.configure(p.a);
  EXPECT_EQ(p.discovered(tcp(2)), -EALREADY);
  p.run();
  EXPECT_EQ(p.discovered(tcp(2)), 0);
}

TEST(PeerDiscovered, ThisNodeIsDiscovered) {
  Asking p;
  EXPECT_EQ(p.discovered(tcp(1)), 0);
  EXPECT_EQ(p.discovered(Nid::any()), -EINVAL);
  p.advertise({tcp(5)});
  push_to_a(p, encode(info_with({tcp(6)})), tcp(6), Pid::user(40000));
  EXPECT_EQ(p.discovered(tcp(6)), 0) << "it cannot be asked";
  p.call(p.a, call::Shutdown{});
  EXPECT_EQ(p.discovered(tcp(2)), -ESHUTDOWN);
}

}  // namespace
}  // namespace ulnet::core::test

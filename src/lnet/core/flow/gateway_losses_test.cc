// Which of a node's NIs have lost a gateway, as drivers and checks report: the gateway is down when
// all have lost it. Source: spec/multirail.md 8, 9.4.
#include <gtest/gtest.h>

#include "lnet/core/flow/checked_fixture.h"

namespace ulnet::core::test {
namespace {

using std::chrono::seconds;

/// The gateway answers a check, and is dead again.
void answers_and_dies(Checked& p) {
  p.r_returns();
  p.tick_for(seconds(61));
  ASSERT_EQ(p.trouble(), RouteTrouble::kNone);
  p.r_dies();
}

/// The gateway dies, and NI kTcp loses it. Returns the source NIDs of the checks after that.
std::vector<Nid> asked_after_loss(Checked& p) {
  p.r_dies();
  p.a.hold_sends = true;
  p.loses(p.a, kTcp, tcp(3));
  p.a.sends.clear();  // what was sent before
  p.tick(kMoment);
  std::vector<Nid> from;
  for (const Send& send : p.a.sends) from.push_back(send.header.src_nid);
  return from;
}

TEST(RouterCheck, ALossReportedByADriverCounts) {  // spec/multirail.md 8
  Checked p;
  p.r_dies();
  p.loses(p.a, kTcp, tcp(3));
  EXPECT_EQ(p.trouble(), RouteTrouble::kSilent);
  p.r_returns();
  p.tick(kMoment);
  EXPECT_EQ(p.trouble(), RouteTrouble::kNone) << "it is asked at once, and answers";
}

// An answer may make a check needless that was due out of turn (seed 981000757).
TEST(RouterCheck, OnlyACheckThatIsMadeDelaysTheNextOutOfTurn) {
  const Instant now{seconds(1000)}, later = now + kMoment;
  KnownGateway gateway;
  EXPECT_EQ(gateway.next_extra_check(now), now);
  EXPECT_EQ(gateway.next_extra_check(later), later);
  gateway.extra_check = now;
  EXPECT_EQ(gateway.next_extra_check(later), now + seconds(1));
}

/// The answer is the first message from a gateway that was dead. So it causes an extra check, and
/// makes that check needless.
TEST(RouterCheck, AnAnsweringGatewayThatIsLostIsCheckedAtOnce) {
  Checked p;
  p.r_dies();
  p.tick_for(seconds(112));
  ASSERT_EQ(p.trouble(), RouteTrouble::kSilent);
  p.r_returns();
  for (int i = 0; i < 40'000 && p.trouble() != RouteTrouble::kNone; ++i) p.tick(kMoment);
  ASSERT_EQ(p.trouble(), RouteTrouble::kNone);
  p.loses(p.a, kTcp, tcp(3));
  EXPECT_EQ(p.trouble(), RouteTrouble::kSilent);
  p.tick(kMoment);
  EXPECT_EQ(p.trouble(), RouteTrouble::kNone);
}

// spec/multirail.md 8; spec/upstream-tests.md 550
TEST(RouterCheck, LosingAGatewayOnOneOfTwoNisKeepsTheRoute) {
  Checked p;
  p.add_second_ni(p.a, tcp(7));
  p.r_dies();
  p.loses(p.a, p.kSecond, tcp(3));
  EXPECT_EQ(p.trouble(), RouteTrouble::kNone) << "the other one may have it still";
  p.loses(p.a, kTcp, tcp(3));
  EXPECT_EQ(p.trouble(), RouteTrouble::kSilent);
  answers_and_dies(p);
  p.loses(p.a, p.kSecond, tcp(3));
  EXPECT_EQ(p.trouble(), RouteTrouble::kNone) << "a loss before the answer does not count";
  p.tick_for(seconds(53));
  EXPECT_EQ(p.trouble(), RouteTrouble::kSilent) << "it was asked at once";
}

TEST(RouterCheck, TwoLossesByOneNiCountOnce) {
  Checked p;
  p.add_second_ni(p.a, tcp(7));
  p.r_dies();
  for (int i = 0; i < 3; ++i) p.loses(p.a, p.kSecond, tcp(3));
  EXPECT_EQ(p.trouble(), RouteTrouble::kNone);
  p.input(p.a, NiState{kTcp, NiLink::kFailed});
  answers_and_dies(p);
  p.loses(p.a, p.kSecond, tcp(3));
  EXPECT_EQ(p.trouble(), RouteTrouble::kSilent) << "the other NI has failed";
}

TEST(RouterCheck, ACheckGoesByAnNiThatHasNotLostTheGateway) {
  Checked p;
  p.add_second_ni(p.a, tcp(7));
  EXPECT_EQ(asked_after_loss(p), std::vector{tcp(7)});
}

/// The driver reports the lost gateway before it reports that the check could not be sent.
TEST(RouterCheck, ACheckByTheNiThatLostTheGatewayIsNoFailure) {  // spec/multirail.md 8, 9.4
  Checked p;
  p.add_second_ni(p.a, tcp(7));
  p.a.hold_sends = true;
  p.tick_for(seconds(61));
  ASSERT_EQ(p.a.sends.size(), 1U);
  const Send check = p.a.sends[0];
  const bool by_second = check.header.src_nid == tcp(7);
  p.a.sends.clear();
  p.loses(p.a, by_second ? p.kSecond : kTcp, tcp(3));
  p.tick(kMoment);
  ASSERT_EQ(p.a.sends.size(), 1U) << "it is asked by the other NI";
  EXPECT_EQ(p.a.sends[0].header.src_nid, by_second ? tcp(1) : tcp(7));
  p.input(p.a, SendDone{check.tx, -EIO, Health::kLocalError});
  EXPECT_EQ(p.trouble(), RouteTrouble::kNone) << "the other NI has not lost it";
  p.tick(kMoment);
  p.release_sends(p.a);
  p.tick(kMoment);
  EXPECT_EQ(p.trouble(), RouteTrouble::kNone);
}

/// The driver reports the failed message first, and then the lost gateway.
TEST(RouterCheck, AGatewayThatDisconnectsDuringACheckIsCheckedAgain) {  // spec/multirail.md 9.4
  Checked p;
  p.a.hold_sends = true;
  p.tick_for(seconds(61));
  ASSERT_EQ(p.a.sends.size(), 1U);
  const Send check = p.a.sends[0];
  p.a.sends.clear();
  p.input(p.a, SendDone{check.tx, -ECONNRESET, Health::kNetworkTimeout});
  p.loses(p.a, kTcp, tcp(3));
  EXPECT_EQ(p.trouble(), RouteTrouble::kSilent);
  p.tick(kMoment);
  ASSERT_EQ(p.a.sends.size(), 1U);
  p.finish_send(p.a, p.a.sends[0], -ECONNREFUSED, Health::kRemoteError);
  p.a.sends.clear();
  p.tick(kMoment);
  EXPECT_EQ(p.a.sends.size(), 0U) << "it did not answer before either";
}

TEST(RouterCheck, ACheckGoesByAnNiWithoutHealthThatHasNotLostTheGateway) {  // spec/multirail.md 9.4
  Checked p;
  p.add_second_ni(p.a, tcp(7));
  p.set(p.a, &Globals::health_sensitivity, 0);
  p.call(p.a, call::SetNiHealth{tcp(7), 0});
  EXPECT_EQ(asked_after_loss(p), std::vector{tcp(7)});
}

TEST(RouterCheck, AnNiThatFailsLaterIsNotWaitedForEither) {
  Checked p;
  p.add_second_ni(p.a, tcp(7));
  p.r_dies();
  p.loses(p.a, p.kSecond, tcp(3));
  p.input(p.a, NiState{kTcp, NiLink::kFailed});
  p.loses(p.a, p.kSecond, tcp(3));
  EXPECT_EQ(p.trouble(), RouteTrouble::kSilent);
}

TEST(RouterCheck, AnAdministratorsNotifyCoversAllNis) {
  Checked p;
  p.add_second_ni(p.a, tcp(7));
  p.r_dies();
  p.call(p.a, call::NotifyPeer{.nid = tcp(3), .alive = false});
  EXPECT_EQ(p.trouble(), RouteTrouble::kSilent);
}

TEST(RouterCheck, WithAutoDownOffOnlyChecksCount) {  // spec/multirail.md 8
  Checked p;
  p.a.config->globals.auto_down = false;
  p.configure(p.a);
  p.r_dies();
  p.loses(p.a, kTcp, tcp(3));
  EXPECT_EQ(p.trouble(), RouteTrouble::kNone);
}

}  // namespace
}  // namespace ulnet::core::test

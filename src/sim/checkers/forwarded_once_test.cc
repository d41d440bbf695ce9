#include "sim/checkers/checkers.h"
#include "sim/checkers/routers_fixture.h"

namespace ulnet::sim {
namespace {

struct ForwardChecker : RouterLies<forwarded_once_checker> {
  /// A message whose header has come to the router.
  core::Msg& came(std::uint32_t payload = 100) {
    core::Msg& msg = message(payload);
    comes_to(r, msg.header, tcp(1));
    return msg;
  }
  void leaves(const core::Msg& msg) { step(core::Tick{}, {send(msg, tcp1(2))}); }
  void ends(const core::Msg& msg, int status) {
    core::SendDone done;
    done.tx = msg.self;
    done.status = status;
    step(done);
  }
};

TEST_F(ForwardChecker, IsSilentAboutASoundRouter) {
  sound_messages_cross();
  EXPECT_EQ(said(), "");
}

TEST_F(ForwardChecker, IsSilentAboutOneThatIsSentAgainAfterItHasFailed) {
  core::Msg& msg = came();
  leaves(msg);
  ends(msg, -EHOSTUNREACH);
  leaves(msg);
  ends(msg, 0);
  EXPECT_EQ(said(), "");
}

TEST_F(ForwardChecker, SeesOneThatIsSentTwiceAtOnce) {  // spec/core-semantics.md 10.3.3
  core::Msg& msg = came();
  leaves(msg);
  leaves(msg);
  EXPECT_EQ(said(), "a message from 10.0.0.1@tcp to 10.1.0.2@tcp1 is sent on twice");
}

TEST_F(ForwardChecker, SeesOneThatIsSentAgainAfterItHasLeft) {
  core::Msg& msg = came();
  leaves(msg);
  ends(msg, 0);
  leaves(msg);
  EXPECT_THAT(said(), HasSubstr("is sent on twice"));
}

TEST_F(ForwardChecker, SeesASecondOneOfOneThatCame) {
  leaves(came());
  leaves(message());  // another record with the same header
  EXPECT_THAT(said(), HasSubstr("is sent on, and did not come in like that"));
}

TEST_F(ForwardChecker, TwoThatAreAlikeMayBothLeave) {
  core::Msg &one = came(), &two = came();
  leaves(two);
  leaves(one);
  EXPECT_EQ(said(), "");
}

TEST_F(ForwardChecker, SeesOneThatNeverCame) {
  leaves(message());
  EXPECT_THAT(said(), HasSubstr("is sent on, and did not come in like that"));
}

TEST_F(ForwardChecker, SeesAHeaderThatTheRouterHasChanged) {
  core::Msg& msg = came();
  std::get<wire::PutPart>(msg.header.part).match_bits = 8;
  leaves(msg);
  EXPECT_THAT(said(), HasSubstr("is sent on, and did not come in like that"));
}

TEST_F(ForwardChecker, IsSilentAboutAnotherNidOfItsTarget) {  // spec/multirail.md 3.1
  core::Msg& msg = came();
  msg.header.dest_nid = tcp1(3);
  leaves(msg);
  EXPECT_EQ(said(), "");
}

TEST_F(ForwardChecker, SeesAPartOfAPayloadThatIsSentOn) {
  core::Msg& msg = came();
  core::Send part = send(msg, tcp1(2));
  part.payload.length = 99;
  step(core::Tick{}, {part});
  EXPECT_THAT(said(), HasSubstr("is sent on in part"));
}

TEST_F(ForwardChecker, SeesAPartOfAPayloadThatIsTakenIn) {
  core::Msg& msg = came();
  core::Land land;
  land.msg = msg.self;
  land.sink.length = 50;
  land.rlen = 100;
  step(core::Tick{}, {land});
  EXPECT_EQ(said(), "takes in a part of a payload that is for another node");
}

TEST_F(ForwardChecker, SeesAPartOfAPayloadThatIsCopied) {
  std::vector<std::byte> from(100), to(100);
  const wire::LnetHeader what = header(100);
  comes_to(r, what, tcp(1), {core::CopyPayload{from, to}});
  EXPECT_EQ(said(), "");
  comes_to(r, what, tcp(1), {core::CopyPayload{from, ByteSpan(to).first(99)}});
  EXPECT_EQ(said(), "copies 99 bytes of a payload of 100 that is for another node");
}

}  // namespace
}  // namespace ulnet::sim

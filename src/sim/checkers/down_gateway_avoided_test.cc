// Shows the checker messages that take routes which are down.
#include "sim/checkers/checkers.h"
#include "sim/checkers/paths_fixture.h"

namespace ulnet::sim {
namespace {

struct DownChecker : TwoNets<down_gateway_avoided_checker> {
  DownChecker() {
    routes_by({tcp(3), tcp(4)});
    msg->header.dest_nid = tcp(5, 7);
  }
};

TEST_F(DownChecker, SeesARouteThatIsDown) {
  state.routes.take({.gateway = tcp(3), .usable = false});
  leaves(tcp(1), tcp(4));
  EXPECT_EQ(said(), "");
  leaves(tcp(1), tcp(3));
  EXPECT_EQ(said(), "a message to 10.0.0.5@tcp7 goes by 10.0.0.3@tcp, and that route is down");
}

TEST_F(DownChecker, SeesARouteThatIsDownForThisNet) {
  state.routes.take({.gateway = tcp(3), .lost = {{NetType::kTcp, 7}}});
  leaves(tcp(1), tcp(3));
  EXPECT_THAT(said(), HasSubstr("that route is down"));
}

// spec/multirail.md 9.7, 11.3: the message began at the instant at which it goes on.
TEST_F(DownChecker, ChecksAMessageWhenItBeginsToWait) {
  state.routes.take({.gateway = tcp(3), .usable = false});
  core::Actions sent;
  sent.emplace_back(send(tcp(1), tcp(3)));
  const core::Input input = core::SendDone{};
  msg->hop.nid = tcp(3);
  using State = core::MsgState;
  for (const State waiting : {State::kPeerQueue, State::kNiQueue, State::kDelayed}) {
    goes_on(waiting, State::kSending, sent, input);
    goes_on(waiting, State::kNiQueue, {}, input);
  }
  EXPECT_EQ(said(), "");
  goes_on(State::kFresh, State::kPeerQueue, {}, input);
  EXPECT_THAT(said(), HasSubstr("that route is down"));
}

TEST_F(DownChecker, SeesAWaitingMessageMovedToADownRoute) {
  state.routes.take({.gateway = tcp(3), .usable = false});
  msg->hop.nid = tcp(4);
  msg->state = core::MsgState::kPeerQueue;
  leaves(tcp(1), tcp(3));
  EXPECT_THAT(said(), HasSubstr("that route is down"));
}

TEST_F(DownChecker, AllowsMessagesThatMustGoThere) {
  state.routes.take({.gateway = tcp(3), .usable = false});
  msg->recovery = true;
  leaves(tcp(1), tcp(3));
  msg->recovery = false;
  msg->header.part.emplace<wire::ReplyPart>();
  leaves(tcp(1), tcp(3));
  EXPECT_EQ(said(), "");
}

}  // namespace
}  // namespace ulnet::sim

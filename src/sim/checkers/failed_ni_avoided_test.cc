// Shows the checker messages that leave by NIs that have failed.
#include "sim/checkers/checkers.h"
#include "sim/checkers/paths_fixture.h"

namespace ulnet::sim {
namespace {

using FailedChecker = TwoNets<failed_ni_avoided_checker>;

TEST_F(FailedChecker, SeesANetWhoseOnlyNiHasFailed) {
  leaves(tcp(1), tcp(8));
  EXPECT_EQ(said(), "");
  ni(tcp(1)).fatal = true;
  leaves(tcp(1), tcp(8));
  EXPECT_EQ(said(),
            "a message to 10.0.0.8@tcp leaves by 10.0.0.1@tcp, which has failed, and not by "
            "10.0.0.9@tcp1");
}

TEST_F(FailedChecker, AllowsAFailedNiWithoutABetterOne) {  // spec/multirail.md 3.2.A.1
  ni(tcp(1)).fatal = true;
  state.peers.find(tcp(9, 1))->health = 900;
  leaves(tcp(1), tcp(8));
  state.peers.find(tcp(9, 1))->health = core::kHealthMax;
  ni(tcp(1, 1)).fatal = true;
  leaves(tcp(1), tcp(8));
  EXPECT_EQ(said(), "");
}

TEST_F(FailedChecker, AllowsANetWhoseNiHasHealth0) {  // spec/multirail.md 3.2.A.3
  ni(tcp(1)).fatal = true;
  ni(tcp(1, 1)).health = 0;
  leaves(tcp(1), tcp(8));
  EXPECT_EQ(said(), "");
}

TEST_F(FailedChecker, AllowsMessagesWithoutAChoice) {
  ni(tcp(1)).fatal = true;
  msg->source = tcp(1);
  leaves(tcp(1), tcp(8));
  msg->source = Nid::any();
  msg->header.dest_nid = tcp(5);
  leaves(tcp(1), tcp(5));
  EXPECT_EQ(said(), "") << "a peer without multi-rail";
  msg->header.dest_nid = tcp(8);
  msg->header.part.emplace<wire::AckPart>();
  msg->rx = {1};
  leaves(tcp(1), tcp(8));
  EXPECT_EQ(said(), "") << "an answer that is bound to its driver";
  msg->rx = {};
  msg->header.dest_nid = tcp(5, 7);
  msg->header.part.emplace<wire::PutPart>();
  msg->routed = true;
  ni(tcp(1)).net->nis.push_back(&ni(tcp(1, 1)));  // another NI of the net, which works
  leaves(tcp(1), tcp(5));
  EXPECT_EQ(said(), "") << "another node's message, and the next one is without multi-rail";
  leaves(tcp(1), tcp(8));
  EXPECT_THAT(said(), HasSubstr("and not by another NI of the net"));
  ni(tcp(1)).net->nis.pop_back();
}

/// Another shard has chosen the path. Its inter-shard message came before the NI failed, or after
/// that.
TEST_F(FailedChecker, AllowsAPathChosenBeforeTheFailureWasKnown) {
  msg->remote.msg = {5U, 1U};
  core::shard_msg::Transmit transmit;
  transmit.msg = msg->remote.msg;
  transmit.path.ni = ni(tcp(1)).config.id;
  const core::ShardMsg shard_msg{transmit};
  ni(tcp(1)).fatal = true;
  msg->routed = true;
  ni(tcp(1)).net->nis.push_back(&ni(tcp(1, 1)));  // another NI of the net, which works
  step(core::FromShard{0, &shard_msg}, {});
  leaves(tcp(1), tcp(8), core::SendDone{});
  EXPECT_EQ(said(), "");
  ni(tcp(1)).fatal = false;
  step(core::FromShard{0, &shard_msg}, {});
  ni(tcp(1)).fatal = true;
  leaves(tcp(1), tcp(8), core::SendDone{});
  EXPECT_THAT(said(), HasSubstr("and not by another NI of the net"));
  ni(tcp(1)).net->nis.pop_back();
}

// spec/core-semantics.md 6.3: the ACK leaves before the event that reports the PUT, and the push is
// read at that event.
TEST_F(FailedChecker, AllowsTheAckToAPushThatAddsMultiRail) {
  ni(tcp(1)).fatal = true;
  ni(tcp(1)).net->nis.push_back(&ni(tcp(1, 1)));  // another NI of the net, which works
  const auto [in, push] = state.messages.make();
  push->self = state.name(in);
  push->header.src_nid = tcp(8);
  const core::Input input = core::PayloadLanded{push->self, 0};
  const core::Actions none;
  msg->header.part.emplace<wire::AckPart>();
  core::Actions sent;
  sent.emplace_back(send(tcp(1), tcp(8)));
  core::PeerNid& peer = *state.peers.find(tcp(8));
  state.peers.set_peer_entry(peer, nullptr);
  checker.before_step(world, {node, 0, world.now(), input, none, state});
  state.peers.set_peer_entry(peer, peer_entry);
  checker.after_step(world, {node, 0, world.now(), input, sent, state});
  EXPECT_EQ(said(), "");
  step(input, sent);  // the peer already had multi-rail
  EXPECT_THAT(said(), HasSubstr("and not by another NI of the net"));
  ni(tcp(1)).net->nis.pop_back();
  state.messages.erase(in);
}

// spec/multirail.md 11.3: the message goes on when its time has come, or when its rule is deleted.
TEST_F(FailedChecker, ChecksADelayedMessageWhenTheRuleTakesIt) {
  core::Actions sent;
  sent.emplace_back(send(tcp(1), tcp(8)));
  msg->ni = &ni(tcp(1));
  msg->hop.nid = tcp(8);
  state.fault_holds.add(msg->self, world.now(), 1);
  goes_on(core::MsgState::kReady, core::MsgState::kDelayed, {});
  ni(tcp(1)).fatal = true;
  goes_on(core::MsgState::kDelayed, core::MsgState::kSending, sent);
  EXPECT_EQ(said(), "");
  goes_on(core::MsgState::kReady, core::MsgState::kDelayed, {});
  EXPECT_THAT(said(), HasSubstr("leaves by 10.0.0.1@tcp, which has failed"));
  msg->ni = nullptr;
}

TEST_F(FailedChecker, SeesARouterThatIsNotReached) {
  ni(tcp(1)).fatal = true;
  msg->header.dest_nid = tcp(5, 7);
  msg->internal = true;
  routes_by({tcp(3)});
  leaves(tcp(1), tcp(3));
  EXPECT_EQ(said(), "");
  routes_by({tcp(3), tcp(4, 1)});
  leaves(tcp(1), tcp(3));
  EXPECT_THAT(said(), HasSubstr("and not by the gateway 10.0.0.4@tcp1"));
}

}  // namespace
}  // namespace ulnet::sim

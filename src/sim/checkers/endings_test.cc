// Checkers of what must end, and when.
#include "sim/checkers/checkers.h"
#include "sim/checkers/checkers_fixture.h"

namespace ulnet::sim {
namespace {

// ---- ends in time ----

using TimeChecker = Lies<ends_in_time_checker>;

TEST_F(TimeChecker, SeesAnAnswerAwaitedTooLong) {
  const MdHandle md = bind();
  call(core::call::Put{request_for(md)});
  ASSERT_TRUE(world.run_for(seconds(149)).reached());
  step(core::Tick{});
  EXPECT_EQ(said(), "");
  ASSERT_TRUE(world.run_for(seconds(10)).reached());
  step(core::Tick{});
  EXPECT_THAT(said(), HasSubstr("is awaited past its deadline"));
}

TEST_F(TimeChecker, SeesAnAbandonedMessageThatItsDriverKeeps) {
  auto [handle, msg] = state.messages.make();
  msg->self = state.name(handle);
  msg->state = core::MsgState::kSending;
  const MdHandle md = bind();
  state.memory.find(md)->messages.push_back(*msg);
  call(core::call::MdUnlink{md}, {core::Cancel{ni, {}, msg->self}});
  EXPECT_EQ(said(), "");
  call(core::call::MdUnlink{md});
  EXPECT_EQ(said(), "a message that was given up stays with its driver");
  state.memory.find(md)->messages.clear();
}

TEST_F(TimeChecker, SeesAMessageAbandonedByAnotherPartitionThatItsDriverKeeps) {
  auto [handle, msg] = state.messages.make();
  msg->self = state.name(handle);
  msg->state = core::MsgState::kSending;
  constexpr MdHandle kFar{99};
  state.remote_mds.add(kFar, *msg);
  const core::ShardMsg abort{core::shard_msg::Abort{kFar}};
  step(core::FromShard{1, &abort}, {core::Cancel{ni, {}, msg->self}});
  EXPECT_EQ(said(), "");
  step(core::FromShard{1, &abort});
  EXPECT_EQ(said(), "a message that was given up stays with its driver");
  state.remote_mds.remove(*msg);
}

TEST_F(TimeChecker, SeesAnAnswerThatNothingWillEnd) {
  call(core::call::Put{request_for(bind())});
  checker.at_end(world);
  EXPECT_THAT(said(), HasSubstr("nothing is left that could end the wait"));
}

TEST_F(TimeChecker, SeesAPingThatGoesOn) {
  call(core::call::Ping{{.target = b.id(), .source = {}, .timeout = seconds(1)}, 3});
  ASSERT_TRUE(world.run_for(seconds(9)).reached());
  checker.check_all(world);
  EXPECT_EQ(said(), "a ping goes on past its deadline");
}

TEST_F(TimeChecker, SeesAMessageThatStays) {
  core::Msg& msg = *state.messages.make().second;
  msg.outgoing = true;
  msg.deadline = world.now();
  ASSERT_TRUE(world.run_for(hours(1)).reached());
  checker.check_all(world);
  EXPECT_THAT(said(), HasSubstr("a message is still"));
}

// ---- nothing after the end ----

using EndChecker = Lies<nothing_after_end_checker>;

TEST_F(EndChecker, SeesAStepOfAPausedNode) {
  a.pause();
  step(core::Tick{});
  EXPECT_EQ(said(), "a step while it is down or frozen");
}

TEST_F(EndChecker, SeesAMessageTakenAfterShutdown) {
  state.shut_down = true;
  wire::LnetHeader put = header();
  step(core::HeaderArrived{ni, {tcp(2), Pid::lustre()}, &put, {1}, {}},
       {core::Land{ni, {1}, kMsg}});
  EXPECT_EQ(said(), "took a message after its shutdown began");
}

TEST_F(EndChecker, SeesAMessageSentByAnNiThatWasRemoved) {
  step(core::Tick{}, {send(kMsg)});
  EXPECT_EQ(said(), "");
  state.nis.find(ni)->phase = core::NiPhase::kDraining;
  step(core::Tick{}, {send(kMsg)});
  state.nis.find(ni)->phase = core::NiPhase::kUp;
  EXPECT_EQ(said(), "sent a message by an NI that was removed");
}

TEST_F(EndChecker, SeesAnAnswerToAnEarlierIncarnation) {
  wire::LnetHeader ack = header();
  ack.part.emplace<wire::AckPart>().dst_wmd = {a.incarnation() - 1, 5};
  step(core::HeaderArrived{ni, {tcp(2), Pid::lustre()}, &ack, {1}, {}},
       {core::DropPayload{ni, {1}, 0}});
  EXPECT_EQ(said(), "");
  step(core::HeaderArrived{ni, {tcp(2), Pid::lustre()}, &ack, {1}, {}},
       {core::DropPayload{ni, {1}, 0}, post({5}, EventType::kAck, 1)});
  EXPECT_EQ(said(), "took an answer for an earlier incarnation");
}

TEST_F(EndChecker, SeesAHandlerAndMemoryAfterTheEnd) {
  a.shutdown();
  ASSERT_TRUE(world.run_for(seconds(10)).reached());
  checker.on_event(world, a, post({5}, EventType::kUnlink, 1));
  EXPECT_EQ(said(), "");
  checker.on_memory(world, a, memory, false);
  EXPECT_EQ(said(), "memory was touched after the end");
}

// ---- nothing fails ----

using FailureChecker = Lies<nothing_fails_checker>;

TEST_F(FailureChecker, SeesASendThatFailed) {
  step(core::SendDone{kMsg, -ECANCELED, core::Health::kLocalDropped});
  EXPECT_EQ(said(), "");
  step(core::SendDone{kMsg, -ETIMEDOUT, core::Health::kLocalTimeout});
  EXPECT_THAT(said(), HasSubstr("though nothing was broken"));
}

}  // namespace
}  // namespace ulnet::sim

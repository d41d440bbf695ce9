// EventFields finds an event that differs from its message.
#include "sim/checkers/checkers.h"
#include "sim/checkers/checkers_fixture.h"

namespace ulnet::sim {
namespace {

struct FieldsChecker : Lies<event_fields_checker> {
  FieldsChecker() {
    put.src_nid = tcp(2);
    put.dest_nid = tcp(1);
    put.src_pid = put.dest_pid = Pid::lustre();
    put.payload_length = 40;
    wire::PutPart& part = put.part.emplace<wire::PutPart>();
    part.portal = 5;
    part.match_bits = 7;
    part.hdr_data = 9;
  }
  /// The correct event of that PUT.
  core::Post landed(MdHandle md) {
    core::Post made = post(md, EventType::kPut, 1);
    made.event.target = {tcp(1), Pid::lustre()};
    made.event.initiator = {tcp(2), Pid::lustre()};
    made.event.source = made.event.sender = tcp(2);
    made.event.portal = {5};
    made.event.match_bits = {7};
    made.event.hdr_data = 9;
    made.event.rlength = made.event.mlength = 40;
    made.event.md_start = bytes.data();
    made.event.md_options = kOpPut;
    return made;
  }
  /// The PUT arrives and lands, with the event `posted`; returns the checker's violation.
  std::string violation_with(const core::Post& posted) {
    step(core::HeaderArrived{ni, {tcp(2), Pid::lustre()}, &put, {3}, {}},
         {core::Land{ni, {3}, kMsg, {&memory, 1, 0, 40}, 40}});
    step(core::PayloadLanded{kMsg}, {posted});
    return said();
  }

  wire::LnetHeader put;
};

TEST_F(FieldsChecker, IsSilentWhenAllIsRight) {
  EXPECT_EQ(violation_with(landed(attach({7}, kOpPut))), "");
}

TEST_F(FieldsChecker, SeesAWrongFieldOfAPut) {
  core::Post posted = landed(attach({7}, kOpPut));
  posted.event.hdr_data = 8;
  EXPECT_EQ(violation_with(posted), "PUT: wrong hdr_data");
}

TEST_F(FieldsChecker, SeesAnotherInitiator) {
  core::Post posted = landed(attach({7}, kOpPut));
  posted.event.initiator.nid = tcp(9);
  EXPECT_EQ(violation_with(posted), "PUT: wrong initiator");
}

TEST_F(FieldsChecker, SeesAnOffsetThatTheSenderDidNotChoose) {
  core::Post posted = landed(attach({7}, kOpPut | kManageRemote));
  posted.event.md_options |= kManageRemote;
  posted.event.offset = 1;
  EXPECT_EQ(violation_with(posted), "PUT: wrong offset");
}

TEST_F(FieldsChecker, SeesAnotherMd) {
  core::Post posted = landed(attach({7}, kOpPut));
  posted.event.md_start = nullptr;
  EXPECT_EQ(violation_with(posted), "PUT: not what its MD is");
}

TEST_F(FieldsChecker, SeesAWrongSend) {
  const MdHandle md = bind();
  step(core::Tick{}, {send(kMsg, put)});
  core::Post posted = landed(md);
  posted.event.type = EventType::kSend;
  posted.event.md_options = 0;
  posted.event.initiator = {Nid::any(), Pid::lustre()};
  posted.event.sender = {};
  posted.event.match_bits = {8};
  step(core::SendDone{kMsg}, {posted});
  EXPECT_EQ(said(), "SEND: wrong match bits");
}

/// A PUT that waited for the same credits ends in one step with a message of the node itself.
TEST_F(FieldsChecker, IgnoresEventsOfTheNodesOwnMessages) {
  auto [handle, own] = state.messages.make();
  own->md = state.memory.find(state.portal0.mds.find(state.portal0.ping_target)->md);
  const core::MsgTicket tx = state.name(handle);
  step(core::Tick{}, {send(tx)});
  core::Post waited = landed(bind());
  waited.event.type = EventType::kSend;
  waited.event.md_options = 0;
  step(core::SendDone{tx, -ECANCELED}, {waited});
  EXPECT_EQ(said(), "");
}

/// A REPLY goes to another NID of its initiator where no NI on the net of the first one works.
/// There another GET may have the same MD cookie, from an earlier incarnation of the initiator.
TEST_F(FieldsChecker, AReplyMayGoToAnotherNidThanItsGetCameFrom) {
  wire::LnetHeader get = put;
  get.payload_length = 0;
  wire::GetPart& part = get.part.emplace<wire::GetPart>();
  part.portal = 5;
  part.match_bits = 7;
  part.sink_length = 40;
  part.return_wmd = {10, 77};
  wire::LnetHeader earlier = get;
  earlier.src_nid = tcp(4);
  std::get<wire::GetPart>(earlier.part).match_bits = 8;
  std::get<wire::GetPart>(earlier.part).return_wmd = {9, 77};
  step(core::HeaderArrived{ni, {tcp(4), Pid::lustre()}, &earlier, {3}, {}});
  step(core::HeaderArrived{ni, {tcp(2), Pid::lustre()}, &get, {4}, {}});
  wire::LnetHeader reply = put;
  reply.src_nid = tcp(1);
  reply.dest_nid = tcp(4);
  reply.part.emplace<wire::ReplyPart>().dst_wmd = {10, 77};
  core::Post answered = landed(attach({7}, kOpGet));
  answered.event.type = EventType::kGet;
  answered.event.md_options = kOpGet;
  answered.event.hdr_data = 0;
  step(core::Tick{}, {send(kMsg, reply)});
  step(core::SendDone{kMsg}, {answered});
  EXPECT_EQ(said(), "");
}

TEST_F(FieldsChecker, SeesAWrongAck) {
  wire::LnetHeader ack = put;
  ack.payload_length = 0;
  wire::AckPart& part = ack.part.emplace<wire::AckPart>();
  part.match_bits = 7;
  part.mlength = 30;
  core::Post posted = landed(bind());
  posted.event.type = EventType::kAck;
  posted.event.md_options = 0;
  posted.event.portal = {};
  posted.event.hdr_data = 0;
  step(core::HeaderArrived{ni, {tcp(2), Pid::lustre()}, &ack, {3}, {}}, {posted});
  EXPECT_EQ(said(), "ACK: wrong rlength");
}

TEST_F(FieldsChecker, SeesAnEventThatChangesBetweenShards) {
  const MdHandle md = attach({7}, kOpPut);
  core::shard_msg::Ended ended;
  ended.md = md;
  ended.event = landed(md).event;
  ended.event.mlength = 39;
  const core::ShardMsg shard_msg{ended};
  step(core::FromShard{1, &shard_msg}, {landed(md)});
  EXPECT_EQ(said(), "PUT of another partition: wrong mlength");
}

/// A message that a router forwards has no event here. In the step in which it has left, its credit
/// may go to a PUT of the router itself, which fails at once.
TEST_F(FieldsChecker, IgnoresEventsOfForwardedMessages) {
  auto [handle, forwarded] = state.messages.make();
  forwarded->outgoing = forwarded->routed = true;
  const core::MsgTicket tx = state.name(handle);
  step(core::Tick{}, {send(tx, put)});
  state.messages.erase(handle);
  core::Post own = landed(bind());
  own.event.type = EventType::kSend;
  own.event.md_options = 0;
  own.event.source = tcp(1);
  step(core::SendDone{tx}, {own});
  EXPECT_EQ(said(), "");
}

}  // namespace
}  // namespace ulnet::sim

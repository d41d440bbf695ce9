// Stories for spec/core-semantics.md 5, 6: events, PUT, GET, ACK, REPLY.
#include "story.h"

namespace ulnet::sim {
namespace {

using core::DropReason;

TEST(ExchangeStory, EventsSayWhoWhatAndWhere) {  // spec/core-semantics.md 5
  Story given;
  Lent& target = given.bob.posts();
  Lent& put = given.alice.puts({.to = given.bob.id(), .ack = AckRequest::kAck, .hdr_data = 99});
  given.comes_to_rest();
  const Event& taken = target.event(EventType::kPut);
  EXPECT_EQ(taken.initiator, given.alice.id());
  EXPECT_EQ(taken.source, given.alice.node.nid());
  EXPECT_EQ(taken.sender, given.alice.node.nid());
  EXPECT_EQ(taken.target.nid, given.bob.node.nid());
  EXPECT_EQ(taken.portal.index, 5U);
  EXPECT_EQ(taken.match_bits.value, 7U);
  EXPECT_EQ(taken.hdr_data, 99U);
  EXPECT_EQ(taken.md_start, target.memory.data());
  const Event& sent = put.event(EventType::kSend);
  EXPECT_EQ(sent.target, given.bob.id());
  EXPECT_TRUE(sent.initiator.nid.is_any());
  EXPECT_EQ(sent.hdr_data, 99U);
  EXPECT_EQ(put.event(EventType::kAck).match_bits.value, 7U);
  EXPECT_LT(put.events.at(0).sequence, put.events.at(1).sequence);
}

TEST(ExchangeStory, AFailedSendIsTheOnlyEvent) {  // spec/core-semantics.md 5, 18.6
  Story given;
  given.world.wire().set_up(given.alice.node.place(), false);
  Lent& put = given.alice.puts({.to = given.bob.id(), .ack = AckRequest::kAck, .threshold = 1});
  Lent& get = given.alice.gets({.to = given.bob.id(), .threshold = 1});
  given.comes_to_rest();
  EXPECT_EQ(put.reported(), "SEND -100 (last)");
  EXPECT_EQ(get.reported(), "SEND -100 (last)");
}

TEST(ExchangeStory, ImmediateFailuresAreReturned) {  // spec/core-semantics.md 6.1, 6.2
  Story given;
  PutRequest put;
  put.target = given.bob.id();
  EXPECT_EQ(Person::errno_of(given.alice.node.put(put)), -ENOENT);
  put.md = given.alice.posts().md;
  EXPECT_EQ(Person::errno_of(given.alice.node.put(put)), -ENOENT);
  GetRequest get;
  get.target = given.bob.id();
  EXPECT_EQ(Person::errno_of(given.alice.node.get(get)), -ENOENT);
  core::ApiCall fail;
  fail.body.emplace<core::call::Fail>(given.bob.node.nid(), 1);
  given.alice.node.call(fail);
  EXPECT_EQ(given.alice.puts({.to = given.bob.id()}).status, -EIO);
}

TEST(ExchangeStory, AMissingPathIsAFailedSend) {  // spec/core-semantics.md 6.1
  Story given;
  const ProcessId far{Nid::small({NetType::kTcp, 9}, 1), Pid::lustre()};
  Lent& put = given.alice.puts({.to = far});
  EXPECT_EQ(put.status, 0);
  EXPECT_EQ(put.reported(), "SEND -113 (last)");
  given.comes_to_rest();
}

TEST(ExchangeStory, AGetBringsWhatTheTargetHas) {  // spec/core-semantics.md 6.4
  Story given;
  Lent& target = given.bob.posts({.options = kOpGet | kTruncate, .bytes = 60});
  Lent& get = given.alice.gets({.to = given.bob.id(), .bytes = 100});
  given.comes_to_rest();
  EXPECT_EQ(get.reported(), "SEND, REPLY (last)");
  EXPECT_EQ(get.event(EventType::kReply).mlength, 60U);
  EXPECT_EQ(target.event(EventType::kGet).rlength, 100U);
  EXPECT_EQ(target.event(EventType::kGet).mlength, 60U);
}

TEST(ExchangeStory, TheAckNamesTheBitsAndTheLength) {  // spec/core-semantics.md 6.3
  Story given;
  given.bob.posts({.ignore = {0xff}});
  Lent& put = given.alice.puts({.to = given.bob.id(), .ack = AckRequest::kAck, .bits = {0x42}});
  given.comes_to_rest();
  EXPECT_EQ(put.reported(), "SEND, ACK (last)");
  EXPECT_EQ(put.event(EventType::kAck).match_bits.value, 0x42U);
  EXPECT_EQ(put.event(EventType::kAck).mlength, 100U);
}

TEST(ExchangeStory, AnAckForAnEndedMdIsDroppedAndCounted) {  // spec/core-semantics.md 6.3
  Story given;
  given.world.wire().set_model({.delay = seconds(1)});
  given.bob.posts();
  Lent& put = given.alice.puts({.to = given.bob.id(), .ack = AckRequest::kAck});
  given.runs_for(milliseconds(500));
  EXPECT_EQ(given.alice.unlinks(put), 0);
  given.runs_for(seconds(5));
  given.comes_to_rest();
  EXPECT_EQ(put.reported(), "SEND, UNLINK (last)");
  EXPECT_EQ(given.alice.dropped(DropReason::kAckNoMd), 1U);
}

TEST(ExchangeStory, AReplyThatComesTooLateIsDropped) {  // spec/core-semantics.md 6.4
  Story given({.globals = {.transaction_timeout = 1}});
  given.world.wire().set_model({.delay = seconds(2)});
  given.bob.posts({.options = kOpGet});
  Lent& get = given.alice.gets({.to = given.bob.id()});
  given.comes_to_rest();
  EXPECT_EQ(get.reported(), "SEND, UNLINK -110 (last)");
  EXPECT_EQ(given.alice.dropped(DropReason::kReplyNoMd), 1U);
  EXPECT_EQ(get.filled_with('.'), get.memory.size());
}

TEST(ExchangeStory, MessagesOnOnePathStayInOrder) {  // spec/core-semantics.md 6.6
  Story given;
  Lent& target = given.bob.posts();
  for (char c = 'a'; c < 'k'; ++c) given.alice.puts({.to = given.bob.id(), .bytes = 1, .byte = c});
  given.comes_to_rest();
  EXPECT_EQ(std::string(target.memory.data(), 10), "abcdefghij");
}

TEST(ExchangeStory, LoopbackWorks) {  // spec/core-semantics.md 12
  Story given;
  Lent& target = given.alice.posts();
  Lent& put = given.alice.puts({.to = {Nid::loopback(), Pid::lustre()}, .ack = AckRequest::kAck});
  EXPECT_EQ(put.reported(), "SEND, ACK (last)");
  EXPECT_EQ(target.reported(), "PUT");
  given.comes_to_rest();
}

}  // namespace
}  // namespace ulnet::sim

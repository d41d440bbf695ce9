// Two engines over an MPI that keeps its promises, and over one that does not. Source:
// docs/MPI-PROTOCOL.md.
#include <gmock/gmock.h>

#include "lnet/lnd/mpi/engine/fabric_fixture.h"

namespace ulnet::lnd::mpi {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(Mpi, TheFirstMessageIsAQueryAndOnlyThenThePeerIsUp) {
  mpi.put(0, 1, {});
  mpi[0].engine.work();
  EXPECT_EQ(mpi[0].shorts, 1);
  EXPECT_EQ(mpi[0].ups, 0);
  mpi.run();
  EXPECT_EQ(mpi[0].ups, 1);
  EXPECT_EQ(mpi[1].ups, 1);
  ASSERT_EQ(mpi[1].messages.size(), 1U);
  EXPECT_EQ(mpi[0].shorts, 2) << "the query, the message";
  EXPECT_EQ(mpi[1].shorts, 1) << "the response";
}

TEST_F(Mpi, BothMayAskAtTheSameTime) {
  const auto one = mpi.put(0, 1, {}), two = mpi.put(1, 0, {});
  mpi.run();
  EXPECT_EQ(status(0, one), 0);
  EXPECT_EQ(status(1, two), 0);
  EXPECT_EQ(mpi[0].ups + mpi[1].ups, 2);
  EXPECT_EQ(mpi[0].engine.count(Count::kRefusedStale), 0U);
}

TEST_F(Mpi, AShortPayloadComesWithItsHeader) {
  const Memory from(100, 1);
  Memory to(100);
  land(1, to);
  const auto tx = mpi.put(0, 1, from.region());
  mpi.run();
  EXPECT_EQ(status(0, tx), 0);
  EXPECT_TRUE(mpi[1].messages.at(0).whole);
  EXPECT_EQ(mpi[1].messages.at(0).immediate, from.bytes);
  EXPECT_EQ(to.bytes, from.bytes);
  ASSERT_EQ(mpi[1].landed.size(), 1U);
  EXPECT_EQ(mpi[1].landed[0].status, 0);
  mpi[1].engine.command(Command(core::DropPayload{}));  // of a message that is gone
  EXPECT_EQ(mpi[0].engine.count(Count::kLargeSent), 0U);
  expect_nothing_left();
}

TEST_F(Mpi, ALongPayloadMovesUnderATag) {
  const Memory from(100'000, 1);
  Memory to(100'000);
  land(1, to);
  const auto tx = mpi.put(0, 1, from.region());
  mpi.run();
  EXPECT_EQ(status(0, tx), 0);
  EXPECT_FALSE(mpi[1].messages.at(0).whole);
  EXPECT_TRUE(mpi[1].messages.at(0).immediate.empty());
  EXPECT_EQ(to.bytes, from.bytes);
  EXPECT_EQ(mpi[1].landed.at(0).status, 0);
  expect_nothing_left();
}

TEST_F(Mpi, APayloadMayBeCutToItsSink) {
  for (const std::size_t size : {200UL, 5000UL}) {
    const Memory from(size, 3);
    Memory to(size);
    land(1, to, 50);
    const auto tx = mpi.put(0, 1, from.region());
    mpi.run();
    EXPECT_EQ(status(0, tx), 0);
    EXPECT_TRUE(std::equal(to.bytes.begin(), to.bytes.begin() + 50, from.bytes.begin()));
    EXPECT_EQ(to.bytes[50], std::byte{});
  }
  expect_nothing_left();
}

TEST_F(Mpi, ADroppedPayloadIsReceivedAllTheSame) {
  const Memory brief(10, 1), large(5000, 1);
  const auto one = mpi.put(0, 1, brief.region()), two = mpi.put(0, 1, large.region());
  mpi.run();
  EXPECT_EQ(status(0, one), 0);
  EXPECT_EQ(status(0, two), 0);
  EXPECT_TRUE(mpi[1].landed.empty());
  expect_nothing_left();
}

TEST_F(Mpi, AHeldMessageIsLandedLater) {
  hold(1);
  const Memory brief(10, 1), large(5000, 2);
  mpi.put(0, 1, brief.region());
  const auto two = mpi.put(0, 1, large.region());
  mpi.run();
  EXPECT_FALSE(has_ended(0, two)) << "its payload waits at the sender";
  Memory to_brief(10), to_large(5000);
  mpi[1].engine.command(
      Command(core::Land{{1}, mpi[1].messages.at(0).rx, {1, 1}, to_brief.region(), 10}));
  mpi[1].engine.command(
      Command(core::Land{{1}, mpi[1].messages.at(1).rx, {2, 1}, to_large.region(), 5000}));
  mpi.run();
  EXPECT_EQ(status(0, two), 0);
  EXPECT_EQ(to_brief.bytes, brief.bytes);
  EXPECT_EQ(to_large.bytes, large.bytes);
  EXPECT_EQ(mpi[1].landed.size(), 2U);
  expect_nothing_left();
}

TEST_F(Mpi, AGetIsAnsweredIntoItsSink) {
  for (const std::size_t size : {30UL, 9000UL}) {
    Memory sink(size);
    const Memory source(size, 5);
    const auto get = mpi.get(0, 1, sink.region());
    mpi.run();
    EXPECT_FALSE(has_ended(0, get));
    const auto reply = mpi.reply(1, 0, mpi[1].messages.back().rx, source.region());
    mpi.run();
    EXPECT_EQ(status(1, reply), 0);
    EXPECT_EQ(status(0, get), 0);
    EXPECT_TRUE(mpi[0].ended.at(get.slot).reply_landed);
    EXPECT_EQ(mpi[0].ended.at(get.slot).reply_bytes, size);
    EXPECT_EQ(sink.bytes, source.bytes);
  }
  EXPECT_TRUE(mpi[0].messages.empty()) << "there is no REPLY";
  expect_nothing_left();
}

TEST_F(Mpi, AShorterReplySaysItsLength) {
  Memory sink(9000);
  const Memory source(4000, 5), nothing(0);
  const auto get = mpi.get(0, 1, sink.region());
  mpi.run();
  mpi.reply(1, 0, mpi[1].messages.back().rx, source.region());
  mpi.run();
  EXPECT_EQ(mpi[0].ended.at(get.slot).reply_bytes, 4000U);
  const auto empty = mpi.get(0, 1, sink.region());
  mpi.run();
  mpi.reply(1, 0, mpi[1].messages.back().rx, nothing.region());
  mpi.run();
  EXPECT_EQ(status(0, empty), 0);
  EXPECT_EQ(mpi[0].ended.at(empty.slot).reply_bytes, 0U);
}

TEST_F(Mpi, ADroppedGetEndsAtOnce) {
  mpi[1].policy = [](Fabric::Process&, const core::HeaderArrived&) { return true; };
  Memory sink(9000);
  const auto get = mpi.get(0, 1, sink.region());
  mpi.run();
  EXPECT_EQ(status(0, get), -ECANCELED);
  EXPECT_EQ(mpi[0].ended.at(get.slot).done.health, core::Health::kRemoteDropped);
  EXPECT_FALSE(mpi[0].ended.at(get.slot).reply_landed);
  expect_nothing_left();
}

TEST_F(Mpi, AGetWithoutSinkIsAMessageLikeOthers) {
  const auto get = mpi.get(0, 1, {});  // of a router, or of no bytes
  mpi.run();
  EXPECT_EQ(status(0, get), 0);
  const Memory source(20, 5);
  const auto reply = mpi.reply(1, 0, mpi[1].messages.back().rx, source.region());
  mpi.run();
  EXPECT_EQ(status(1, reply), 0);
  ASSERT_EQ(mpi[0].messages.size(), 1U);
  EXPECT_EQ(mpi[0].messages[0].header.type(), wire::MsgType::kReply);
}

TEST_F(Mpi, MessagesForOnePeerShareAShortMessage) {
  mpi.put(0, 1, {});
  mpi.run();
  const int before = mpi[0].shorts;
  const Memory small(8, 1);
  for (int i = 0; i < 30; ++i) mpi.put(0, 1, small.region());
  mpi.run();
  EXPECT_EQ(mpi[1].messages.size(), 31U);
  EXPECT_EQ(mpi[0].shorts - before, 3) << "10 of 96 bytes fit into 1024";
}

TEST_F(Mpi, TheOrderOfMessagesIsKept) {
  const Memory small(8, 1), large(2000, 1);
  Memory to(2000);
  land(1, to);
  for (int i = 0; i < 60; ++i) mpi.put(0, 1, i % 3 == 0 ? large.region() : small.region());
  mpi.run();
  ASSERT_EQ(mpi[1].messages.size(), 60U);
  for (std::size_t i = 0; i < 60; ++i)
    EXPECT_EQ(mpi[1].messages[i].header.payload_length, i % 3 == 0 ? 2000U : 8U) << i;
  expect_nothing_left();
}

TEST_F(Mpi, OtherVersionsAreRefusedWithBothNumbers) {
  EngineOptions newer = options();
  newer.min_version = 2;
  newer.max_version = 3;
  mpi.restart(1, newer);
  const auto tx = mpi.put(0, 1, {});
  mpi.run();
  EXPECT_EQ(status(0, tx), -EPROTO);
  constexpr const char* kWords = "it has versions 2 to 3 of LNet over MPI, this node has version 1";
  EXPECT_EQ(mpi[0].engine.trouble(Fabric::hop(1)), kWords);
  EXPECT_THAT(mpi[0].warnings, ElementsAre(HasSubstr(kWords)));
  EXPECT_THAT(mpi[1].warnings, ElementsAre(HasSubstr("it has version 1 of LNet over MPI")));
  const auto soon = mpi.put(0, 1, {});
  mpi.run();
  EXPECT_EQ(status(0, soon), -EPROTO);
  EXPECT_EQ(mpi[0].shorts, 1) << "it is not asked again at once";
  mpi.restart(1, options());
  mpi.advance(seconds(11));
  const auto later = mpi.put(0, 1, {});
  mpi.run();
  EXPECT_EQ(status(0, later), 0);
  EXPECT_EQ(mpi[0].engine.trouble(Fabric::hop(1)), "");
}

TEST_F(Mpi, NobodyIsAtAnUnknownNid) {
  const auto tx = mpi.put(0, 7, {});
  mpi.run();
  EXPECT_EQ(status(0, tx), -EHOSTUNREACH);
  EXPECT_THAT(mpi[0].engine.trouble(Fabric::hop(7)), HasSubstr("no process"));
}

TEST_F(Mpi, AMessageThatWaitsForTheFirstAnswerEndsInTime) {
  mpi.deaf = {1};
  const auto tx = mpi.put(0, 1, {}, mpi.now + seconds(5));
  mpi.run();
  EXPECT_THAT(mpi[0].engine.trouble(Fabric::hop(1)), HasSubstr("has not answered yet"));
  EXPECT_FALSE(has_ended(0, tx));
  mpi.advance(seconds(6));
  EXPECT_EQ(status(0, tx), -ETIMEDOUT);
  EXPECT_FALSE(mpi[0].ended.at(tx.slot).done.begun);
  mpi.deaf.clear();  // it starts late
  mpi.run();
  EXPECT_EQ(mpi[0].ups, 1);
  const auto again = mpi.put(0, 1, {});
  mpi.run();
  EXPECT_EQ(status(0, again), 0);
}

TEST_F(Mpi, AMessageThatIsHeldTooLongIsWithdrawn) {
  hold(1);
  const Memory large(5000, 2);
  const auto tx = mpi.put(0, 1, large.region(), mpi.now + seconds(5));
  mpi.run();
  mpi.advance(seconds(6));
  EXPECT_EQ(status(0, tx), 0) << "the other side received it, and discarded it";
  ASSERT_EQ(mpi[1].landed.size(), 1U);
  EXPECT_EQ(mpi[1].landed[0].status, -ECANCELED);
  mpi[1].engine.command(Command(core::Land{{1}, mpi[1].messages.at(0).rx, {9, 1}, {}, 5000}));
  mpi.run();
  EXPECT_EQ(mpi[1].landed.at(1).status, -ECONNRESET) << "a verdict that came too late";
  expect_nothing_left();
}

TEST_F(Mpi, ACancelledMessageThatHasNotBegunEndsAtOnce) {
  mpi.deaf = {1};
  const auto tx = mpi.put(0, 1, {});
  mpi.run();
  mpi[0].engine.command(Command(core::Cancel{{1}, Fabric::hop(1), tx}));
  mpi.run();
  EXPECT_EQ(status(0, tx), -ECANCELED);
}

TEST_F(Mpi, ACancelledGetGivesItsSinkBackWhenTheOtherSideAgrees) {
  Memory sink(9000);
  const Memory source(9000, 5);
  const auto get = mpi.get(0, 1, sink.region());
  mpi.run();
  mpi.deaf = {1};
  mpi[0].engine.command(Command(core::Cancel{{1}, Fabric::hop(1), get}));
  mpi.run();
  EXPECT_FALSE(has_ended(0, get)) << "the data may still come";
  mpi.deaf.clear();
  mpi.run();
  EXPECT_EQ(status(0, get), -ECANCELED);
  const auto reply = mpi.reply(1, 0, mpi[1].messages.back().rx, source.region());
  mpi.run();
  EXPECT_EQ(status(1, reply), -ECANCELED) << "no data is sent where nobody receives it";
  expect_nothing_left();
}

TEST_F(Mpi, ASilentPeerIsAskedAndThenTakenForDead) {
  hold(1);
  const Memory large(5000, 2);
  const auto tx = mpi.put(0, 1, large.region());
  mpi.run();
  mpi.advance(seconds(11));
  mpi.advance(seconds(11));
  EXPECT_FALSE(has_ended(0, tx)) << "the peer answers, so the message may be held";
  mpi.deaf = {1};
  for (int i = 0; i < 4; ++i) mpi.advance(seconds(11));
  EXPECT_EQ(status(0, tx), -ETIMEDOUT);
  EXPECT_EQ(mpi[0].ended.at(tx.slot).done.health, core::Health::kRemoteTimeout);
  EXPECT_TRUE(mpi[0].ended.at(tx.slot).done.begun);
  EXPECT_EQ(mpi[0].downs, 1);
  EXPECT_EQ(mpi[0].engine.trouble(Fabric::hop(1)), "it does not answer");
  EXPECT_EQ(mpi[0].engine.pending(), 0U);
}

TEST_F(Mpi, ATagWhoseTransferDidNotEndIsNotUsedAgain) {
  EngineOptions few = options();
  few.tag_max = 5;  // 2 and 4, 3 and 5
  mpi.restart(0, few);
  hold(1);
  const Memory large(2000, 2);
  Memory sink(2000);
  mpi.put(0, 1, large.region());
  mpi.get(0, 1, sink.region());
  mpi.run();
  mpi.deaf = {1};
  for (int i = 0; i < 4; ++i) mpi.advance(seconds(11));
  ASSERT_EQ(mpi[0].downs, 1);
  mpi.deaf.clear();
  mpi.run();
  for (int i = 0; i < 3; ++i) {
    mpi.put(0, 1, large.region());
    mpi.get(0, 1, sink.region());
  }
  mpi.run();
  EXPECT_EQ(mpi[1].messages.size(), 4U) << "one tag of each kind is left";
}

TEST_F(Mpi, APeerThatOwesNothingIsNotAsked) {
  mpi.put(0, 1, {});
  mpi.run();
  const int before = mpi[0].shorts;
  for (int i = 0; i < 10; ++i) mpi.advance(seconds(11));
  EXPECT_EQ(mpi[0].shorts, before);
  EXPECT_EQ(mpi[0].engine.next_deadline(), kNever);
}

TEST_F(Mpi, APeerThatPausedLearnsThatItWasTakenForDead) {
  hold(1);
  const Memory large(5000, 2);
  mpi.put(0, 1, large.region());
  mpi.run();
  mpi.deaf = {1};
  for (int i = 0; i < 4; ++i) mpi.advance(seconds(11));
  ASSERT_EQ(mpi[0].downs, 1);
  mpi.deaf.clear();
  const auto tx = mpi.put(1, 0, {});
  mpi.run();
  EXPECT_EQ(mpi[1].resets, 1);
  EXPECT_EQ(status(1, tx), 0) << "MPI has sent it; the other side did not take it";
  const auto again = mpi.put(1, 0, {});
  mpi.run();
  EXPECT_EQ(status(1, again), 0);
  EXPECT_EQ(mpi[0].messages.size(), 1U);
  EXPECT_EQ(mpi[0].ups, 2);
  expect_nothing_left();
}

TEST_F(Mpi, APeerThatRestartedIsNoticed) {
  hold(1);
  const Memory large(5000, 2);
  const auto tx = mpi.put(0, 1, large.region());
  mpi.run();
  mpi.restart(1, options());
  mpi.put(1, 0, {});
  mpi.run();
  EXPECT_EQ(status(0, tx), -ESTALE);
  EXPECT_EQ(mpi[0].resets, 1);
  EXPECT_EQ(mpi[0].messages.size(), 1U);
  EXPECT_EQ(mpi[0].engine.pending(), 0U);
}

TEST_F(Mpi, StoppingEndsEverything) {
  hold(1);
  const Memory large(5000, 2);
  Memory sink(5000);
  const auto put = mpi.put(0, 1, large.region());
  const auto get = mpi.get(0, 1, sink.region());
  mpi.run();
  mpi[0].engine.stop();
  EXPECT_FALSE(mpi[0].engine.idle()) << "MPI may still touch the memory";
  mpi.run();
  EXPECT_TRUE(mpi[0].engine.idle());
  EXPECT_EQ(status(0, put), -ESHUTDOWN);
  EXPECT_EQ(status(0, get), -ESHUTDOWN);
  const auto late = mpi.put(0, 1, {});
  mpi.run();
  EXPECT_EQ(status(0, late), -ESHUTDOWN);
}

TEST_F(Mpi, MessagesWaitForATag) {
  EngineOptions few = options();
  few.tag_max = 5;  // 2 and 4, 3 and 5
  mpi.restart(0, few);
  hold(1);
  const Memory large(2000, 2);
  std::vector<core::MsgTicket> puts;
  for (int i = 0; i < 5; ++i) puts.push_back(mpi.put(0, 1, large.region()));
  mpi.run();
  EXPECT_EQ(mpi[1].messages.size(), 2U);
  Memory to(2000);
  for (std::size_t i = 0; i < 5; ++i) {
    ASSERT_GT(mpi[1].messages.size(), i);
    mpi[1].engine.command(
        Command(core::Land{{1}, mpi[1].messages[i].rx, {++tickets, 1}, to.region(), 2000}));
    mpi.run();
    EXPECT_EQ(status(0, puts[i]), 0);
  }
  expect_nothing_left();
}

}  // namespace
}  // namespace ulnet::lnd::mpi

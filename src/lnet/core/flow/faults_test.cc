// Messages that fault rules drop, fail or delay. spec/multirail.md 11, spec/core-semantics.md 8.
#include <gmock/gmock.h>

#include "lnet/core/flow/fault_fixture.h"

namespace ulnet::core::test {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using enum EventType;
using Kind = FaultRule::Kind;

/// Two nodes; b has a buffer, and a sends to it.
struct Faulty : FaultyPipe {
  explicit Faulty(bool rails = false) : FaultyPipe(rails) {
    md = bind(a, memory, &events);
    attach(b, buffer, &arrived, {.options = kOpPut | kOpGet | kManageRemote});
  }
  std::vector<std::byte> memory = bytes(8), buffer = bytes(64, 100);
  Recorder events, arrived;
  MdHandle md;
};

FaultRule drop_rule(std::uint32_t messages) {
  FaultRule rule;
  rule.rate = 1;
  rule.messages = messages;
  return rule;
}

// spec/core-semantics.md 8.6; spec/multirail.md 11.2
TEST(FaultDrop, DropsReceivedMessagesAndCountsThem) {
  Faulty p;
  p.add(p.b, drop_rule(kFaultPut));
  p.put(p.a, p.md, tcp(2), AckRequest::kAck);
  EXPECT_THAT(p.events.types(), ElementsAre(kSend)) << "its sender notices nothing";
  EXPECT_TRUE(p.arrived.events.empty());
  EXPECT_EQ(p.dropped(p.b, DropReason::kFaultRule), 1U);
  const call::Show show = p.show(p.b);
  EXPECT_EQ(show.statistics.drop_count, 1U);
  EXPECT_EQ(show.statistics.drop_length, 8U);
  EXPECT_EQ(show.nis.at(1).stats.traffic.dropped.put, 1U);
  EXPECT_EQ(p.faults(p.b).at(0).hits, 1U);
  EXPECT_EQ(p.faults(p.b).at(0).matched.put, 1U);
  p.expect_idle();
}

TEST(FaultDrop, LosesEachTypeOfMessage) {  // spec/core-semantics.md 8.6
  for (const std::uint32_t type : {kFaultPut, kFaultGet}) {
    Faulty p;
    p.add(p.b, drop_rule(type));
    type == kFaultPut ? p.put(p.a, p.md, tcp(2)) : p.get(p.a, p.md, tcp(2));
    EXPECT_TRUE(p.arrived.events.empty());
    p.expect_idle();
  }
  for (const std::uint32_t type : {kFaultAck, kFaultReply}) {
    Faulty p;
    p.add(p.a, drop_rule(type));
    type == kFaultAck ? p.put(p.a, p.md, tcp(2), AckRequest::kAck) : p.get(p.a, p.md, tcp(2));
    EXPECT_THAT(p.arrived.types(), ElementsAre(type == kFaultAck ? kPut : kGet));
    EXPECT_THAT(p.events.types(), ElementsAre(kSend)) << "no answer";
    EXPECT_EQ(p.dropped(p.a, DropReason::kFaultRule), 1U);
    p.expect_idle();
  }
}

TEST(FaultDrop, EndsWithItsRule) {
  Faulty p;
  p.add(p.b, drop_rule(kFaultPut));
  p.put(p.a, p.md, tcp(2));
  EXPECT_EQ(p.del(p.b, Kind::kDrop), 0);
  p.put(p.a, p.md, tcp(2));
  EXPECT_EQ(p.arrived.events.size(), 1U);
  EXPECT_EQ(p.del(p.b, Kind::kDrop), -ENOENT);
  EXPECT_EQ(p.del(p.b, Kind::kDelay), -ENOENT);
}

TEST(FaultDrop, DropAllAlsoDropsSentMessagesSilently) {
  Faulty p;
  FaultRule rule = drop_rule(kFaultPut);
  rule.rate = 100;
  rule.drop_all = true;
  p.add(p.a, rule);
  for (int i = 0; i < 3; ++i) p.put(p.a, p.md, tcp(2));
  EXPECT_THAT(p.events.types(), ElementsAre(kSend, kSend, kSend));
  for (const Event& event : p.events.events) EXPECT_EQ(event.status, 0);
  EXPECT_TRUE(p.arrived.events.empty());
  EXPECT_EQ(p.dropped(p.a, DropReason::kFaultRuleSent), 3U);
  EXPECT_EQ(p.stats().drop_count, 0U) << "this counts only received messages";
  EXPECT_EQ(p.stats().send_count, 0U)
      << "the others receive or drop each message that one has sent";
  EXPECT_EQ(p.show(p.a).nis.at(1).stats.traffic.dropped.put, 3U);
  p.expect_idle();
}

TEST(FaultError, EndsTheMessageAsADriverWouldAndNothingGoesOut) {  // spec/multirail.md 11.2
  Faulty p;
  FaultRule rule = error_rule(Health::kRemoteDropped);
  rule.messages = kFaultPut;
  p.add(p.a, rule);
  p.a.hold_sends = true;
  p.put(p.a, p.md, tcp(2));
  EXPECT_TRUE(p.a.sends.empty());
  ASSERT_THAT(p.events.types(), ElementsAre(kSend));
  EXPECT_EQ(p.events.events[0].status, -EIO);
  EXPECT_EQ(p.stats().errors, 1U);
  EXPECT_EQ(p.stats().remote_dropped_count, 1U);
  EXPECT_EQ(p.stats().send_count, 0U);
  p.expect_idle();
}

TEST(FaultError, AnErrorOfAReplyAffectsOnlyItsSender) {
  Faulty p;
  FaultRule rule = error_rule(Health::kRemoteTimeout);
  rule.messages = kFaultReply;
  p.add(p.b, rule);
  p.get(p.a, p.md, tcp(2));
  EXPECT_THAT(p.events.types(), ElementsAre(kSend));
  EXPECT_EQ(p.show(p.b).statistics.remote_timeout_count, 1U);
  p.expect_idle();
}

TEST(FaultError, AnErrorOnLoopbackChangesNoHealth) {
  Faulty p;
  FaultRule rule = error_rule(Health::kLocalError);
  rule.messages = kFaultPut;
  p.add(p.a, rule);
  p.put(p.a, p.md, Nid::loopback());
  ASSERT_EQ(p.events.events.size(), 1U);
  EXPECT_EQ(p.events.events[0].status, -EIO);
  EXPECT_EQ(p.stats().local_error_count, 0U);
}

TEST(FaultDelay, ASentMessageKeepsItsCreditsForTheLatency) {  // spec/multirail.md 11.3
  Faulty p;
  p.add(p.a, delay_rule(2, kFaultPut));
  p.put(p.a, p.md, tcp(2));
  EXPECT_TRUE(p.events.events.empty());
  EXPECT_EQ(p.show(p.a).peers.at(0).nis.at(0).available_tx_credits, 7) << "its credits are taken";
  p.tick(std::chrono::milliseconds(1900));
  EXPECT_TRUE(p.arrived.events.empty());
  p.tick(std::chrono::milliseconds(110));
  EXPECT_THAT(p.arrived.types(), ElementsAre(kPut));
  EXPECT_THAT(p.events.types(), ElementsAre(kSend));
  EXPECT_EQ(p.faults(p.a).at(0).hits, 1U) << "it is not asked about twice";
  EXPECT_EQ(Pipe::next_deadline(p.a), kNever);
  p.expect_idle();
}

// spec/core-semantics.md 8.11; spec/multirail.md 11.3
TEST(FaultDelay, AReceivedMessageWaitsAtItsDriver) {
  for (const bool ack : {false, true}) {
    Faulty p;
    p.add(p.b, delay_rule(2, kFaultPut));
    p.put(p.a, p.md, tcp(2), ack ? AckRequest::kAck : AckRequest::kNoAck);
    EXPECT_EQ(p.b.holds.size(), 1U);
    EXPECT_EQ(p.b.deferred, 0U);
    EXPECT_TRUE(p.arrived.events.empty());
    p.tick(std::chrono::milliseconds(2010));
    ASSERT_THAT(p.arrived.types(), ElementsAre(kPut));
    EXPECT_EQ(p.buffer[0], std::byte{0});
    EXPECT_EQ(p.events.events.size(), ack ? 2U : 1U);
    EXPECT_EQ(p.show(p.b).nis.at(1).stats.traffic.received.put, 1U);
    p.expect_idle();
  }
}

TEST(FaultDelay, HoldsEachTypeThatComes) {  // spec/multirail.md 11.3
  Faulty p;
  p.add(p.a, delay_rule(1, kFaultAck | kFaultReply));
  p.add(p.b, delay_rule(1, kFaultGet));
  p.put(p.a, p.md, tcp(2), AckRequest::kAck);
  p.get(p.a, p.md, tcp(2));
  EXPECT_THAT(p.events.types(), ElementsAre(kSend, kSend));
  for (int i = 0; i < 2; ++i) p.tick(std::chrono::milliseconds(1010));
  EXPECT_THAT(p.events.types(), ElementsAre(kSend, kSend, kAck, kReply));
  EXPECT_THAT(p.arrived.types(), ElementsAre(kPut, kGet));
  EXPECT_TRUE(p.a.payloads.empty());
  EXPECT_TRUE(p.b.payloads.empty());
  p.expect_idle();
}

TEST(FaultDelay, TheMessageThenGoesOnAsUsual) {  // spec/core-semantics.md 8.11
  Faulty p;
  const Portal lazy{9};
  p.call(p.b, call::SetLazy{lazy});
  p.add(p.b, delay_rule(1, kFaultPut));
  p.put(p.a, p.md, tcp(2), AckRequest::kNoAck, 7, 9);
  p.put(p.a, p.md, tcp(2), AckRequest::kNoAck, 7, 10);
  p.tick(std::chrono::milliseconds(1010));
  EXPECT_EQ(p.b.holds.size(), 2U) << "no driver is asked twice to hold a message";
  EXPECT_EQ(p.b.deferred, 0U);
  EXPECT_EQ(p.dropped(p.b, DropReason::kNoMatch), 1U) << "nobody has a buffer on portal 10";
  Recorder late;
  std::vector<std::byte> more = bytes(64);
  p.attach(p.b, more, &late, {.portal = lazy});
  p.settle();
  EXPECT_THAT(late.types(), ElementsAre(kPut)) << "the other one has waited on the lazy portal";
  p.expect_idle();
}

TEST(FaultDelay, EndsAtOnceWithItsRule) {  // spec/multirail.md 11.3
  Faulty p;
  p.add(p.a, delay_rule(100, kFaultPut));
  p.add(p.b, delay_rule(100, kFaultGet));
  p.put(p.a, p.md, tcp(2));
  p.get(p.a, p.md, tcp(2));
  EXPECT_TRUE(p.arrived.events.empty());
  EXPECT_EQ(p.del(p.b, Kind::kDelay), 0);
  EXPECT_THAT(p.arrived.types(), ElementsAre(kGet));
  EXPECT_EQ(p.del(p.a, Kind::kDelay), 0);
  EXPECT_THAT(p.arrived.types(), ElementsAre(kGet, kPut));
  EXPECT_EQ(Pipe::next_deadline(p.a), kNever);
  p.expect_idle();
}

TEST(FaultDelay, AnotherRuleDoesNotEndIt) {
  Faulty p;
  p.add(p.a, delay_rule(100, kFaultPut));
  FaultRule other = delay_rule(50, kFaultAck);
  other.source = FaultNids::parse("*@tcp").value();
  p.add(p.a, other);
  p.put(p.a, p.md, tcp(2));
  p.call(p.a, call::FaultDel{Kind::kDelay, other.source, other.destination});
  EXPECT_TRUE(p.arrived.events.empty());
  p.tick(seconds(101));
  EXPECT_EQ(p.arrived.events.size(), 1U);
}

TEST(FaultDelay, EndsWithTheUnlinkOfItsMd) {
  Faulty p;
  p.add(p.a, delay_rule(100, kFaultPut));
  p.put(p.a, p.md, tcp(2));
  EXPECT_EQ(p.unlink(p.a, p.md), 0);
  ASSERT_THAT(p.events.types(), ElementsAre(kSend));
  EXPECT_EQ(p.events.events[0].status, -ECANCELED);
  EXPECT_TRUE(p.events.events[0].unlinked);
  p.tick(seconds(101));
  EXPECT_TRUE(p.arrived.events.empty());
  p.expect_idle();
}

TEST(FaultDelay, EndsWithItsConnection) {
  Faulty p;
  p.add(p.b, delay_rule(100, kFaultPut));
  p.put(p.a, p.md, tcp(2));
  p.input(p.b, PayloadLanded{p.b.holds.at(0).msg, -ECONNRESET, Health::kOk});
  EXPECT_EQ(p.dropped(p.b, DropReason::kHeldLost), 1U);
  EXPECT_TRUE(p.b.drops.empty()) << "the driver has forgotten it";
  p.tick(seconds(101));
  EXPECT_TRUE(p.arrived.events.empty());
  p.expect_idle();
}

TEST(FaultDelay, EndsWithItsNi) {
  Faulty p;
  p.add(p.a, delay_rule(100, kFaultPut));
  p.add(p.b, delay_rule(100, kFaultGet));
  p.put(p.a, p.md, tcp(2));
  p.get(p.a, p.md, tcp(2));
  for (End* end : {&p.a, &p.b}) {
    end->config->nis.pop_back();
    p.configure(*end);
    EXPECT_EQ(end->drained.size(), 1U);
  }
  EXPECT_EQ(p.events.events.back().status, -ESHUTDOWN);
  EXPECT_EQ(p.dropped(p.b, DropReason::kNiRemoved), 1U);
}

TEST(FaultDelay, EndsWithTheNode) {
  Faulty p;
  p.add(p.a, delay_rule(100, kFaultPut));
  p.add(p.b, delay_rule(100, kFaultGet));
  p.put(p.a, p.md, tcp(2));
  p.get(p.a, p.md, tcp(2));
  for (End* end : {&p.a, &p.b}) p.call(*end, call::Shutdown{});
  EXPECT_EQ(p.a.drained.size(), 2U);
  EXPECT_EQ(p.b.drained.size(), 2U);
  EXPECT_EQ(p.dropped(p.b, DropReason::kShutdown), 1U);
  EXPECT_TRUE(p.faults(p.a).empty());
  int status = 0;
  p.call(p.a, call::FaultAdd{settled(get_rule()).value()}, &status);
  EXPECT_EQ(status, -ESHUTDOWN);
}

TEST(FaultCalls, ShowAddsWhatEachShardCounted) {
  Faulty p;
  p.add(p.b, drop_rule(0));
  for (std::uint8_t host = 3; host < 9; ++host) {
    wire::LnetHeader get;
    get.src_nid = tcp(host);
    get.dest_nid = tcp(2);
    get.part = wire::GetPart{};
    p.arrive(p.b, get, tcp(host));
  }
  const std::vector<FaultRow> rows = p.faults(p.b);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].hits, 6U);
  EXPECT_EQ(rows[0].matched.get, 6U);
  p.call(p.b, call::FaultReset{Kind::kDrop});
  EXPECT_EQ(p.faults(p.b).at(0).matched.sum(), 0U);
}

TEST(FaultCalls, ANodeHasABoundedNumberOfRules) {
  Faulty p;
  for (std::size_t i = 0; i < limits::kFaultRules; ++i) p.add(p.a, get_rule());
  int status = 0;
  p.call(p.a, call::FaultAdd{settled(get_rule()).value()}, &status);
  EXPECT_EQ(status, -ENOSPC);
}

}  // namespace
}  // namespace ulnet::core::test

// CreditQueues finds a message that another one overtakes and a peer that holds too many credits,
// and finds nothing in correct runs.
#include "sim/checkers/checkers.h"
#include "sim/checkers/checkers_fixture.h"
#include "sim/checkers/routers_fixture.h"

namespace ulnet::sim {
namespace {

constexpr core::MsgTicket kNew{9, 1};

struct CreditChecker : Lies<credit_queues_checker> {
  CreditChecker() {
    for (core::Msg* each : {&first, &second, &third}) {
      each->peer = state.peers.find_ni(tcp(2));
      each->hop = {tcp(2), Pid::lustre()};
      each->state = core::MsgState::kPeerQueue;
    }
  }
  ~CreditChecker() override {
    for (core::Gate* each : {&gate, &of_ni})
      while (each->waiting() != 0) each->leave(const_cast<core::Msg&>(each->queue().front()));
    for (core::Msg* each : {&first, &second, &third})
      state.messages.erase(core::ShardState::handle(each->self));
  }
  core::Msg& make() {
    const auto [handle, msg] = state.messages.make();
    msg->self = state.name(handle);
    return *msg;
  }
  /// `first` has the only credit, the other two wait for it.
  void all_ask(core::Gate& asked) {
    asked = core::Gate(1);
    EXPECT_TRUE(asked.take(first));
    EXPECT_FALSE(asked.take(second));
    EXPECT_FALSE(asked.take(third));
    step(core::Tick{}, {send(first.self)});
  }
  void goes(core::Gate& asked, core::Msg& msg) {
    asked.leave(msg);
    step(core::SendDone{first.self}, {send(msg.self)});
  }

  /// `second` changes to another peer NI in the step in which `first` is sent successfully.
  void second_turns_away() {
    core::Gate& other = state.peers.use_ni(tcp(3), 1).tx;
    other = core::Gate(0);
    second.hop = {tcp(3), Pid::lustre()};
    second.peer = state.peers.find_ni(tcp(3));
    EXPECT_FALSE(other.take(second));
    step(core::SendDone{first.self});
    checker.check_all(world);
    other.leave(second);
  }

  core::Gate& gate = state.peers.use_ni(tcp(2), 1).tx;
  core::Gate& of_ni = state.nis.find(tcp(1))->tx;
  core::Msg &first = make(), &second = make(), &third = make();
};

TEST_F(CreditChecker, IsSilentAboutASoundNodeWhoseMessagesWait) {
  b.remove_ni(tcp(2));
  ASSERT_TRUE(b.add_ni({.nid = tcp(3), .tunables = {.peer_credits = 1, .credits = 1}}).has_value());
  attach({7}, kOpPut);
  for (int i = 0; i < 5; ++i) put_to_a({7}, 100);
  ASSERT_TRUE(world.run_for(seconds(1)).reached());
  EXPECT_LT(b.shard_state()->peers.find_ni(tcp(1))->tx.min(), 0);
  checker.check_all(world);
  EXPECT_EQ(said(), "");
}

TEST_F(CreditChecker, IsSilentAboutAMessageServedInTurn) {
  all_ask(gate);
  goes(gate, second);
  EXPECT_EQ(said(), "");
}

TEST_F(CreditChecker, SeesAMessageServedBeforeAnOlderOne) {
  all_ask(gate);
  goes(gate, third);
  EXPECT_EQ(said(), "10.0.0.2@tcp: served before one that waits longer");
}

TEST_F(CreditChecker, AReturnedUnsentMessageQueuesAgain) {
  all_ask(gate);
  gate.leave(second);
  second.state = core::MsgState::kDiscovery;
  goes(gate, third);
  EXPECT_EQ(said(), "");
  core::Msg& fourth = make();
  fourth.peer = second.peer;
  fourth.hop = second.hop;
  for (core::Msg* each : {&fourth, &second}) {
    EXPECT_FALSE(gate.take(*each));
    each->state = core::MsgState::kPeerQueue;
  }
  step(core::Tick{});
  EXPECT_EQ(said(), "");
  gate.leave(fourth);
  state.messages.erase(core::ShardState::handle(fourth.self));
}

// spec/multirail.md 3.2.C.1: the message's peer NI is unhealthy by now.
TEST_F(CreditChecker, AMessageMovedToAnotherPeerNiQueuesAgain) {
  core::Gate& other = state.peers.use_ni(tcp(3), 1).tx;
  all_ask(gate);
  gate.leave(second);
  second.hop = {tcp(3), Pid::lustre()};
  second.peer = state.peers.find_ni(tcp(3));
  other = core::Gate(0);
  EXPECT_FALSE(other.take(second));
  goes(gate, third);
  EXPECT_EQ(said(), "");
  other.leave(second);
}

// The message has waited for an NI with the other peer NI, which failed.
TEST_F(CreditChecker, AMessageMovedBackToAPeerNiQueuesAgain) {
  core::PeerNi& other = state.peers.use_ni(tcp(3), 1);
  core::PeerNi& before = *second.peer;
  all_ask(gate);
  gate.leave(second);
  second.hop = {tcp(3), Pid::lustre()};
  second.peer = &other;
  second.state = core::MsgState::kNiQueue;
  of_ni = core::Gate(0);
  EXPECT_FALSE(of_ni.take(second));
  step(core::Tick{});
  of_ni.leave(second);
  second.hop = {before.nid, Pid::lustre()};
  second.peer = &before;
  second.state = core::MsgState::kPeerQueue;
  EXPECT_FALSE(gate.take(second));
  goes(gate, third);
  EXPECT_EQ(said(), "");
}

// spec/multirail.md 3.2.A.3: the message has got a credit of an NI that has failed meanwhile.
TEST_F(CreditChecker, NotesAMoveToAnotherPeerNiAfterASendElsewhere) {
  step(core::Tick{}, {send(first.self)});
  state.nis.find(tcp(1))->fatal = true;
  second_turns_away();
  EXPECT_EQ(said(), "");
}

/// When a message has waited too long for the credit that it gets now, the next message gets the
/// credit, and may change to another peer NI of its own peer.
TEST_F(CreditChecker, AllowsAMessageQueuedInAStepOfAnotherPeer) {
  step(core::Tick{}, {send(first.self)});
  second_turns_away();
  EXPECT_EQ(said(), "");
}

TEST_F(CreditChecker, SeesAMessageServedOutOfTurnOnAnNi) {
  all_ask(of_ni);
  goes(of_ni, third);
  EXPECT_EQ(said(), "10.0.0.1@tcp: served before one that waits longer");
}

TEST_F(CreditChecker, SeesAMessagePassedToAnNiBeforeAnOlderOne) {
  all_ask(gate);
  gate.leave(third);
  of_ni = core::Gate(0);
  EXPECT_FALSE(of_ni.take(third));
  step(core::Tick{});
  EXPECT_EQ(said(), "10.0.0.2@tcp: served before one that waits longer");
}

TEST_F(CreditChecker, SeesAMessageThatSkipsTheQueue) {
  all_ask(gate);
  step(core::SendDone{first.self}, {send(kNew)});
  EXPECT_EQ(said(), "10.0.0.2@tcp: sent past messages that wait for a credit");
}

TEST_F(CreditChecker, SeesTwoThatLeaveAtOnceInTheWrongOrder) {
  all_ask(gate);
  gate.leave(second);
  gate.leave(third);
  gate.resize(2);
  step(core::SendDone{first.self}, {send(third.self), send(second.self)});
  EXPECT_EQ(said(), "10.0.0.2@tcp: served after one that came later");
}

/// The first message gets the credit of its peer NI first, but then waits for a credit of its NI.
TEST_F(CreditChecker, TwoThatLeaveAtOnceByTwoNisMayChangePlaces) {
  ASSERT_TRUE(a.add_ni({.nid = tcp(4)}).has_value());
  all_ask(gate);
  gate.leave(second);
  gate.leave(third);
  gate.resize(2);
  core::Send by_other = send(third.self);
  by_other.ni = state.nis.find(tcp(4))->config.id;
  step(core::SendDone{first.self}, {by_other, send(second.self)});
  EXPECT_EQ(said(), "");
}

TEST_F(CreditChecker, SeesAMessageThatQueuesAtTheHead) {
  all_ask(gate);
  core::Msg pusher;
  pusher.self = kNew;
  auto& queue = const_cast<core::MsgQueue&>(gate.queue());
  queue.push_front(pusher);
  step(core::Tick{});
  queue.pop_front();
  EXPECT_EQ(said(), "10.0.0.2@tcp: queued before messages that wait already");
}

TEST_F(CreditChecker, SeesAQueueThatIsOutOfOrder) {
  all_ask(gate);
  auto& queue = const_cast<core::MsgQueue&>(gate.queue());
  queue.splice(queue.end(), queue, queue.begin());
  checker.check_all(world);
  EXPECT_EQ(said(), "10.0.0.2@tcp: waits out of order");
}

TEST_F(CreditChecker, SeesAnNiCreditHeldWhileWaitingForAPeerCredit) {
  second.has_ni_credit = true;
  all_ask(gate);
  EXPECT_EQ(said(), "10.0.0.2@tcp: a message that waits for its credit holds one of the NI's");
}

TEST_F(CreditChecker, SeesAPeerThatHoldsMoreThanItsShareOfAnNi) {
  gate = core::Gate(1);
  step(core::Tick{}, {send(first.self), send(second.self)});
  EXPECT_EQ(said(), "10.0.0.2@tcp: holds 2 credits of an NI and may have 1");
}

/// The ping that begins the discovery waits for a credit, in a step that is about another peer.
TEST_F(CreditChecker, NotesAMessageQueuedWhenAnotherDiscoveryBegins) {
  core::Send other = send(third.self);
  other.hop = {tcp(5), Pid::lustre()};
  state.peers.use_ni(tcp(5), 1);
  step(core::Tick{}, {other});
  gate = core::Gate(1);
  EXPECT_TRUE(gate.take(first));
  EXPECT_FALSE(gate.take(second));
  step(core::SendDone{third.self}, note(core::Note::About::kDiscovery, tcp(2)));
  checker.check_all(world);
  EXPECT_EQ(said(), "");
}

// spec/multirail.md 11.2: the message that gets a credit fails at once, and others take its place.
TEST_F(CreditChecker, AFaultRuleMayReturnMessagesToAQueue) {
  state.fault_rules.add({.rate = 2, .errors = 2}, 0, world.now());
  all_ask(gate);
  gate.leave(second);
  gate.leave(third);
  third.tries = 1;
  gate = core::Gate(0);
  EXPECT_FALSE(gate.take(third));
  EXPECT_FALSE(gate.take(second));
  step(core::SendDone{first.self}, note(core::Note::About::kResend, tcp(2)));
  checker.check_all(world);
  EXPECT_EQ(said(), "");
}

using CreditCheckerOfRouter = RouterLies<credit_queues_checker>;

// spec/core-semantics.md 10.3: when a message has been sent, its buffer goes to a message that
// waits.
TEST_F(CreditCheckerOfRouter, NotesAMessageQueuedAfterASendElsewhere) {
  core::Msg &first = message(), &second = message();
  core::Send sent = send(first, tcp1(3));
  sent.ni = state.nis.find(tcp1(8))->config.id;
  state.peers.use_ni(tcp1(3), 1);
  step(core::Tick{}, {sent});
  core::Gate& gate = state.peers.use_ni(tcp1(2), 1).tx;
  gate = core::Gate(0);
  second.state = core::MsgState::kPeerQueue;
  second.hop = {tcp1(2), Pid::lustre()};
  EXPECT_FALSE(gate.take(second));
  step(core::SendDone{first.self});
  checker.check_all(world);
  EXPECT_EQ(said(), "");
  gate.leave(second);
}

}  // namespace
}  // namespace ulnet::sim

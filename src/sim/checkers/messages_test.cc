// Checkers of counts: messages, their answers, credits.
#include <array>

#include "sim/checkers/checkers.h"
#include "sim/checkers/checkers_fixture.h"
#include "sim/checkers/routers_fixture.h"

namespace ulnet::sim {
namespace {

// ---- credits conserved ----

using CreditsChecker = Lies<credits_conserved_checker>;

TEST_F(CreditsChecker, SeesOneThatIsLost) {
  core::Msg msg;
  state.peers.use_ni(tcp(2), 8).tx.take(msg);
  state.nis.find(ni)->tx.take(msg);
  step(core::Tick{}, {send(kMsg)});
  EXPECT_EQ(said(), "");
  step(core::SendDone{kMsg});
  EXPECT_THAT(said(), HasSubstr("a credit is lost"));
}

TEST_F(CreditsChecker, SeesOneThatCameBackTooEarly) {
  state.peers.use_ni(tcp(2), 8);
  step(core::Tick{}, {send(kMsg)});
  EXPECT_THAT(said(), HasSubstr("a credit came back that is still in use"));
}

TEST_F(CreditsChecker, SeesMoreThanThereAre) {
  core::PeerNi& peer = state.peers.use_ni(tcp(2), 2);
  core::Msg first, second;
  for (core::Msg* msg : {&first, &second}) {
    peer.tx.take(*msg);
    state.nis.find(ni)->tx.take(*msg);
  }
  peer.tx.resize(1);
  step(core::Tick{}, {send(kMsg), send({41, 1})});
  EXPECT_THAT(said(), HasSubstr("more credits were given than there are"));
}

TEST_F(CreditsChecker, CountsAllMessagesNowAndThen) {
  core::Msg msg;
  state.peers.use_ni(tcp(2), 8).tx.take(msg);
  checker.check_all(world);
  EXPECT_THAT(said(), HasSubstr("1 credits are out, 0 messages have one"));
}

// ---- answers once ----

using AnswersChecker = Lies<answers_once_checker>;

TEST_F(AnswersChecker, SeesAnAckThatIsNotOwed) {
  wire::LnetHeader ack = header();
  ack.dest_nid = tcp(2);
  ack.part.emplace<wire::AckPart>();
  step(core::Tick{}, {send(kMsg, ack)});
  EXPECT_THAT(said(), HasSubstr("an ACK to 10.0.0.2@tcp that is not owed"));
}

TEST_F(AnswersChecker, SeesAReplyThatIsNotOwed) {
  wire::LnetHeader reply = header();
  reply.dest_nid = tcp(2);
  reply.part.emplace<wire::ReplyPart>();
  step(core::Tick{}, {send(kMsg, reply)});
  EXPECT_THAT(said(), HasSubstr("a REPLY to 10.0.0.2@tcp that is not owed"));
}

// The two GETs are alike: the second one is a copy.
TEST_F(AnswersChecker, LostRepliesMayLeaveByTheNiThatWasAskedWhenThatIsBack) {
  wire::LnetHeader get = header();
  get.part.emplace<wire::GetPart>().return_wmd = {b.incarnation(), 5};
  for (std::uint64_t rx = 1; rx <= 2; ++rx) {
    ++state.counters.global.recv_count;
    step(core::HeaderArrived{ni, {tcp(2), Pid::lustre()}, &get, {rx}, {}, true});
  }
  state.nis.find(ni)->fatal = true;
  step(core::NiState{ni, core::NiLink::kFailed});

  const auto [self, msg] = state.messages.make();
  const core::MsgTicket tx = state.name(self);
  msg->header.src_nid = tcp(3);
  msg->header.dest_nid = tcp(2);
  msg->header.part.emplace<wire::ReplyPart>().dst_wmd = {b.incarnation(), 5};
  step(core::Tick{}, {send(tx, msg->header), send(tx, msg->header)});
  for (int copy = 0; copy < 2; ++copy) step(core::SendDone{tx, -EIO});
  msg->header.src_nid = tcp(1);
  step(core::Tick{}, {send(tx, msg->header), send(tx, msg->header)});
  EXPECT_EQ(said(), "");
  step(core::Tick{}, {send(tx, msg->header)});
  EXPECT_EQ(said(), "a REPLY to 10.0.0.2@tcp that is not owed");
  state.messages.erase(self);
}

// Another partition failed to send the REPLY; its own partition chooses another NID of the peer at
// once.
TEST_F(AnswersChecker, ALostReplyMayGoToAnotherNidOfItsPeer) {
  world.add_node({.name = "c", .nis = {{.nid = tcp(3)}, {.nid = tcp(4)}, {.nid = tcp1(3)}}});
  wire::LnetHeader get = header();
  get.src_nid = tcp(3);
  get.part.emplace<wire::GetPart>().return_wmd = {b.incarnation(), 5};
  ++state.counters.global.recv_count;
  step(core::HeaderArrived{ni, {tcp(3), Pid::lustre()}, &get, {1}, {}, true});
  state.nis.find(ni)->fatal = true;
  step(core::NiState{ni, core::NiLink::kFailed});

  const auto [self, msg] = state.messages.make();
  const core::MsgTicket tx = state.name(self);
  msg->header.src_nid = tcp1(1);
  msg->header.dest_nid = tcp1(3);
  msg->header.part.emplace<wire::ReplyPart>().dst_wmd = {b.incarnation(), 5};
  step(core::Tick{}, {send(tx, msg->header)});
  msg->header.dest_nid = tcp(4);
  step(core::SendDone{tx, -EIO});
  msg->header.src_nid = tcp(1);
  step(core::Tick{}, {send(tx, msg->header)});
  EXPECT_EQ(said(), "");
  step(core::Tick{}, {send(tx, msg->header)});
  EXPECT_EQ(said(), "a REPLY to 10.0.0.4@tcp that is not owed");
  state.messages.erase(self);
}

// The step in which the REPLY is lost sends it again by another NI. The other NI is deleted, and
// the NI that was asked sends the REPLY, to another NID of the peer (seed 1040080381).
TEST_F(AnswersChecker, AReplyThatIsLostTwiceMayLeaveByTheNiThatWasAsked) {
  world.add_node({.name = "c", .nis = {{.nid = tcp(3)}, {.nid = tcp(4)}}});
  wire::LnetHeader get = header();
  get.src_nid = tcp(3);
  get.part.emplace<wire::GetPart>().return_wmd = {b.incarnation(), 5};
  ++state.counters.global.recv_count;
  step(core::HeaderArrived{ni, {tcp(3), Pid::lustre()}, &get, {1}, {}, true});
  const auto [self, msg] = state.messages.make();
  const core::MsgTicket tx = state.name(self);
  msg->header.src_nid = tcp(1);
  msg->header.dest_nid = tcp(3);
  msg->header.part.emplace<wire::ReplyPart>().dst_wmd = {b.incarnation(), 5};
  step(core::Tick{}, {send(tx, msg->header)});
  state.nis.find(ni)->fatal = true;
  step(core::NiState{ni, core::NiLink::kFailed});

  msg->header.src_nid = tcp(7);
  step(core::SendDone{tx, -EIO}, {send(tx, msg->header)});
  msg->header.dest_nid = tcp(4);
  step(core::SendDone{tx, -EIO});
  msg->header.src_nid = tcp(1);
  step(core::Tick{}, {send(tx, msg->header)});
  EXPECT_EQ(said(), "");
  step(core::Tick{}, {send(tx, msg->header)});
  EXPECT_EQ(said(), "a REPLY to 10.0.0.4@tcp that is not owed");
  state.messages.erase(self);
}

// Two initiators that started at the same time have the same handle (seed 982015253).
TEST_F(AnswersChecker, LostRepliesToTwoInitiatorsAreTwo) {
  SimNode& c = world.add_node({.name = "c", .nis = {{.nid = tcp(3)}}});
  wire::LnetHeader get = header();
  get.part.emplace<wire::GetPart>().return_wmd = {b.incarnation(), 5};
  for (const SimNode* from : {&b, &c}) {
    get.src_nid = from->nid();
    get.dest_nid = from == &b ? tcp(7) : tcp(1);
    ++state.counters.global.recv_count;
    step(core::HeaderArrived{ni, {from->nid(), Pid::lustre()}, &get, {1}, {}, true});
  }
  state.nis.find(ni)->fatal = true;
  step(core::NiState{ni, core::NiLink::kFailed});

  const auto [self, msg] = state.messages.make();
  const core::MsgTicket tx = state.name(self);
  msg->header.src_nid = tcp(7);
  msg->header.part.emplace<wire::ReplyPart>().dst_wmd = {b.incarnation(), 5};
  for (const Nid& to : {c.nid(), b.nid()}) {
    msg->header.dest_nid = to;
    step(core::Tick{}, {send(tx, msg->header)});
  }
  step(core::SendDone{tx, -EIO});
  step(core::Tick{}, {send(tx, msg->header)});
  EXPECT_EQ(said(), "");
  state.messages.erase(self);
}

// A node that asks itself may have the same handle as a peer that started at the same time.
TEST_F(AnswersChecker, AReplyToTheNodeItselfIsNotTheLostOneToAPeer) {
  wire::LnetHeader get = header();
  get.part.emplace<wire::GetPart>().return_wmd = {b.incarnation(), 5};
  ++state.counters.global.recv_count;
  step(core::HeaderArrived{ni, {tcp(2), Pid::lustre()}, &get, {1}, {}, true});
  state.nis.find(ni)->fatal = true;
  step(core::NiState{ni, core::NiLink::kFailed});
  wire::LnetHeader own = header();
  own.src_nid = own.dest_nid = Nid::loopback();
  own.part.emplace<wire::ReplyPart>().dst_wmd = {b.incarnation(), 5};
  step(core::Tick{}, {send(kMsg, own)});
  EXPECT_EQ(said(), "a REPLY to 0@lo that is not owed");
}

TEST_F(AnswersChecker, SeesAnAckThatIsForgotten) {
  state.peers.use_ni(tcp(2), 8);
  const auto [self, msg] = state.messages.make();
  msg->header = header();
  msg->header.part.emplace<wire::PutPart>().ack_wmd = {b.incarnation(), 5};
  msg->md = state.memory.find(attach({7}, kOpPut));
  step(core::Tick{}, {core::Land{ni, {1}, self}});
  step(core::PayloadLanded{self});
  EXPECT_EQ(said(), "an ACK to 10.0.0.2@tcp was forgotten");
}

/// A PUT of 100 bytes that requests an ACK and is accepted as soon as it arrives.
struct TakenAtOnce {
  explicit TakenAtOnce(std::uint64_t incarnation, wire::LnetHeader header) : put(header) {
    put.payload_length = 100;
    put.part.emplace<wire::PutPart>().ack_wmd = {incarnation, 5};
  }
  core::HeaderArrived arrived(core::NiId ni) const {
    return {ni, {tcp(2), Pid::lustre()}, &put, {1}, ByteView(payload), true};
  }
  core::CopyPayload copy() const { return {payload, {}}; }
  wire::LnetHeader put;
  std::array<std::byte, 100> payload{};
};

TEST_F(AnswersChecker, SeesAForgottenAckToAnImmediateCopy) {
  state.peers.use_ni(tcp(2), 8);
  const TakenAtOnce taken(b.incarnation(), header());
  step(taken.arrived(ni), {taken.copy(), core::DropPayload{ni, {1}, 100}});
  EXPECT_EQ(said(), "an ACK to 10.0.0.2@tcp was forgotten");
}

/// A node "t" on both nets gets a PUT from b through the router r, over tcp; its ACK also has to
/// leave over tcp.
struct RoutedAnswers : RouterLies<answers_once_checker> {
  SimNode& t(const std::vector<core::Route>& routes) {
    return node("t", {tcp(7), tcp1(7)}, routes);
  }
  /// t accepts such a PUT, which comes from `hop`, and sends no ACK.
  void takes(SimNode& node, const Nid& hop = tcp(8)) {
    wire::LnetHeader put = header();
    put.src_nid = tcp1(2);
    put.dest_nid = tcp(7);
    const TakenAtOnce taken(b.incarnation(), put);
    core::HeaderArrived arrived = taken.arrived(state_of(node).nis.find(tcp(7))->config.id);
    arrived.hop.nid = hop;
    step_at(node, arrived, {taken.copy(), core::DropPayload{arrived.ni, {1}, 100}});
  }
  wire::LnetHeader ack() const {
    wire::LnetHeader header;
    header.src_nid = tcp(7);
    header.dest_nid = tcp1(2);
    header.part = wire::AckPart{{b.incarnation(), 5}, 0, 100};
    return header;
  }
  void acks(SimNode& node, const Nid& hop) {
    core::Send send;
    send.ni = state_of(node).nis.find(tcp(7))->config.id;
    send.hop.nid = hop;
    send.header = ack();
    step_at(node, core::Tick{}, {send});
  }
};

TEST_F(RoutedAnswers, SeesAForgottenAckThatTheRouterWouldTake) {
  SimNode& node = t({{NetId{NetType::kTcp, 2}, tcp(8)}});
  state_of(node).peers.use_ni(tcp(8), 8);
  takes(node);
  EXPECT_EQ(said(), "an ACK to 10.1.0.2@tcp1 was forgotten");
}

TEST_F(RoutedAnswers, SeesAForgottenAckForWhichThereIsAnotherRoute) {
  SimNode& node = t({{NetId{NetType::kTcp, 1}, tcp(9)}});
  takes(node);
  EXPECT_EQ(said(), "an ACK to 10.1.0.2@tcp1 was forgotten");
}

TEST_F(RoutedAnswers, AnAckMayWaitForACreditOfTheRouter) {
  SimNode& node = t({{NetId{NetType::kTcp, 2}, tcp(8)}});
  state_of(node).peers.use_ni(tcp1(2), 8);
  ++state_of(node).peers.use_ni(tcp(8), 8).answers;
  takes(node);
  EXPECT_EQ(said(), "");
}

// One of three copies arrives after the ACK to another one.
TEST_F(RoutedAnswers, EachCopyOfARequestMayBeAnsweredByARouterOfAnyOfThem) {
  const NetId net{NetType::kTcp, 1};
  SimNode& node = t({{net, tcp(8)}, {net, tcp(9)}});
  for (const Nid& router : {tcp(8), tcp(9)}) ++state_of(node).peers.use_ni(router, 8).answers;
  takes(node, tcp(8));
  takes(node, tcp(9));
  acks(node, tcp(9));
  takes(node, tcp(9));
  acks(node, tcp(8));
  acks(node, tcp(9));
  EXPECT_EQ(said(), "");
  takes(node, tcp(9));
  acks(node, tcp(8));
  EXPECT_EQ(said(),
            "an ACK to 10.1.0.2@tcp1 goes by 10.0.0.8@tcp, and its request came by "
            "10.0.0.9@tcp");
}

TEST_F(RoutedAnswers, AnAckIsSentAgainByItsRequestsRouter) {
  const NetId net{NetType::kTcp, 1};
  SimNode& node = t({{net, tcp(8)}, {net, tcp(9)}});
  core::ShardState& at_t = state_of(node);
  for (const Nid& router : {tcp(8), tcp(9)}) ++at_t.peers.use_ni(router, 8).answers;
  takes(node, tcp(8));
  acks(node, tcp(8));
  takes(node, tcp(9));
  const auto [self, msg] = at_t.messages.make();
  msg->hop.nid = tcp(8);
  msg->header = ack();
  step_at(node, core::SendDone{at_t.name(self), -EIO}, {});
  at_t.messages.erase(self);
  acks(node, tcp(8));
  EXPECT_EQ(said(), "");
}

// The router is not a gateway of any route, and no route leads to b's net.
TEST_F(RoutedAnswers, WithoutAWayBackAnAckIsLost) {  // spec/multirail.md 9.7
  SimNode& node = t({});
  state_of(node).peers.use_ni(tcp1(2), 8);
  takes(node);
  EXPECT_EQ(said(), "");
}

// ---- drops counted ----

using DropsChecker = Lies<drops_counted_checker>;

TEST_F(DropsChecker, SeesADropWithoutACount) {
  wire::LnetHeader put = header();
  put.part.emplace<wire::PutPart>();
  const core::HeaderArrived arrived{ni, {tcp(2), Pid::lustre()}, &put, {1}, {}};
  step(arrived, {core::DropPayload{ni, {1}, 0}});
  EXPECT_EQ(said(), "dropped: 0 counted, 1 seen in one step");
}

TEST_F(DropsChecker, SeparatesAnImmediateCopyFromADrop) {
  const TakenAtOnce taken(b.incarnation(), header());
  step(taken.arrived(ni), {taken.copy(), core::DropPayload{ni, {1}, 100}});
  EXPECT_EQ(said(), "received: 0 counted, 1 seen in one step");
}

TEST_F(DropsChecker, SeesADropWithoutAReason) {
  wire::LnetHeader put = header();
  put.part.emplace<wire::PutPart>();
  ++state.counters.global.drop_count;
  step(core::HeaderArrived{ni, {tcp(2), Pid::lustre()}, &put, {1}, {}},
       {core::DropPayload{ni, {1}, 0}});
  EXPECT_EQ(said(), "dropped with a reason: 0 counted, 1 seen in one step");
}

TEST_F(DropsChecker, SeesAMessageThatIsNeitherReceivedNorDropped) {
  wire::LnetHeader ack = header();
  ack.part.emplace<wire::AckPart>();
  step(core::HeaderArrived{ni, {tcp(2), Pid::lustre()}, &ack, {1}, {}},
       {core::DropPayload{ni, {1}, 0}});
  EXPECT_NE(said(), "");
}

TEST_F(DropsChecker, SeesAMessageThatIsNotCountedAsSent) {
  step(core::SendDone{kMsg});
  EXPECT_EQ(said(), "sent: 0 counted, 1 seen in one step");
}

TEST_F(DropsChecker, SeesAMessageThatTheWireSwallowed) {
  ++world.exercised().messages[0];
  checker.at_end(world);
  EXPECT_EQ(said(), "1 messages were on the wire, 0 arrived and 0 were lost");
}

}  // namespace
}  // namespace ulnet::sim

// Each checker says when its property is broken: it is shown a step, an event or a state that must
// not be. That it is silent otherwise is shown by tests/canaries and tests/scenarios.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/step.h"
#include "lnd/sock/engine.h"
#include "sim/checkers/all.h"
#include "sim/checkers/answers_once.h"
#include "sim/checkers/credits_conserved.h"
#include "sim/checkers/driver_contract.h"
#include "sim/checkers/drops_counted.h"
#include "sim/checkers/ends_in_time.h"
#include "sim/checkers/events_once.h"
#include "sim/checkers/lazy_served.h"
#include "sim/checkers/md_limits.h"
#include "sim/checkers/memory_lent.h"
#include "sim/checkers/memory_returned.h"
#include "sim/checkers/nothing_after_end.h"
#include "sim/checkers/nothing_fails.h"
#include "sim/checkers/tcp_sound.h"
#include "sim/world.h"

namespace ulnet::sim {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using ::testing::HasSubstr;

Nid tcp(std::uint32_t host) { return Nid::small({NetType::kTcp, 0}, 0x0a000000U + host); }

struct Silent final : EventSink {
  void on_event(const Event&) override {}
};

/// A sound node "a" beside another, and a checker that is told lies about it.
template <class Watcher>
struct Lies : ::testing::Test {
  Lies()
      : checker(world.add<Watcher>()),
        a(world.add_node({.name = "a", .nis = {{.nid = tcp(1)}}})),
        b(world.add_node({.name = "b", .nis = {{.nid = tcp(2)}}})),
        state(const_cast<core::ShardState&>(*a.shard_state())),
        ni(state.nis.find(tcp(1))->config.id) {}

  void step(core::Input input, core::Actions actions = {}) {
    checker.after_step(world, {a, 0, world.now(), input, actions, state});
  }
  template <class Body>
  void call(Body body, core::Actions actions = {}) {
    core::ApiCall api;
    api.body.template emplace<Body>(std::move(body));
    step(core::Api{&api}, std::move(actions));
  }
  MdHandle bind(std::int32_t threshold = 2, std::uint32_t options = 0) {
    MdSpec spec;
    spec.fragments = {&memory, 1};
    spec.threshold = threshold;
    spec.options = options;
    spec.sink = &sink;
    return a.md_bind(spec, UnlinkMode::kUnlink).value();
  }
  MdHandle attach(MatchBits bits, std::uint32_t options, std::uint32_t max_size = 0) {
    MdSpec spec;
    spec.fragments = {&memory, 1};
    spec.options = options;
    spec.max_size = max_size;
    spec.sink = &sink;
    const auto me = a.me_attach({5}, {}, bits, {}, UnlinkMode::kUnlink, InsertPosition::kAfter);
    return a.md_attach(me.value(), spec, UnlinkMode::kUnlink).value();
  }
  /// A PUT of `length` bytes from b to a, on its way.
  void put_to_a(MatchBits bits, std::size_t length) {
    source.resize(length);
    const iovec from{source.data(), length};
    MdSpec spec;
    spec.fragments = {&from, 1};
    spec.sink = &sink;
    PutRequest request;
    request.md = b.md_bind(spec, UnlinkMode::kRetain).value();
    request.target = a.id();
    request.portal = {5};
    request.match_bits = bits;
    ASSERT_TRUE(b.put(request).has_value());
  }
  static core::Post post(MdHandle md, EventType type, std::uint64_t sequence, int status = 0,
                         bool unlinked = false) {
    core::Post made;
    made.strand = made.event.md = md;
    made.event.type = type;
    made.event.sequence = sequence;
    made.event.status = status;
    made.event.unlinked = unlinked;
    made.event.msg_type = static_cast<std::uint32_t>(wire::MsgType::kPut);
    return made;
  }
  core::Send send(core::MsgTicket tx, wire::LnetHeader header = {}) const {
    core::Send made;
    made.ni = ni;
    made.hop = {tcp(2), Pid::lustre()};
    made.header = header;
    made.tx = tx;
    made.deadline = world.now() + seconds(50);
    return made;
  }
  PutRequest request_for(MdHandle md, AckRequest ack = AckRequest::kAck) const {
    PutRequest request;
    request.md = md;
    request.target = b.id();
    request.ack = ack;
    return request;
  }
  wire::LnetHeader header() const {
    wire::LnetHeader made;
    made.src_nid = tcp(2);
    made.dest_nid = tcp(1);
    made.part.emplace<wire::PutPart>();
    return made;
  }
  /// What the first violation says; empty when there is none.
  std::string said() const { return world.violation() ? world.violation()->what : std::string(); }

  static constexpr core::MsgTicket kMsg{40, 1};
  std::vector<char> bytes = std::vector<char>(4096), source;
  const iovec memory{bytes.data(), bytes.size()};
  Silent sink;
  World world{1};
  Watcher& checker;
  SimNode& a;
  SimNode& b;
  core::ShardState& state;
  const core::NiId ni;
};

// ---- credits conserved ----

using CreditsChecker = Lies<CreditsConserved>;

TEST_F(CreditsChecker, SeesOneThatIsLost) {
  core::Msg msg;
  state.peers.use(tcp(2), 8).tx.take(msg);
  state.nis.find(ni)->tx.take(msg);
  step(core::Tick{}, {send(kMsg)});
  EXPECT_EQ(said(), "");
  step(core::SendDone{kMsg});
  EXPECT_THAT(said(), HasSubstr("a credit is lost"));
}

TEST_F(CreditsChecker, SeesOneThatCameBackTooEarly) {
  state.peers.use(tcp(2), 8);
  step(core::Tick{}, {send(kMsg)});
  EXPECT_THAT(said(), HasSubstr("a credit came back that is still in use"));
}

TEST_F(CreditsChecker, SeesMoreThanThereAre) {
  core::PeerNi& peer = state.peers.use(tcp(2), 2);
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
  state.peers.use(tcp(2), 8).tx.take(msg);
  checker.check_all(world);
  EXPECT_THAT(said(), HasSubstr("1 credits are out, 0 messages have one"));
}

// ---- events once ----

using EventsChecker = Lies<EventsOnce>;

TEST_F(EventsChecker, SeesASecondSend) {
  const MdHandle md = bind();
  call(core::call::Put{request_for(md)}, {post(md, EventType::kSend, 1)});
  EXPECT_EQ(said(), "");
  step(core::Tick{}, {post(md, EventType::kSend, 2)});
  EXPECT_THAT(said(), HasSubstr("SEND: more than were begun"));
}

TEST_F(EventsChecker, SeesAnAckThatNothingAwaits) {
  const MdHandle md = bind();
  call(core::call::Put{request_for(md)}, {post(md, EventType::kSend, 1, -EIO)});
  step(core::Tick{}, {post(md, EventType::kAck, 2)});
  EXPECT_THAT(said(), HasSubstr("ACK: that nothing awaits"));
}

TEST_F(EventsChecker, SeesWhatComesAfterTheLastEvent) {
  const MdHandle md = bind();
  state.memory.find(md)->state = core::MdState::kGone;
  step(core::Tick{}, {post({md.cookie + 1}, EventType::kUnlink, 1, 0, true)});
  EXPECT_THAT(said(), HasSubstr("of an MD that nobody has"));
}

TEST_F(EventsChecker, SeesALastEventThatIsNotTheLast) {
  const MdHandle md = bind();
  step(core::Tick{}, {post(md, EventType::kUnlink, 1, 0, true)});
  EXPECT_THAT(said(), HasSubstr("the last event of an MD that lives on"));
}

TEST_F(EventsChecker, SeesAnOperationThatGotNoSend) {
  const MdHandle md = bind();
  call(core::call::Put{request_for(md)});
  checker.at_end(world);
  EXPECT_THAT(said(), HasSubstr("an operation without SEND"));
}

TEST_F(EventsChecker, SeesAnUnlinkThatWasNotTold) {
  const MdHandle md = bind();
  state.memory.find(md)->on(core::MdEvent::kAbort);
  state.memory.find(md)->on(core::MdEvent::kIdle);
  state.memory.erase(*state.memory.find(md));
  call(core::call::MdUnlink{md});
  EXPECT_THAT(said(), HasSubstr("unlinked, and its user was not told"));
}

TEST_F(EventsChecker, SeesEventsHandledOutOfOrder) {
  const MdHandle md = bind();
  call(core::call::Put{request_for(md)},
       {post(md, EventType::kSend, 1), post(md, EventType::kAck, 2)});
  checker.on_event(world, a, post(md, EventType::kAck, 2));
  EXPECT_EQ(said(), "");
  checker.on_event(world, a, post(md, EventType::kSend, 1));
  EXPECT_THAT(said(), HasSubstr("handled out of order"));
}

// ---- answers once ----

using AnswersChecker = Lies<AnswersOnce>;

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

TEST_F(AnswersChecker, SeesAnAckThatIsForgotten) {
  state.peers.use(tcp(2), 8);
  const auto [self, msg] = state.messages.make();
  msg->header = header();
  msg->header.part.emplace<wire::PutPart>().ack_wmd = {b.incarnation(), 5};
  msg->md = state.memory.find(attach({7}, kOpPut));
  step(core::Tick{}, {core::Land{ni, {1}, self}});
  step(core::PayloadLanded{self});
  EXPECT_EQ(said(), "an ACK to 10.0.0.2@tcp was forgotten");
}

// ---- memory lent ----

using MemoryChecker = Lies<MemoryLent>;

TEST_F(MemoryChecker, SeesMemoryThatWasTakenBack) {
  const MdHandle md = bind();
  checker.on_memory(world, a, {bytes.data() + 10, 20}, true);
  EXPECT_EQ(said(), "");
  ASSERT_TRUE(a.md_unlink(md).has_value());
  checker.on_memory(world, a, {bytes.data() + 10, 20}, true);
  EXPECT_EQ(said(), "20 bytes were written where nothing is lent any more");
}

TEST_F(MemoryChecker, SeesMemoryPastTheEnd) {
  bind();
  checker.on_memory(world, a, {bytes.data() + 4090, 20}, false);
  EXPECT_EQ(said(), "20 bytes were read where nothing is lent any more");
}

// ---- drops counted ----

using DropsChecker = Lies<DropsCounted>;

TEST_F(DropsChecker, SeesADropWithoutACount) {
  wire::LnetHeader put = header();
  put.part.emplace<wire::PutPart>();
  const core::HeaderArrived arrived{ni, {tcp(2), Pid::lustre()}, &put, {1}, {}};
  step(arrived, {core::DropPayload{ni, {1}, 0}});
  EXPECT_EQ(said(), "dropped: 0 counted, 1 seen in one step");
}

TEST_F(DropsChecker, SeesADropWithoutAReason) {
  wire::LnetHeader put = header();
  put.part.emplace<wire::PutPart>();
  ++state.tally.global.drop_count;
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

// ---- driver contract ----

using ContractChecker = Lies<DriverContract>;

TEST_F(ContractChecker, SeesASecondSendDone) {
  step(core::Tick{}, {send(kMsg)});
  step(core::SendDone{kMsg});
  EXPECT_EQ(said(), "");
  step(core::SendDone{kMsg});
  EXPECT_EQ(said(), "SendDone for what was not sent");
}

TEST_F(ContractChecker, SeesAHeaderWithoutAVerdictOrWithTwo) {
  wire::LnetHeader put = header();
  const core::HeaderArrived arrived{ni, {tcp(2), Pid::lustre()}, &put, {1}, {}};
  step(arrived, {core::DropPayload{ni, {1}, 0}});
  EXPECT_EQ(said(), "");
  step(arrived, {core::DropPayload{ni, {1}, 0}, core::Land{ni, {1}, kMsg}});
  EXPECT_EQ(said(), "more than one verdict");
}

TEST_F(ContractChecker, SeesAHeaderWithoutAVerdict) {
  wire::LnetHeader put = header();
  step(core::HeaderArrived{ni, {tcp(2), Pid::lustre()}, &put, {1}, {}});
  EXPECT_EQ(said(), "a header without a verdict");
}

TEST_F(ContractChecker, SeesADeadTicket) {
  step(core::Tick{}, {core::Land{ni, {1}, kMsg}});
  EXPECT_EQ(said(), "Land of a dead ticket");
}

TEST_F(ContractChecker, SeesWhatLandsTwice) {
  wire::LnetHeader put = header();
  step(core::HeaderArrived{ni, {tcp(2), Pid::lustre()}, &put, {1}, {}},
       {core::Land{ni, {1}, kMsg}});
  step(core::PayloadLanded{kMsg});
  EXPECT_EQ(said(), "");
  step(core::PayloadLanded{kMsg});
  EXPECT_EQ(said(), "PayloadLanded for what was not landing");
}

TEST_F(ContractChecker, SeesAnNiThatIsNotDrained) {
  step(core::Tick{}, {send(kMsg), core::Drained{ni}});
  EXPECT_EQ(said(), "Drained with messages in flight");
}

TEST_F(ContractChecker, SeesASendWithoutAnEnd) {
  step(core::Tick{}, {send(kMsg)});
  ASSERT_TRUE(world.run_for(hours(1)).reached());
  checker.check_all(world);
  EXPECT_EQ(said(), "a Send whose time is over did not end");
}

TEST_F(ContractChecker, SeesACancelOfNothing) {
  step(core::Tick{}, {core::Cancel{ni, {tcp(2), Pid::lustre()}, kMsg}});
  EXPECT_EQ(said(), "Cancel of what was not sent");
}

// ---- memory returned ----

using ReturnChecker = Lies<MemoryReturned>;

TEST_F(ReturnChecker, SeesAMessageThatIsLeft) {
  state.messages.make();
  checker.on_node(world, a, NodeChange::kStopped);
  EXPECT_EQ(said(), "1 messages left");
}

TEST_F(ReturnChecker, SeesAnMdThatNobodyMade) {
  ASSERT_TRUE(b.put({}).error().code == -ENOENT);
  a.shutdown();
  (void)world.run_for(seconds(10));
  EXPECT_EQ(said(), "");
  MdSpec spec;
  state.memory.make(spec, UnlinkMode::kRetain, false);
  checker.on_node(world, a, NodeChange::kStopped);
  EXPECT_EQ(said(), "an MD that no user made left");
}

// ---- nothing after the end ----

using EndChecker = Lies<NothingAfterEnd>;

TEST_F(EndChecker, SeesAStepOfANodeThatStandsStill) {
  a.pause();
  step(core::Tick{});
  EXPECT_EQ(said(), "a step while it is down or frozen");
}

TEST_F(EndChecker, SeesAMessageTakenAfterShutdown) {
  state.shut_down = true;
  wire::LnetHeader put = header();
  step(core::HeaderArrived{ni, {tcp(2), Pid::lustre()}, &put, {1}, {}},
       {core::Land{ni, {1}, kMsg}});
  EXPECT_EQ(said(), "took a message after it was told to shut down");
}

TEST_F(EndChecker, SeesAnAnswerToAnEarlierLife) {
  wire::LnetHeader ack = header();
  ack.part.emplace<wire::AckPart>().dst_wmd = {a.incarnation() - 1, 5};
  step(core::HeaderArrived{ni, {tcp(2), Pid::lustre()}, &ack, {1}, {}},
       {core::DropPayload{ni, {1}, 0}});
  EXPECT_EQ(said(), "");
  step(core::HeaderArrived{ni, {tcp(2), Pid::lustre()}, &ack, {1}, {}},
       {core::DropPayload{ni, {1}, 0}, post({5}, EventType::kAck, 1)});
  EXPECT_EQ(said(), "took the answer to a question of an earlier life");
}

TEST_F(EndChecker, SeesAHandlerAndMemoryAfterTheEnd) {
  a.shutdown();
  ASSERT_TRUE(world.run_for(seconds(10)).reached());
  checker.on_event(world, a, post({5}, EventType::kUnlink, 1));
  EXPECT_EQ(said(), "");
  checker.on_memory(world, a, memory, false);
  EXPECT_EQ(said(), "memory was touched after the end");
}

// ---- ends in time ----

using TimeChecker = Lies<EndsInTime>;

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

TEST_F(TimeChecker, SeesAnAnswerThatNothingWillEnd) {
  call(core::call::Put{request_for(bind())});
  checker.at_end(world);
  EXPECT_THAT(said(), HasSubstr("awaited by nobody"));
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

// ---- lazy portals served ----

using LazyChecker = Lies<LazyServed>;

TEST_F(LazyChecker, SeesAMessageThatWaitsBesideItsBuffer) {
  ASSERT_TRUE(a.set_lazy_portal({5}).has_value());
  put_to_a({7}, 10);
  ASSERT_TRUE(world.run_for(seconds(1)).reached());
  ASSERT_EQ(state.portals.find({5})->held.size(), 1U);
  const MdHandle md = attach({8}, kOpPut);
  checker.check_all(world);
  EXPECT_EQ(said(), "");
  state.memory.find(md)->me->match = {7};  // as if it had been overlooked
  call(core::call::MdAttach{{}, {}, UnlinkMode::kUnlink, md});
  EXPECT_EQ(said(), "a waiting message was not offered a buffer that it fits");
}

// ---- MD limits ----

using LimitsChecker = Lies<MdLimits>;

core::Post taken(MdHandle md, std::uint32_t rlength, std::uint32_t mlength,
                 std::uint32_t offset = 0) {
  core::Post made = Lies<MdLimits>::post(md, EventType::kPut, 1);
  made.event.rlength = rlength;
  made.event.mlength = mlength;
  made.event.offset = offset;
  return made;
}

TEST_F(LimitsChecker, SeesWhatWasCutWithoutLeave) {
  const MdHandle md = attach({7}, kOpPut);
  step(core::Tick{}, {taken(md, 5000, 4096)});
  EXPECT_EQ(said(), "cut though its MD does not allow it");
}

TEST_F(LimitsChecker, SeesWhatLiesPastTheEnd) {
  const MdHandle md = attach({7}, kOpPut | kTruncate);
  step(core::Tick{}, {taken(md, 5000, 4096)});
  EXPECT_EQ(said(), "");
  step(core::Tick{}, {taken(md, 10, 10, 4090)});
  EXPECT_EQ(said(), "past the end of its MD");
}

TEST_F(LimitsChecker, SeesWhatIsLongerThanMaxSize) {
  const MdHandle md = attach({7}, kOpPut | kMaxSize, 100);
  step(core::Tick{}, {taken(md, 101, 101)});
  EXPECT_EQ(said(), "longer than max_size");
}

TEST_F(LimitsChecker, SeesMoreOperationsThanTheThreshold) {
  const MdHandle md = bind(1);
  step(core::Tick{}, {post(md, EventType::kSend, 1)});
  EXPECT_EQ(said(), "");
  step(core::Tick{}, {post(md, EventType::kAck, 2)});
  EXPECT_EQ(said(), "more operations than the threshold");
}

// ---- TCP driver sound ----

TEST(TcpChecker, SeesAConnectionClosedForACookie) {
  World world(1);
  TcpSound& checker = world.add<TcpSound>();
  SimNode& a = world.add_node({.nis = {{.nid = tcp(1)}}, .edge = EdgeKind::kSock});
  checker.check_all(world);
  EXPECT_FALSE(world.violation());
  auto& engine = const_cast<lnd::sock::Engine&>(*a.engine());
  engine.count(lnd::sock::Count::kClosedBadCookie);
  checker.check_all(world);
  ASSERT_TRUE(world.violation());
  EXPECT_EQ(world.violation()->what, "closed_bad_cookie");
}

// ---- nothing fails ----

using FailureChecker = Lies<NothingFails>;

TEST_F(FailureChecker, SeesASendThatFailed) {
  step(core::SendDone{kMsg, -ECANCELED, core::Health::kLocalDropped});
  EXPECT_EQ(said(), "");
  step(core::SendDone{kMsg, -ETIMEDOUT, core::Health::kLocalTimeout});
  EXPECT_THAT(said(), HasSubstr("though nothing was broken"));
}

// ---- all of them ----

TEST(Checkers, AreSilentWhereAllIsWell) {
  World world(1);
  add_all_checkers(world);
  Silent sink;
  std::vector<char> from(100), to(100);
  const iovec source{from.data(), from.size()}, target{to.data(), to.size()};
  SimNode& a = world.add_node({.name = "a", .nis = {{.nid = tcp(1)}}});
  SimNode& b = world.add_node({.name = "b", .nis = {{.nid = tcp(2)}}});
  MdSpec spec;
  spec.fragments = {&target, 1};
  spec.options = kOpPut | kOpGet | kManageRemote;
  spec.sink = &sink;
  const auto me = b.me_attach({5}, {}, {7}, {}, UnlinkMode::kUnlink, InsertPosition::kAfter);
  const MdHandle posted = b.md_attach(me.value(), spec, UnlinkMode::kUnlink).value();
  for (int i = 0; i < 20; ++i) {
    MdSpec out;
    out.fragments = {&source, 1};
    out.threshold = 2;
    out.sink = &sink;
    PutRequest put;
    put.md = a.md_bind(out, UnlinkMode::kUnlink).value();
    put.target = b.id();
    put.portal = {5};
    put.match_bits = {7};
    put.ack = AckRequest::kAck;
    ASSERT_TRUE(a.put(put).has_value());
  }
  ASSERT_TRUE(world.run_until_quiet().reached()) << world.explain();
  ASSERT_TRUE(b.md_unlink(posted).has_value());
  a.shutdown();
  b.shutdown();
  ASSERT_TRUE(world
                  .run_until([&](World&) {
                    return a.state() == SimNode::State::kStopped &&
                           b.state() == SimNode::State::kStopped;
                  })
                  .reached())
      << world.explain();
  EXPECT_TRUE(world.run_until_quiet().reached()) << world.explain();
}

}  // namespace
}  // namespace ulnet::sim

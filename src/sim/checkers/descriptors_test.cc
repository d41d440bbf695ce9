// Checkers of what users see of their MDs: events, limits, memory.
#include <deque>
#include <utility>

#include "sim/checkers/checkers.h"
#include "sim/checkers/checkers_fixture.h"

namespace ulnet::sim {
namespace {

// ---- events once ----

using EventsChecker = Lies<events_once_checker>;

TEST_F(EventsChecker, SeesASecondSend) {
  const MdHandle md = bind();
  call(core::call::Put{request_for(md)}, {post(md, EventType::kSend, 1)});
  EXPECT_EQ(said(), "");
  step(core::Tick{}, {post(md, EventType::kSend, 2)});
  EXPECT_THAT(said(), HasSubstr("SEND: more than were begun"));
}

TEST_F(EventsChecker, SeesAPutThatWasTakenAtOnceAndNotReported) {
  const MdHandle md = attach({7}, kOpPut);
  wire::LnetHeader put = header();
  put.part.emplace<wire::PutPart>();
  const core::HeaderArrived arrived{ni, {tcp(2), Pid::lustre()}, &put, {1}, {}, true};
  step(arrived, {core::CopyPayload{}, post(md, EventType::kPut, 1)});
  EXPECT_EQ(said(), "");
  step(arrived, {core::CopyPayload{}});
  EXPECT_EQ(said(), "PUT: reported 0 times");
}

TEST_F(EventsChecker, SeesAnAckThatNothingAwaits) {
  const MdHandle md = bind();
  call(core::call::Put{request_for(md)}, {post(md, EventType::kSend, 1, -EIO)});
  step(core::Tick{}, {post(md, EventType::kAck, 2)});
  EXPECT_THAT(said(), HasSubstr("ACK: not awaited"));
}

TEST_F(EventsChecker, SeesAnEventAfterTheLast) {
  const MdHandle md = bind();
  state.memory.find(md)->state = core::MdState::kGone;
  step(core::Tick{}, {post({md.cookie + 1}, EventType::kUnlink, 1, 0, true)});
  EXPECT_THAT(said(), HasSubstr("its MD does not exist"));
}

TEST_F(EventsChecker, SeesALastEventThatIsNotTheLast) {
  const MdHandle md = bind();
  step(core::Tick{}, {post(md, EventType::kUnlink, 1, 0, true)});
  EXPECT_THAT(said(), HasSubstr("the last event of an MD that still exists"));
}

TEST_F(EventsChecker, SeesAnOperationThatGotNoSend) {
  const MdHandle md = bind();
  call(core::call::Put{request_for(md)});
  checker.at_end(world);
  EXPECT_THAT(said(), HasSubstr("an operation without SEND"));
}

TEST_F(EventsChecker, SeesAnUnlinkThatWasNotReported) {
  const MdHandle md = bind();
  state.memory.find(md)->on(core::MdEvent::kAbort);
  state.memory.find(md)->on(core::MdEvent::kIdle);
  state.memory.erase(*state.memory.find(md));
  call(core::call::MdUnlink{md});
  EXPECT_THAT(said(), HasSubstr("unlinked without an event for its user"));
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

// ---- MD limits ----

using LimitsChecker = Lies<md_limits_checker>;

core::Post taken(MdHandle md, std::uint32_t rlength, std::uint32_t mlength,
                 std::uint32_t offset = 0) {
  core::Post made = Lies<md_limits_checker>::post(md, EventType::kPut, 1);
  made.event.rlength = rlength;
  made.event.mlength = mlength;
  made.event.offset = offset;
  return made;
}

TEST_F(LimitsChecker, SeesATruncationThatWasNotAllowed) {
  const MdHandle md = attach({7}, kOpPut);
  step(core::Tick{}, {taken(md, 5000, 4096)});
  EXPECT_EQ(said(), "cut though its MD does not allow it");
}

TEST_F(LimitsChecker, SeesAnOffsetPastTheEnd) {
  const MdHandle md = attach({7}, kOpPut | kTruncate);
  step(core::Tick{}, {taken(md, 5000, 4096)});
  EXPECT_EQ(said(), "");
  step(core::Tick{}, {taken(md, 10, 10, 4090)});
  EXPECT_EQ(said(), "past the end of its MD");
}

TEST_F(LimitsChecker, SeesAMessageLongerThanMaxSize) {
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

// ---- lazy portals served ----

using LazyChecker = Lies<lazy_served_checker>;

TEST_F(LazyChecker, SeesAMessageThatWaitsBesideItsBuffer) {
  ASSERT_TRUE(a.set_lazy_portal({5}).has_value());
  put_to_a({7}, 10);
  ASSERT_TRUE(world.run_for(seconds(1)).reached());
  ASSERT_EQ(state.portals.find({5})->held.size(), 1U);
  const MdHandle md = attach({8}, kOpPut);
  checker.check_all(world);
  EXPECT_EQ(said(), "");
  state.memory.find(md)->me->match = {7};  // now the entry matches the waiting message
  call(core::call::MdAttach{{}, {}, UnlinkMode::kUnlink, md});
  EXPECT_EQ(said(), "a waiting message was not offered a buffer that it fits");
}

TEST_F(LazyChecker, SeesAMessageThatWaitsWhileAnotherPartitionHasItsBuffer) {
  SimNode& c = world.add_node({.name = "c", .nis = {{.nid = tcp(3)}}, .partitions = 2});
  ASSERT_TRUE(c.set_lazy_portal({5}).has_value());
  ASSERT_TRUE(b.put({.md = b.md_bind({}, UnlinkMode::kUnlink).value(),
                     .target = c.id(),
                     .portal = {5},
                     .match_bits = {7}})
                  .has_value());
  ASSERT_TRUE(world.run_for(seconds(1)).reached());
  const auto look = [&] {
    const core::ShardMsg none{};
    const core::Input input = core::FromShard{1, &none};
    const core::Actions actions;
    checker.after_step(world, {c, 0, world.now(), input, actions, *c.shard_state(0)});
  };
  look();
  EXPECT_EQ(said(), "");
  // Makes a state in which shard 0 has a buffer and has not notified shard 1, the owner shard of
  // portal 5.
  auto& other = const_cast<core::ShardState&>(*c.shard_state(0));
  MdSpec spec;
  spec.options = kOpPut;
  core::Me& me = *other.mes.make().second;
  me.portal = {5};
  me.match = {7};
  me.match_id = {Nid::any(), Pid::any()};
  me.md = other.memory.make(spec, UnlinkMode::kUnlink, true);
  look();
  EXPECT_EQ(said(), "a message waits though another shard has its buffer");
}

/// Two PUTs that wait on portal 5, in the order in which they came to it; the second began earlier.
struct QueueChecker : LazyChecker {
  QueueChecker() {
    EXPECT_TRUE(a.set_lazy_portal({5}).has_value());
    put_to_a({7}, 10);
    put_to_a({7}, 20);
    EXPECT_TRUE(world.run_for(seconds(1)).reached());
    core::MsgQueue& held = state.portals.find({5})->held;
    first = &held.front();
    second = &held.back();
    EXPECT_NE(first, second);
    std::swap(first->started, second->started);
  }
  static core::Action land(const core::Msg& msg) {
    core::Land made;
    made.msg = msg.self;
    return made;
  }
  core::Action offer(const core::Msg& msg) {
    shard_msgs.push_back({core::shard_msg::Match{0, msg.self, msg.header, msg.self, {}}});
    return core::ToShard{1, &shard_msgs.back()};
  }
  std::deque<core::ShardMsg> shard_msgs;
  core::Msg *first = nullptr, *second = nullptr;
};

TEST_F(QueueChecker, SeesAMessageServedOutOfTurn) {
  call(core::call::MdAttach{}, {land(*first), land(*second)});
  EXPECT_EQ(said(), "");
  call(core::call::MdAttach{}, {land(*second), land(*first)});
  EXPECT_EQ(said(), "messages left a lazy portal out of order");
}

TEST_F(QueueChecker, SeesAnotherPartitionsBufferOfferedOutOfTurn) {
  const core::ShardMsg buffers{core::shard_msg::BufferPosted{}};
  step(core::FromShard{1, &buffers}, {offer(*first), offer(*second)});
  EXPECT_EQ(said(), "");
  step(core::FromShard{1, &buffers}, {offer(*second), offer(*first)});
  EXPECT_EQ(said(), "messages left a lazy portal out of order");
}

// ---- memory lent ----

using MemoryChecker = Lies<memory_lent_checker>;

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

TEST_F(MemoryChecker, MemoryThatIsLentTwiceMayBeGivenBackOnce) {
  core::Send sent = send(kMsg);
  sent.payload = {&memory, 1, 0, 64};
  bind();
  const MdHandle second = attach({1}, kOpPut);  // two MDs lend the memory: either may be unlinked
  step(core::Tick{}, {sent});
  ASSERT_TRUE(a.md_unlink(second).has_value());
  EXPECT_EQ(said(), "");
  const MdHandle third = attach({1}, kOpPut);
  step(core::SendDone{kMsg});
  ASSERT_TRUE(a.md_unlink(third).has_value());
  EXPECT_EQ(said(), "");
}

TEST_F(MemoryChecker, SeesTheLastLoanEndUnderADriver) {
  core::Send sent = send(kMsg);
  sent.payload = {&memory, 1, 0, 64};
  const MdHandle md = bind();
  step(core::Tick{}, {sent});
  ASSERT_TRUE(a.md_unlink(md).has_value());
  EXPECT_EQ(said(), "memory was given back while a driver may touch it");
}

// ---- memory returned ----

using ReturnChecker = Lies<memory_returned_checker>;

TEST_F(ReturnChecker, SeesAMessageThatIsLeft) {
  state.messages.make();
  checker.on_node(world, a, NodeChange::kStopped);
  EXPECT_EQ(said(), "1 messages (fresh at 0) left");
}

TEST_F(ReturnChecker, SeesAnUnknownMd) {
  ASSERT_FALSE(b.put({}).has_value());
  a.shutdown();
  (void)world.run_for(seconds(10));
  EXPECT_EQ(said(), "");
  MdSpec spec;
  state.memory.make(spec, UnlinkMode::kRetain, false);
  checker.on_node(world, a, NodeChange::kStopped);
  EXPECT_EQ(said(), "an MD that no user made left");
}

}  // namespace
}  // namespace ulnet::sim

// A router between two nodes: spec/core-semantics.md 8, 10.3, spec/multirail.md 9.7.
#include "lnet/core/flow/forward.h"

#include <gmock/gmock.h>

#include "lnet/core/flow/fault_fixture.h"
#include "lnet/core/flow/routed_fixture.h"

namespace ulnet::core::test {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::UnorderedElementsAre;
using enum EventType;

/// Takes any number of PUTs, each at offset 0.
const Pipe::Post kAnyPut{.options = kOpPut | kManageRemote};
constexpr std::int32_t kAllSmall = kRouterBuffers[RouterPools::kSmall];
constexpr std::int32_t kAllLarge = kRouterBuffers[RouterPools::kLarge];

// spec/core-semantics.md 10.3.3; spec/multirail.md 3.3.6, 9.7
TEST(Forward, APutAndItsAckCrossARouterUnchanged) {
  Routed p;
  Recorder sender, receiver;
  auto source = bytes(100), sink = bytes(100, 99);
  p.attach(p.b, sink, &receiver, kAnyPut);
  const MdHandle md = p.bind(p.a, source, &sender, 2);
  EXPECT_EQ(p.put(p.a, md, tcp(2, 1), AckRequest::kAck), 0);
  EXPECT_EQ(sink, source);
  EXPECT_THAT(sender.types(), UnorderedElementsAre(kSend, kAck));
  ASSERT_THAT(receiver.types(), ElementsAre(kPut));
  const Event& put = receiver.events[0];
  EXPECT_EQ(put.initiator, process(tcp(1)));
  EXPECT_EQ(put.source, tcp(1));
  EXPECT_EQ(put.sender, tcp(3, 1)) << "the last hop";
  EXPECT_EQ(put.target, process(tcp(2, 1)));
  EXPECT_EQ(put.hdr_data, 0x1234U);
}

TEST(Forward, AGetAndItsReplyCrossARouter) {  // spec/core-semantics.md 10.3.3
  for (const std::size_t size : {std::size_t{0}, std::size_t{5000}, std::size_t{1} << 20}) {
    Routed p;
    Recorder sender, receiver;
    auto source = bytes(size), sink = bytes(size, 99);
    p.attach(p.b, source, &receiver, {.options = kOpGet});
    EXPECT_EQ(p.get(p.a, p.bind(p.a, sink, &sender, 2), tcp(2, 1)), 0);
    EXPECT_THAT(sender.types(), UnorderedElementsAre(kSend, kReply));
    EXPECT_EQ(sink, source) << size;
  }
}

TEST(Forward, ForwardedMessagesAreCountedApart) {  // 9
  Routed p;
  auto source = bytes(100), sink = bytes(100);
  p.attach(p.b, sink, nullptr, kAnyPut);
  p.put(p.a, p.bind(p.a, source, nullptr, 2), tcp(2, 1), AckRequest::kAck);
  const GlobalStats at_router = p.counted(p.r);
  EXPECT_EQ(at_router.route_count, 2U);
  EXPECT_EQ(at_router.route_length, 100U);
  EXPECT_EQ(at_router.send_count + at_router.recv_count + at_router.drop_count, 0U);
  EXPECT_EQ(p.counted(p.a).send_count, 1U);
  EXPECT_EQ(p.counted(p.b).recv_count, 1U);
}

TEST(Forward, AFreshPoolHadAllItsBuffersAlways) {  // the column min of the file buffers
  Routed p;
  for (const PoolRow& pool : p.call(p.r, call::ShowRouting{}).pools) {
    EXPECT_EQ(pool.credits, pool.buffers);
    EXPECT_EQ(pool.min, pool.buffers);
  }
}

// spec/core-semantics.md 10.3.2
TEST(Forward, APoolThatGrowsBeforeItIsUsedHadAllItsBuffersAlways) {  // routing_router_setup.txt
  Routed p;
  const auto large = [&] {
    std::vector<PoolRow> rows;
    for (const PoolRow& pool : p.call(p.r, call::ShowRouting{}).pools)
      if (pool.pages == 256) rows.push_back(pool);
    return rows;
  };
  const auto set = [&](std::int32_t each) {
    p.r.config->routing.buffers[RouterPools::kLarge] =
        each * static_cast<std::int32_t>(p.r.shards.size());
    p.configure(p.r);
  };
  set(32);
  set(40);
  for (const PoolRow& pool : large()) EXPECT_EQ(pool.min, 40);
  auto sink = bytes(8192), source = bytes(8192);
  p.attach(p.b, sink, nullptr);
  p.puts(source, 1);
  set(50);
  EXPECT_TRUE(std::ranges::any_of(large(), [](const PoolRow& pool) { return pool.min < 50; }))
      << "one of them was in use";
  set(0);
  p.turn_off();
  p.r.config->routing.on = true;
  set(60);
  for (const PoolRow& pool : large()) EXPECT_EQ(pool.min, 60) << "it has begun anew";
}

TEST(Forward, BuffersAndCreditsComeBack) {  // spec/core-semantics.md 10.3.2
  Routed p;
  auto sink = bytes(1 << 20);
  p.attach(p.b, sink, nullptr, kAnyPut);
  for (const std::size_t size : {0U, 100U, 4096U, 4097U, 1U << 20}) {
    auto source = bytes(size);
    p.put(p.a, p.bind(p.a, source, nullptr, 2), tcp(2, 1), AckRequest::kAck);
  }
  EXPECT_EQ(p.messages_at_router(), 0U);
  EXPECT_EQ(p.peer_at_router(tcp(1)).available_rtr_credits, 8);
  EXPECT_EQ(p.peer_at_router(tcp(1)).min_rtr_credits, 7);
  const auto shards = static_cast<std::int32_t>(p.r.shards.size());
  EXPECT_EQ(p.free_buffers(RouterPools::kSmall), kAllSmall / shards * shards);
  EXPECT_EQ(p.free_buffers(RouterPools::kLarge), kAllLarge / shards * shards);
  EXPECT_EQ(p.allocated(RouterPools::kSmall), 1) << "they are made when they are needed";
  EXPECT_EQ(p.allocated(RouterPools::kLarge), 1);
}

TEST(Forward, AShortPayloadIsCopiedAndSentInOneStep) {  // spec/core-semantics.md 10.3.3
  Routed p;
  p.whole = true;
  auto source = bytes(8), sink = bytes(8, 99);
  p.attach(p.b, sink, nullptr, kAnyPut);
  p.r.hold_lands = true;
  p.puts(source, 1);
  EXPECT_EQ(p.r.lands.size(), 0U);
  EXPECT_EQ(p.r.copies, 1U);
  EXPECT_EQ(sink, source);
}

TEST(Forward, WithRoutingOffItIsDropped) {  // 8.4
  Routed p;
  p.a.config->globals.discovery = 0;  // so that a does not notice
  p.configure(p.a);
  p.turn_off();
  auto source = bytes(10);
  p.puts(source, 1);
  EXPECT_EQ(p.dropped(p.r, DropReason::kRoutingOff), 1U);
  EXPECT_EQ(p.counted(p.r).drop_count, 1U);
}

TEST(Forward, ANetThatTheRouterDoesNotReachEndsTheMessageThere) {  // spec/multirail.md 9.7
  Routed p;
  const NetId beyond{NetType::kTcp, 7};
  p.route(p.a, beyond, tcp(3));
  p.introduce(p.a, {tcp(2, 7)});
  Recorder sender;
  auto source = bytes(10);
  p.put(p.a, p.bind(p.a, source, &sender, 1), tcp(2, 7));
  EXPECT_THAT(sender.types(), ElementsAre(kSend)) << "it was handed over";
  EXPECT_EQ(p.dropped(p.r, DropReason::kNotForwarded), 1U);
  EXPECT_EQ(p.counted(p.r).drop_count, 0U) << "production counts it nowhere";
  EXPECT_EQ(p.messages_at_router(), 0U);
  EXPECT_EQ(p.peer_at_router(tcp(1)).available_rtr_credits, 8);
}

TEST(Forward, MessagesDoNotReturnToTheirRouter) {  // spec/multirail.md 9.7
  Routed p;
  const NetId beyond{NetType::kTcp, 7};
  p.route(p.a, beyond, tcp(3));
  p.route(p.r, beyond, tcp(1));
  p.introduce(p.a, {tcp(2, 7)});
  auto source = bytes(10);
  p.put(p.a, p.bind(p.a, source, nullptr, 1), tcp(2, 7));
  EXPECT_EQ(p.dropped(p.r, DropReason::kNotForwarded), 1U);
  EXPECT_EQ(p.dropped(p.a, DropReason::kRoutingOff), 0U);
}

// spec/core-semantics.md 10.3.1: a peer has at most peer_buffer_credits messages in the router.
TEST(Forward, APeerHasAsManyMessagesInTheRouterAsItHasRouterCredits) {
  Routed p;
  p.r.config->nis[1].tunables.peer_buffer_credits = 2;
  p.r.config->nis[2].tunables.peer_credits = 1;
  p.configure(p.r);
  p.r.hold_sends = true;
  auto source = bytes(100), sink = bytes(100);
  Recorder receiver;
  p.attach(p.b, sink, &receiver, kAnyPut);
  p.puts(source, 4);
  EXPECT_EQ(p.r.sends.size(), 1U) << "the next hop has one credit";
  EXPECT_EQ(p.r.deferred, 2U) << "their driver reads no more";
  EXPECT_EQ(p.peer_at_router(tcp(1)).available_rtr_credits, -2);
  while (!p.r.sends.empty()) p.release_sends(p.r);
  EXPECT_THAT(receiver.types(), ElementsAre(kPut, kPut, kPut, kPut));
  EXPECT_EQ(p.peer_at_router(tcp(1)).available_rtr_credits, 2);
  EXPECT_EQ(p.messages_at_router(), 0U);
}

TEST(Forward, AMessageThatWaitsForABufferHoldsOnlyARouterCredit) {  // spec/core-semantics.md 10.3.2
  ONE_SHARD_ONLY();
  Routed p;
  p.holds_with_buffers({1, 1, 2});
  auto source = bytes(1 << 20), sink = bytes(1 << 20);
  Recorder receiver;
  p.attach(p.b, sink, &receiver, kAnyPut);
  p.puts(source, 3);
  EXPECT_EQ(p.free_buffers(RouterPools::kLarge), -1);
  EXPECT_EQ(p.peer_at_router(tcp(1)).available_rtr_credits, 5) << "as recorded: 5 of 8";
  EXPECT_EQ(p.peer_at_router(tcp(2, 1)).available_tx_credits, 6);
  while (!p.r.sends.empty()) p.release_sends(p.r);
  EXPECT_EQ(receiver.events.size(), 3U);
  EXPECT_EQ(p.free_buffers(RouterPools::kLarge), 2);
}

TEST(Forward, ALargerPoolWakesWaitingMessages) {  // spec/core-semantics.md 10.3.2
  ONE_SHARD_ONLY();
  Routed p;
  p.holds_with_buffers({1, 1, 1});
  auto source = bytes(5000), sink = bytes(5000);
  p.attach(p.b, sink, nullptr, kAnyPut);
  p.puts(source, 3);
  EXPECT_EQ(p.r.sends.size(), 1U);
  p.r.config->routing.buffers = {1, 1, 3};
  p.configure(p.r);
  EXPECT_EQ(p.r.sends.size(), 3U);
  p.r.config->routing.buffers = {1, 1, 1};
  p.configure(p.r);
  EXPECT_EQ(p.allocated(RouterPools::kLarge), 3) << "they go as they come back";
  p.release_sends(p.r);
  EXPECT_EQ(p.allocated(RouterPools::kLarge), 1);
}

// spec/core-semantics.md 10.3.3; spec/multirail.md 9.1
TEST(Forward, TurningRoutingOffEndsWaitingMessages) {
  ONE_SHARD_ONLY();
  Routed p;
  p.holds_with_buffers({1, 1, 1});
  auto source = bytes(5000), sink = bytes(5000);
  p.attach(p.b, sink, nullptr, kAnyPut);
  p.puts(source, 3);
  p.r.config->routing.on = false;
  p.configure(p.r);
  EXPECT_EQ(p.messages_at_router(), 3U) << "nothing is lost while peers have not noticed";
  p.turn_off();
  EXPECT_EQ(p.dropped(p.r, DropReason::kRoutingOff), 2U);
  EXPECT_EQ(p.messages_at_router(), 1U) << "the driver has one, and is asked to end it";
  const auto one = std::ranges::find_if(
      p.r.sends, [](const Send& send) { return send.header.payload_length == 5000; });
  ASSERT_NE(one, p.r.sends.end());
  p.finish_send(p.r, *one, -ECANCELED);
  EXPECT_EQ(p.dropped(p.r, DropReason::kRoutingOff), 3U);
  EXPECT_EQ(p.messages_at_router(), 0U);
  EXPECT_EQ(p.allocated(RouterPools::kLarge), 0);
}

TEST(Forward, TurningRoutingOffEndsMessagesWithANewCredit) {
  ONE_SHARD_ONLY();
  Routed p;
  p.r.config->nis[2].tunables.peer_credits = 1;
  p.configure(p.r);
  p.call(p.r, call::FaultAdd{settled(delay_rule(1000)).value()});
  PingRequest request;  // the ping has the credit while the rule holds the ping
  request.target = process(tcp(2, 1));
  request.timeout = notice_time(p.r.config->globals);
  p.call(p.r, call::Ping{request, 1});
  auto source = bytes(5000);
  p.puts(source, 1);
  ASSERT_EQ(p.messages_at_router(), 1U);
  // In one step the ping ends, which gives its credit to the message, and routing ends.
  p.turn_off();
  EXPECT_EQ(p.messages_at_router(), 0U);
  EXPECT_EQ(p.dropped(p.r, DropReason::kRoutingOff), 1U);
}

TEST(Forward, AClosedConnectionEndsItsWaitingMessages) {  // spec/core-semantics.md 10.3.3
  ONE_SHARD_ONLY();
  Routed p;
  p.r.config->nis[1].tunables.peer_buffer_credits = 1;
  p.configure(p.r);
  p.r.hold_sends = p.r.hold_lands = true;
  auto source = bytes(5000);
  p.puts(source, 3);
  ASSERT_EQ(p.r.lands.size(), 1U);
  std::vector<MsgTicket> waiting;
  p.r.shards[0]->observe().messages.for_each([&](Handle, const Msg& msg) {
    if (waits_to_be_forwarded(msg)) waiting.push_back(msg.self);
  });
  ASSERT_EQ(waiting.size(), 2U);
  p.input(p.r, PayloadLanded{p.r.lands[0].msg, -ECONNRESET, Health::kOk});
  EXPECT_EQ(p.r.lands.size(), 2U) << "the next one has its credit";
  p.input(p.r, PayloadLanded{waiting[1], -ECONNRESET, Health::kOk});
  p.input(p.r, PayloadLanded{p.r.lands[1].msg, -ECONNRESET, Health::kOk});
  EXPECT_EQ(p.messages_at_router(), 0U);
  EXPECT_EQ(p.dropped(p.r, DropReason::kHeldLost), 1U);
  EXPECT_EQ(p.peer_at_router(tcp(1)).available_rtr_credits, 1);
}

TEST(Forward, RemovingAnNiEndsItsForwardedMessages) {
  ONE_SHARD_ONLY();
  Routed p;
  p.r.config->nis[1].tunables.peer_buffer_credits = 1;
  p.configure(p.r);
  p.r.hold_sends = true;
  auto source = bytes(5000);
  p.puts(source, 3);
  p.r.config->nis.erase(p.r.config->nis.begin() + 1);
  p.configure(p.r);
  EXPECT_EQ(p.dropped(p.r, DropReason::kNiRemoved), 2U);
  EXPECT_EQ(p.r.drained.size(), 1U) << "a message in a buffer does not delay it";
  EXPECT_EQ(p.messages_at_router(), 1U);
  p.release_sends(p.r);
  EXPECT_EQ(p.messages_at_router(), 0U);
}

TEST(Forward, ShutdownEndsForwardedMessages) {
  ONE_SHARD_ONLY();
  Routed p;
  p.r.config->nis[1].tunables.peer_buffer_credits = 2;
  p.r.config->nis[2].tunables.peer_credits = 1;
  p.configure(p.r);
  p.r.hold_sends = true;
  auto source = bytes(5000);
  p.puts(source, 4);
  p.call(p.r, call::Shutdown{});
  EXPECT_EQ(p.messages_at_router(), 1U) << "the driver has it";
  p.release_sends(p.r);
  EXPECT_EQ(p.messages_at_router(), 0U);
}

// spec/core-semantics.md 11: a forwarded message is never dropped because of its age.
TEST(Forward, AForwardedMessageHasNoDeadline) {
  Routed p;
  p.r.hold_sends = true;
  auto source = bytes(10);
  p.puts(source, 1);
  EXPECT_EQ(p.r.sends.at(0).deadline, kNever);
}

TEST(Forward, AnswersGoBackByTheRouterThatBroughtTheRequest) {  // spec/multirail.md 3.1
  Routed p;
  End other({tcp(4), tcp(4, 1)}, 0xd);
  p.ends.push_back(&other);
  other.config->routing.on = other.config->routing.at_once = true;
  p.configure(other);
  p.introduce(other);
  p.route(p.b, kNear, tcp(4, 1));
  auto source = bytes(10), sink = bytes(10);
  p.attach(p.b, sink, nullptr, kAnyPut);
  Recorder sender;
  for (int i = 0; i < 6; ++i)
    p.put(p.a, p.bind(p.a, source, &sender, 2), tcp(2, 1), AckRequest::kAck);
  EXPECT_EQ(p.counted(p.r).route_count, 12U);
  EXPECT_EQ(p.counted(other).route_count, 0U);
}

// spec/multirail.md 3.1, 9.7
TEST(Forward, WithoutAWayBackTheRequestIsDeliveredAndTheAnswerIsNot) {
  Routed p;
  p.b.config->routes = RouteList::none();
  p.configure(p.b);
  Recorder sender, receiver;
  auto source = bytes(10), sink = bytes(10);
  p.attach(p.b, sink, &receiver, kAnyPut);
  p.put(p.a, p.bind(p.a, source, &sender, 2), tcp(2, 1), AckRequest::kAck);
  EXPECT_THAT(receiver.types(), ElementsAre(kPut));
  EXPECT_THAT(sender.types(), ElementsAre(kSend));
  EXPECT_EQ(p.counted(p.b).errors, 1U);
}

TEST(Forward, TwoRoutersInARow) {  // spec/multirail.md 9.7: each leg is the same message
  Pipe p({tcp(1)}, {tcp(2, 2)});
  End first({tcp(3), tcp(3, 1)}, 0xc), second({tcp(4, 1), tcp(4, 2)}, 0xd);
  p.ends = {&p.a, &first, &second, &p.b};
  const auto route = [&](End& end, NetId net, const Nid& gateway) {
    auto list = std::make_shared<RouteList>(*end.config->routes);
    ASSERT_TRUE(list->add({net, gateway}, 0));
    end.config->routes = list;
    end.config->routing.on = end.config->routing.at_once = &end == &first || &end == &second;
    p.configure(end);
    p.introduce(end, {tcp(1), tcp(2, 2)});
  };
  const NetId last{NetType::kTcp, 2};
  route(p.a, last, tcp(3));
  route(first, last, tcp(4, 1));
  route(second, kNear, tcp(3, 1));
  route(p.b, kNear, tcp(4, 2));
  Recorder sender, receiver;
  auto source = bytes(5000), sink = bytes(5000, 9);
  p.attach(p.b, sink, &receiver, kAnyPut);
  p.put(p.a, p.bind(p.a, source, &sender, 2), tcp(2, 2), AckRequest::kAck);
  EXPECT_EQ(sink, source);
  EXPECT_THAT(sender.types(), UnorderedElementsAre(kSend, kAck));
  EXPECT_EQ(receiver.events.at(0).initiator, process(tcp(1)));
}

TEST(Forward, ANeighbourIsReachedByItsNearNid) {  // captures r12, 31 and 32; 8.4
  Routed p;
  constexpr NetId kBeyond{NetType::kTcp, 2};
  End next({tcp(4, 1), tcp(4, 2)}, 0xe);
  p.ends.push_back(&next);
  p.configure(next);
  p.introduce(next);
  p.route(p.a, kBeyond, tcp(3));
  p.route(p.r, kBeyond, tcp(4, 1));
  p.route(next, kNear, tcp(3, 1));
  p.tick(std::chrono::milliseconds(10));  // each knows its gateway now
  auto source = bytes(10), sink = bytes(10, 99);
  p.introduce(p.a, {tcp(4, 2)});
  p.attach(next, sink, nullptr, kAnyPut);
  p.put(p.a, p.bind(p.a, source, nullptr, 1), tcp(4, 2));
  EXPECT_THAT(next.rejects, ::testing::IsEmpty());
  EXPECT_EQ(sink, source);
}

// 3.1; capture r12: a production router pings first, and waiting messages hold its buffers.
TEST(Forward, ARouterDiscoversTheTargetWithoutDelay) {
  Routed p;
  End other({tcp(12, 1), tcp(13, 1)}, 0xe);
  p.ends.push_back(&other);
  p.configure(other);
  p.introduce(other);
  p.route(other, kNear, tcp(3, 1));
  p.introduce(p.a, {tcp(12, 1)});
  const auto nids_at_router = [&] {
    std::size_t count = 0;
    for (const PeerShow& peer : p.show(p.r).peers)
      if (peer.primary == tcp(12, 1)) count = peer.nis.size();
    return count;
  };
  auto source = bytes(10), sink = bytes(10, 99);
  p.attach(other, sink, nullptr, kAnyPut);
  const auto put = [&] { p.put(p.a, p.bind(p.a, source, nullptr, 1), tcp(12, 1)); };
  other.hold_sends = true;  // it does not answer yet
  put();
  EXPECT_EQ(sink, source);
  EXPECT_EQ(nids_at_router(), 1U);
  other.hold_sends = false;
  p.release_sends(other);
  EXPECT_EQ(nids_at_router(), 2U);
  const std::uint64_t sent = p.counted(p.r).send_count;
  put();
  EXPECT_EQ(p.counted(p.r).send_count, sent) << "it is asked once";
}

TEST(Forward, ARouterWithoutDiscoverySendsNoPing) {
  Routed p;
  p.r.config->globals.discovery = 0;
  p.configure(p.r);
  End other({tcp(12, 1)}, 0xe);
  p.ends.push_back(&other);
  p.configure(other);
  p.introduce(p.a, {tcp(12, 1)});
  const std::uint64_t sent = p.counted(p.r).send_count;
  auto source = bytes(10);
  p.put(p.a, p.bind(p.a, source, nullptr, 1), tcp(12, 1));
  EXPECT_EQ(p.counted(p.r).route_count, 1U);
  EXPECT_EQ(p.counted(p.r).send_count, sent);
}

TEST(Forward, AMessageOfThisRouterThatComesBackIsDropped) {  // routes in a circle
  Routed p;
  const wire::LnetHeader header = [&] {
    wire::LnetHeader made;
    made.dest_nid = tcp(9, 7);
    made.src_nid = tcp(3, 1);
    made.part.emplace<wire::GetPart>();
    return made;
  }();
  p.route(p.r, {NetType::kTcp, 7}, tcp(2, 1));
  p.arrive(p.r, header, tcp(1), kRouterNear);
  EXPECT_EQ(p.dropped(p.r, DropReason::kCameBack), 1U);
  EXPECT_EQ(p.counted(p.r).drop_count, 1U);
  EXPECT_EQ(p.messages_at_router(), 0U);
}

TEST(Forward, AMessageOfAnotherThatComesStraightIsRefused) {  // 8.4
  Routed p;
  auto source = bytes(10);
  const wire::LnetHeader header = [&] {
    wire::LnetHeader made;
    made.dest_nid = tcp(9);
    made.src_nid = tcp(1);
    made.part.emplace<wire::PutPart>();
    return made;
  }();
  p.arrive(p.r, header, tcp(1), kRouterNear);
  EXPECT_EQ(p.r.rejects.size(), 1U) << "it is for the net that it came from";
}

TEST(Asymmetric, AMessageFromAnUnusedRouterIsDropped) {  // spec/multirail.md 9.6
  Routed p;
  p.b.config->globals.drop_asym_route = 1;
  p.configure(p.b);
  Recorder receiver;
  auto source = bytes(10), sink = bytes(10);
  p.attach(p.b, sink, &receiver, kAnyPut);
  p.puts(source, 1);
  EXPECT_THAT(receiver.types(), ElementsAre(kPut)) << "it came by its own router";
  p.b.config->routes = RouteList::none();
  p.route(p.b, kNear, tcp(4, 1));
  p.puts(source, 1);
  EXPECT_EQ(p.dropped(p.b, DropReason::kAsymmetricRoute), 1U);
  EXPECT_EQ(receiver.events.size(), 1U);
}

}  // namespace
}  // namespace ulnet::core::test

// Two nodes over real sockets: what LNet's callers see. Source: spec/core-semantics.md 3 to 6, 18;
// DESIGN.md 3.
#include "lnet/node/node.h"

#include <atomic>
#include <thread>

#include "lnet/node/node_fixture.h"
#include "ulnet/event_queue.hpp"
#include "ulnet/handles.hpp"

namespace ulnet::node {
namespace {

INSTANTIATE_TEST_SUITE_P(Modes, TwoNodes, testing::Values(Mode::kInline, Mode::kShared), mode_name);

/// Tests for nodes with threads of their own.
class ThreadedNodes : public TwoNodes {};
INSTANTIATE_TEST_SUITE_P(Modes, ThreadedNodes, testing::Values(Mode::kShared), mode_name);

iovec memory(std::vector<std::byte>& bytes) { return {bytes.data(), bytes.size()}; }

std::vector<std::byte> pattern(std::size_t size, unsigned seed) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i)
    bytes[i] = static_cast<std::byte>(i * 31 + seed + (i >> 8));
  return bytes;
}

TEST_P(TwoNodes, APutWithAckLandsAndBothSidesSeeTheirEvents) {  // spec/core-semantics.md 5
  for (const std::size_t size : {0UL, 1UL, 4096UL, 65536UL, 1UL << 20}) {
    auto source = pattern(size, 3);
    std::vector<std::byte> sink(1 << 20);
    Recorder sent(bell_), received(bell_);
    const MdHandle passive = target(*b_, memory(sink), received, kOpPut | kTruncate, size + 1);
    const auto active = a_->md_bind(spec(memory(source), sent), UnlinkMode::kRetain);
    ASSERT_TRUE(active) << active.error().reason;
    auto request = put(*active, id_b_, AckRequest::kAck, size + 1);
    request.hdr_data = 0x1122334455667788;
    ASSERT_TRUE(a_->put(request));
    ASSERT_TRUE(until([&] {
      return sent.count(EventType::kAck) == 1 && sent.count(EventType::kSend) == 1 &&
             received.count(EventType::kPut) == 1;
    })) << size;
    EXPECT_EQ(received.events[0].mlength, size);
    EXPECT_EQ(received.events[0].hdr_data, 0x1122334455667788U);
    EXPECT_EQ(received.events[0].initiator, id_a_);
    EXPECT_EQ(received.events[0].status, 0);
    EXPECT_TRUE(std::equal(source.begin(), source.end(), sink.begin()));
    for (const Event& e : sent.events) {
      EXPECT_EQ(e.status, 0);
      EXPECT_EQ(e.mlength, size);
    }
    EXPECT_TRUE(a_->md_unlink(*active));
    EXPECT_TRUE(sent.ended()) << "the UNLINK of an idle MD comes before the call returns";
    EXPECT_TRUE(b_->md_unlink(passive));
    EXPECT_TRUE(received.ended());
    EXPECT_EQ(a_->md_unlink(*active).error().code, -ENOENT);
  }
  stop_both();
}

TEST_P(TwoNodes, AGetBringsTheBytesBack) {
  auto source = pattern(300000, 5);
  std::vector<std::byte> sink(300000);
  Recorder got(bell_), given(bell_);
  target(*b_, memory(source), given, kOpGet);
  const auto active = a_->md_bind(spec(memory(sink), got), UnlinkMode::kRetain);
  ASSERT_TRUE(active);
  GetRequest request;
  request.md = *active;
  request.target = id_b_;
  request.portal = kPortal;
  request.match_bits = MatchBits{1};
  ASSERT_TRUE(a_->get(request));
  ASSERT_TRUE(until(
      [&] { return got.count(EventType::kReply) == 1 && given.count(EventType::kGet) == 1; }));
  EXPECT_EQ(sink, source);
  stop_both();
}

TEST_P(TwoNodes, LoopbackCopies) {
  auto source = pattern(10000, 9);
  std::vector<std::byte> sink(10000);
  Recorder sent(bell_), received(bell_);
  target(*a_, memory(sink), received, kOpPut);
  const auto active = a_->md_bind(spec(memory(source), sent), UnlinkMode::kRetain);
  ASSERT_TRUE(a_->put(put(*active, ProcessId{Nid::loopback(), Pid::lustre()}, AckRequest::kAck)));
  ASSERT_TRUE(until([&] { return sent.count(EventType::kAck) == 1; }));
  EXPECT_EQ(sink, source);
  stop_both();
}

TEST_P(TwoNodes, PingNamesTheOthersNids) {
  // In inline mode the answering node needs a thread that polls it.
  std::atomic<bool> done{false};
  std::thread poller([&] {
    while (polled() && !done) b_->progress(std::chrono::milliseconds(1));
  });
  PingRequest request;
  request.target = id_b_;
  request.timeout = std::chrono::seconds(30);
  const auto reply = a_->ping(request);
  done = true;
  poller.join();
  ASSERT_TRUE(reply) << reply.error().code << " " << reply.error().reason;
  EXPECT_EQ(reply->nids, std::vector<Nid>{id_b_.nid});
}

TEST_P(TwoNodes, ANodeGoesByTheProcessIdThatItWasGiven) {  // spec/core-semantics.md 2.1
  NodeOptions given = options();
  given.pid = Pid{};
  EXPECT_EQ(start(given).error().code, -EINVAL);
  given.pid = Pid{4711};
  b_->stop(std::chrono::seconds(0));
  b_ = start(given).value();
  conf::NiItem ni;
  ni.interface = address_b_;
  ASSERT_TRUE(b_->change(AddNi{kNet, ni}));
  EXPECT_EQ(b_->get_id(1, false).value(), (ProcessId{id_b_.nid, Pid{4711}}));

  std::vector<char> source(8, 'x'), sink(8);
  const iovec from{source.data(), source.size()}, to{sink.data(), sink.size()};
  Recorder sent(bell_), got(bell_);
  target(*b_, to, got, kOpPut);
  const MdHandle md = a_->md_bind(spec(from, sent), UnlinkMode::kUnlink).value();
  ASSERT_TRUE(a_->put(put(md, b_->get_id(1, false).value(), AckRequest::kAck)));
  const bool ended =
      until([&] { return sent.count(EventType::kAck) == 1 && got.count(EventType::kPut) == 1; });
  stop_both();
  ASSERT_TRUE(ended);
  EXPECT_EQ(got.events[0].target.pid, Pid{4711});
}

TEST_P(TwoNodes, APingThatNobodyAnswersEndsInTime) {
  PingRequest request;
  request.target = {*Nid::parse(own_address(77) + "@tcp"), Pid::lustre()};
  request.timeout = std::chrono::milliseconds(200);
  const auto reply = a_->ping(request);
  ASSERT_FALSE(reply);
  EXPECT_LT(reply.error().code, 0);
}

TEST_P(TwoNodes, APingThatCannotLeaveSaysWhy) {
  PingRequest request;
  request.timeout = std::chrono::seconds(30);
  request.target = {*Nid::parse(address_b_ + "@tcp7"), Pid::lustre()};
  auto reply = a_->ping(request);
  EXPECT_EQ(reply.error().code, -EHOSTUNREACH);
  EXPECT_EQ(reply.error().reason, "this node has no net tcp7, and no route to it");
  // from a NID of another node
  request.target = id_b_;
  request.source = id_b_.nid;
  reply = a_->ping(request);
  EXPECT_EQ(reply.error().code, -EINVAL);
  EXPECT_EQ(reply.error().reason, id_b_.nid.to_string() + " is not one of this node's NIDs");
  // from a NID of another net
  conf::NiItem ni;
  ni.nid = *Nid::parse(own_address(9) + "@tcp7");
  ASSERT_TRUE(a_->change(AddNi{NetId::any(), ni}));
  request.source = *ni.nid;
  reply = a_->ping(request);
  EXPECT_EQ(reply.error().code, -EHOSTUNREACH);
  EXPECT_EQ(reply.error().reason, ni.nid->to_string() + " is on another net");
}

TEST_P(TwoNodes, TheSecondPingOfADeadPeerGivesTheFirstsReason) {
  ASSERT_EQ(said(a_->change(SetParams{{{"min_reconnectms", "60000"}}})), "0");
  PingRequest request;
  request.target = {*Nid::parse(own_address(78) + "@tcp"), Pid::lustre()};
  request.timeout = std::chrono::seconds(30);
  const auto first = a_->ping(request);
  EXPECT_EQ(first.error().code, -ECONNREFUSED);
  EXPECT_EQ(first.error().reason, "it refused the connection");
  const auto second = a_->ping(request);
  EXPECT_EQ(second.error().code, -EIO);  // spec/wire-socklnd.md 4.6
  EXPECT_EQ(second.error().reason,
            "not dialled again yet, since a moment ago it refused the connection");
}

TEST_P(TwoNodes, AWaitingCallInsideAHandlerIsRefused) {  // spec/core-semantics.md 5.1
  std::vector<std::byte> bytes(8);
  Recorder sent(bell_);
  std::atomic<int> code{0}, del_code{1}, set_code{1};
  sent.then = [&](const Event& e) {
    if (e.type != EventType::kSend) return;
    PingRequest request;
    request.target = id_b_;
    const auto reply = a_->ping(request);
    code = reply ? 1 : reply.error().code;
    const auto del = a_->change(DelNi{kNet});
    del_code = del ? 1 : del.error().code;
    // The removal of a net may be waiting for this handler.
    const auto set = a_->change(SetGlobals{{{"numa_range", 1}}});
    set_code = set ? 1 : set.error().code;
  };
  const auto md = a_->md_bind(spec(memory(bytes), sent), UnlinkMode::kRetain);
  ASSERT_TRUE(a_->put(put(*md, id_b_, AckRequest::kNoAck)));
  ASSERT_TRUE(until([&] { return sent.count(EventType::kSend) == 1; }));
  EXPECT_EQ(code, -EDEADLK);
  EXPECT_EQ(del_code, -EDEADLK);
  EXPECT_EQ(set_code, -EDEADLK);
  stop_both();
}

TEST_P(TwoNodes, AHandlerMayUnlinkItsOwnMdAndSeesTheUnlinkAfterwards) {
  std::vector<std::byte> bytes(8);
  Recorder sent(bell_);
  bool inside = false, overlapped = false;
  std::atomic<std::uint64_t> cookie{0};
  sent.then = [&](const Event& e) {
    overlapped = overlapped || inside;
    inside = true;
    if (e.type == EventType::kAck) {
      EXPECT_TRUE(a_->md_unlink(MdHandle{cookie.load()}));
    }
    inside = false;
  };
  std::vector<std::byte> sink(8);
  Recorder received(bell_);
  target(*b_, memory(sink), received, kOpPut);
  const auto md = a_->md_bind(spec(memory(bytes), sent), UnlinkMode::kRetain);
  cookie = md->cookie;
  ASSERT_TRUE(a_->put(put(*md, id_b_, AckRequest::kAck)));
  ASSERT_TRUE(until([&] { return sent.ended(); }));
  EXPECT_FALSE(overlapped);
  stop_both();
}

TEST_P(TwoNodes, HandlersPlayPingPongOnTheThreadThatReadTheMessage) {  // spec/core-semantics.md 5.1
  constexpr unsigned kRounds = 500;
  std::vector<std::byte> ball_a(8), ball_b(8), court_a(8), court_b(8);
  Recorder in_a(bell_), in_b(bell_), out_a(bell_), out_b(bell_);
  const auto md_a = a_->md_bind(spec(memory(ball_a), out_a), UnlinkMode::kRetain);
  const auto md_b = b_->md_bind(spec(memory(ball_b), out_b), UnlinkMode::kRetain);
  in_b.then = [&](const Event& e) {
    if (e.type != EventType::kPut) return;
    EXPECT_TRUE(b_->put(put(*md_b, id_a_, AckRequest::kNoAck)));
  };
  std::atomic<unsigned> left{kRounds};
  in_a.then = [&](const Event& e) {
    if (e.type != EventType::kPut || --left == 0) return;
    EXPECT_TRUE(a_->put(put(*md_a, id_b_, AckRequest::kNoAck)));
  };
  target(*a_, memory(court_a), in_a, kOpPut | kManageRemote);
  target(*b_, memory(court_b), in_b, kOpPut | kManageRemote);
  ASSERT_TRUE(a_->put(put(*md_a, id_b_, AckRequest::kNoAck)));
  ASSERT_TRUE(until([&] { return in_a.count(EventType::kPut) == kRounds; }));
  EXPECT_EQ(in_b.count(EventType::kPut), kRounds);
  stop_both();
}

TEST_P(TwoNodes, HandlersThatKeepEachOtherBusyDoNotHoldTheCaller) {
  // Over loopback everything happens on the calling thread. If put() ran the handlers itself, it
  // would never return from this endless chain.
  std::vector<std::byte> ball(8), court(8);
  Recorder quiet(bell_);
  std::atomic<bool> enough{false};
  std::atomic<unsigned> rounds{0};
  struct Player : EventSink {
    void on_event(const Event& e) override { hit(e); }
    std::function<void(const Event&)> hit;
  } player, server;
  server.hit = [](const Event&) {};
  const ProcessId self{Nid::loopback(), Pid::lustre()};
  const auto md = a_->md_bind(spec(memory(ball), server), UnlinkMode::kRetain);
  player.hit = [&](const Event& e) {
    if (e.type != EventType::kPut || enough) return;
    ++rounds;
    EXPECT_TRUE(a_->put(put(*md, self, AckRequest::kNoAck)));
  };
  const MdHandle passive = target(*a_, memory(court), player, kOpPut | kManageRemote);
  ASSERT_TRUE(a_->put(put(*md, self, AckRequest::kNoAck)));
  for (unsigned seen = rounds; !polled() && rounds < seen + 1000;) std::this_thread::yield();
  enough = true;
  EXPECT_GT(rounds, 0u);
  EXPECT_TRUE(a_->md_unlink(passive));
  EXPECT_TRUE(a_->md_unlink(*md));
  stop_both();
}

TEST_P(TwoNodes, ARingUnlinksItselfWhenFullAndKeepsTheOrder) {  // spec/core-semantics.md 4.5
  constexpr unsigned kMessages = 200, kSize = 64;
  std::vector<std::byte> source(kSize), ring(kSize * 60 + kSize / 2);
  Recorder sent(bell_);
  std::atomic<unsigned> rings{0};
  Recorder received(bell_);
  const auto enter = [&] {
    ++rings;
    return target(*b_, memory(ring), received, kOpPut | kMaxSize, 1, UnlinkMode::kUnlink, kSize);
  };
  received.then = [&](const Event& e) {
    if (e.unlinked && e.type == EventType::kPut) enter();
  };
  ASSERT_TRUE(b_->set_lazy_portal(kPortal));
  enter();
  const auto md = a_->md_bind(spec(memory(source), sent), UnlinkMode::kRetain);
  for (unsigned i = 0; i < kMessages; ++i) {
    auto request = put(*md, id_b_, AckRequest::kNoAck);
    request.hdr_data = i;
    ASSERT_TRUE(a_->put(request));
  }
  ASSERT_TRUE(until([&] { return received.count(EventType::kPut) == kMessages; }));
  for (unsigned i = 0; i < kMessages; ++i) EXPECT_EQ(received.events[i].hdr_data, i);
  EXPECT_EQ(rings, 1 + kMessages / 60);
  stop_both();
}

TEST_P(TwoNodes, TimersRunAsHandlers) {
  std::atomic<int> code{0};
  std::atomic<bool> ran{false};
  a_->after(std::chrono::milliseconds(1), [&] {
    PingRequest request;
    request.target = id_b_;
    code = a_->ping(request).error().code;
    ran = true;
    const std::lock_guard lock(bell_.mutex);
    bell_.rung.notify_all();
  });
  ASSERT_TRUE(until([&] { return ran.load(); }));
  EXPECT_EQ(code, -EDEADLK);
}

TEST_P(TwoNodes, AnEventQueueIsPolledInEitherMode) {
  auto queue = *EventQueue::create(*a_, 16);
  std::vector<std::byte> bytes(100), sink(100);
  Recorder received(bell_);
  target(*b_, memory(sink), received, kOpPut);
  const auto md = a_->md_bind(spec(memory(bytes), *queue), UnlinkMode::kRetain);
  EXPECT_TRUE(queue->in_use());
  ASSERT_TRUE(a_->put(put(*md, id_b_, AckRequest::kAck)));
  unsigned acks = 0, sends = 0;
  EventQueue* one[] = {queue.get()};
  for (int i = 0; acks + sends < 2 && i < 60000; ++i) {
    Event e;
    std::size_t which = 0;
    if (polled()) b_->progress(std::chrono::nanoseconds(0));
    if (EventQueue::poll(one, std::chrono::milliseconds(1), e, which) != EventQueue::Got::kEvent)
      continue;
    acks += e.type == EventType::kAck;
    sends += e.type == EventType::kSend;
  }
  EXPECT_EQ(acks, 1u);
  EXPECT_EQ(sends, 1u);
  EXPECT_TRUE(a_->md_unlink(*md));
  Event e;
  EXPECT_EQ(queue->get(e), EventQueue::Got::kEvent);
  EXPECT_EQ(e.type, EventType::kUnlink);
  EXPECT_FALSE(queue->in_use());
  stop_both();
}

TEST_P(TwoNodes, DescriptorsUnlinkThemselvesAndWait) {
  auto source = pattern(5000, 1);
  std::vector<std::byte> sink(5000);
  std::atomic<unsigned> puts{0}, ends{0};
  {
    auto to = MemoryDescriptor::attach(*b_, {.portal = kPortal, .match = {5}}, std::span(sink),
                                       {.options = kOpPut}, [&](const Event& e) {
                                         puts += e.type == EventType::kPut;
                                         ends += e.unlinked;
                                         const std::lock_guard lock(bell_.mutex);
                                         bell_.rung.notify_all();
                                       });
    ASSERT_TRUE(to) << to.error().reason;
    auto from = MemoryDescriptor::bind(*a_, std::span(source), {},
                                       [&](const Event& e) { ends += e.unlinked; });
    ASSERT_TRUE(from) << from.error().reason;
    ASSERT_TRUE(a_->put(put(from->handle(), id_b_, AckRequest::kNoAck, 5)));
    ASSERT_TRUE(until([&] { return puts == 1; }));
  }
  EXPECT_EQ(ends, 2u);
  EXPECT_EQ(sink, source);
}

TEST_P(TwoNodes, UnlinkAndTrafficRaceFromManyThreads) {
  constexpr unsigned kRounds = 50;
  std::vector<std::byte> sink(64);
  Recorder received(bell_);
  target(*b_, memory(sink), received, kOpPut | kManageRemote);
  std::atomic<bool> done{false};
  std::thread poller([&] {
    while (polled() && !done) {
      b_->progress(std::chrono::microseconds(200));
      a_->progress(std::chrono::microseconds(200));
    }
  });
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&] {
      for (unsigned round = 0; round < kRounds; ++round) {
        std::vector<std::byte> bytes(64);
        std::atomic<unsigned> ends{0};
        std::atomic<int> inside{0};
        auto md = MemoryDescriptor::bind(*a_, std::span(bytes), {}, [&](const Event& e) {
          EXPECT_EQ(inside.fetch_add(1), 0);
          EXPECT_EQ(ends, 0u) << "nothing comes after the last event";
          ends += e.unlinked;
          inside.fetch_sub(1);
        });
        ASSERT_TRUE(md);
        for (int i = 0; i < 3; ++i)
          EXPECT_TRUE(a_->put(put(md->handle(), id_b_, AckRequest::kAck)));
        md->reset();
        EXPECT_EQ(ends, 1u);
      }
    });
  for (auto& thread : threads) thread.join();
  done = true;
  poller.join();
  stop_both();
}

// spec/core-semantics.md 4.6
TEST_P(ThreadedNodes, UnlinkingFromOutsideWaitsForTheRunningHandler) {
  std::vector<std::byte> bytes(8), sink(8);
  Recorder received(bell_);
  target(*b_, memory(sink), received, kOpPut);
  std::atomic<bool> entered{false}, release{false}, left{false};
  Recorder sent(bell_);
  sent.then = [&](const Event& e) {
    if (e.type != EventType::kAck) return;
    entered = true;
    entered.notify_all();
    release.wait(false);
    left = true;
  };
  const auto md = a_->md_bind(spec(memory(bytes), sent), UnlinkMode::kRetain);
  ASSERT_TRUE(a_->put(put(*md, id_b_, AckRequest::kAck)));
  entered.wait(false);
  std::thread unlinker([&] {
    EXPECT_TRUE(a_->md_unlink(*md));
    EXPECT_TRUE(left);
    const std::lock_guard lock(bell_.mutex);
    EXPECT_TRUE(sent.ended());
  });
  release = true;
  release.notify_all();
  unlinker.join();
  stop_both();
}

}  // namespace
}  // namespace ulnet::node

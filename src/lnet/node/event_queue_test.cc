#include "ulnet/event_queue.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <atomic>
#include <thread>
#include <vector>

namespace ulnet {
namespace {

/// An Lnet that knows only whether it is polled; its progress() calls a function of the test.
struct Fake : Lnet {
  Result<ProcessId> get_id(unsigned, bool) override { return fail(-ENOSYS); }
  Result<Distance> dist(const Nid&) override { return fail(-ENOSYS); }
  Result<MeHandle> me_attach(Portal, const ProcessId&, MatchBits, MatchBits, UnlinkMode,
                             InsertPosition) override {
    return fail(-ENOSYS);
  }
  Result<MdHandle> md_attach(MeHandle, const MdSpec&, UnlinkMode) override { return fail(-ENOSYS); }
  Result<MdHandle> md_bind(const MdSpec&, UnlinkMode) override { return fail(-ENOSYS); }
  Result<void> md_unlink(MdHandle) override { return {}; }
  Result<void> put(const PutRequest&) override { return {}; }
  Result<void> get(const GetRequest&) override { return {}; }
  Result<void> set_lazy_portal(Portal) override { return {}; }
  Result<void> clear_lazy_portal(Portal) override { return {}; }
  Result<PingReply> ping(const PingRequest&) override { return fail(-ENOSYS); }
  void after(std::chrono::nanoseconds, std::function<void()>) override {}
  Counters counters() override { return {}; }
  bool progress(std::chrono::nanoseconds) override {
    ++progressed;
    if (on_progress) on_progress();
    return true;
  }
  bool polled() const override { return inline_mode; }
  bool inline_mode = false;
  int progressed = 0;
  std::function<void()> on_progress;
  std::shared_ptr<Lifetime> lifetime() override { return life; }
  std::shared_ptr<Lifetime> life = std::make_shared<Lifetime>();
};

Event event(std::uint64_t sequence, bool unlinked = false) {
  Event e;
  e.sequence = sequence;
  e.unlinked = unlinked;
  return e;
}

using Got = EventQueue::Got;

TEST(EventQueue, NeedsASizeOrAHandler) {  // spec/core-semantics.md 5.1
  Fake lnet;
  EXPECT_EQ(EventQueue::create(lnet, 0).error().code, -EINVAL);
  EXPECT_TRUE(EventQueue::create(lnet, 1));
  EXPECT_TRUE(EventQueue::create(lnet, 0, [](const Event&) {}));
}

TEST(EventQueue, DestroyedInUseItEndsTheProgramWithASentence) {  // spec/core-semantics.md 5.1
  Fake lnet;
  auto queue = *EventQueue::create(lnet, 1);
  queue->md_added();
  EXPECT_DEATH(queue.reset(), "an EventQueue is destroyed while an MD names it");
  queue->md_refused();
}

TEST(EventQueue, GivesEventsInOrderThenNothing) {
  Fake lnet;
  auto queue = *EventQueue::create(lnet, 4);
  Event e;
  EXPECT_EQ(queue->get(e), Got::kNothing);
  for (std::uint64_t round = 0; round < 3; ++round) {  // over the ring's end
    for (std::uint64_t i = 0; i < 3; ++i) queue->on_event(event(round * 3 + i));
    for (std::uint64_t i = 0; i < 3; ++i) {
      EXPECT_EQ(queue->get(e), Got::kEvent);
      EXPECT_EQ(e.sequence, round * 3 + i);
    }
    EXPECT_EQ(queue->get(e), Got::kNothing);
  }
}

TEST(EventQueue, KeepsTheOldestWhenFullAndReportsEachLossOnce) {  // spec/core-semantics.md 5.1
  Fake lnet;
  auto queue = *EventQueue::create(lnet, 2);
  for (std::uint64_t i = 0; i < 5; ++i) queue->on_event(event(i));  // 2, 3 and 4 are lost
  Event e;
  EXPECT_EQ(queue->get(e), Got::kEvent);
  EXPECT_EQ(e.sequence, 0u);
  queue->on_event(event(5));
  EXPECT_EQ(queue->get(e), Got::kEvent);
  EXPECT_EQ(e.sequence, 1u);
  EXPECT_EQ(queue->get(e), Got::kEventAfterLoss);
  EXPECT_EQ(e.sequence, 5u);
  queue->on_event(event(6));
  EXPECT_EQ(queue->get(e), Got::kEvent);
}

TEST(EventQueue, AHandlerSeesEveryEventAlsoThoseThatTheQueueLost) {
  Fake lnet;
  int handled = 0;
  auto queue = *EventQueue::create(lnet, 1, [&](const Event&) { ++handled; });
  for (std::uint64_t i = 0; i < 3; ++i) queue->on_event(event(i));
  EXPECT_EQ(handled, 3);
  auto handler_only = *EventQueue::create(lnet, 0, [&](const Event&) { ++handled; });
  handler_only->on_event(event(9));
  EXPECT_EQ(handled, 4);
  Event e;
  EXPECT_EQ(handler_only->get(e), Got::kNothing);
}

TEST(EventQueue, IsInUseUntilTheLastEventOfEveryMd) {  // spec/core-semantics.md 5.1
  Fake lnet;
  auto queue = *EventQueue::create(lnet, 8);
  EXPECT_FALSE(queue->in_use());
  queue->md_added();
  queue->md_added();
  queue->md_refused();
  queue->on_event(event(1));
  EXPECT_TRUE(queue->in_use());
  queue->on_event(event(2, true));
  EXPECT_FALSE(queue->in_use());
}

TEST(EventQueue, IsNotInUseWhenACallFailsDuringWhichTheLnetWasDestroyed) {
  Fake lnet;
  auto queue = *EventQueue::create(lnet, 8);
  queue->md_added();    // md_bind() begins,
  lnet.life->end();     // a handler that runs in it destroys the Lnet,
  queue->md_refused();  // and md_bind() fails
  EXPECT_FALSE(queue->in_use());
}

TEST(EventQueue, AQueueMayBeDestroyedAfterItsLastEvent) {
  Fake lnet;
  std::atomic<EventQueue*> next{nullptr};
  std::atomic<bool> over{false};
  std::thread node([&] {
    for (; !over; std::this_thread::yield())
      if (EventQueue* queue = next.exchange(nullptr)) queue->on_event(event(1, true));
  });
  for (int i = 0; i < 5000; ++i) {
    auto queue = *EventQueue::create(lnet, 1);
    queue->md_added();
    next = queue.get();
    for (Event e; queue->get(e) != Got::kEvent;) std::this_thread::yield();
  }
  over = true;
  node.join();
}

TEST(EventQueue, PollLooksOnceWithTimeOutZeroAndSaysWhichQueue) {  // spec/core-semantics.md 5.1
  Fake lnet;
  auto one = *EventQueue::create(lnet, 2), two = *EventQueue::create(lnet, 2);
  EventQueue* both[] = {one.get(), two.get()};
  Event e;
  std::size_t which = 7;
  EXPECT_EQ(EventQueue::poll(both, std::chrono::nanoseconds(0), e, which), Got::kNothing);
  two->on_event(event(4));
  EXPECT_EQ(EventQueue::poll(both, std::chrono::nanoseconds(0), e, which), Got::kEvent);
  EXPECT_EQ(which, 1u);
  EXPECT_EQ(EventQueue::poll(both, std::chrono::milliseconds(1), e, which), Got::kNothing);
}

bool readable(int descriptor) {
  pollfd watched{descriptor, POLLIN, 0};
  return ::poll(&watched, 1, 0) == 1 && watched.revents == POLLIN;
}

TEST(EventQueue, ADescriptorIsReadableAsLongAsEventsWait) {
  Fake lnet;
  auto queue = *EventQueue::create(lnet, 2);
  const int descriptor = queue->descriptor().value();
  EXPECT_EQ(queue->descriptor().value(), descriptor) << "there is one";
  EXPECT_FALSE(readable(descriptor));
  Event e;
  for (int round = 0; round < 3; ++round) {
    for (std::uint64_t i = 0; i < 3; ++i) queue->on_event(event(i));  // the third is lost
    EXPECT_TRUE(readable(descriptor));
    EXPECT_TRUE(readable(descriptor)) << "until the events are fetched";
    queue->get(e);
    EXPECT_TRUE(readable(descriptor)) << "one is left";
    queue->get(e);
    EXPECT_FALSE(readable(descriptor));
    EXPECT_EQ(queue->get(e), Got::kNothing);
  }
  queue.reset();
  EXPECT_EQ(fcntl(descriptor, F_GETFD), -1) << "closed with the queue";
}

TEST(EventQueue, ALaterDescriptorIsReadableForWaitingEvents) {
  Fake lnet;
  auto queue = *EventQueue::create(lnet, 2);
  queue->on_event(event(0));
  EXPECT_TRUE(readable(queue->descriptor().value()));
}

TEST(EventQueue, ADescriptorStaysReadableWhenTheNodeIsGone) {
  Fake lnet;
  auto queue = *EventQueue::create(lnet, 2);
  const int descriptor = queue->descriptor().value();
  queue->on_event(event(0));
  lnet.life->end();
  Event e;
  EXPECT_EQ(queue->get(e), Got::kEvent);
  EXPECT_TRUE(readable(descriptor));
  EXPECT_EQ(queue->get(e), Got::kNodeGone);
  EXPECT_TRUE(readable(descriptor));
}

TEST(EventQueue, AQueueThatCannotWakeHasNoDescriptor) {
  Fake lnet;
  EXPECT_EQ((*EventQueue::create(lnet, 0, [](const Event&) {}))->descriptor().error().code,
            -EINVAL);
  lnet.inline_mode = true;
  EXPECT_EQ((*EventQueue::create(lnet, 1))->descriptor().error().code, -EOPNOTSUPP);
}

TEST(EventQueue, AWaitingThreadIsWokenByAnyOfItsQueues) {  // spec/core-semantics.md 5.1
  Fake lnet;
  auto one = *EventQueue::create(lnet, 2), two = *EventQueue::create(lnet, 2);
  std::atomic<int> got{0};
  std::thread waiter([&] {
    EventQueue* both[] = {one.get(), two.get()};
    Event e;
    std::size_t which = 0;
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(EventQueue::poll(both, EventQueue::kForever, e, which), Got::kEvent);
      EXPECT_EQ(which, e.sequence);
      ++got;
      got.notify_all();
    }
  });
  two->on_event(event(1));
  got.wait(0);
  one->on_event(event(0));
  waiter.join();
  EXPECT_EQ(got, 2);
}

TEST(EventQueue, ManyProducersAndConsumersLoseNothingThatFits) {
  Fake lnet;
  auto queue = *EventQueue::create(lnet, 4000);
  constexpr std::uint64_t kEach = 1000;
  std::atomic<std::uint64_t> sum{0}, taken{0};
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < 2; ++t)
    threads.emplace_back([&, t] {
      for (std::uint64_t i = 0; i < kEach; ++i) queue->on_event(event(t * kEach + i));
    });
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&] {
      Event e;
      for (std::uint64_t i = 0; i < kEach; ++i, ++taken) {
        EXPECT_EQ(queue->wait(e), Got::kEvent);
        sum += e.sequence;
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(taken, 2 * kEach);
  EXPECT_EQ(sum, (2 * kEach - 1) * kEach);
}

TEST(EventQueue, PollingDrivesTheDriversInInlineMode) {  // spec/core-semantics.md 5.1
  Fake lnet;
  lnet.inline_mode = true;
  auto queue = *EventQueue::create(lnet, 2);
  lnet.on_progress = [&] {
    if (lnet.progressed == 3) queue->on_event(event(11));
  };
  Event e;
  EXPECT_EQ(queue->wait(e), Got::kEvent);
  EXPECT_EQ(e.sequence, 11u);
  EXPECT_EQ(lnet.progressed, 3);
  lnet.progressed = 2;
  EventQueue* one[] = {queue.get()};
  std::size_t which = 0;
  EXPECT_EQ(EventQueue::poll(one, std::chrono::nanoseconds(0), e, which), Got::kEvent)
      << "a single look moves bytes too";
}

}  // namespace
}  // namespace ulnet

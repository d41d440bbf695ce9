// Handlers on nodes with several CPU partitions: handlers of different MDs run at the same time,
// handlers of one MD never do, and no lock is held while a handler runs. Source:
// spec/core-semantics.md 18.2, 18.3, DESIGN.md 3.
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "lnet/node/node_fixture.h"

namespace ulnet::node {
namespace {

class ManyPartitions : public TwoNodes {
 protected:
  ManyPartitions() { partitions_ = 4; }
  ProcessId self() const { return {Nid::loopback(), Pid::lustre()}; }
};
INSTANTIATE_TEST_SUITE_P(Modes, ManyPartitions, testing::Values(Mode::kShared, Mode::kDedicated),
                         mode_name);

TEST_P(ManyPartitions, HandlersOfTwoMdsOverlap) {  // spec/core-semantics.md 18.2
  std::vector<char> bytes(8);
  const iovec memory{bytes.data(), bytes.size()};
  std::mutex mutex;
  std::condition_variable changed;
  int inside = 0;
  const auto meet = [&](const Event&) {
    std::unique_lock lock(mutex);
    ++inside;
    changed.notify_all();
    EXPECT_TRUE(changed.wait_for(lock, std::chrono::minutes(1), [&] { return inside == 2; }));
  };
  Recorder one(bell_), two(bell_);
  one.then = two.then = meet;
  const MdHandle first = a_->md_bind(spec(memory, one), UnlinkMode::kRetain).value();
  const MdHandle second = a_->md_bind(spec(memory, two), UnlinkMode::kRetain).value();
  std::thread thread([&] { EXPECT_TRUE(a_->md_unlink(first)); });  // this thread runs the handler
  EXPECT_TRUE(a_->md_unlink(second));
  thread.join();
  EXPECT_TRUE(one.ended() && two.ended());
  stop_both();
}

// spec/core-semantics.md 18.2
TEST_P(ManyPartitions, HandlersOfOneMdNeverOverlapAndItsEventsKeepTheirOrder) {
  constexpr unsigned kThreads = 4, kEach = 200;
  std::vector<char> bytes(8), sink(bytes.size() * kThreads * kEach);
  const iovec memory{bytes.data(), bytes.size()};
  std::atomic<int> inside{0};
  Recorder received(bell_), sent(bell_);
  received.then = [&](const Event&) {
    EXPECT_EQ(++inside, 1);
    --inside;
  };
  // Each message lands at its own offset.
  target(*b_, {sink.data(), sink.size()}, received, kOpPut);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {  // from another node and by loopback, on different shards
      Node& from = t % 2 == 0 ? *a_ : *b_;
      const MdHandle md = from.md_bind(spec(memory, sent), UnlinkMode::kRetain).value();
      for (unsigned i = 0; i < kEach; ++i) {
        auto request = put(md, t % 2 == 0 ? id_b_ : self(), AckRequest::kNoAck);
        request.hdr_data = t << 16 | i;
        EXPECT_TRUE(from.put(request));
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_TRUE(until([&] { return received.count(EventType::kPut) == kThreads * kEach; }));
  stop_both();
  for (std::size_t i = 1; i < received.events.size(); ++i)
    EXPECT_LT(received.events[i - 1].sequence, received.events[i].sequence);
}

/// While a handler runs, another thread enters every shard and every driver.
TEST_P(ManyPartitions, NoLockIsHeldWhileAHandlerRuns) {
  std::vector<char> bytes(8), sink(8);
  const iovec memory{bytes.data(), bytes.size()};
  Recorder other(bell_), arrived(bell_), sent(bell_);
  const auto others_go_on = [&](Node& node, const ProcessId& there) {
    std::vector<std::promise<void>> done(8);  // threads are assigned to the CPUs in turn
    std::vector<std::thread> threads;
    for (auto& promise : done)
      threads.emplace_back([&node, &other, &promise, memory, there, this] {
        const MdHandle md = node.md_bind(spec(memory, other), UnlinkMode::kRetain).value();
        EXPECT_TRUE(node.put(put(md, self(), AckRequest::kNoAck, 99)));
        EXPECT_TRUE(node.put(put(md, there, AckRequest::kNoAck, 99)));
        EXPECT_TRUE(node.me_attach({kPortal.index + 1}, ProcessId{}, MatchBits{1}, MatchBits{1},
                                   UnlinkMode::kUnlink, InsertPosition::kLocal));
        EXPECT_GT(node.state().nis.size(), 1u);
        EXPECT_GT(node.counters().send_count, 0u);
        promise.set_value();
      });
    for (auto& promise : done)
      EXPECT_EQ(promise.get_future().wait_for(std::chrono::minutes(1)), std::future_status::ready);
    for (auto& thread : threads) thread.join();
  };
  sent.then = [&](const Event& e) {
    if (e.type == EventType::kSend) others_go_on(*a_, id_b_);  // on this thread
  };
  arrived.then = [&](const Event& e) {
    if (e.type == EventType::kPut) others_go_on(*b_, id_a_);  // on the thread that read the message
  };
  target(*b_, {sink.data(), sink.size()}, arrived, kOpPut | kManageRemote);
  const MdHandle md = a_->md_bind(spec(memory, sent), UnlinkMode::kRetain).value();
  EXPECT_TRUE(a_->put(put(md, id_b_, AckRequest::kNoAck)));
  EXPECT_TRUE(until(
      [&] { return sent.count(EventType::kSend) == 1 && arrived.count(EventType::kPut) == 1; }));
  stop_both();
}

}  // namespace
}  // namespace ulnet::node

// Operations that follow one another until the nodes meet nothing new, and the allocations during
// further ones.
#pragma once

#include <atomic>
#include <functional>

#include "counted_new.h"
#include "lnet/node/node_fixture.h"

namespace ulnet::node {

inline constexpr unsigned kUnderWay = 8;
inline constexpr unsigned kWarmUp = 4000, kMessages = 20000;
/// The allocations that nodes may sometimes make while kMessages messages pass, for example when a
/// table grows once more. If each message allocated, the count would be kMessages or more.
inline constexpr std::size_t kOccasionalAllocations = kMessages / 500;

/// Starts the operation again whenever one has ended, until `count` have.
class Loop : public EventSink {
 public:
  explicit Loop(Bell& bell) : bell_(bell) {}
  /// Keeps kUnderWay operations under way, `count` in all. Each ends with the event `end`.
  void start(unsigned count, EventType end, std::function<void()> operation) {
    operation_ = std::move(operation);
    end_ = end;
    ended_ = 0;
    to_begin_ = static_cast<int>(count);
    count_ = count;
    for (unsigned i = 0; i < kUnderWay; ++i) next();
  }
  bool over() const { return ended_ == count_; }
  void on_event(const Event& event) override {
    EXPECT_EQ(event.status, 0);
    if (event.type != end_) return;
    next();
    if (++ended_ != count_) return;
    const std::lock_guard lock(bell_.mutex);
    bell_.rung.notify_all();
  }

 private:
  void next() {
    if (to_begin_.fetch_sub(1) > 0) operation_();
  }

  Bell& bell_;
  std::atomic<EventType> end_{EventType::kAck};
  std::function<void()> operation_;
  std::atomic<int> to_begin_{0};
  std::atomic<unsigned> ended_{0}, count_{0};
};

class Quiet : public EventSink {
 public:
  void on_event(const Event&) override {}
};

/// Runs `count` operations. Polls these nodes, or sleeps if the list is empty.
inline void run(Loop& loop, Bell& bell, const std::vector<Node*>& polled, unsigned count,
                EventType end_of_each, const std::function<void()>& operation) {
  loop.start(count, end_of_each, operation);
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  if (polled.empty()) {
    std::unique_lock lock(bell.mutex);
    ASSERT_TRUE(bell.rung.wait_until(lock, end, [&] { return loop.over(); }));
  }
  while (!loop.over()) {
    ASSERT_LT(std::chrono::steady_clock::now(), end);
    for (Node* node : polled) node->progress(std::chrono::microseconds(0));
  }
}

/// The number of allocations during kMessages operations, after kWarmUp others.
inline std::size_t allocated(Loop& loop, Bell& bell, const std::vector<Node*>& polled,
                             EventType end_of_each, const std::function<void()>& operation) {
  run(loop, bell, polled, kWarmUp, end_of_each, operation);
  const std::size_t before = allocations();
  run(loop, bell, polled, kMessages, end_of_each, operation);
  return allocations() - before;
}

}  // namespace ulnet::node

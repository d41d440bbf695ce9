#include "lnet/node/runtime/strands.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "lnet/node/runtime/outer_loop.h"

namespace ulnet::node {
namespace {

struct Recorder : EventSink {
  void on_event(const Event& event) override {
    seen.push_back(event.sequence);
    if (then) then(event);
  }
  std::vector<std::uint64_t> seen;
  std::function<void(const Event&)> then;
};

core::Post post(std::uint64_t md, EventSink& sink, std::uint64_t sequence) {
  core::Post p;
  p.strand = MdHandle{md};
  p.sink = &sink;
  p.event.sequence = sequence;
  return p;
}

void append(Strands& strands, core::Post p) {
  if (Strand* strand = strands.append(std::move(p))) OuterLoop::current().defer_run(*strand);
}

/// A host that takes over no work.
struct NoHost : DeferredWork {
  void run_deferred(Kinds) override {}
  bool take_over(Strand*, Kinds) override { return false; }
} no_host;

/// A host that takes over every run.
struct Taker : DeferredWork {
  void run_deferred(Kinds) override {}
  bool take_over(Strand* strand, Kinds) override {
    taken_over.push_back(strand);
    return true;
  }
  std::vector<Strand*> taken_over;
};

TEST(Strands, EventsOfOneMdComeInTheirOrder) {
  Strands strands(no_host);
  Recorder one, two;
  for (std::uint64_t i = 0; i < 200; ++i) {  // more than one turn handles
    append(strands, post(7, one, i));
    append(strands, post(8, two, i + 1000));
  }
  EXPECT_TRUE(one.seen.empty()) << "nothing runs before the loop does";
  OuterLoop::current().run();
  ASSERT_EQ(one.seen.size(), 200u);
  ASSERT_EQ(two.seen.size(), 200u);
  for (std::uint64_t i = 0; i < 200; ++i) {
    EXPECT_EQ(one.seen[i], i);
    EXPECT_EQ(two.seen[i], i + 1000);
  }
  EXPECT_TRUE(strands.at_rest(7));
}

TEST(Strands, EventsPostedByAHandlerDoNotRecurse) {
  Strands strands(no_host);
  Recorder pong;
  int depth = 0, deepest = 0;
  Recorder ping;
  ping.then = [&](const Event& e) {
    deepest = std::max(deepest, ++depth);
    if (e.sequence < 1000) append(strands, post(1, ping, e.sequence + 1));
    OuterLoop::current().run();  // as at the end of every call of the API
    --depth;
  };
  append(strands, post(1, ping, 0));
  OuterLoop::current().run();
  EXPECT_EQ(ping.seen.size(), 1001u);
  EXPECT_EQ(deepest, 1);
}

TEST(Strands, ALoopThatNeverEndsIsHandedOver) {
  Taker host;
  Strands strands(host);
  Recorder ping;
  bool enough = false;
  ping.then = [&](const Event& e) {
    if (!enough) append(strands, post(1, ping, e.sequence + 1));
  };
  append(strands, post(1, ping, 0));
  OuterLoop::current().run();
  ASSERT_EQ(host.taken_over.size(), 1u);
  EXPECT_FALSE(strands.at_rest(1));
  enough = true;
  OuterLoop::current().defer_run(*host.taken_over.front());
  OuterLoop::current().run();
  EXPECT_TRUE(strands.at_rest(1));
}

TEST(Strands, ManyMdsAtOnceFindTheirOwnEvents) {
  Strands strands(no_host);
  std::vector<Recorder> sinks(1000);
  for (std::uint64_t round = 0; round < 3; ++round)
    for (std::uint64_t md = 0; md < sinks.size(); ++md)
      append(strands, post(md << 32 | 5, sinks[md], round));
  OuterLoop::current().run();
  for (const Recorder& sink : sinks) EXPECT_EQ(sink.seen, (std::vector<std::uint64_t>{0, 1, 2}));
}

TEST(Strands, HandlersOfOneMdNeverOverlapAcrossThreads) {  // spec/core-semantics.md 4.6, 18.2
  Strands strands(no_host);
  std::mutex token;  // stands for the run token: it orders the appends
  std::uint64_t sequence = 0;
  std::atomic<int> inside{0};
  std::atomic<std::uint64_t> count{0};
  // Plain, not atomic: the test checks that only one handler at a time touches it.
  std::uint64_t last = 0;
  Recorder sink;
  sink.then = [&](const Event& e) {
    EXPECT_EQ(inside.fetch_add(1), 0);
    EXPECT_EQ(e.sequence, ++last);
    inside.fetch_sub(1);
    count.fetch_add(1);
  };
  constexpr std::uint64_t kEach = 5000;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (std::uint64_t i = 0; i < kEach; ++i) {
        {
          const std::lock_guard lock(token);
          append(strands, post(3, sink, ++sequence));
        }
        OuterLoop::current().run();
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(count.load(), 4 * kEach);
}

TEST(Strands, WaitingReturnsWhenTheRunningHandlerHas) {
  Strands strands(no_host);
  std::atomic<bool> entered{false}, release{false}, left{false};
  Recorder sink;
  sink.then = [&](const Event&) {
    entered = true;
    entered.notify_all();
    release.wait(false);
    left = true;
  };
  std::thread runner([&] {
    append(strands, post(9, sink, 1));
    OuterLoop::current().run();
  });
  entered.wait(false);
  EXPECT_FALSE(strands.at_rest(9));
  std::thread waiter([&] {
    strands.wait_until_at_rest(9);
    EXPECT_TRUE(left.load());
  });
  release = true;
  release.notify_all();
  waiter.join();
  runner.join();
  EXPECT_TRUE(strands.at_rest(9));
}

TEST(Strands, AnMdWithoutASinkIsSkipped) {
  Strands strands(no_host);
  core::Post p;
  p.strand = MdHandle{4};
  append(strands, std::move(p));
  OuterLoop::current().run();
  EXPECT_TRUE(strands.at_rest(4));
}

}  // namespace
}  // namespace ulnet::node

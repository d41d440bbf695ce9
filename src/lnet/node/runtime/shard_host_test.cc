// The host around one shard. Source: DESIGN.md 3.
#include "lnet/node/runtime/shard_host.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "lnet/node/runtime/host_fixture.h"

namespace ulnet::node {
namespace {

TEST_F(Hosted, ACallIsFlushedAndItsEventsDeliveredBeforeItReturns) {
  SeenEvents sink;
  const MdHandle md = bind(sink);
  put(md, 7);
  EXPECT_EQ(driver_.sent, std::vector<std::uint64_t>{7});
  ASSERT_EQ(sink.seen.size(), 1u);
  EXPECT_EQ(sink.seen[0].type, EventType::kSend);
}

TEST_F(Hosted, HandlersDoNotRunInsideDeliverButAfterTheBatch) {
  SeenEvents sink;
  const MdHandle md = bind(sink);
  driver_.ends = false;
  put(md, 1);
  put(md, 2);
  driver_.ends = true;
  std::thread reactor([&] {
    driver_.flush();  // delivers two SendDone on this thread, which runs no loop
    EXPECT_TRUE(sink.seen.empty());
    hosts_.after_batch();
    EXPECT_EQ(sink.seen.size(), 2u);
  });
  reactor.join();
}

TEST_F(Hosted, CallsFromHandlersShareOneFlush) {
  SeenEvents sink;
  const MdHandle md = bind(sink);
  driver_.ends = false;
  for (std::uint64_t i = 0; i < 10; ++i) put(md, i);
  driver_.ends = true;
  sink.then = [&](const Event& e) {
    if (e.hdr_data < 10) put(md, e.hdr_data + 10);
  };
  const unsigned before = driver_.flushes;
  std::thread reactor([&] {
    driver_.flush();
    hosts_.after_batch();
  });
  reactor.join();
  EXPECT_EQ(driver_.sent.size(), 20u);
  EXPECT_LE(driver_.flushes - before, 4u) << "ten answers did not take ten flushes";
}

// Counted from when the call began to when the driver reports the end: both may come in one batch,
// which reads the clock once for everything else.
TEST_F(Hosted, TheTimeThatADriverTakesForAPutIsMeasuredWithinABatchToo) {
  SeenEvents sink;
  const MdHandle md = bind(sink);
  OuterLoop::current().run_as_handler([&] {
    put(md, 1);
    driver_.flush();
  });
  core::ApiCall call{core::call::Show{}};
  hosts_.call(call);
  const auto& egress = std::get<core::call::Show>(call.body).nis.at(0).stats.traffic.put_egress;
  EXPECT_EQ(egress.samples, 1U);
  EXPECT_GT(egress.min_nsec, 1U);
}

// spec/core-semantics.md 6.6
TEST_F(Hosted, TwoThreadsSwapNeitherTheMessagesOfAPeerNorTheEventsOfAnMd) {
  SeenEvents sink;
  const MdHandle md = bind(sink);
  constexpr std::uint64_t kEach = 3000;
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < 3; ++t)
    threads.emplace_back([&, t] {
      for (std::uint64_t i = 0; i < kEach; ++i) put(md, t << 32 | i);
    });
  for (auto& thread : threads) thread.join();
  hosts_.host(0).strands().wait_until_all_at_rest();
  ASSERT_EQ(driver_.sent.size(), 3 * kEach);
  ASSERT_EQ(sink.seen.size(), 3 * kEach);
  std::uint64_t next[3] = {};
  for (const std::uint64_t hdr_data : driver_.sent)
    EXPECT_EQ(hdr_data & 0xffffffff, next[hdr_data >> 32]++);
  for (std::size_t i = 1; i < sink.seen.size(); ++i)
    EXPECT_LT(sink.seen[i - 1].sequence, sink.seen[i].sequence);
}

// A thread that waited for the end of a discovery asks for its last steps at once.
TEST_F(Hosted, NotesOfAStepAreLoggedBeforeItsWaitersEnd) {
  Waiter waiter;
  std::vector<std::string> said;
  on_note_ = [&](const core::Note& note) {
    EXPECT_FALSE(waiter.ended) << note.text;
    said.push_back(note.text);
  };
  waiter.ticket = 7;
  core::ApiCall call{core::call::Discover{Nid::parse("10.0.0.1@tcp9").value(), false, 7}};
  hosts_.call(call, waiter);
  EXPECT_EQ(call.status, 0) << call.reason;
  EXPECT_TRUE(waiter.ended) << "nobody has a NID on that net";
  EXPECT_FALSE(said.empty());
}

}  // namespace
}  // namespace ulnet::node

// The host around a real shard, with a driver that does only what a test says. Source: DESIGN.md 3.
#include "node/shard_host.h"

#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <thread>
#include <vector>

#include "core/config.h"

namespace ulnet::node {
namespace {

constexpr core::NiId kNi{1};
const Nid kHere = Nid::small({NetType::kTcp, 0}, 0x7f000001);
const Nid kThere = Nid::small({NetType::kTcp, 0}, 0x7f000002);

/// Keeps what is submitted; flush() ends every Send.
class EndingLnd : public lnd::Lnd {
 public:
  explicit EndingLnd(lnd::Inlet& inlet) : inlet_(inlet) {}
  Result<lnd::NiStarted> start_ni(const lnd::NiSpec&) override { return lnd::NiStarted{}; }
  void stop_ni(core::NiId) override {}
  void submit(lnd::Command&& command) override {
    const std::lock_guard lock(mutex_);
    if (const auto* send = std::get_if<core::Send>(&command)) {
      sent.push_back(std::get<wire::PutPart>(send->header.part).hdr_data);
      open_.push_back(send->tx);
    }
  }
  void flush() override {
    ++flushes;
    std::unique_lock lock(mutex_);
    if (!ends) return;
    while (!open_.empty()) {
      const core::MsgTicket tx = open_.front();
      open_.pop_front();
      lock.unlock();
      inlet_.deliver(core::Input(core::SendDone{tx}));
      lock.lock();
    }
  }
  bool progress(Duration) override { return false; }

  std::vector<std::uint64_t> sent;  // hdr_data, in the order submitted
  std::atomic<unsigned> flushes{0};
  bool ends = true;

 private:
  lnd::Inlet& inlet_;
  std::mutex mutex_;
  std::deque<core::MsgTicket> open_;
};

struct Recorder : EventSink {
  void on_event(const Event& event) override {
    seen.push_back(event);
    if (then) then(event);
  }
  std::vector<Event> seen;
  std::function<void(const Event&)> then;
};

class Hosted : public testing::Test {
 protected:
  Hosted() {
    keeper_.start([this] { host_.tick(); }, false);
    host_.bind_ni(kNi, host_.add_driver(driver_));
    auto config = std::make_shared<core::NodeConfig>();
    config->generation = 1;
    core::NiConfig ni;
    ni.id = kNi;
    ni.nid = kHere;
    ni.tunables.credits = ni.tunables.peer_credits = 1 << 20;
    config->nis.push_back(ni);
    config->globals.discovery = 0;
    host_.step(core::Input(core::Config{std::move(config)}));
  }
  MdHandle bind(EventSink& sink) {
    const iovec memory{bytes_, sizeof bytes_};
    core::ApiCall call;
    call.body.emplace<core::call::MdBind>();
    auto& body = std::get<core::call::MdBind>(call.body);
    body.spec.fragments = std::span(&memory, 1);
    body.spec.sink = &sink;
    host_.call(call);
    EXPECT_EQ(call.status, 0) << call.reason;
    return body.md;
  }
  void put(MdHandle md, std::uint64_t hdr_data) {
    core::ApiCall call;
    call.body.emplace<core::call::Put>();
    PutRequest& request = std::get<core::call::Put>(call.body).request;
    request.md = md;
    request.target = {kThere, Pid::lustre()};
    request.hdr_data = hdr_data;
    host_.call(call);
    EXPECT_EQ(call.status, 0) << call.reason;
  }

  char bytes_[64] = {};
  core::Shard shard_{0, Rng(1)};
  Timekeeper keeper_;
  ShardHost host_{shard_, keeper_, {}};
  EndingLnd driver_{host_};
};

TEST_F(Hosted, ACallIsFlushedAndItsEventsDeliveredBeforeItReturns) {
  Recorder sink;
  const MdHandle md = bind(sink);
  put(md, 7);
  EXPECT_EQ(driver_.sent, std::vector<std::uint64_t>{7});
  ASSERT_EQ(sink.seen.size(), 1u);
  EXPECT_EQ(sink.seen[0].type, EventType::kSend);
}

TEST_F(Hosted, HandlersDoNotRunInsideDeliverButAfterTheBatch) {
  Recorder sink;
  const MdHandle md = bind(sink);
  driver_.ends = false;
  put(md, 1);
  put(md, 2);
  driver_.ends = true;
  std::thread reactor([&] {
    driver_.flush();  // delivers two SendDone on this thread, which runs no loop
    EXPECT_TRUE(sink.seen.empty());
    host_.after_batch();
    EXPECT_EQ(sink.seen.size(), 2u);
  });
  reactor.join();
}

TEST_F(Hosted, CallsFromHandlersShareOneFlush) {
  Recorder sink;
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
    host_.after_batch();
  });
  reactor.join();
  EXPECT_EQ(driver_.sent.size(), 20u);
  EXPECT_LE(driver_.flushes - before, 4u) << "ten answers did not take ten flushes";
}

TEST_F(Hosted, TwoThreadsSwapNeitherTheMessagesOfAPeerNorTheEventsOfAnMd) {
  Recorder sink;
  const MdHandle md = bind(sink);
  constexpr std::uint64_t kEach = 3000;
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < 3; ++t)
    threads.emplace_back([&, t] {
      for (std::uint64_t i = 0; i < kEach; ++i) put(md, t << 32 | i);
    });
  for (auto& thread : threads) thread.join();
  host_.strands().wait_until_all_at_rest();
  ASSERT_EQ(driver_.sent.size(), 3 * kEach);
  ASSERT_EQ(sink.seen.size(), 3 * kEach);
  std::uint64_t next[3] = {};
  for (const std::uint64_t hdr_data : driver_.sent)
    EXPECT_EQ(hdr_data & 0xffffffff, next[hdr_data >> 32]++);
  for (std::size_t i = 1; i < sink.seen.size(); ++i)
    EXPECT_LT(sink.seen[i - 1].sequence, sink.seen[i].sequence);
}

}  // namespace
}  // namespace ulnet::node

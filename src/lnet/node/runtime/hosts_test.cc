// The hosts of several shards: which shards get a call, how inter-shard messages travel, and that
// no run token is held while drivers and handlers are called. Source: DESIGN.md 3.
#include "lnet/node/runtime/hosts.h"

#include <gtest/gtest.h>

#include <array>
#include <condition_variable>
#include <map>
#include <thread>
#include <vector>

#include "lnet/core/contract/cookie.h"
#include "lnet/node/runtime/host_fixture.h"

namespace ulnet::node {
namespace {

constexpr std::uint32_t kShards = 3;

class ThreeHosts : public Hosted {
 protected:
  explicit ThreeHosts(bool own_threads = false) : Hosted(kShards, own_threads) {}

  MdHandle bind_on(std::uint32_t shard, EventSink& sink, UnlinkMode unlink = UnlinkMode::kRetain) {
    cpu = shard;
    const MdHandle md = bind(sink, unlink);
    EXPECT_EQ(core::shard_of_cookie(md.cookie), shard);
    return md;
  }
};

/// Keeps another thread inside that shard as long as this object exists.
class Occupied {
 public:
  explicit Occupied(ShardHost& host)
      : thread_([this, &host] {
          host.enter([this](core::Shard&, Instant, core::Actions&) {
            std::unique_lock lock(mutex_);
            inside_ = true;
            changed_.notify_all();
            changed_.wait(lock, [this] { return leave_; });
          });
        }) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return inside_; });
  }
  ~Occupied() {
    {
      const std::lock_guard lock(mutex_);
      leave_ = true;
      changed_.notify_all();
    }
    thread_.join();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool inside_ = false, leave_ = false;
  std::thread thread_;
};

TEST_F(ThreeHosts, AnMdIsOnItsCallersPartitionAndMessagesOnTheirPeers) {
  for (std::uint32_t shard = 0; shard < kShards; ++shard)
    for (std::uint32_t peers = 0; peers < kShards; ++peers) {
      SeenEvents sink;
      const MdHandle md = bind_on(shard, sink);
      put(md, 7, peer_on(peers));
      EXPECT_EQ(driver_.hops.back(), peer_on(peers));
      ASSERT_EQ(sink.seen.size(), 1u) << "delivered before the call returns";
      EXPECT_EQ(sink.seen[0].type, EventType::kSend);
    }
  EXPECT_TRUE(hosts_.idle());
}

// spec/core-semantics.md 3
TEST_F(ThreeHosts, AWildcardEntryIsOnTheCallersPartitionOnlyWithLocal) {
  const auto attach = [&](InsertPosition position, std::uint32_t from) {
    cpu = from;
    core::ApiCall call{core::call::MeAttach{
        {7}, ProcessId{}, MatchBits{1}, MatchBits{1}, UnlinkMode::kUnlink, position}};
    hosts_.call(call);
    EXPECT_EQ(call.status, 0) << call.reason;
    return core::shard_of_cookie(std::get<core::call::MeAttach>(call.body).me.cookie);
  };
  for (std::uint32_t from = 0; from < kShards; ++from) {
    EXPECT_EQ(attach(InsertPosition::kLocal, from), from);
    EXPECT_EQ(attach(InsertPosition::kAfter, from), 7 % kShards);
  }
}

TEST_F(ThreeHosts, TheHolderOfTheTokenReadsShardMsgsPostedMeanwhile) {
  SeenEvents sink;
  const MdHandle md = bind_on(0, sink);
  {
    const Occupied occupied(hosts_.host(1));
    for (std::uint64_t i = 0; i < 1000; ++i) put(md, i, peer_on(1));  // no call waits for the token
    EXPECT_EQ(driver_.submitted(), 0u);
    EXPECT_FALSE(hosts_.idle());
    put(md, 1000, peer_on(2));
    EXPECT_EQ(driver_.submitted(), 1u) << "other shards go on";
  }
  ASSERT_EQ(driver_.sent.size(), 1001u) << "before the other thread is done";
  for (std::uint64_t i = 0; i < 1000; ++i) EXPECT_EQ(driver_.sent[i + 1], i);
  hosts_.wait_until_idle();
  EXPECT_EQ(sink.seen.size(), 1001u);
}

/// More shards than a word has bits, so that some senders share a bit of senders_
/// (lnet/node/runtime/shard_host.h).
class ManyHosts : public Hosted {
 protected:
  ManyHosts() : Hosted(200) {}
};

TEST_F(ManyHosts, ShardMsgsOfAllSendersAreRead) {  // spec/core-semantics.md 1
  constexpr std::uint32_t kReader = 5;
  constexpr std::uint64_t kEach = 100;
  std::vector<std::unique_ptr<SeenEvents>> sinks;
  {
    const Occupied occupied(hosts_.host(kReader));
    for (const std::uint32_t sender : {1U, 65U, 129U, 193U, 64U, 0U}) {
      cpu = sender;
      const MdHandle md = bind(*sinks.emplace_back(std::make_unique<SeenEvents>()));
      for (std::uint64_t i = 0; i < kEach; ++i) put(md, sender << 16 | i, peer_on(kReader));
    }
    EXPECT_EQ(driver_.submitted(), 0U);
  }
  hosts_.wait_until_idle();
  std::map<std::uint64_t, std::uint64_t> next;  // by sender
  for (const std::uint64_t sent : driver_.sent) EXPECT_EQ(next[sent >> 16]++, sent & 0xffff);
  for (const auto& [sender, count] : next) EXPECT_EQ(count, kEach) << sender;
  EXPECT_EQ(next.size(), 6U);
  for (const auto& sink : sinks) EXPECT_EQ(sink->seen.size(), kEach);
}

TEST_F(ThreeHosts, AnAnswerToABusySenderArrives) {
  SeenEvents sink;
  const MdHandle md = bind_on(0, sink);
  driver_.ends = false;
  put(md, 1, peer_on(2));
  driver_.ends = true;
  {
    const Occupied occupied(hosts_.host(0));
    driver_.flush();  // SendDone on shard 2, which sends a message to shard 0
    hosts_.after_batch();
    EXPECT_TRUE(sink.seen.empty());
  }
  ASSERT_EQ(sink.seen.size(), 1u);
}

TEST_F(ThreeHosts, HandlersCallBackIntoEveryShard) {
  std::array<SeenEvents, kShards> sinks;
  std::array<MdHandle, kShards> mds;
  for (std::uint32_t shard = 0; shard < kShards; ++shard) mds[shard] = bind_on(shard, sinks[shard]);
  constexpr std::uint64_t kRounds = 30;  // few enough that this thread does them all itself
  for (std::uint32_t shard = 0; shard < kShards; ++shard)
    sinks[shard].then = [&, shard](const Event& e) {
      if (e.hdr_data < kRounds)
        put(mds[(shard + 1) % kShards], e.hdr_data + 1, peer_on((shard + e.hdr_data) % kShards));
    };
  put(mds[0], 0, peer_on(1));
  hosts_.wait_until_idle();
  std::size_t events = 0;
  for (const SeenEvents& sink : sinks) events += sink.seen.size();
  EXPECT_EQ(events, kRounds + 1);
}

TEST_F(ThreeHosts, AnNiIsDrainedWhenEveryShardSaysSo) {
  SeenEvents sink;
  const MdHandle md = bind_on(0, sink);
  driver_.ends = false;
  put(md, 1, peer_on(2));
  configure(false);
  EXPECT_FALSE(hosts_.waiting().wait_drained(kNi, now())) << "one shard has a message in flight";
  driver_.ends = true;
  driver_.flush();
  hosts_.after_batch();
  EXPECT_TRUE(hosts_.waiting().wait_drained(kNi, now()));
  EXPECT_EQ(sink.seen.size(), 1u);
}

TEST_F(ThreeHosts, TheNumbersOfAllShardsAreOne) {
  SeenEvents sink;
  for (std::uint32_t shard = 0; shard < kShards; ++shard)
    put(bind_on(shard, sink), 1, peer_on(shard));
  core::ApiCall call{core::call::GetCounters{}};
  hosts_.call(call);
  EXPECT_EQ(std::get<core::call::GetCounters>(call.body).statistics.send_count, kShards);
}

/// When work waits too long for a busy thread, one of the node's threads does it.
class BusyHosts : public ThreeHosts {
 protected:
  BusyHosts() : ThreeHosts(true) {}
};

TEST_F(BusyHosts, ThreadsOnAllPartitionsLoseNothingAndSwapNothing) {
  constexpr std::uint64_t kThreads = 4, kEach = 2000;
  std::array<SeenEvents, kThreads> sinks;
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      const MdHandle md = bind_on(static_cast<std::uint32_t>(t % kShards), sinks[t]);
      for (std::uint64_t i = 0; i < kEach; ++i) put(md, t << 32 | i, peer_on(i % kShards));
    });
  for (auto& thread : threads) thread.join();
  for (const SeenEvents& sink : sinks)
    while (sink.count < kEach) std::this_thread::yield();
  hosts_.wait_until_idle();
  hosts_.stop();
  ASSERT_EQ(driver_.sent.size(), kThreads * kEach);
  std::map<std::pair<std::uint64_t, Nid>, std::uint64_t> last;
  for (std::size_t i = 0; i < driver_.sent.size(); ++i) {
    std::uint64_t& before = last[{driver_.sent[i] >> 32, driver_.hops[i]}];
    const std::uint64_t number = (driver_.sent[i] & 0xffffffff) + 1;
    EXPECT_LT(before, number) << "of one MD to one peer";
    before = number;
  }
  for (const SeenEvents& sink : sinks) {
    ASSERT_EQ(sink.seen.size(), kEach);
    for (std::size_t i = 1; i < sink.seen.size(); ++i)
      EXPECT_LT(sink.seen[i - 1].sequence, sink.seen[i].sequence);
  }
}

TEST_F(ThreeHosts, NoThreadHoldsTwoTokens) {
  EXPECT_DEATH(hosts_.host(0).enter([&](core::Shard&, Instant, core::Actions&) {
    hosts_.host(1).enter([](core::Shard&, Instant, core::Actions&) {});
  }),
               "inside_");
}

// ---- dedicated mode: each shard has its own thread ----------------------------------------------

TEST(DedicatedHosts, TheThreadOfAShardReadsItsShardMsgs) {
  std::string warning;
  const Partitions partitions =
      Partitions::make(Mode::kDedicated, "", 2, {"core:2 pu:1", [] { return 0U; }}, warning)
          .value();
  Hosts hosts(partitions, {});
  struct Recording : EndingLnd {
    using EndingLnd::EndingLnd;
    void submit(lnd::Command&& command) override {
      {
        const std::lock_guard lock(mutex);
        by = std::this_thread::get_id();
        submitted.notify_all();
      }
      EndingLnd::submit(std::move(command));
    }
    std::mutex mutex;
    std::condition_variable submitted;
    std::thread::id by;
  } driver(hosts);
  std::array<std::thread::id, 2> threads;
  std::atomic<int> began{0};
  hosts.start(true, [&](std::uint32_t shard) {
    threads[shard] = std::this_thread::get_id();
    ++began;
  });
  hosts.bind_ni({1}, hosts.add_driver(driver));
  auto config = std::make_shared<core::NodeConfig>();
  config->generation = 1;
  config->shards = 2;
  core::NiConfig ni;
  ni.id = {1};
  ni.nid = Nid::small({NetType::kTcp, 0}, 0x7f000001);
  config->nis.push_back(ni);
  hosts.configure(config);
  Nid far = ni.nid;
  for (std::uint32_t host = 2; cpt::cpt_of_nid(far, 2) != 1; ++host)
    far = Nid::small({NetType::kTcp, 0}, 0x7f000000 + host);

  SeenEvents sink;
  core::ApiCall bind{core::call::MdBind{}};
  std::get<core::call::MdBind>(bind.body).spec.sink = &sink;
  hosts.call(bind);
  PutRequest request;
  request.md = std::get<core::call::MdBind>(bind.body).md;
  request.target = {far, Pid::lustre()};
  core::ApiCall put{core::call::Put{request}};
  hosts.call(put);
  {
    std::unique_lock lock(driver.mutex);
    driver.submitted.wait(lock, [&] { return driver.by != std::thread::id{}; });
  }
  while (sink.count == 0) std::this_thread::yield();
  hosts.stop();
  EXPECT_EQ(began, 2);
  EXPECT_EQ(driver.by, threads[1]);
  EXPECT_EQ(sink.seen.size(), 1u);

  // The shard's thread has ended, so the thread that writes an inter-shard message also reads it.
  hosts.call(put);
  EXPECT_EQ(driver.by, std::this_thread::get_id());
  EXPECT_EQ(sink.seen.size(), 2u);
}

}  // namespace
}  // namespace ulnet::node

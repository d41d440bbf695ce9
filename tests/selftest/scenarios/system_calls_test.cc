// The number of system calls that the TCP driver makes for a small RPC while one is under way, by
// the driver's own counters. Source: DESIGN.md 3.
#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <map>

#include "lnet/node/node_fixture.h"
#include "selftest/host/selftest_host.h"

namespace ulnet::node {
namespace {

using std::chrono::seconds;
using svc::selftest::RpcReply;
using svc::selftest::Selftest;
using Counts = std::map<std::string, std::uint64_t>;

constexpr std::uint64_t kWarmUp = 200, kRpcs = 4000;
/// System calls that come with time instead of with messages, and those for reading the counters.
constexpr std::uint64_t kOther = kRpcs / 50;

class SystemCalls : public TwoNodes {
 protected:
  void SetUp() override {
    TwoNodes::SetUp();
    for (Node* node : {a_.get(), b_.get()}) hosts_.emplace_back(*node);
    for (SelftestHost& host : hosts_) ASSERT_TRUE(host.start());
  }
  void TearDown() override {
    for (SelftestHost& host : hosts_) EXPECT_TRUE(host.stop(seconds(30)));
    TwoNodes::TearDown();
  }

  void wait_by(const std::string& how) {
    for (Node* node : {a_.get(), b_.get()}) ASSERT_TRUE(node->change(SetParams{{{"wait", how}}}));
  }
  /// `a` pings `b`, `count` times in all; each answer starts the next ping.
  void ping(std::uint64_t count) {
    left_ = count;
    hosts_.front().run([&](Selftest& selftest) { next(selftest); });
    ASSERT_TRUE(until([&] { return left_ == 0; }));
  }
  static Counts calls(Node& node) {
    for (const DriverCounters& driver : node.state().drivers)
      if (driver.name == "tcp") return {driver.counters.begin(), driver.counters.end()};
    return {};
  }
  /// The lowest counts of each side during kRpcs pings. The interval between messages depends on
  /// what else runs on this machine, so the best attempt counts.
  std::array<Counts, 2> counted() {
    std::array<Counts, 2> least = count_once();
    for (int time = 1; time < 5; ++time) {
      const std::array<Counts, 2> more = count_once();
      for (std::size_t side : {0, 1})
        for (auto& [name, value] : least[side]) value = std::min(value, more[side].at(name));
    }
    return least;
  }

 private:
  std::array<Counts, 2> count_once() {
    ping(kWarmUp);
    std::array<Counts, 2> now{calls(*a_), calls(*b_)}, before = now;
    ping(kRpcs);
    now = {calls(*a_), calls(*b_)};
    for (std::size_t side : {0, 1})
      for (auto& [name, value] : now[side]) value -= before[side].at(name);
    return now;
  }
  void next(Selftest& selftest) {
    selftest.caller().call(id_b_, {.body = wire::LstPing{}}, {}, seconds(30),
                           [&](const RpcReply& reply) {
                             EXPECT_EQ(reply.status, 0);
                             if (--left_ != 0) return next(selftest);
                             const std::lock_guard lock(bell_.mutex);
                             bell_.rung.notify_all();
                           });
  }

  std::deque<SelftestHost> hosts_;
  std::atomic<std::uint64_t> left_{0};
};

TEST_P(SystemCalls, BlockingThreadsNeedOneCallOfEachKind) {
  wait_by("block");
  for (const Counts& side : counted()) {
    EXPECT_LE(side.at("calls_receive"), kRpcs + kOther);
    EXPECT_LE(side.at("calls_receive_empty"), kOther);
    EXPECT_LE(side.at("calls_send"), kRpcs + kOther);
    EXPECT_LE(side.at("calls_wait"), kRpcs + kOther);
    EXPECT_LE(side.at("calls_wake"), kOther);
  }
}

// The number of receives that find nothing depends on how long an answer takes.
TEST_P(SystemCalls, SpinningThreadsNeedOneReceiveAndOneSend) {
  wait_by("adaptive");
  for (const Counts& side : counted()) {
    EXPECT_LE(side.at("calls_receive"), kRpcs + kOther);
    EXPECT_LE(side.at("calls_send"), kRpcs + kOther);
    EXPECT_LE(side.at("calls_wake"), kOther);
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, SystemCalls, testing::Values(Mode::kShared), mode_name);

}  // namespace
}  // namespace ulnet::node

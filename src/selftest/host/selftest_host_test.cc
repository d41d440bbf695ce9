// The selftest on real threads and sockets: two nodes of one process, each with CPU partitions. The
// tests of the selftest's own behaviour are in tests/selftest/scenarios.
#include "selftest/host/selftest_host.h"

#include <optional>

#include "lnet/node/node_fixture.h"

namespace ulnet::node {
namespace {

using namespace wire;
using std::chrono::seconds;
using svc::selftest::RpcReply;
using svc::selftest::Selftest;

class SelftestHosts : public TwoNodes {
 protected:
  void SetUp() override {
    TwoNodes::SetUp();
    at_a_.emplace(*a_);
    at_b_.emplace(*b_);
    ASSERT_TRUE(at_a_->start());
    ASSERT_TRUE(at_b_->start());
  }
  void TearDown() override {
    EXPECT_TRUE(at_b_->stop(seconds(30)));
    EXPECT_TRUE(at_a_->stop(seconds(30)));
    EXPECT_TRUE(at_a_->stop(seconds(30))) << "again";
    at_a_.reset();
    at_b_.reset();
    TwoNodes::TearDown();
  }

  // The console is at `a`, the test node at `b`.
  LstMessage ask(LstBody body, std::vector<std::byte> offered = {}) {
    std::optional<RpcReply> said;
    LstMessage request;
    request.body = std::move(body);
    at_a_->run([&](Selftest& selftest) {
      selftest.caller().call(id_b_, request, std::move(offered), seconds(30),
                             [&](const RpcReply& reply) {
                               const std::lock_guard lock(bell_.mutex);
                               said = reply;
                               bell_.rung.notify_all();
                             });
    });
    EXPECT_TRUE(until([&] { return said.has_value(); }));
    EXPECT_EQ(said->status, 0);
    EXPECT_EQ(said->message.status(), 0U);
    return said->message;
  }
  LstSessionId session() const { return {id_a_.nid, 1}; }
  void add_client(LstService service, LstParameters parameters, std::uint32_t loop,
                  std::uint32_t concurrency) {
    LstTest test;
    test.session = session();
    test.batch = 1;
    test.service = service;
    test.loop = loop;
    test.concurrency = concurrency;
    test.is_client = true;
    test.destinations = 2;
    test.parameters = parameters;
    std::vector<std::byte> list(24);
    encode_lst_destinations(std::vector<ProcessId>{id_a_, id_b_}, list);
    ask(test, list);
  }
  void run_and_wait() {
    LstBatch batch{0, session(), 1, LstBatchOp::kRun, 0, 0};
    ask(batch);
    batch.op = LstBatchOp::kQuery;
    while (std::get<LstBatchReply>(ask(batch).body).active != 0) {
    }
  }

  std::optional<SelftestHost> at_a_, at_b_;
};

TEST_P(SelftestHosts, TestsRunBetweenThem) {  // spec/wire-selftest.md 7
  ask(LstMakeSession{0, session(), 0, LstName("threads")});
  add_client(LstService::kPing, LstPingParameters{}, 50, 8);
  for (const LstBrwOp op : {LstBrwOp::kRead, LstBrwOp::kWrite})
    for (const std::uint32_t length : {4096U, 1U << 20})
      add_client(LstService::kBrw, LstBrwBytes{op, LstCheck::kFull, length, 0}, 4, 4);
  run_and_wait();
  const auto stat = std::get<LstStatReply>(ask(LstStat{0, session(), 0}).body);
  EXPECT_EQ(stat.framework.ping_errors, 0U);
  EXPECT_EQ(stat.framework.brw_errors, 0U);
  EXPECT_EQ(stat.rpc.sent, 2 * (50U * 8 + 4 * 4 * 4));
  EXPECT_EQ(stat.rpc.expired + stat.rpc.errors, 0U);
}

// docs/SELFTEST.md
TEST_P(SelftestHosts, TakeTheirMemoryFromTheBudgetOfTheNode) {
  ask(LstMakeSession{0, session(), 0, LstName("memory")});
  add_client(LstService::kBrw, LstBrwBytes{LstBrwOp::kRead, LstCheck::kFull, 1U << 20, 0}, 2, 2);
  run_and_wait();
  EXPECT_GE(b_->memory().peak(MemoryPart::kSelftest), 4U << 20) << "two for each of two servers";
  EXPECT_LE(b_->memory().peak(MemoryPart::kSelftest), b_->memory().share(MemoryPart::kSelftest));
}

// spec/wire-selftest.md 7
TEST_P(SelftestHosts, StopWhileTestsRun) {
  ask(LstMakeSession{0, session(), 0, LstName("threads")});
  add_client(LstService::kPing, LstPingParameters{}, kLstLoopForever, 8);
  add_client(LstService::kBrw, LstBrwBytes{LstBrwOp::kWrite, LstCheck::kFull, 65536, 0},
             kLstLoopForever, 4);
  ask(LstBatch{0, session(), 1, LstBatchOp::kRun, 0, 0});
  while (std::get<LstStatReply>(ask(LstStat{0, session(), 0}).body).rpc.sent < 300) {
  }
}

TEST_P(SelftestHosts, TimersRunInTurn) {
  bool rang = false;
  at_a_->after(std::chrono::milliseconds(1), [&](Selftest&) {
    const std::lock_guard lock(bell_.mutex);
    rang = true;
    bell_.rung.notify_all();
  });
  EXPECT_TRUE(until([&] { return rang; }));
}

INSTANTIATE_TEST_SUITE_P(Modes, SelftestHosts,
                         testing::Values(Mode::kInline, Mode::kShared, Mode::kDedicated),
                         mode_name);

}  // namespace
}  // namespace ulnet::node

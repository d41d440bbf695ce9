// Tests between test nodes: spec/wire-selftest.md 3.4, 3.5, 4 to 7.
#include "sim/load/faults.h"
#include "tests/selftest/scenarios/script.h"

namespace ulnet::sim {
namespace {

constexpr std::uint32_t kForever = kLstLoopForever;

LstBrwBytes brw(LstBrwOp op, LstCheck check, std::uint32_t length, std::uint32_t offset = 0) {
  return {op, check, length, offset};
}
class Drivers : public testing::TestWithParam<DriverKind> {};
INSTANTIATE_TEST_SUITE_P(Both, Drivers, testing::Values(DriverKind::kPipe, DriverKind::kSock),
                         [](const auto& driver) { return std::string(to_string(driver.param)); });

TEST_P(Drivers, PingsAsOftenAsAsked) {  // spec/cli-lst.md 4; spec/wire-selftest.md 3.4, 3.5, 4.1
  Script s(1, {.nodes = 3, .driver = GetParam()});
  for (const std::size_t at : {1, 2}) EXPECT_EQ(s.make_session(at), 0U);
  EXPECT_EQ(s.add_server(2, LstService::kPing), 0U);
  EXPECT_EQ(s.add_client(1, {2}, ping_test(50, 4)), 0U);
  EXPECT_EQ(s.running(1), 0U);
  EXPECT_EQ(s.run(1), 0U);
  EXPECT_EQ(s.running(1), 1U);
  ASSERT_TRUE(s.wait_until_idle(1)) << s.world().explain();
  EXPECT_EQ(s.running(1), 0U);
  EXPECT_EQ(s.selftest(1).counters().sent, 200U);
  EXPECT_EQ(s.selftest(2).counters().received, 200U + 2) << "and two of the console";
  const LstStatReply stat = s.stat(1);
  EXPECT_EQ(stat.framework.ping_errors, 0U);
  EXPECT_EQ(stat.framework.active_batches, 0U);
  const auto& test = *s.selftest(1).framework().session()->batches.at(1).tests().at(0);
  EXPECT_EQ(test.latency().count(), 200U);
  EXPECT_GE(test.latency().within(500), 2 * LinkModel{}.delay);
  EXPECT_EQ(s.run(1), 0U) << "again";
  ASSERT_TRUE(s.wait_until_idle(1));
  EXPECT_EQ(s.selftest(1).counters().sent, 400U);
  s.expect_nothing_left();
}

// spec/cli-lst.md 4; spec/wire-selftest.md 1.2.4, 4.2, 5.2, 5.3, 6
TEST_P(Drivers, MovesDataBothWaysWithEveryCheckAndSize) {
  Script s(2, {.nodes = 3, .driver = GetParam()});
  for (const std::size_t at : {1, 2}) s.make_session(at);
  s.add_server(2, LstService::kBrw);
  std::uint32_t tests = 0;
  std::uint64_t bytes = 0;
  for (const LstBrwOp op : {LstBrwOp::kRead, LstBrwOp::kWrite})
    for (const LstCheck check :
         {LstCheck::kNone, LstCheck::kSimple, LstCheck::kFull, LstCheck::kDiscard})
      for (const std::uint32_t length : {1U, 8U, 4096U, 5000U, 65535U, 1U << 20}) {
        LstBrwBytes what = brw(op, check, length, 64);
        what.any_length = true;  // docs/SELFTEST.md
        EXPECT_EQ(s.add_client(1, {2}, brw_test(3, what, 2)), 0U);
        ++tests;
        bytes += op == LstBrwOp::kRead ? 6 * length : 0;
      }
  EXPECT_EQ(s.run(1), 0U);
  EXPECT_EQ(s.running(1), tests);
  ASSERT_TRUE(s.wait_until_idle(1)) << s.world().explain();
  const LstStatReply client = s.stat(1), server = s.stat(2);
  EXPECT_EQ(client.framework.brw_errors, 0U);
  EXPECT_EQ(client.rpc.sent, 6 * tests);
  EXPECT_EQ(client.rpc.errors + server.rpc.errors + client.rpc.expired, 0U);
  EXPECT_EQ(server.rpc.bulk_sent, bytes);
  EXPECT_EQ(server.rpc.bulk_fetched, bytes);
  s.expect_nothing_left();
}

TEST(Tests, WithoutTheFeatureSizesArePages) {  // spec/cli-lst.md 4; spec/wire-selftest.md 2.3, 3.4
  Script s(3, {.nodes = 3});
  for (const std::size_t at : {1, 2})
    s.ask(at, LstMakeSession{0, s.session(), 0, LstName("pages")}, {}, 0);
  LstTest test = ping_test(2);
  test.service = LstService::kBrw;
  test.parameters = LstBrwPages{LstBrwOp::kWrite, 2, LstCheck::kFull};
  test.session = s.session();
  test.batch = 1;
  test.is_client = true;
  test.destinations = 1;
  std::vector<std::byte> list(lst_destinations_bytes(1, 0));
  encode_lst_destinations(std::vector<ProcessId>{s.node(2).id()}, list);
  EXPECT_EQ(s.ask(1, test, list, 0).message.status(), 0U);
  const LstBatch run{0, s.session(), 1, LstBatchOp::kRun, 0, 0};
  EXPECT_EQ(s.ask(1, run, {}, 0).message.status(), 0U);
  ASSERT_TRUE(s.wait_until_idle(1));
  EXPECT_EQ(s.selftest(1).framework().session()->brw_errors, 0U);
  EXPECT_EQ(s.selftest(2).counters().bulk_fetched, 2 * 8192U);
  s.expect_nothing_left();
}

TEST(Tests, NonsenseIsRefused) {  // spec/wire-selftest.md 3.4, 4.2
  Script s(4);
  const LstTest good = ping_test(1);
  EXPECT_EQ(s.add_client(1, {0}, good), status(ENOENT)) << "no session";
  s.make_session(1);
  const auto with = [&](auto change) {
    LstTest test = good;
    change(test);
    return s.add_client(1, {0}, test);
  };
  EXPECT_EQ(with([](LstTest& t) { t.loop = 0; }), status(EINVAL));
  EXPECT_EQ(with([](LstTest& t) { t.concurrency = 0; }), status(EINVAL));
  EXPECT_EQ(with([](LstTest& t) { t.concurrency = 1025; }), status(EINVAL));
  EXPECT_EQ(with([](LstTest& t) { t.service = LstService{13}, t.parameters = {}; }),
            status(EINVAL));
  EXPECT_EQ(s.add_client(1, {}, good), status(EINVAL));
  EXPECT_EQ(s.add_client(1, std::vector<std::size_t>(342, 0), good), status(EINVAL));
  for (const LstBrwBytes& what :
       {brw(LstBrwOp::kRead, LstCheck::kFull, 0), brw(LstBrwOp::kRead, LstCheck::kFull, 12),
        brw(LstBrwOp::kRead, LstCheck::kFull, (1 << 20) + 8),
        brw(LstBrwOp::kRead, LstCheck::kFull, 8, 4096), brw(LstBrwOp::kRead, LstCheck::kFull, 8, 4),
        brw(LstBrwOp{3}, LstCheck::kFull, 8), brw(LstBrwOp::kRead, LstCheck{5}, 8)})
    EXPECT_EQ(s.add_client(1, {0}, brw_test(1, what)), status(EINVAL));
  LstTest foreign = good;
  foreign.session = {s.node(0).nid(), 1};
  EXPECT_EQ(s.ask_for<LstTestReply>(1, foreign).status, status(ENOENT));
  foreign.session = {};
  EXPECT_EQ(s.ask_for<LstTestReply>(1, foreign).status, status(EINVAL));
  s.expect_nothing_left();
}

TEST(Tests, BatchesAreFoundRunAndStopped) {  // spec/cli-lst.md 4; spec/wire-selftest.md 3.4, 3.5
  Script s(6, {.nodes = 3});
  EXPECT_EQ(s.run(1), status(ESRCH));
  for (const std::size_t at : {1, 2}) s.make_session(at);
  EXPECT_EQ(s.run(1), status(ENOENT));
  EXPECT_EQ(s.add_server(1, LstService::kPing), 0U);
  EXPECT_EQ(s.add_client(1, {2, 2}, ping_test(kForever, 3)), 0U);
  EXPECT_EQ(s.stop(1, false), 0U) << "idle";
  EXPECT_EQ(s.run(1), 0U);
  EXPECT_EQ(s.run(1), 0U) << "twice";
  EXPECT_EQ(s.add_client(1, {2}, ping_test(1)), status(EBUSY));
  const auto query = [&](std::uint32_t index) {
    return s.ask_for<LstBatchReply>(1, LstBatch{0, s.session(), 1, LstBatchOp::kQuery, index, 0});
  };
  EXPECT_EQ(query(0).active, 1U) << "tests";
  EXPECT_EQ(query(1).active, 0U) << "the server's part";
  EXPECT_EQ(query(2).active, 6U) << "units";
  EXPECT_EQ(query(3).status, status(ENOENT));
  EXPECT_EQ(s.stat(1).framework.active_batches, 1U);
  EXPECT_EQ(s.stop(1, false), 0U);
  ASSERT_TRUE(s.wait_until_idle(1));
  EXPECT_EQ(s.stat(1).framework.ping_errors, 0U) << "what was under way has ended";
  EXPECT_EQ(s.ask(1, LstBatch{0, s.session(), 1, LstBatchOp{4}, 0, 0}).status, -ETIMEDOUT);
  s.expect_nothing_left();
}

// spec/wire-selftest.md 3.5, 7
TEST(Tests, AreAbortedWhenAsked) {
  Script s(7, {.nodes = 3});
  for (const std::size_t at : {1, 2}) s.make_session(at);
  s.add_client(1, {2}, ping_test(kForever, 3));
  s.world().wire().clog(s.node(2).place(), s.node(1).place(), true);
  s.run(1);
  s.stop(1, false);
  s.world().run_for(seconds(1));
  EXPECT_EQ(s.running(1), 1U) << "its RPCs are under way";
  s.stop(1, true);
  s.world().run_for(seconds(1));
  EXPECT_EQ(s.running(1), 0U);
  EXPECT_EQ(s.stat(1).framework.ping_errors, 0U);
  s.world().wire().clog(s.node(2).place(), s.node(1).place(), false);
  s.expect_nothing_left();
}

// spec/wire-selftest.md 3.1, 7
TEST(Tests, EndWithTheirSession) {
  for (const bool forced : {false, true}) {
    Script s(8, {.nodes = 3, .world = {.link = {.delay = milliseconds(1)}}});
    for (const std::size_t at : {1, 2}) s.make_session(at);
    s.add_server(2, LstService::kBrw);
    s.add_client(1, {2}, brw_test(kForever, brw(LstBrwOp::kWrite, LstCheck::kFull, 65536), 4));
    s.run(1);
    s.world().run_for(milliseconds(20));
    if (forced) {
      const LstSessionId other{s.node(0).nid(), 1};
      EXPECT_EQ(s.ask_for<LstMakeSessionReply>(1, LstMakeSession{0, other, 1, LstName("b")}).status,
                0U);
    } else {
      EXPECT_EQ(s.remove_session(1), 0U);
    }
    s.world().run_for(seconds(1));
    EXPECT_EQ(s.selftest(1).framework().zombies(), 0U);
    const auto sent = s.selftest(1).counters().sent;
    s.world().run_for(seconds(1));
    EXPECT_EQ(s.selftest(1).counters().sent, sent);
    s.expect_nothing_left();
  }
}

// spec/wire-selftest.md 1.3, 7: the console is gone.
TEST(Tests, EndWhenTheSessionExpires) {
  Script s(9, {.nodes = 3,
               .settings = {.session_timeout = seconds(5)},
               .world = {.link = {.delay = milliseconds(10)}}});
  for (const std::size_t at : {1, 2}) s.make_session(at);
  s.add_client(1, {2}, ping_test(kForever));
  s.run(1);
  s.crash(0);
  s.world().run_for(seconds(6));
  EXPECT_EQ(s.selftest(1).framework().session(), nullptr);
  EXPECT_EQ(s.selftest(1).framework().zombies(), 0U);
  s.expect_nothing_left();
}

TEST(Tests, WrongDataAreCountedAtTheClient) {  // spec/cli-lst.md 4; spec/wire-selftest.md 6
  for (const std::size_t liar : {1, 2}) {
    Script s(10, {.nodes = 3});
    for (const std::size_t at : {1, 2}) s.make_session(at);
    const LstBrwOp op = liar == 1 ? LstBrwOp::kWrite : LstBrwOp::kRead;
    LstTest test = brw_test(20, brw(op, LstCheck::kSimple, 4096));
    test.stop_on_error = false;
    s.add_client(1, {2}, test);
    s.selftest(liar).settings().inject_errors = 3;
    s.run(1);
    ASSERT_TRUE(s.wait_until_idle(1)) << s.world().explain();
    EXPECT_EQ(s.stat(1).framework.brw_errors, 3U) << liar;
    EXPECT_EQ(s.stat(1).rpc.sent, 20U) << "it goes on";
    s.expect_nothing_left();
  }
}

TEST(Tests, AUnitMayStopAtItsFirstError) {  // spec/cli-lst.md 4; spec/wire-selftest.md 3.4, 6, 7
  Script s(11, {.nodes = 3});
  for (const std::size_t at : {1, 2}) s.make_session(at);
  s.add_client(1, {2}, brw_test(20, brw(LstBrwOp::kWrite, LstCheck::kFull, 4096), 3));
  s.selftest(1).settings().inject_errors = 1;
  s.run(1);
  ASSERT_TRUE(s.wait_until_idle(1));
  EXPECT_EQ(s.stat(1).framework.brw_errors, 1U);
  EXPECT_EQ(s.stat(1).rpc.sent, 41U) << "the others go on";
  s.expect_nothing_left();
}

// spec/cli-lst.md 4; spec/wire-selftest.md 1.3, 7
TEST(Tests, ANodeThatDiesIsReportedInTimeAndTheOthersFinish) {
  Script s(12, {.nodes = 4, .settings = {.rpc_timeout = seconds(10)}});
  for (const std::size_t at : {1, 2, 3}) s.make_session(at);
  LstTest test = ping_test(5000);
  s.add_client(1, {2, 3}, test);
  s.run(1);
  s.world().run_for(milliseconds(50));
  s.crash(3);
  const Instant died = s.world().now();
  ASSERT_TRUE(s.wait_for([&] { return s.selftest(1).framework().session()->ping_errors != 0; },
                         seconds(60)));
  EXPECT_LE(s.world().now() - died, seconds(11));
  ASSERT_TRUE(s.wait_until_idle(1)) << s.world().explain();
  const auto& done = *s.selftest(1).framework().session()->batches.at(1).tests().at(0);
  EXPECT_GE(done.latency().count(), 5000U);
  EXPECT_EQ(s.stat(1).framework.ping_errors, 1U) << "its unit has stopped";
  s.expect_nothing_left();
}

// The pipe driver may lose messages, unlike TCP. RPCs expire, and units that may go on do so.
TEST(Tests, SurviveLoss) {  // spec/wire-selftest.md 1.3
  Script s(13, {.nodes = 3, .settings = {.rpc_timeout = seconds(2)}});
  for (const std::size_t at : {1, 2}) s.make_session(at);
  LinkModel lossy;
  lossy.loss_ppm = 20'000;
  s.world().wire().set_model(s.node(1).place(), s.node(2).place(), lossy);
  s.world().wire().set_model(s.node(2).place(), s.node(1).place(), lossy);
  for (const LstBrwOp op : {LstBrwOp::kRead, LstBrwOp::kWrite}) {
    LstTest test = brw_test(200, brw(op, LstCheck::kFull, 65536), 4);
    test.stop_on_error = false;
    s.add_client(1, {2}, test);
  }
  s.run(1);
  ASSERT_TRUE(s.wait_until_idle(1)) << s.world().explain();
  const LstStatReply stat = s.stat(1);
  EXPECT_EQ(stat.rpc.sent + 0U, 1600U);
  EXPECT_GT(stat.rpc.expired, 20U);
  EXPECT_EQ(stat.framework.brw_errors, stat.rpc.expired);
  s.world().run_for(seconds(120));
  s.expect_nothing_left();
}

// spec/wire-selftest.md 7
TEST(Tests, SixtyFourNodesInOneSession) {
  constexpr std::size_t kNodes = 64;
  Script s(14, {.nodes = kNodes + 1});
  for (std::size_t at = 1; at <= kNodes; ++at) ASSERT_EQ(s.make_session(at), 0U);
  for (std::size_t at = 1; at <= kNodes; ++at)
    ASSERT_EQ(s.add_client(at, {at % kNodes + 1, (at + 6) % kNodes + 1}, ping_test(20, 2)), 0U);
  for (std::size_t at = 1; at <= kNodes; ++at) ASSERT_EQ(s.run(at), 0U);
  for (std::size_t at = 1; at <= kNodes; ++at) ASSERT_TRUE(s.wait_until_idle(at));
  for (std::size_t at = 1; at <= kNodes; ++at) {
    EXPECT_EQ(s.selftest(at).counters().sent, 80U);
    EXPECT_EQ(s.stat(at).framework.ping_errors, 0U);
  }
  s.expect_nothing_left();
}

// spec/cli-lst.md 9
TEST(Tests, AServerWorksOnAsManyAtOnceAsItMay) {
  for (const std::uint32_t items : {1U, 3U}) {
    Script s(18, {.nodes = 3, .settings = {.brw_workitems = items, .ping_workitems = items}});
    s.acquaint_all();
    for (const std::size_t at : {1, 2}) s.make_session(at);
    s.add_client(1, {2}, brw_test(10, brw(LstBrwOp::kWrite, LstCheck::kFull, 65536), 8));
    const std::size_t posted = s.node(2).leftovers().mds;
    std::size_t most = 0;
    s.run(1);
    ASSERT_TRUE(s.wait_for([&] {
      most = std::max(most, s.node(2).leftovers().mds - posted);
      return s.selftest(1).framework().session()->running_batches() == 0;
    })) << s.world().explain();
    EXPECT_EQ(most, items);
    EXPECT_EQ(s.stat(1).framework.brw_errors, 0U);
    s.add_client(1, {2}, ping_test(50, 8));
    s.run(1);
    ASSERT_TRUE(s.wait_until_idle(1)) << s.world().explain();
    EXPECT_EQ(s.stat(1).framework.ping_errors, 0U);
    s.expect_nothing_left();
  }
}

// spec/wire-selftest.md 1.1
TEST(Tests, ANodeWithItself) {
  Script s(15, {.nodes = 2});
  s.make_session(1);
  s.add_server(1, LstService::kBrw);
  s.add_client(1, {1}, brw_test(50, brw(LstBrwOp::kWrite, LstCheck::kFull, 65536), 4));
  s.add_client(1, {1}, brw_test(50, brw(LstBrwOp::kRead, LstCheck::kFull, 65536), 4));
  s.run(1);
  ASSERT_TRUE(s.wait_until_idle(1)) << s.world().explain();
  EXPECT_EQ(s.stat(1).framework.brw_errors, 0U);
  s.expect_nothing_left();
}

// spec/wire-selftest.md 1.2: a reply comes from the peer that was asked, over any of its rails.
TEST(Tests, NodesWithSeveralRails) {  // spec/wire-selftest.md 7
  Script s(17, {.nodes = 3, .nis = 2});
  for (const std::size_t at : {1, 2}) s.make_session(at);
  for (const std::size_t ni : {0, 1}) {
    EXPECT_EQ(s.add_client(1, {2}, ping_test(100, 2), ni), 0U);
    for (const LstBrwOp op : {LstBrwOp::kRead, LstBrwOp::kWrite})
      EXPECT_EQ(s.add_client(1, {2}, brw_test(50, brw(op, LstCheck::kFull, 8192), 2), ni), 0U);
  }
  s.run(1);
  ASSERT_TRUE(s.wait_until_idle(1)) << s.world().explain();
  const LstStatReply stat = s.stat(1);
  EXPECT_EQ(stat.framework.brw_errors + stat.framework.ping_errors, 0U);
  EXPECT_EQ(stat.rpc.sent, 2 * (200U + 2 * 100));
  s.expect_nothing_left();
}

// DESIGN.md 3
TEST(Tests, NodesWithSeveralPartitions) {  // spec/wire-selftest.md 7
  Script s(16, {.nodes = 4, .partitions = 3});
  for (const std::size_t at : {1, 2, 3}) s.make_session(at);
  for (const std::size_t at : {1, 2}) {
    s.add_server(at, LstService::kPing);
    s.add_client(at, {2, 3}, ping_test(200, 4));
    s.add_client(at, {2, 3}, brw_test(20, brw(LstBrwOp::kRead, LstCheck::kFull, 65536), 4));
    s.run(at);
  }
  for (const std::size_t at : {1, 2}) {
    ASSERT_TRUE(s.wait_until_idle(at)) << s.world().explain();
    EXPECT_EQ(s.stat(at).framework.ping_errors + s.stat(at).framework.brw_errors, 0U);
  }
  s.expect_nothing_left();
}

}  // namespace
}  // namespace ulnet::sim

// How much others can make a test node keep, and who may lead a session: docs/SELFTEST.md.
#include <algorithm>

#include "tests/selftest/scenarios/script.h"

namespace ulnet::sim {
namespace {

using svc::selftest::BulkPool;

constexpr std::uint32_t kMiB = 1U << 20;
constexpr LstBrwBytes kWrites{LstBrwOp::kWrite, LstCheck::kFull, kMiB, 0};
constexpr LstBrwBytes kReads{LstBrwOp::kRead, LstCheck::kFull, kMiB, 0};

/// Limits the memory of the selftest of node `at` to this many MiB.
void limit(Script& s, std::size_t at, std::uint64_t mib) {
  s.host(at).memory().set(4 * mib * kMiB);
}
std::uint64_t used(Script& s, std::size_t at) {
  return s.host(at).memory().used(MemoryPart::kSelftest);
}
std::uint64_t refused(Script& s, std::size_t at) {
  return s.host(at).memory().refused(MemoryPart::kSelftest);
}
std::size_t said(Script& s, std::size_t at, const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      s.host(at).lines(), [&](const auto& line) { return line.find(text) != line.npos; }));
}
std::uint32_t make(Script& s, std::size_t at, std::uint64_t stamp, const char* name, bool force) {
  const LstMakeSession request{
      0, {s.node(0).nid(), static_cast<std::int64_t>(stamp)}, force ? 1U : 0U, LstName(name)};
  return s.ask_for<LstMakeSessionReply>(at, request).status;
}
std::uint32_t run_batch(Script& s, std::size_t at, std::uint64_t batch) {
  return s.ask_for<LstBatchReply>(at, LstBatch{0, s.session(), batch, LstBatchOp::kRun, 0, 0})
      .status;
}
std::uint32_t add_to_batch(Script& s, std::uint64_t batch, LstTest test) {
  test.session = s.session();
  test.batch = batch;
  test.is_client = true;
  test.destinations = 1;
  std::vector<std::byte> list(12);
  encode_lst_destinations(std::vector<ProcessId>{s.node(2).id()}, list);
  return s.ask_for<LstTestReply>(1, test, list).status;
}

// spec/wire-selftest.md 3.4
TEST(Bounds, ATestBeyondTheShareIsRefusedAndTheRestGoesOn) {
  Script s(1, {.nodes = 3});
  limit(s, 1, 8);
  for (const std::size_t at : {1, 2}) s.make_session(at);
  s.add_server(2, LstService::kBrw);
  EXPECT_EQ(s.add_client(1, {2}, brw_test(1, kReads, 9)), status(ENOMEM));
  EXPECT_EQ(refused(s, 1), 1U);
  EXPECT_EQ(s.selftest(1).refused().memory.count, 1U);
  EXPECT_EQ(
      said(s, 1, "10.0.0.1@tcp: no memory for the data of a batch: 9216 KiB; of the 8192 KiB"), 1U);
  EXPECT_EQ(s.run(1), status(ENOENT)) << "the node has nothing of the batch";
  EXPECT_EQ(s.add_client(1, {2}, brw_test(2, kReads, 7)), 0U);
  EXPECT_EQ(s.add_client(1, {2}, brw_test(2, kReads, 2)), status(ENOMEM)) << "both run together";
  EXPECT_EQ(s.run(1), 0U);
  ASSERT_TRUE(s.wait_until_idle(1)) << s.world().explain();
  EXPECT_EQ(s.stat(1).framework.brw_errors, 0U);
  EXPECT_LE(s.host(1).memory().peak(MemoryPart::kSelftest), 8 * kMiB);
  for (const std::size_t at : {1, 2}) s.remove_session(at);
  s.world().run_for(3 * BulkPool::kLook);
  for (const std::size_t at : {1, 2}) EXPECT_EQ(used(s, at), 0U) << at;
  s.expect_nothing_left();
}

// spec/wire-selftest.md 3.4
TEST(Bounds, UnitsAreMemoryToo) {
  Script s(2);
  limit(s, 1, 1);
  s.make_session(1);
  EXPECT_EQ(s.add_client(1, {0}, ping_test(1, 10)), 0U);
  const std::uint64_t ten = used(s, 1);
  EXPECT_GT(ten, 10 * kLstMessageBytes);
  EXPECT_EQ(s.add_client(1, std::vector<std::size_t>(100, 0), ping_test(1, 1024)), status(ENOMEM));
  EXPECT_EQ(used(s, 1), ten);
  EXPECT_EQ(said(s, 1, "no memory for a test"), 1U);
  s.remove_session(1);
  s.world().run_for(seconds(1));
  EXPECT_EQ(used(s, 1), 0U);
  s.expect_nothing_left();
}

// spec/wire-selftest.md 3.5
TEST(Bounds, BatchesThatDoNotFitTogetherRunOneAfterTheOther) {
  Script s(3, {.nodes = 3});
  limit(s, 1, 8);
  for (const std::size_t at : {1, 2}) s.make_session(at);
  for (const std::uint64_t batch : {1, 2})
    EXPECT_EQ(add_to_batch(s, batch, brw_test(kLstLoopForever, kReads, 5)), 0U);
  EXPECT_EQ(run_batch(s, 1, 1), 0U);
  EXPECT_EQ(run_batch(s, 1, 2), status(ENOMEM));
  EXPECT_EQ(said(s, 1, "no memory for the data of a batch: 5120 KiB"), 1U);
  EXPECT_EQ(s.stat(1).framework.active_batches, 1U);
  EXPECT_EQ(s.stop(1, true), 0U);
  ASSERT_TRUE(s.wait_until_idle(1));
  EXPECT_EQ(run_batch(s, 1, 2), 0U);
  s.expect_nothing_left();
}

// spec/wire-selftest.md 4.2
TEST(Bounds, AServerWithoutMemoryForMoreLetsRequestsWait) {
  Script s(4, {.nodes = 3});
  limit(s, 2, 2);
  for (const std::size_t at : {1, 2}) s.make_session(at);
  s.add_server(2, LstService::kBrw);
  for (const LstBrwBytes& what : {kReads, kWrites})
    EXPECT_EQ(s.add_client(1, {2}, brw_test(3, what, 16)), 0U);
  EXPECT_EQ(s.run(1), 0U);
  ASSERT_TRUE(s.wait_until_idle(1)) << s.world().explain();
  EXPECT_EQ(s.stat(1).framework.brw_errors, 0U);
  EXPECT_EQ(s.host(2).memory().peak(MemoryPart::kSelftest), 2 * kMiB);
  EXPECT_EQ(s.selftest(2).refused().memory.count, 0U);
  s.expect_nothing_left();
}

// spec/wire-selftest.md 4.2, 8
TEST(Bounds, AServerThatHasNoneAtAllSaysSo) {
  Script s(5, {.nodes = 3});
  for (const std::size_t at : {1, 2}) s.make_session(at);
  s.host(2).out_of_memory = true;
  EXPECT_EQ(s.add_client(1, {2}, brw_test(1, kReads, 4)), 0U);
  EXPECT_EQ(s.run(1), 0U);
  ASSERT_TRUE(s.wait_until_idle(1)) << s.world().explain();
  EXPECT_EQ(s.stat(1).framework.brw_errors, 4U);
  EXPECT_EQ(s.stat(1).rpc.expired, 0U) << "the server reported the errors";
  EXPECT_EQ(said(s, 2, "10.0.0.2@tcp: no memory for the data of an RPC"), 1U);
  EXPECT_EQ(s.selftest(2).refused().memory.count, 4U);
  s.host(2).out_of_memory = false;
  EXPECT_EQ(s.run(1), 0U) << "later";
  ASSERT_TRUE(s.wait_until_idle(1));
  EXPECT_EQ(s.selftest(2).counters().bulk_sent, 4 * kMiB);
  s.expect_nothing_left();
}

// spec/wire-selftest.md 3.4, 3.5, 8
TEST(Bounds, AClientWithoutMemoryRefusesTestsAndRuns) {
  Script s(6, {.nodes = 3});
  for (const std::size_t at : {1, 2}) s.make_session(at);
  EXPECT_EQ(s.add_client(1, {2}, brw_test(1, kReads, 4)), 0U);
  s.world().run_for(3 * BulkPool::kLook);  // the pool has freed its buffers by then
  s.host(1).out_of_memory = true;
  EXPECT_EQ(s.add_client(1, {2}, brw_test(1, kReads, 4)), status(ENOMEM))
      << "no memory for its list of destinations";
  EXPECT_EQ(s.run(1), status(ENOMEM));
  EXPECT_EQ(s.running(1), 0U);
  EXPECT_EQ(refused(s, 1), 2U);
  EXPECT_EQ(said(s, 1, "no memory"), 1U) << "within a minute";
  s.world().run_for(std::chrono::minutes(1));
  EXPECT_EQ(s.run(1), status(ENOMEM));
  EXPECT_EQ(said(s, 1, "(and 1 like it before)"), 1U);
  s.host(1).out_of_memory = false;
  EXPECT_EQ(s.run(1), 0U);
  ASSERT_TRUE(s.wait_until_idle(1));
  s.expect_nothing_left();
}

// spec/wire-selftest.md 3.4, 8
TEST(Bounds, ASessionHasLimitsOfTestsAndBatches) {
  using svc::selftest::Session;
  Script s(7);
  s.make_session(1);
  LstTest test = ping_test(1);
  test.session = s.session();
  const auto add = [&](std::uint64_t batch) {
    test.batch = batch;
    return s.ask_for<LstTestReply>(1, test).status;
  };
  for (std::uint64_t batch = 1; batch < Session::kBatchesMax; ++batch) ASSERT_EQ(add(batch), 0U);
  ASSERT_EQ(add(Session::kBatchesMax), 0U);
  EXPECT_EQ(add(1), status(ENOMEM)) << "tests";
  EXPECT_EQ(said(s, 1, "a test of 10.0.0.1@tcp is refused: its session has 1024 "), 1U);
  EXPECT_EQ(s.selftest(1).refused().limits.count, 1U);
  s.remove_session(1);
  s.make_session(1);
  EXPECT_EQ(add(1), 0U);
  s.expect_nothing_left();
}

// docs/SELFTEST.md
TEST(Bounds, OnlyThoseNamedMayLead) {
  Settings settings;
  ASSERT_TRUE(set_setting(settings, "selftest_consoles", "10.0.0.[7-9]@tcp 192.168.*.*@tcp"));
  Script s(8, {.settings = settings});
  s.acquaint_all();
  EXPECT_EQ(s.make_session(1), status(EPERM));
  EXPECT_EQ(s.make_session(1), status(EPERM));
  EXPECT_EQ(s.selftest(1).framework().session(), nullptr);
  EXPECT_EQ(s.selftest(1).refused().strangers.count, 2U);
  EXPECT_EQ(said(s, 1, "10.0.0.1@tcp may not lead a session: it is not in selftest_consoles"), 1U);
  EXPECT_EQ(s.make_session(0), 0U) << "a console at the node itself may lead a session";
  ASSERT_TRUE(set_setting(s.selftest(1).settings(), "selftest_consoles", "10.0.0.1@tcp"));
  EXPECT_EQ(s.make_session(1), 0U);
  ASSERT_TRUE(set_setting(s.selftest(1).settings(), "selftest_consoles", "10.0.0.7@tcp"));
  EXPECT_EQ(s.add_server(1, LstService::kPing), status(EPERM)) << "nor may the session go on";
  EXPECT_EQ(s.ask_for<LstDebugReply>(1, LstDebug{}).status, 0U) << "asking is free";
  ASSERT_TRUE(set_setting(s.selftest(1).settings(), "selftest_consoles", ""));
  EXPECT_EQ(s.add_server(1, LstService::kPing), 0U);
  EXPECT_EQ(set_setting(settings, "selftest_consoles", "10.0.0.[").error().code, -EINVAL);
  s.expect_nothing_left();
}

// docs/SELFTEST.md
TEST(Bounds, TheLogSaysWhoLeads) {
  Script s(9);
  EXPECT_EQ(make(s, 1, 1, "mine", false), 0U);
  EXPECT_EQ(s.host(1).lines().back(), "selftest: session 'mine' of 10.0.0.1@tcp begins");
  EXPECT_EQ(make(s, 1, 2, "no", false), status(EBUSY));
  s.world().run_for(seconds(1));
  EXPECT_EQ(make(s, 1, 3, "new", true), 0U);
  EXPECT_EQ(s.host(1).lines().back(),
            "selftest: session 'new' of 10.0.0.1@tcp begins, and ends by force the session 'mine' "
            "of 10.0.0.1@tcp");
  EXPECT_EQ(s.host(1).lines().size(), 2U);
  for (std::uint64_t stamp = 4; stamp < 100; ++stamp) make(s, 1, stamp, "again", true);
  EXPECT_LT(s.host(1).lines().size(), 5U) << "one a second, whatever others do";
  s.expect_nothing_left();
}

}  // namespace
}  // namespace ulnet::sim

// Tests that run during all kinds of faults, from fixed seeds: every RPC ends, and nothing is left
// when the faults have been repaired and the selftests have stopped.
#include "sim/load/faults.h"
#include "tests/selftest/scenarios/script.h"

namespace ulnet::sim {
namespace {

struct Conditions {
  std::uint64_t seed;
  DriverKind driver;
  std::uint32_t partitions;
};

class AllConditions : public testing::TestWithParam<Conditions> {};

std::vector<Conditions> all_conditions() {
  std::vector<Conditions> all;
  for (std::uint64_t seed = 1; seed <= 4; ++seed)
    for (const DriverKind driver : {DriverKind::kPipe, DriverKind::kSock})
      all.push_back({seed, driver, static_cast<std::uint32_t>(1 + seed % 3)});
  return all;
}

// DESIGN.md 6
TEST_P(AllConditions, TestsLeaveNothing) {  // spec/wire-selftest.md 1.2.6
  const Conditions conditions = GetParam();
  constexpr std::size_t kNodes = 4;
  Script s(conditions.seed, {.nodes = kNodes + 1,
                             .driver = conditions.driver,
                             .partitions = conditions.partitions,
                             .settings = {.rpc_timeout = milliseconds(300)},
                             .world = {.link = {.delay = milliseconds(1)}}});
  for (std::size_t at = 1; at <= kNodes; ++at) s.make_session(at);
  for (std::size_t at = 1; at <= kNodes; ++at) {
    LstTest tests[] = {
        ping_test(kLstLoopForever, 3),
        brw_test(kLstLoopForever, {LstBrwOp::kRead, LstCheck::kFull, 5000, 8}, 2),
        brw_test(kLstLoopForever, {LstBrwOp::kWrite, LstCheck::kSimple, 20'000, 0}, 2)};
    for (LstTest& test : tests) {
      test.stop_on_error = false;
      s.add_client(at, {at, at % kNodes + 1, (at + 1) % kNodes + 1}, test);
    }
    s.run(at);
  }
  for (const FaultKind kind : kFaultKinds)
    if (kind != FaultKind::kCrash)
      s.world().add_actor(
          make_fault(kind, {.every = milliseconds(200), .lasts = milliseconds(200)}));
  EXPECT_TRUE(s.world().run_for(seconds(2)).reached()) << s.world().explain();
  s.world().wind_down();
  s.world().run_for(seconds(1));
  std::uint64_t well = 0, wrong = 0;
  for (std::size_t at = 1; at <= kNodes; ++at) {
    const auto* session = s.selftest(at).framework().session();
    ASSERT_NE(session, nullptr);
    wrong += session->brw_errors + session->ping_errors;
    for (const auto& test : session->batches.at(1).tests()) well += test->latency().count();
    EXPECT_EQ(session->running_batches(), 1U);
  }
  EXPECT_GT(well, 1000U);
  EXPECT_GT(wrong, 0U);
  s.expect_nothing_left();
}

INSTANTIATE_TEST_SUITE_P(Seeds, AllConditions, testing::ValuesIn(all_conditions()),
                         [](const auto& conditions) {
                           return std::to_string(conditions.param.seed) +
                                  to_string(conditions.param.driver);
                         });

}  // namespace
}  // namespace ulnet::sim

// Latencies of RPCs, requested over the wire: docs/SELFTEST.md.
#include "selftest/service/latency.h"
#include "tests/selftest/scenarios/script.h"

namespace ulnet::sim {
namespace {

using svc::selftest::Latency;

LstStat latency_of(Script& s, std::uint64_t batch, std::uint32_t test) {
  return {.session = s.session(), .type = kLstStatLatency, .batch = batch, .test_index = test};
}

class Latencies : public testing::TestWithParam<DriverKind> {};
INSTANTIATE_TEST_SUITE_P(Both, Latencies, testing::Values(DriverKind::kPipe, DriverKind::kSock),
                         [](const auto& driver) { return std::string(to_string(driver.param)); });

TEST_P(Latencies, AreReportedForEachTestOfAClient) {
  Script s(1, {.nodes = 3, .driver = GetParam()});
  for (const std::size_t at : {1, 2}) s.make_session(at);
  s.add_server(2, LstService::kPing);
  s.add_client(1, {2}, ping_test(50, 4));
  s.add_client(1, {2}, ping_test(7));
  s.run(1);
  ASSERT_TRUE(s.wait_until_idle(1)) << s.world().explain();
  for (const auto& [test, rpcs] : {std::pair{1U, 200U}, std::pair{2U, 7U}}) {
    const auto received = s.selftest(2).counters().received;
    const RpcReply reply = s.ask(1, latency_of(s, 1, test));
    ASSERT_EQ(reply.status, 0);
    EXPECT_EQ(reply.message.status(), 0U);
    const auto counts = decode_lst_latency(reply.data);
    ASSERT_TRUE(counts);
    const Latency reported(*counts);
    EXPECT_EQ(reported.count(), rpcs);
    EXPECT_GE(reported.within(500), 2 * LinkModel{}.delay);
    const auto& known = s.selftest(1).framework().session()->batches.at(1).tests().at(test - 1);
    EXPECT_EQ(reported.within(990), known->latency().within(990));
    EXPECT_EQ(s.selftest(2).counters().received, received) << "others are not asked";
  }
  EXPECT_EQ(s.selftest(1).counters().bulk_sent, 0U) << "histograms do not count as data of a test";
  s.expect_nothing_left();
}

TEST_P(Latencies, AreAbsentWithoutATest) {
  Script s(2, {.nodes = 3, .driver = GetParam()});
  EXPECT_EQ(s.ask(1, latency_of(s, 1, 1)).message.status(), status(ESRCH));
  for (const std::size_t at : {1, 2}) s.make_session(at);
  s.add_server(2, LstService::kPing);
  s.add_client(1, {2}, ping_test(5));
  EXPECT_EQ(s.ask(1, latency_of(s, 2, 1)).message.status(), status(ENOENT));
  EXPECT_EQ(s.ask(1, latency_of(s, 1, 0)).message.status(), status(ENOENT));
  EXPECT_EQ(s.ask(1, latency_of(s, 1, 2)).message.status(), status(ENOENT));
  EXPECT_EQ(s.ask(2, latency_of(s, 1, 1)).message.status(), status(ENOENT)) << "a server's part";
  LstStat other = latency_of(s, 1, 1);
  other.session.stamp = 1;
  EXPECT_EQ(s.ask(1, other).message.status(), status(ESRCH));
  EXPECT_EQ(s.stat(1).status, 0U) << "the node answers the usual query as before";
  s.expect_nothing_left();
}

// A node that is asked for latencies does not answer: the RPC times out and leaves nothing.
TEST(Latencies, NodesWithoutThemAreNotWaitedForLonger) {
  Script s(3);
  s.make_session(1);
  LstStat ask = latency_of(s, 1, 1);
  s.node(1).pause();
  const Instant begun = s.world().now();
  EXPECT_EQ(s.ask(1, ask).status, -ETIMEDOUT);
  EXPECT_LE(s.world().now() - begun, seconds(120));
  s.node(1).resume();
  s.expect_nothing_left();
}

}  // namespace
}  // namespace ulnet::sim

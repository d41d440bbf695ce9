#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "sim/scenario/draw.h"
#include "sim/scenario/reader.h"
#include "sim/scenario/run.h"

namespace ulnet::sim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string with_selftest(const std::string& tests, const std::string& more = "") {
  return "links: {default: {delay: 1ms}}\n"
         "nodes:\n"
         "    - {name: a, count: 3, nids: 10.0.0.1@tcp}\n"
         "    - {name: six, nids: '2001:db8::1@tcp'}\n"
         "selftest:\n" +
         tests + more;
}

TEST(ReadSelftest, TakesWhatIsWritten) {
  const auto read = read_scenario(with_selftest(
      "    - {console: a0, from: [a0, a1], to: a2, what: write, size: 64KiB, concurrency: 3,\n"
      "       keep going: yes, start: 100ms, lasts: 2s, forgotten: yes, session timeout: 5s,\n"
      "       console timeout: 30s, rpc timeout: 2s}\n"));
  ASSERT_TRUE(read) << read.error().front().reason;
  ASSERT_EQ(read->selftests.size(), 1U);
  const SelftestSetup want{.what = SelftestSetup::What::kWrite,
                           .console = 0,
                           .from = {0, 1},
                           .to = {2},
                           .bytes = 65536,
                           .concurrency = 3,
                           .keep_going = true,
                           .start = std::chrono::milliseconds(100),
                           .lasts = std::chrono::seconds(2),
                           .forgotten = true,
                           .session_timeout = std::chrono::seconds(5),
                           .console_timeout = std::chrono::seconds(30),
                           .rpc_timeout = std::chrono::seconds(2)};
  EXPECT_EQ(read->selftests[0], want);
}

struct BadTest {
  std::string text;
  int line;
  const char* reason;
};
class ABadSelftest : public testing::TestWithParam<BadTest> {};

TEST_P(ABadSelftest, IsReportedWithItsPlace) {
  const auto read = read_scenario(GetParam().text);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().front().place.line, GetParam().line);
  EXPECT_THAT(read.error().front().reason, HasSubstr(GetParam().reason));
}

constexpr const char* kGoodTest = "    - {console: a0, from: a1, to: a2}\n";

INSTANTIATE_TEST_SUITE_P(
    Selftests, ABadSelftest,
    testing::Values(
        BadTest{with_selftest("    - a0\n"), 6, "expected a selftest"},
        BadTest{with_selftest("    - {from: a1, to: a2}\n"), 6, "a selftest without 'console'"},
        BadTest{with_selftest("    - {console: a, from: a1, to: a2}\n"), 6, "one node"},
        BadTest{with_selftest("    - {console: a0, from: a1, to: b}\n"), 6, "unknown node 'b'"},
        BadTest{with_selftest("    - {console: a0, from: a, to: a2}\n"), 6,
                "a2 is client and server"},
        BadTest{with_selftest("    - {console: a0, from: a1, to: six}\n"), 6, "4-byte address"},
        BadTest{with_selftest(kGoodTest + std::string("    - {console: a1, from: a0, to: a2}\n")),
                7, "takes part in two selftests"},
        BadTest{with_selftest("    - {console: a0, from: a1, to: a2, what: pong}\n"), 6,
                "is not one of ping, read, write"},
        BadTest{with_selftest("    - {console: a0, from: a1, to: a2, size: 4KiB}\n"), 6,
                "unknown key 'size'"},
        BadTest{with_selftest("    - {console: a0, from: a1, to: a2, what: read, size: 0}\n"), 6,
                "is not from 1 to 1MiB"},
        BadTest{with_selftest("    - {console: a0, from: a1, to: a2, concurrency: 0}\n"), 6,
                "concurrency"},
        BadTest{with_selftest("    - {console: a0, from: a1, to: a2, rpc timeout: 1500ms}\n"), 6,
                "whole seconds"},
        BadTest{with_selftest("    - {console: a0, from: a1, to: a2, session timeout: 0s}\n"), 6,
                "whole seconds"},
        BadTest{with_selftest(kGoodTest,
                              "workload: [{what: mix}, {what: mix}, {what: mix}, {what: mix},\n"
                              "    {what: mix}, {what: mix}, {what: mix}, {what: random}]\n"),
                5, "among the first seven"}));

TEST(DrawSelftest, SomeWorldsHaveOne) {
  std::set<bool> forgotten, ended;
  std::size_t worlds = 0, quiet = 0;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    const Scenario scenario = draw_scenario(seed);
    if (scenario.selftests.empty()) continue;
    ASSERT_EQ(scenario.selftests.size(), 1U);
    const SelftestSetup& test = scenario.selftests[0];
    ++worlds;
    quiet += scenario.nothing_fails ? 1 : 0;
    forgotten.insert(test.forgotten);
    ended.insert(test.lasts == Duration{});
    EXPECT_GT(scenario.lasts, test.start + test.lasts +
                                  (test.forgotten ? test.console_timeout : test.session_timeout));
    std::set<NodeNumber> all(test.from.begin(), test.from.end());
    all.insert(test.to.begin(), test.to.end());
    EXPECT_EQ(all.size(), test.from.size() + test.to.size()) << "no node is client and server";
    all.insert(test.console);
    for (const NodeNumber node : all) ASSERT_LT(node, scenario.nodes.size());
  }
  EXPECT_GT(worlds, 60U);
  EXPECT_LT(worlds, 200U);
  EXPECT_GT(quiet, 0U);
  EXPECT_THAT(forgotten, ElementsAre(false, true));
  EXPECT_THAT(ended, ElementsAre(false, true));
}

TEST(RunSelftest, TheRunWaitsUntilNodesAreFree) {
  const auto read = read_scenario(with_selftest(
      "    - {console: a0, from: a1, to: a2, lasts: 2s, session timeout: 4s}\n", "lasts: 60s\n"));
  ASSERT_TRUE(read) << read.error().front().reason;
  const Report report = sim::Run(*read).go();
  EXPECT_TRUE(report.ending == Ending::kGood) << report.what;
  EXPECT_EQ(report.acts.at("selftest abandoned"), 1U);
  EXPECT_EQ(report.acts.at("selftest expired"), 2U);
  EXPECT_LT(report.age, std::chrono::seconds(30));
}

}  // namespace
}  // namespace ulnet::sim

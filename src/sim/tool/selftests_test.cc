// Selftests in sentences, in the table of features and in the shortest form that fails.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/scenario/reader.h"
#include "sim/tool/features.h"
#include "sim/tool/in_words.h"
#include "sim/tool/shrink.h"

namespace ulnet::tools {
namespace {

using sim::Ending;
using sim::NodeNumber;
using sim::Report;
using sim::Scenario;
using sim::SelftestSetup;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;

std::string words_of(const std::string& test) {
  const auto read = sim::read_scenario(
      "nodes: [{name: n, count: 4, nids: 10.0.0.1@tcp}]\n"
      "selftest: [{console: n0, from: [n1, n2], to: n3, " +
      test + "}]\n");
  EXPECT_TRUE(read) << read.error().front().reason;
  return read ? in_words(*read) : "";
}

TEST(SelftestInWords, SaysWhatHappensToTheConsole) {
  EXPECT_THAT(words_of("start: 100ms, lasts: 2s, concurrency: 2, session timeout: 5s"),
              HasSubstr("  From 100ms on a console of selftest at n0 has n1 and n2 ping n3, 2 RPCs "
                        "at a time; 2s later its program dies without ending the session. Nodes "
                        "end a session without a request for 5s.\n"));
  EXPECT_THAT(words_of("what: read, keep going: yes"),
              HasSubstr("has n1 and n2 read 4096 bytes from n3, 1 RPC at a time, also after one "
                        "that failed; it ends the session when all faults end."));
  EXPECT_THAT(words_of("what: write, size: 8, lasts: 1s, forgotten: yes, console timeout: 9s"),
              HasSubstr("write 8 bytes to n3, 1 RPC at a time; 1s later nobody uses it any more, "
                        "and it ends the session 9s later."));
}

TEST(SelftestFeature, CountsConsolesThatWentWhileATestRan) {
  Scenario scenario;
  scenario.nodes.resize(2);
  scenario.selftests.resize(1);
  FeatureCounts counts;
  counts.add(scenario, {});
  Report report;
  report.acts["selftest abandoned"] = 1;
  counts.add(scenario, report);
  EXPECT_THAT(counts.table(), HasSubstr("      1  a selftest session's console disappears\n"));
}

Scenario with_tests() {
  Scenario scenario;
  scenario.nodes.resize(8);
  scenario.selftests.resize(2);
  scenario.selftests[0] = {.console = 0, .from = {1}, .to = {2}};
  SelftestSetup& test = scenario.selftests[1];
  test = {.what = SelftestSetup::What::kWrite,
          .console = 7,
          .from = {3, 4},
          .to = {5, 6},
          .bytes = 70'000,
          .concurrency = 4,
          .keep_going = true,
          .start = milliseconds(123),
          .lasts = milliseconds(2345),
          .rpc_timeout = seconds(1)};
  return scenario;
}

/// The run fails while there is a console with a client called `client`.
Scenario shrunk_for(const std::string& client) {
  Scenario scenario = with_tests();
  for (NodeNumber i = 0; i < 8; ++i) scenario.nodes[i].name = std::to_string(i);
  const auto attempt = [&](const Scenario& tried) {
    Report report;
    for (const SelftestSetup& test : tried.selftests)
      for (const NodeNumber from : test.from)
        if (tried.nodes[from].name == client && test.lasts >= seconds(2)) {
          report.ending = Ending::kViolated;
          report.checker = "selftest";
        }
    return report;
  };
  return shrink(scenario, attempt(scenario), attempt).scenario;
}

TEST(Shrink, LeavesOutSelftestsAndNodesOfThem) {
  const Scenario small = shrunk_for("4");
  ASSERT_EQ(small.selftests.size(), 1U);
  ASSERT_EQ(small.nodes.size(), 3U);
  const SelftestSetup& test = small.selftests[0];
  EXPECT_EQ(small.nodes[test.console].name, "7");
  ASSERT_THAT(test.from, ElementsAre(0U));
  EXPECT_EQ(small.nodes[0].name, "4");
  EXPECT_EQ(test.to.size(), 1U);
  EXPECT_EQ(test.what, SelftestSetup::What::kPing);
  EXPECT_EQ(test.concurrency, 1U);
  EXPECT_FALSE(test.keep_going);
  EXPECT_EQ(test.rpc_timeout, SelftestSetup{}.rpc_timeout);
  EXPECT_EQ(test.start, Duration{});
  EXPECT_EQ(test.lasts, seconds(2));
}

}  // namespace
}  // namespace ulnet::tools

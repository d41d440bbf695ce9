// Nodes of other software in a scenario file, and the run of such a scenario.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "sim/scenario/draw.h"
#include "sim/scenario/draw_parts.h"
#include "sim/scenario/reader.h"
#include "sim/scenario/run.h"

namespace ulnet::sim {
namespace {

using testing::HasSubstr;

tl::expected<Scenario, conf::Problems> with(const std::string& old_nodes) {
  return read_scenario(
      "edge: tcp\n"
      "nodes:\n"
      "    - {name: n, count: 2, nids: [10.0.0.1@tcp, 10.1.0.1@tcp1]}\n"
      "    - {name: far, nids: 'fd00::1@tcp2'}\n"
      "old nodes:\n" +
      old_nodes);
}

TEST(ReadOldNodes, TakesWhatIsWritten) {
  const auto read = with(
      "    - {nids: [10.0.0.9@tcp, 10.1.0.9@tcp1], release: no-discovery}\n"
      "    - nids: 10.0.0.8@tcp\n"
      "      release: downrev\n"
      "      count: 70\n"
      "      every: 3ms\n"
      "      size: 2KiB\n"
      "      change: {at: 1s, release: uprev, more nids: [10.1.0.8@tcp1], back at: 2s}\n");
  ASSERT_TRUE(read) << read.error().front().reason;
  const std::vector<OldNodeSetup> expected = {
      {.nids = {*Nid::parse("10.0.0.9@tcp"), *Nid::parse("10.1.0.9@tcp1")},
       .release = Release::kNoDiscovery},
      {.nids = {*Nid::parse("10.0.0.8@tcp")},
       .release = Release::kDownrev,
       .change_at = std::chrono::seconds(1),
       .later = Release::kUprev,
       .more_nids = {*Nid::parse("10.1.0.8@tcp1")},
       .back_at = std::chrono::seconds(2),
       .count = 70,
       .every = std::chrono::milliseconds(3),
       .max_bytes = 2048}};
  EXPECT_EQ(read->old_nodes, expected);
}

TEST(ReadOldNodes, RefusesWhatCannotBe) {
  const auto reason = [](const std::string& item) {
    const auto read = with("    - {" + item + "}\n");
    if (read) return std::string();
    EXPECT_EQ(read.error().front().place.line, 6) << read.error().front().reason;
    return read.error().front().reason;
  };
  const std::string old = "nids: 10.0.0.9@tcp, release: downrev";
  EXPECT_EQ(reason(old), "");
  EXPECT_THAT(reason("release: downrev"), HasSubstr("an old node without 'nids'"));
  EXPECT_THAT(reason("nids: 10.0.0.9@tcp"), HasSubstr("an old node without 'release'"));
  EXPECT_THAT(reason("nids: [], release: downrev"), HasSubstr("without NIDs"));
  EXPECT_THAT(reason("nids: x, release: downrev"), HasSubstr("is not a NID"));
  EXPECT_THAT(reason("nids: 'fd00::9@tcp2', release: downrev"), HasSubstr("IPv4 addresses"));
  EXPECT_THAT(reason("nids: 10.0.0.9@o2ib, release: downrev"), HasSubstr("of tcp nets"));
  EXPECT_THAT(reason("nids: 10.0.0.1@tcp1, release: downrev"), HasSubstr("another node is there"));
  EXPECT_THAT(reason("nids: [10.0.0.9@tcp, 10.0.0.9@tcp1], release: downrev"),
              HasSubstr("another node is there"));
  EXPECT_THAT(reason("nids: 10.0.0.9@tcp3, release: downrev"), HasSubstr("no node of the edge"));
  EXPECT_THAT(reason("nids: 10.0.0.9@tcp2, release: downrev"), HasSubstr("no node of the edge"));
  EXPECT_THAT(reason("nids: 10.0.0.9@tcp, release: 2.10"),
              HasSubstr("'2.10' is not one of downrev, no-discovery, uprev"));
  EXPECT_THAT(reason(old + ", count: 0"), HasSubstr("count: 0 is not from 1"));
  EXPECT_THAT(reason(old + ", size: 2MiB"), HasSubstr("is not from 0 to 1MiB"));
  EXPECT_THAT(reason(old + ", every: -1s"), HasSubstr("is negative"));
  EXPECT_THAT(reason(old + ", sizes: 1"), HasSubstr("did you mean 'size'?"));
  EXPECT_THAT(reason(old + ", change: {release: uprev}"), HasSubstr("a change without 'at'"));
  EXPECT_THAT(reason(old + ", change: {at: 1s}"), HasSubstr("a change without 'release'"));
  EXPECT_THAT(reason(old + ", change: {at: 0s, release: uprev}"), HasSubstr("more than 0"));
  EXPECT_THAT(reason(old + ", change: {at: 1s, release: uprev, back at: 1s}"),
              HasSubstr("must be after 'at'"));
  EXPECT_THAT(with("    - {nids: 10.0.0.9@tcp, release: uprev}\n"
                   "    - {nids: 10.0.0.9@tcp, release: uprev}\n")
                  .error()
                  .front()
                  .reason,
              HasSubstr("another node is there"));
  std::string five;
  for (char digit = '5'; digit <= '9'; ++digit)
    five += std::string("    - {nids: 10.0.0.") + digit + "@tcp, release: uprev}\n";
  EXPECT_THAT(with(five).error().front().reason, HasSubstr("more than four"));
  EXPECT_THAT(read_scenario("nodes: [{name: n, nids: 10.0.0.1@tcp}]\n"
                            "old nodes: [{nids: 10.0.0.9@tcp, release: uprev}]\n")
                  .error()
                  .front()
                  .reason,
              HasSubstr("no node of the edge tcp"));
}

TEST(RunOldNodes, AWorldWithOneOfEachRelease) {
  auto read = with(
      "    - {nids: [10.0.0.9@tcp, 10.1.0.9@tcp1], release: no-discovery, count: 300}\n"
      "    - nids: 10.0.0.8@tcp\n"
      "      release: downrev\n"
      "      count: 600\n"
      "      change: {at: 100ms, release: uprev, more nids: 10.1.0.8@tcp1, back at: 200ms}\n"
      "workload: [{from: n, to: n, count: 100, every: 2ms}]\n"
      "expect: {failed: 0, delivered: 1000..1100}\n");
  ASSERT_TRUE(read) << read.error().front().reason;
  const Report report = sim::Run(*read).go();
  EXPECT_EQ(report.ending, Ending::kGood) << report.checker << ": " << report.what;
  for (const char* word : {"upgraded", "downgraded", "downrev", "no-discovery", "uprev"})
    EXPECT_GT(report.acts.at(std::string("old node ") + word), 0U) << word;
}

/// An old node is on a net that a node has, with an address that no node has.
TEST(DrawOldNodes, AreInSomeWorldsOverTcp) {
  std::size_t worlds = 0, changes = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    const Scenario drawn = draw_scenario(seed);
    if (drawn.old_nodes.empty()) continue;
    ++worlds;
    EXPECT_FALSE(drawn.nothing_fails);
    EXPECT_EQ(drawn.nodes[0].driver, DriverKind::kSock);
    for (const OldNodeSetup& old : drawn.old_nodes) {
      changes += old.change_at != Duration{};
      EXPECT_NE(old.change_at != Duration{} && old.later == old.release, true) << seed;
      std::vector<Nid> nids = old.nids;
      nids.insert(nids.end(), old.more_nids.begin(), old.more_nids.end());
      for (const Nid& nid : nids)
        for (const NodeSetup& node : drawn.nodes)
          for (const NiSetup& ni : node.nis) EXPECT_NE(ni.nid.addr, nid.addr) << seed;
    }
  }
  EXPECT_GT(worlds, 15U);
  EXPECT_GT(changes, 8U);
}

}  // namespace
}  // namespace ulnet::sim

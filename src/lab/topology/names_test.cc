#include "lab/topology/names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "lab/topology/rate.h"
#include "lab/topology/topology_fixture.h"

namespace ulnet::tools::lab {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(LabNames, AreSafeInPathsArgumentsAndYaml) {
  for (const char* good : {"a", "client1", "oss-0_b", "0", "A"}) EXPECT_TRUE(is_name(good)) << good;
  for (const char* bad : {"", "all", "-a", "_a", "a b", "a/b", "..", "a.b", "ä", "a:0", "a\n"})
    EXPECT_FALSE(is_name(bad)) << bad;
  EXPECT_TRUE(is_name(std::string(kLongestName, 'x')));
  EXPECT_FALSE(is_name(std::string(kLongestName + 1, 'x')));
}

TEST(LabNames, PatternsExpandToNumberedNames) {
  const auto expanded = [](const char* text) {
    return NamePattern::parse(text)->expand(10).value_or(std::vector<std::string>{});
  };
  EXPECT_THAT(expanded("oss[0-6/2]"), ElementsAre("oss0", "oss2", "oss4", "oss6"));
  EXPECT_THAT(expanded("c[3,1]"), ElementsAre("c3", "c1"));
  EXPECT_THAT(expanded("c[1-11]"), IsEmpty()) << "more than the limit";
  EXPECT_THAT(expanded("c*"), IsEmpty());
  const NamePattern pattern = *NamePattern::parse("c[1-3]");
  EXPECT_TRUE(pattern.matches("c2"));
  for (const char* other : {"c4", "c02", "c", "d2", "c2x"}) EXPECT_FALSE(pattern.matches(other));
  for (const char* any : {"c77", "c007"}) EXPECT_TRUE(NamePattern::parse("c*")->matches(any));
  EXPECT_THAT(expanded("n[008-010]"), ElementsAre("n008", "n009", "n010")) << "numbers keep digits";
  EXPECT_THAT(expanded("n[0-1]"), ElementsAre("n0", "n1"));
  EXPECT_TRUE(NamePattern::parse("n[004-009]")->matches("n007"));
  for (const char* other : {"n7", "n0007", "n003", "n10"})
    EXPECT_FALSE(NamePattern::parse("n[004-009]")->matches(other)) << other;
  for (const char* bad : {"[1-2]", "c[1-2", "c[2-1]", "c[1-2]x", "c[]", "c]1["})
    EXPECT_FALSE(NamePattern::parse(bad)) << bad;
}

TEST(LabNames, WordsFindNodesAndRails) {
  const Topology topology = topology_of(
      "nodes:\n    c[1-3]: tcp\n    r: {nets: [tcp, tcp1], routing: yes}\n    oss[0-4/2]: tcp1\n");
  EXPECT_THAT(topology.nodes_named("c2"), ElementsAre(1));
  EXPECT_THAT(topology.nodes_named("c"), ElementsAre(0, 1, 2));
  EXPECT_THAT(topology.nodes_named("oss[0-2]"), ElementsAre(4, 5));
  EXPECT_THAT(topology.nodes_named("oss*"), ElementsAre(4, 5, 6));
  EXPECT_EQ(topology.nodes_named("all").size(), 7U);
  for (const char* nobody : {"", "d", "c4", "c[", "os*"})
    EXPECT_THAT(topology.nodes_named(nobody), IsEmpty()) << nobody;
  EXPECT_EQ(topology.find_rail("r:1"), std::pair(NodeNumber{3}, 1U));
  EXPECT_EQ(topology.find_rail("c1"), std::pair(NodeNumber{0}, 0U));
  for (const char* none : {"r", "r:2", "r:", "r:x", "x:0", ":0"})
    EXPECT_FALSE(topology.find_rail(none)) << none;
}

TEST(LabRates, AreInBitsOrBytes) {
  EXPECT_EQ(parse_bit_rate("10mbit"), 10'000'000U);
  EXPECT_EQ(parse_bit_rate("1.5Gbit/s"), 1'500'000'000U);
  EXPECT_EQ(parse_bit_rate("8kbit"), 8'000U);
  EXPECT_EQ(parse_bit_rate("100bit"), 100U);
  EXPECT_EQ(parse_bit_rate("100MB/s"), 800'000'000U);
  EXPECT_EQ(parse_bit_rate("0"), 0U);
  for (const char* bad : {"", "10", "1 gbit", "-1gbit", "fast", "1gbits", "10000000gbit", "1MB"})
    EXPECT_FALSE(parse_bit_rate(bad)) << bad;
}

RC_GTEST_PROP(LabRates, AreReadBackFromTheirText, ()) {
  const auto rate = *rc::gen::inRange<std::uint64_t>(0, 1ULL << 40);
  RC_ASSERT(parse_bit_rate(bit_rate_text(rate)).value() == rate);
}

TEST(LabSizes, HaveThreeDigits) {
  EXPECT_EQ(size_words(0), "0 B");
  EXPECT_EQ(size_words(999), "999 B");
  EXPECT_EQ(size_words(1000), "1.00 kB");
  EXPECT_EQ(size_words(12'345'678), "12.3 MB");
  EXPECT_EQ(size_words(999'999), "1.00 MB");
  EXPECT_EQ(size_words(~0ULL), "18.4 EB");
}

}  // namespace
}  // namespace ulnet::tools::lab

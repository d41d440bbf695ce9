#include "lnet/base/bit_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace ulnet {
namespace {

using Set = BitSet<200>;  // not a multiple of 64
using ::testing::ElementsAre;

std::vector<std::uint32_t> members(const Set& set) {
  std::vector<std::uint32_t> all;
  set.for_each([&](std::uint32_t member) { all.push_back(member); });
  return all;
}

TEST(BitSet, HasItsMembersInOrder) {
  Set set{199, 0, 64};
  set.insert(63);
  EXPECT_THAT(members(set), ElementsAre(0, 63, 64, 199));
  EXPECT_TRUE(set.contains(63));
  EXPECT_FALSE(set.contains(62));
  set.erase(63);
  set.erase(62);
  EXPECT_THAT(members(set), ElementsAre(0, 64, 199));
  EXPECT_FALSE(set.empty());
  EXPECT_TRUE(Set{}.empty());
}

TEST(BitSet, FindsTheNextMember) {  // spec/core-semantics.md 1
  const Set set{3, 64, 130};
  EXPECT_EQ(set.next(0), 3U);
  EXPECT_EQ(set.next(3), 3U);
  EXPECT_EQ(set.next(4), 64U);
  EXPECT_EQ(set.next(65), 130U);
  EXPECT_EQ(set.next(131), 200U) << "none";
  EXPECT_EQ(set.next(200), 200U) << "nor beyond the end";
  EXPECT_EQ(BitSet<256>{}.next(256), 256U);
}

TEST(BitSet, HasAllBelowAnEnd) {
  for (const std::uint32_t end : {0U, 1U, 63U, 64U, 65U, 128U, 200U}) {
    const Set set = Set::below(end);
    for (std::uint32_t i = 0; i < 200; ++i) ASSERT_EQ(set.contains(i), i < end) << end << " " << i;
  }
}

TEST(BitSet, IsCombinedLikeASet) {
  const Set a{1, 70, 140}, b{70, 199};
  EXPECT_THAT(members(a | b), ElementsAre(1, 70, 140, 199));
  EXPECT_THAT(members(a & b), ElementsAre(70));
  EXPECT_THAT(members(a - b), ElementsAre(1, 140));
  EXPECT_EQ(a - b, (Set{140, 1}));
  EXPECT_NE(a, b);
}

}  // namespace
}  // namespace ulnet

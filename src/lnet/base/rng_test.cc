#include "lnet/base/rng.h"

#include <gtest/gtest.h>

#include <array>

namespace ulnet {
namespace {

TEST(Rng, TheSameSeedGivesTheSameSequenceEverywhere) {
  Rng rng(0);
  EXPECT_EQ(rng.next(), 0xe220a8397b1dcdafULL) << "splitmix64's published first value";
  EXPECT_EQ(rng.next(), 0x6e789e6aa1b965f4ULL);
  Rng again(0);
  again.next();
  EXPECT_EQ(again.next(), 0x6e789e6aa1b965f4ULL);
  EXPECT_NE(Rng(1).next(), Rng(2).next());
}

TEST(Rng, BelowStaysBelowAndReachesEveryValue) {
  Rng rng(42);
  std::array<int, 7> seen{};
  for (int i = 0; i < 7000; ++i) {
    const auto value = rng.below(7);
    ASSERT_LT(value, 7U);
    ++seen[value];
  }
  for (const int count : seen) EXPECT_NEAR(count, 1000, 200);
  EXPECT_EQ(rng.below(1), 0U);
  EXPECT_LT(rng.below(~0ULL), ~0ULL);
}

}  // namespace
}  // namespace ulnet

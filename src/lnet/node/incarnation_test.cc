#include "lnet/node/incarnation.h"

#include <gtest/gtest.h>

namespace ulnet::node {
namespace {

TEST(Incarnations, GrowWithinTheProcess) {  // spec/wire-socklnd.md 8
  const auto first = next_incarnation();
  const auto second = next_incarnation();
  EXPECT_LT(first, second);
  EXPECT_LT(second, next_incarnation());
}

TEST(Incarnations, AreTheWallClockUnlessItWouldNotGrow) {  // spec/wire-socklnd.md 8, 13.9
  const std::uint64_t year_2020 = 1'577'836'800ULL * 1'000'000'000ULL;
  EXPECT_GT(next_incarnation(), year_2020) << "not a count: another process has other numbers";
  // Given: a number that a driver gave out before the clock was set back.
  const std::uint64_t ahead = last_incarnation() + 3'600'000'000'000ULL;
  use_incarnation(ahead);
  EXPECT_EQ(last_incarnation(), ahead);
  EXPECT_EQ(next_incarnation(), ahead + 1);
  use_incarnation(ahead);
  EXPECT_EQ(last_incarnation(), ahead + 1) << "nothing is forgotten";
}

}  // namespace
}  // namespace ulnet::node

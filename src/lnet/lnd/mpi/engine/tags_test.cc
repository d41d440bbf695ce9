#include "lnet/lnd/mpi/engine/tags.h"

#include <gtest/gtest.h>

#include <set>

namespace ulnet::lnd::mpi {
namespace {

TEST(Tags, AreEvenOrOddUpToTheMaximum) {
  Tags even(Tags::Parity::kEven, 9), odd(Tags::Parity::kOdd, 9);
  std::set<Tag> evens, odds;
  while (const Tag tag = even.take()) evens.insert(tag);
  while (const Tag tag = odd.take()) odds.insert(tag);
  EXPECT_EQ(evens, (std::set<Tag>{2, 4, 6, 8}));
  EXPECT_EQ(odds, (std::set<Tag>{3, 5, 7, 9}));
  EXPECT_EQ(even.in_use(), 4U);
}

TEST(Tags, ATagIsUsedAgainAfterAllOthers) {
  Tags tags(Tags::Parity::kEven, 8);
  EXPECT_EQ(tags.take(), 2U);
  tags.give(2);
  EXPECT_EQ(tags.take(), 4U);
  EXPECT_EQ(tags.take(), 6U);
  tags.give(4);
  EXPECT_EQ(tags.take(), 8U);
  EXPECT_EQ(tags.take(), 2U);
  EXPECT_EQ(tags.take(), 4U);
  EXPECT_EQ(tags.take(), 0U);
}

TEST(Tags, ReachTheGreatestNumber) {
  Tags tags(Tags::Parity::kOdd, 0xffffffff);
  for (int i = 0; i < 3; ++i) EXPECT_NE(tags.take(), 0U);
}

}  // namespace
}  // namespace ulnet::lnd::mpi

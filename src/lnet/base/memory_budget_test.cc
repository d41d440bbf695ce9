#include "lnet/base/memory_budget.h"

#include <gtest/gtest.h>

namespace ulnet {
namespace {

constexpr MemoryPart kPart = MemoryPart::kHeld;

TEST(MemoryBudget, ThePartsSharesAreTheWhole) {
  const MemoryBudget budget(1600);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < kMemoryParts; ++i) sum += budget.share(static_cast<MemoryPart>(i));
  EXPECT_EQ(sum, 1600U);
}

TEST(MemoryBudget, APartThatIsFullLeavesTheOthersTheirShare) {
  MemoryBudget budget(1600);
  EXPECT_TRUE(budget.take(kPart, 400));
  EXPECT_FALSE(budget.take(kPart, 1));
  EXPECT_TRUE(budget.take(MemoryPart::kSelftest, 400));
  EXPECT_EQ(budget.refused(kPart), 1U);
  EXPECT_EQ(budget.refused(MemoryPart::kSelftest), 0U);
  budget.give(kPart, 100);
  EXPECT_FALSE(budget.take(kPart, 101));
  EXPECT_TRUE(budget.take(kPart, 100));
  EXPECT_EQ(budget.used(kPart), 400U);
}

TEST(MemoryBudget, APeakStays) {
  MemoryBudget budget(1600);
  EXPECT_TRUE(budget.take(kPart, 300));
  budget.give(kPart, 300);
  EXPECT_TRUE(budget.take(kPart, 10));
  EXPECT_EQ(budget.peak(kPart), 300U);
}

TEST(MemoryBudget, ASmallerBudgetKeepsTakenMemory) {
  MemoryBudget budget(1600);
  EXPECT_TRUE(budget.take(kPart, 400));
  budget.set(160);
  EXPECT_FALSE(budget.take(kPart, 1));
  budget.give(kPart, 400);
  EXPECT_TRUE(budget.take(kPart, 40));
}

TEST(MemoryBudget, WithoutALimitNothingIsRefused) {
  MemoryBudget budget;
  EXPECT_TRUE(budget.take(kPart, std::uint64_t{1} << 62));
  EXPECT_EQ(budget.share(kPart), MemoryBudget::kUnlimited);
}

TEST(MemoryTaken, GivesBackAtItsEnd) {
  MemoryBudget budget(1600);
  {
    MemoryTaken taken(budget, kPart);
    EXPECT_TRUE(taken.more(300));
    EXPECT_FALSE(taken.more(101));
    taken.less(200);
    EXPECT_TRUE(taken.more(101));
    EXPECT_EQ(taken.bytes(), 201U);
    EXPECT_EQ(budget.used(kPart), 201U);
  }
  EXPECT_EQ(budget.used(kPart), 0U);
}

}  // namespace
}  // namespace ulnet

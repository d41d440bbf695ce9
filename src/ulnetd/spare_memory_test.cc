#include "ulnetd/spare_memory.h"

#include <gtest/gtest.h>

namespace ulnet::tools {
namespace {

using std::chrono::seconds;

constexpr SpareMemory::Time kFirstLook{seconds(1000)};
constexpr std::uint64_t kMiB = 1U << 20;

/// One look after another, five seconds apart.
class SpareMemoryTest : public testing::Test {
 protected:
  bool look(std::uint64_t mebibytes) { return spare.look(now += seconds(5), mebibytes * kMiB); }

  SpareMemory::Time now = kFirstLook;
  SpareMemory spare{kFirstLook};
};

TEST_F(SpareMemoryTest, IsLookedAtEveryFiveSeconds) {
  EXPECT_FALSE(spare.is_due(kFirstLook + seconds(4)));
  EXPECT_TRUE(spare.is_due(kFirstLook + seconds(5)));
  EXPECT_FALSE(look(0));
  EXPECT_FALSE(spare.is_due(now + seconds(4)));
  EXPECT_TRUE(spare.is_due(now + seconds(5)));
}

TEST_F(SpareMemoryTest, IsGivenBackWhenItWasFreeTwice) {
  EXPECT_FALSE(look(400));
  EXPECT_FALSE(look(0)) << "memory was used meanwhile";
  EXPECT_FALSE(look(400));
  EXPECT_TRUE(look(300));
}

TEST_F(SpareMemoryTest, ALittleIsKept) {
  for (int looks = 0; looks < 3; ++looks) EXPECT_FALSE(spare.look(now += seconds(5), kMiB * 3 / 4));
}

TEST_F(SpareMemoryTest, ReturnedMemoryDoesNotCountUntilReused) {
  (void)look(400);
  ASSERT_TRUE(look(400));
  spare.given_back(390 * kMiB);
  EXPECT_FALSE(look(390));
  EXPECT_FALSE(look(390));
  EXPECT_FALSE(look(100)) << "290 are in use";
  EXPECT_FALSE(look(390));
  EXPECT_TRUE(look(390));
}

}  // namespace
}  // namespace ulnet::tools

#include "lab/live/place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ulnet::tools::lab {
namespace {

TEST(LabPlace, NodesNeedMemory) {
  EXPECT_TRUE(check_memory(4, 96ULL << 20));
  const auto refused = check_memory(5, 96ULL << 20);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason,
            "5 nodes need 120 MiB of memory (24 MiB each), and 96 MiB are available: that is "
            "enough for 4");
  EXPECT_GT(available_memory(), 0U);
}

TEST(LabPlace, LoopbacksInUseAreThoseOfSockets) {
  EXPECT_EQ(loopbacks_in_use("  sl  local_address rem_address\n"
                             "   0: 0100007F:1F90 00000000:0000 0A\n"
                             "   1: 0200407F:1F90 00000000:0000 0A\n"
                             "   2: 0100000A:0016 00000000:0000 0A\n"
                             "garbage\n\n"),
            (std::set<std::uint8_t>{0, 64}));
  EXPECT_TRUE(loopbacks_in_use("").empty());
}

TEST(LabPlace, NumbersAreNotGivenTwice) {
  std::set<std::uint8_t> taken;
  for (int i = kFirstNumber; i <= kLastNumber; ++i) {
    const auto number = free_number(taken, "pair");
    ASSERT_TRUE(number);
    EXPECT_GE(*number, kFirstNumber);
    EXPECT_LE(*number, kLastNumber);
    EXPECT_TRUE(taken.insert(*number).second);
  }
  EXPECT_EQ(free_number(taken, "pair").error().code, -EADDRINUSE);
}

TEST(LabPlace, APortIsFree) {
  const auto port = free_port("pair");
  ASSERT_TRUE(port);
  EXPECT_GE(*port, 10'000);
}

}  // namespace
}  // namespace ulnet::tools::lab

#include "lnet/node/runtime/log_limit.h"

#include <gtest/gtest.h>

namespace ulnet::node {
namespace {

using namespace std::chrono_literals;
using lnd::sock::Address;
using lnd::sock::Count;

Address address(std::uint8_t last) {
  Address made;
  made.bytes = {10, 0, 0, last};
  return made;
}

struct Limit : testing::Test {
  /// How many were left out before this one was logged; -1: this one is left out too.
  int admit(Count what = Count::kRefusedBadHello, std::uint8_t from = 1) {
    const auto admitted = limit.admit(what, address(from), now);
    return admitted ? static_cast<int>(admitted->left_out) : -1;
  }
  LogLimit limit;
  Instant now{1h};
};

TEST_F(Limit, EachKindAndAddressIsLoggedOnceAWhile) {
  EXPECT_EQ(admit(), 0);
  for (int i = 0; i < 40; ++i) EXPECT_EQ(admit(), -1);
  EXPECT_EQ(admit(Count::kClosedBadFrame), 0) << "another kind";
  EXPECT_EQ(admit(Count::kRefusedBadHello, 2), 0) << "another address";
  now += LogLimit::kFirst;
  EXPECT_EQ(admit(), 40) << "the number of events that were not logged";
}

TEST_F(Limit, TheIntervalDoublesWhileItContinues) {
  EXPECT_EQ(admit(), 0);
  Duration length = LogLimit::kFirst;
  for (int i = 0; i < 10; ++i) {
    now += length / 2;
    EXPECT_EQ(admit(), -1);
    now += length / 2;
    EXPECT_EQ(admit(), 1) << i;
    length = std::min(length * 2, LogLimit::kMax);
  }
  now += LogLimit::kMax;
  EXPECT_EQ(admit(), 0) << "nothing came meanwhile";
  now += LogLimit::kFirst;
  EXPECT_EQ(admit(), 0) << "the interval is short again";
}

TEST_F(Limit, ManyAddressesAreBoundedAndTheLastSaysSo) {
  for (std::size_t i = 0; i < LogLimit::kRemembered; ++i) {
    const auto admitted = limit.admit(static_cast<Count>(i / 128), address(i % 128), now);
    ASSERT_TRUE(admitted) << i;
    EXPECT_EQ(admitted->last, i + 1 == LogLimit::kRemembered) << i;
  }
  EXPECT_EQ(admit(Count::kRefusedBadHello, 200), -1);
  now += LogLimit::kFirst;
  const auto next = limit.admit(Count::kRefusedBadHello, address(200), now);
  ASSERT_TRUE(next) << "the intervals of the other addresses are over";
  EXPECT_FALSE(next->last) << "there is space for more addresses";
}

}  // namespace
}  // namespace ulnet::node

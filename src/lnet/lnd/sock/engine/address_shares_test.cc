#include "lnet/lnd/sock/engine/address_shares.h"

#include <gtest/gtest.h>

namespace ulnet::lnd::sock {
namespace {

constexpr AddressShares::Limits kLimits{.one = 3, .all = 5};

Address host(std::uint8_t last) { return {Family::kIpv4, {10, 0, 0, last}}; }

TEST(AddressShares, AnAddressThatIsFullLeavesTheOthersTheirs) {
  AddressShares shares;
  EXPECT_EQ(shares.take(host(1), 3, kLimits), Share::kTaken);
  EXPECT_EQ(shares.take(host(1), 1, kLimits), Share::kAddressFull);
  EXPECT_EQ(shares.take(host(2), 1, kLimits), Share::kTaken);
  EXPECT_EQ(shares.all(), 4U);
}

TEST(AddressShares, AllTogetherAreLimitedToo) {
  AddressShares shares;
  EXPECT_EQ(shares.take(host(1), 3, kLimits), Share::kTaken);
  EXPECT_EQ(shares.take(host(2), 3, kLimits), Share::kAllFull);
  EXPECT_EQ(shares.take(host(2), 2, kLimits), Share::kTaken);
  shares.give(host(1), 3);
  EXPECT_EQ(shares.of(host(1)), 0U);
  EXPECT_EQ(shares.take(host(3), 3, kLimits), Share::kTaken);
}

TEST(AddressShares, ASmallerLimitKeepsTakenShares) {
  AddressShares shares;
  EXPECT_EQ(shares.take(host(1), 3, kLimits), Share::kTaken);
  EXPECT_EQ(shares.take(host(1), 1, {.one = 2, .all = 9}), Share::kAddressFull);
  EXPECT_EQ(shares.take(host(2), 1, {.one = 2, .all = 2}), Share::kAllFull);
  EXPECT_EQ(shares.all(), 3U);
}

}  // namespace
}  // namespace ulnet::lnd::sock

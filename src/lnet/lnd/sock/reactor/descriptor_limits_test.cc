#include "lnet/lnd/sock/reactor/descriptor_limits.h"

#include <gtest/gtest.h>

namespace ulnet::lnd::sock {
namespace {

TEST(DescriptorLimits, HalfOfFewDescriptorsIsReserved) {
  const SockTunables few = within_descriptors({}, 64);
  EXPECT_EQ(few.accept_pending, 8);
  EXPECT_EQ(few.accept_open, 24);
  EXPECT_EQ(few.accept_open_per_address, 12);
}

TEST(DescriptorLimits, MostOfManyDescriptorsAreForPeers) {
  const SockTunables many = within_descriptors({}, 1 << 20);
  EXPECT_EQ(many.accept_pending, 4096);
  EXPECT_EQ(many.accept_open, ((1 << 20) - 512) / 4 * 3);
}

TEST(DescriptorLimits, ConfiguredLimitsAreTaken) {
  SockTunables asked;
  asked.accept_open = 10;
  asked.accept_open_per_address = 9;
  asked.accept_pending = 3;
  const SockTunables given = within_descriptors(asked, 1024);
  EXPECT_EQ(given.accept_open, 10);
  EXPECT_EQ(given.accept_open_per_address, 9);
  EXPECT_EQ(given.accept_pending, 3);
}

TEST(DescriptorLimits, NoLimitIsTooLargeForTheNumbers) {
  EXPECT_GT(within_descriptors({}, ~std::uint64_t{0}).accept_open, 1 << 30);
  EXPECT_EQ(within_descriptors({}, 1).accept_open, 1);
}

}  // namespace
}  // namespace ulnet::lnd::sock

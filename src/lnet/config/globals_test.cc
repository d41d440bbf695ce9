#include "lnet/config/globals.h"

#include <gtest/gtest.h>

#include "lnet/config/params.h"

namespace ulnet::conf {
namespace {

// spec/cli-lnetctl.md 11.1, spec/multirail.md 12, and the recorded errors of lnetctl.

// spec/cli-lnetctl.md 11.1; spec/multirail.md 12
TEST(Globals, EveryNameOfTheGlobalSectionCanBeSetAndReadBack) {
  for (const GlobalSetting& setting : all_globals()) {
    core::Globals g;
    EXPECT_EQ(get_global(g, setting.name), setting.initial) << setting.name;
    ASSERT_TRUE(set_global(g, setting.name, setting.initial)) << setting.name;
    EXPECT_EQ(g, core::Globals{}) << setting.name;
  }
}

// spec/cli-lnetctl.md 11.1; spec/multirail.md 6
TEST(Globals, ARetryCountIsAtMostTheTransactionTimeout) {
  core::Globals g;
  const auto refused = set_global(g, "retry_count", 99999);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, -61);
  EXPECT_EQ(refused.error().reason, "cannot configure retry count: Invalid argument");
  EXPECT_EQ(g.retry_count, 2);
  EXPECT_FALSE(set_global(g, "retry_count", 151));
  EXPECT_TRUE(set_global(g, "retry_count", 150))
      << "production takes 150 here, but not as a time-out";
  EXPECT_EQ(core::lnd_timeout_seconds(g), 1);
  EXPECT_FALSE(set_global(g, "transaction_timeout", 150));
  EXPECT_TRUE(set_global(g, "retry_count", 149));
  EXPECT_FALSE(set_global(g, "transaction_timeout", 149));
  EXPECT_TRUE(set_global(g, "retry_count", 4));
  EXPECT_TRUE(set_global(g, "transaction_timeout", 5));
}

TEST(Globals, TheRecordedRefusals) {  // spec/cli-lnetctl.md 3.7, 11.1; spec/multirail.md 12
  core::Globals g;
  EXPECT_EQ(set_global(g, "transaction_timeout", 0).error().reason,
            "cannot configure transaction timeout: Invalid argument");
  EXPECT_EQ(set_global(g, "health_sensitivity", 5000).error().reason,
            "cannot configure health sensitivity: Invalid argument");
  EXPECT_EQ(set_global(g, "response_tracking", 9).error().code, -EINVAL);
  EXPECT_EQ(set_global(g, "response_tracking", 9).error().reason,
            "Valid values are: 0, 1, 2, or 3");
  EXPECT_EQ(set_global(g, "no_such", 1).error().code, -ENOENT);
  EXPECT_EQ(g, core::Globals{});
}

// spec/cli-lnetctl.md 11.1; spec/core-semantics.md 1; spec/multirail.md 4.9, 12
TEST(Globals, TheRecordedLeniency) {
  core::Globals g;
  EXPECT_TRUE(set_global(g, "discovery", 2));
  EXPECT_EQ(g.discovery, core::kDiscoveryVerifies);
  for (const std::int64_t other : {7, 3, -1}) {  // spec/multirail.md 4.9
    EXPECT_TRUE(set_global(g, "discovery", other));
    EXPECT_EQ(g.discovery, 1) << other;
  }
  EXPECT_TRUE(set_global(g, "max_interfaces", 0));
  EXPECT_EQ(g.max_interfaces, 4096);
  EXPECT_TRUE(set_global(g, "numa_range", -1));
  EXPECT_GT(g.numa_range, 1 << 30);
}

TEST(Globals, WithoutHealthThereAreNoRetries) {  // spec/cli-lnetctl.md 11.1; spec/multirail.md 5.1
  core::Globals g;
  ASSERT_TRUE(set_global(g, "health_sensitivity", 0));
  EXPECT_EQ(g.retry_count, 0);
  EXPECT_FALSE(set_global(g, "retry_count", 1));
  EXPECT_TRUE(set_global(g, "retry_count", 0));
}

}  // namespace
}  // namespace ulnet::conf

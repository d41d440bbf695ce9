#include "selftest/service/latency.h"

#include <gtest/gtest.h>

namespace ulnet::svc::selftest {
namespace {

TEST(Latency, EmptyHasNoSamples) {
  EXPECT_EQ(Latency{}.within(500), Duration{});
  EXPECT_EQ(Latency{}.count(), 0U);
}

TEST(Latency, IsRightWithinAnEighthAndNeverTooSmall) {
  for (std::int64_t ns = 0; ns < std::int64_t{1} << 39; ns = ns * 9 / 8 + 1) {
    Latency latency;
    latency.record(Duration(ns));
    const std::int64_t reported = latency.within(1000).count();
    EXPECT_GE(reported, ns);
    EXPECT_LE(reported, ns + ns / 8) << ns;
  }
}

TEST(Latency, ReportsTheTimeOfAShare) {
  Latency latency;
  for (std::int64_t i = 1; i <= 1000; ++i) latency.record(Duration(i * 1000));
  const auto near = [](Duration reported, std::int64_t ns) {
    EXPECT_GE(reported.count(), ns);
    EXPECT_LE(reported.count(), ns + ns / 8);
  };
  near(latency.within(500), 500'000);
  near(latency.within(990), 990'000);
  near(latency.within(999), 999'000);
  near(latency.within(0), 1000);
}

TEST(Latency, OutliersAreCountedInTheEndBuckets) {
  Latency latency;
  latency.record(Duration(-5));
  EXPECT_EQ(latency.within(1000), Duration{});
  Latency longest;
  longest.record(std::chrono::hours(1000));
  EXPECT_GE(longest.within(1000), std::chrono::minutes(18));
}

TEST(Latency, Adds) {
  Latency all, other;
  all.record(Duration(5));
  other.record(Duration(7));
  all.add(other);
  EXPECT_EQ(all.count(), 2U);
  EXPECT_EQ(all.within(500), Duration(5));
  EXPECT_EQ(all.within(1000), Duration(7));
  const Latency reported(all.reported());
  EXPECT_EQ(reported.count(), 2U);
  EXPECT_EQ(reported.within(1000), Duration(7));
}

}  // namespace
}  // namespace ulnet::svc::selftest

#include "lnet/node/runtime/log_limit.h"

#include <gtest/gtest.h>

namespace ulnet::node {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kBadHello = "refused_bad_hello";
constexpr std::string_view kBadFrame = "closed_bad_frame";

Nid source(std::uint8_t last) { return Nid::small({NetType::kTcp, 0}, 0x0a000000U + last); }

struct Limit : testing::Test {
  /// How many were left out before this one was logged; -1: this one is left out too.
  int admit(std::string_view kind = kBadHello, std::uint8_t from = 1) {
    const auto admitted = limit.admit({source(from), kind}, now);
    return admitted ? static_cast<int>(admitted->left_out) : -1;
  }
  LogLimit limit;
  Instant now{1h};
};

TEST_F(Limit, EachKindAndSourceIsLoggedOnceAWhile) {
  EXPECT_EQ(admit(), 0);
  for (int i = 0; i < 40; ++i) EXPECT_EQ(admit(), -1);
  EXPECT_EQ(admit(kBadFrame), 0) << "another kind";
  EXPECT_EQ(admit(kBadHello, 2), 0) << "another source";
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

TEST_F(Limit, ManySourcesAreBoundedAndTheLastSaysSo) {
  for (std::size_t i = 0; i < LogLimit::kRemembered; ++i) {
    const auto admitted = limit.admit({source(i % 128), i < 128 ? kBadHello : kBadFrame}, now);
    ASSERT_TRUE(admitted) << i;
    EXPECT_EQ(admitted->last, i + 1 == LogLimit::kRemembered) << i;
  }
  EXPECT_EQ(admit(kBadHello, 200), -1);
  now += LogLimit::kFirst;
  const auto next = limit.admit({source(200), kBadHello}, now);
  ASSERT_TRUE(next) << "the intervals of the other sources are over";
  EXPECT_FALSE(next->last) << "there is space for more sources";
}

}  // namespace
}  // namespace ulnet::node

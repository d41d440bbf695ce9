#include "selftest/ulst/run/track.h"

#include <gtest/gtest.h>

namespace ulnet::tools::lst::run {
namespace {

Counts said(std::uint64_t asked) { return {.asked = asked}; }

TEST(Track, KeepsTheFirstAndTheLastReport) {
  Track track;
  track.begin(said(1));
  track.started(said(2));
  track.ran(said(3));
  track.ran({});
  EXPECT_EQ(track.idle->asked, 1U);
  EXPECT_EQ(track.first->asked, 2U);
  EXPECT_EQ(track.last->asked, 3U);
  EXPECT_EQ(track.latest().asked, 3U);
  track.stopped(said(4));
  EXPECT_EQ(track.last->asked, 3U);
  EXPECT_EQ(track.latest().asked, 4U);
}

// The node is silent when its test begins.
TEST(Track, ASilentNodeStartsWithItsFirstReport) {
  Track track;
  track.begin({});
  track.started({});
  EXPECT_FALSE(track.last);
  track.ran(said(5));
  EXPECT_EQ(track.idle->asked, 5U);
  EXPECT_FALSE(track.first) << "the RPCs since the beginning are not known";
  EXPECT_EQ(track.latest().asked, 5U);
}

TEST(Track, ANewTestForgetsTheOneBefore) {
  Track track;
  track.begin(said(1));
  track.hung = true;
  track.begin({});
  EXPECT_FALSE(track.idle);
  EXPECT_FALSE(track.hung);
}

}  // namespace
}  // namespace ulnet::tools::lst::run

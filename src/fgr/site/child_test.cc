#include "fgr/site/child.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ulnet::tools::fgr {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

constexpr seconds kEnough{60};

TEST(Child, SaysWhatItSays) {
  const auto said = run_child({"sh", "-c", "echo out; echo err >&2; cat; exit 7"}, kEnough);
  ASSERT_TRUE(said) << said.error().reason;
  EXPECT_EQ(said->code, 7);
  EXPECT_EQ(said->out, "out\n");
  EXPECT_EQ(said->err, "err\n");
}

TEST(Child, MayBeLong) {
  const auto said =
      run_child({"sh", "-c", "head -c 1000000 /dev/zero; head -c 300000 /dev/zero >&2"}, kEnough);
  ASSERT_TRUE(said);
  EXPECT_EQ(said->out.size(), 1'000'000U);
  EXPECT_EQ(said->err.size(), 300'000U);
  EXPECT_EQ(run_child({"cat", "/dev/zero"}, kEnough).error().code, -E2BIG);
}

TEST(Child, IsNotWaitedForLongerThanItRuns) {
  // A process in a session of its own keeps the outputs open, as the master of ssh does.
  const auto said = run_child({"sh", "-c", "setsid sleep 20 & echo out"}, milliseconds{10'000});
  ASSERT_TRUE(said) << said.error().reason;
  EXPECT_EQ(said->out, "out\n");
  EXPECT_TRUE(run_child({"sh", "-c", "exec >&- 2>&-; sleep 0.1"}, kEnough)) << "nor less long";
}

TEST(Child, IsEndedWhenAskedTo) {
  int looks = 0;
  const auto said = run_child({"sleep", "1000"}, kEnough, [&] { return ++looks > 2; });
  ASSERT_FALSE(said);
  EXPECT_EQ(said.error().code, -EINTR);
}

TEST(Child, IsEndedWithWhatItStarted) {
  const auto said = run_child({"sh", "-c", "sleep 1000 & sleep 1000"}, milliseconds{50});
  ASSERT_FALSE(said);
  EXPECT_EQ(said.error().code, -ETIMEDOUT);
  EXPECT_THAT(said.error().reason, HasSubstr("did not end in time"));
}

TEST(Child, MayNotBeThere) {
  EXPECT_TRUE(can_run("sh") && can_run("/bin/sh"));
  EXPECT_FALSE(can_run("no-such-program-anywhere") || can_run("/bin/no-such-program") ||
               can_run("/bin") || can_run(""));
  EXPECT_THAT(run_child({"no-such-program-anywhere"}, kEnough).error().reason,
              HasSubstr("no-such-program-anywhere cannot be run"));
}

}  // namespace
}  // namespace ulnet::tools::fgr

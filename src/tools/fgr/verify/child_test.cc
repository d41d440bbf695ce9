#include "tools/fgr/verify/child.h"

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

TEST(Child, IsEndedWithWhatItStarted) {
  const auto said = run_child({"sh", "-c", "sleep 1000 & sleep 1000"}, milliseconds{50});
  ASSERT_FALSE(said);
  EXPECT_EQ(said.error().code, -ETIMEDOUT);
  EXPECT_THAT(said.error().reason, HasSubstr("did not end in time"));
}

TEST(Child, MayNotBeThere) {
  EXPECT_THAT(run_child({"no-such-program-anywhere"}, kEnough).error().reason,
              HasSubstr("no-such-program-anywhere cannot be run"));
}

}  // namespace
}  // namespace ulnet::tools::fgr

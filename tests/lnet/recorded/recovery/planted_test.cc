// Bugs of recovery, planted one at a time (docs/TESTING.md): the recorded return of a rail whose
// cable was out finds each.
#include "lnet/base/canary.h"

#include <gtest/gtest.h>

#include "lnet/core/flow/recovery_fixture.h"

namespace ulnet::core::test {
namespace {

/// Whether the peer NI is pinged and recovers as recorded (spec/observed.md 1.5).
bool recovers_as_recorded() {
  TwoRails p;
  p.loses_its_cable();
  p.run_to(seconds(779));
  p.cable = Cable::kIn;
  p.run_to(seconds(784));
  if (p.far2().health_value != 700) return false;
  p.run_to(seconds(800));
  return p.pings == std::vector<std::int64_t>{768, 771, 775, 783, 791, 793, 795} &&
         p.far2().health_value == 1000;
}

class RecoveryCanary : public ::testing::TestWithParam<canary::Bug> {
 protected:
  ~RecoveryCanary() override { canary::planted = canary::Bug::kNone; }
};

TEST_P(RecoveryCanary, IsFoundByARecording) {
  EXPECT_TRUE(recovers_as_recorded());
  canary::planted = GetParam();
  EXPECT_FALSE(recovers_as_recorded()) << "the bug is not seen";
}

INSTANTIATE_TEST_SUITE_P(Planted, RecoveryCanary,
                         ::testing::Values(canary::Bug::kHealthRaisedTwice,
                                           canary::Bug::kPingCountNotReset,
                                           canary::Bug::kRecoverySentAgain));

}  // namespace
}  // namespace ulnet::core::test

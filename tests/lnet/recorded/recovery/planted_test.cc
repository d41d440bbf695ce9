// Bugs of recovery, planted one at a time (docs/TESTING.md): the recorded return of a rail whose
// cable was out finds each.

#include <gtest/gtest.h>

#include "lnet/core/flow/recovery_fixture.h"
#include "planted_bugs.h"

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

class PlantedRecoveryBug : public ::testing::TestWithParam<planted::Bug> {
 protected:
  ~PlantedRecoveryBug() override { planted::active = planted::Bug::kNone; }
};

TEST_P(PlantedRecoveryBug, IsFoundByARecording) {
  EXPECT_TRUE(recovers_as_recorded());
  planted::active = GetParam();
  EXPECT_FALSE(recovers_as_recorded()) << "the bug is not seen";
}

INSTANTIATE_TEST_SUITE_P(Planted, PlantedRecoveryBug,
                         ::testing::Values(planted::Bug::kHealthRaisedTwice,
                                           planted::Bug::kPingCountNotReset,
                                           planted::Bug::kRecoverySentAgain));

}  // namespace
}  // namespace ulnet::core::test

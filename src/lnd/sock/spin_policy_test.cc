#include "lnd/sock/spin_policy.h"

#include <gtest/gtest.h>

namespace ulnet::lnd::sock {
namespace {

using namespace std::chrono_literals;

class SpinPolicyTest : public testing::Test {
 protected:
  SpinPolicy policy;
  Instant now{1h};
};

// spec/wire-socklnd.md 11 has no such tunable: wait and spin_us are ours (DESIGN.md 3)
TEST_F(SpinPolicyTest, SpinNeverSleepsAndBlockAlwaysDoes) {
  policy.configure(Wait::kSpin, 50us, 4);
  EXPECT_TRUE(policy.spins(now));
  policy.configure(Wait::kBlock, 50us, 4);
  policy.traffic(now);
  EXPECT_FALSE(policy.spins(now));
}

TEST_F(SpinPolicyTest, AdaptiveSpinsAWhileAfterTraffic) {
  policy.configure(Wait::kAdaptive, 50us, 4);
  EXPECT_FALSE(policy.spins(now));
  policy.traffic(now);
  EXPECT_TRUE(policy.spins(now + 49us));
  EXPECT_FALSE(policy.spins(now + 50us));
}

// On one CPU, whoever is waited for may need it.
TEST_F(SpinPolicyTest, OnOneCpuASpinThatFoundNothingIsNotRepeatedForADoublingWhile) {
  policy.configure(Wait::kAdaptive, 50us, 1);
  policy.traffic(now);
  EXPECT_TRUE(policy.spins(now));
  EXPECT_FALSE(policy.spins(now + 50us));  // in vain
  policy.traffic(now += 100us);
  EXPECT_FALSE(policy.spins(now));
  policy.traffic(now += 1ms);
  EXPECT_TRUE(policy.spins(now));
  EXPECT_FALSE(policy.spins(now + 50us));
  policy.traffic(now += 1999us);
  EXPECT_FALSE(policy.spins(now));
  policy.traffic(now += 1ms);
  EXPECT_TRUE(policy.spins(now));
  policy.traffic(now += 10us);  // found something: it may go on, and trust is back
  EXPECT_TRUE(policy.spins(now));
  EXPECT_FALSE(policy.spins(now += 50us));
  policy.traffic(now += 1ms);
  EXPECT_TRUE(policy.spins(now));
}

TEST_F(SpinPolicyTest, BeingPreemptedMakesItBlockForADoublingWhile) {
  policy.configure(Wait::kAdaptive, 1h, 2);
  policy.traffic(now);
  policy.preempted(0, now);
  EXPECT_TRUE(policy.spins(now));
  policy.preempted(1, now);
  EXPECT_FALSE(policy.spins(now + 999us));
  EXPECT_TRUE(policy.spins(now + 1ms));
  policy.preempted(2, now);
  EXPECT_FALSE(policy.spins(now + 1999us));
  policy.preempted(2, now);  // not taken away since: halves
  policy.preempted(3, now);
  EXPECT_TRUE(policy.spins(now + 2ms));
}

// That something came does not tell who else wanted the core.
TEST_F(SpinPolicyTest, OnSeveralCpusTrafficDoesNotEndTheDoublingOfBeingPreempted) {
  policy.configure(Wait::kAdaptive, 1h, 2);
  policy.traffic(now);
  policy.preempted(1, now);
  EXPECT_TRUE(policy.spins(now += 1ms));
  policy.traffic(now);  // found while it spun
  policy.preempted(2, now);
  EXPECT_FALSE(policy.spins(now + 1999us));
  EXPECT_TRUE(policy.spins(now + 2ms));
}

}  // namespace
}  // namespace ulnet::lnd::sock

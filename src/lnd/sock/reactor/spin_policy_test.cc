#include "lnd/sock/reactor/spin_policy.h"

#include <gtest/gtest.h>

namespace ulnet::lnd::sock {
namespace {

using namespace std::chrono_literals;

class SpinPolicyTest : public testing::Test {
 protected:
  SpinPolicy policy;
  Instant now{1h};
};

// spec/wire-socklnd.md 11 has no such tunables: wait and spin_us are ulnet's own (DESIGN.md 3)
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

// The thread that this one waits for may need the only CPU.
TEST_F(SpinPolicyTest, OnOneCpuASpinThatFoundNothingIsNotRepeatedForADoublingWhile) {
  policy.configure(Wait::kAdaptive, 50us, 1);
  policy.traffic(now);
  EXPECT_TRUE(policy.spins(now));
  EXPECT_FALSE(policy.spins(now + 50us));  // the spin found nothing
  policy.traffic(now += 100us);
  EXPECT_FALSE(policy.spins(now));
  policy.traffic(now += 1ms);
  EXPECT_TRUE(policy.spins(now));
  EXPECT_FALSE(policy.spins(now + 50us));
  policy.traffic(now += 1999us);
  EXPECT_FALSE(policy.spins(now));
  policy.traffic(now += 1ms);
  EXPECT_TRUE(policy.spins(now));
  policy.traffic(now += 10us);  // the spin found something: it goes on, and the penalty is reset
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
  policy.preempted(2, now);  // the count is unchanged: the penalty is halved
  policy.preempted(3, now);
  EXPECT_TRUE(policy.spins(now + 2ms));
}

// That something came does not show that no other thread wanted the core.
TEST_F(SpinPolicyTest, OnSeveralCpusTrafficDoesNotEndTheDoublingOfBeingPreempted) {
  policy.configure(Wait::kAdaptive, 1h, 2);
  policy.traffic(now);
  policy.preempted(1, now);
  EXPECT_TRUE(policy.spins(now += 1ms));
  policy.traffic(now);  // found while spinning
  policy.preempted(2, now);
  EXPECT_FALSE(policy.spins(now + 1999us));
  EXPECT_TRUE(policy.spins(now + 2ms));
}

}  // namespace
}  // namespace ulnet::lnd::sock

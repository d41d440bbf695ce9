#include "lnet/lnd/sock/reactor/spin_policy.h"

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
TEST_F(SpinPolicyTest, OnOneCpuAnEmptySpinBacksOff) {
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

TEST_F(SpinPolicyTest, APreemptionBacksOff) {
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

class SpinPolicyUnderContention : public SpinPolicyTest {
 protected:
  /// Traffic without a pause for a second; whenever the thread has spun for `each`, another thread
  /// takes the core. Returns for how long it spun.
  Duration spun(Duration each) {
    constexpr Duration kStep = 5us;
    Duration spun{}, alone{};
    for (const Instant end = now + 1s; now < end; now += kStep) {
      policy.traffic(now);
      if (!policy.spins(now)) continue;
      spun += kStep;
      alone += kStep;
      if (alone >= each) alone = {}, ++preemptions_;
      if (policy.asks(now)) policy.preempted(preemptions_, now);
    }
    return spun;
  }

 private:
  std::uint64_t preemptions_ = 0;
};

// More threads than CPUs: spinning costs the others what it should save.
TEST_F(SpinPolicyUnderContention, ItHardlySpinsWhenMostSpinsArePreempted) {
  policy.configure(Wait::kAdaptive, 50us, 2);
  EXPECT_LT(spun(50us), 10ms) << "of a second";
}

// On one CPU a spin that found something shows that spinning may pay.
TEST_F(SpinPolicyUnderContention, OnOneCpuItSpinsATenthWhenMostArePreempted) {
  policy.configure(Wait::kAdaptive, 50us, 1);
  EXPECT_LT(spun(50us), 100ms) << "of a second";
}

TEST_F(SpinPolicyUnderContention, RarePreemptionsHardlyMatter) {
  policy.configure(Wait::kAdaptive, 50us, 2);
  EXPECT_GT(spun(20ms), 900ms);
}

TEST_F(SpinPolicyUnderContention, ItSpinsAgainWhenPreemptionEnds) {
  policy.configure(Wait::kAdaptive, 50us, 2);
  spun(50us);
  spun(1h);
  EXPECT_EQ(spun(1h), 1s);
}

// Arriving bytes do not show that no other thread wanted the core.
TEST_F(SpinPolicyTest, OnSeveralCpusTrafficDoesNotEndTheBackOff) {
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

// When an NI in recovery is pinged. spec/multirail.md 7, spec/observed.md 1.5, 1.7.
#include "lnet/core/path/recovery.h"

#include <gmock/gmock.h>

#include "lnet/base/life_cycle_fixture.h"
#include "lnet/core/contract/ports.h"

namespace ulnet::core {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;

constexpr Instant at(std::int64_t s, std::int64_t ms = 0) {
  return Instant(seconds(s) + milliseconds(ms));
}
constexpr Standing kUnwell{.health = 900, .last_heard = kNever};

/// The times (s) of the first `count` pings, which all fail at once.
std::vector<std::int64_t> unanswered(std::int32_t max_interval, int count) {
  Recovery recovery;
  begin_recovery(recovery, at(99, 500));
  std::vector<std::int64_t> pings;
  for (Instant now = at(99, 500); static_cast<int>(pings.size()) < count; now += milliseconds(100))
    if (next_of(recovery, kUnwell, now, 0) == RecoveryStep::kPing) {
      pings.push_back(std::chrono::floor<seconds>(now.time_since_epoch()).count() - 100);
      count_ping(recovery, now, max_interval);
      recovery.on(RecoveryEvent::kPingEnded);
    }
  return pings;
}

TEST(RecoveryLifeCycle, HasTheseSteps) {
  EXPECT_EQ(ulnet::test::matrix(kRecoveryLifeCycle),
            "none: [unwell -> waiting]\n"
            "waiting: [ping -> pinging] [leave -> none]\n"
            "pinging: [ping ended -> waiting]\n");
  EXPECT_STREQ(to_string(RecoveryPhase::kCount), "?");
  EXPECT_STREQ(to_string(RecoveryEvent::kCount), "?");
}

TEST(Recovery, TheFirstPingIsDueAtOnceAndTheGapsDouble) {  // spec/multirail.md 7
  EXPECT_THAT(unanswered(900, 6), ElementsAre(0, 2, 6, 14, 30, 62));
  EXPECT_THAT(unanswered(4, 5), ElementsAre(0, 2, 6, 10, 14));
  EXPECT_THAT(unanswered(8, 6), ElementsAre(0, 2, 6, 14, 22, 30));
  EXPECT_THAT(unanswered(1, 4), ElementsAre(0, 1, 2, 3));
}

TEST(Recovery, TheGapGrowsToTheLargestPowerBelowTheLimit) {  // spec/multirail.md 7
  const std::vector<std::int64_t> pings = unanswered(900, 13);
  EXPECT_EQ(pings[12] - pings[11], 512);
  EXPECT_EQ(pings[11] - pings[10], 512);
  EXPECT_EQ(pings[9] - pings[8], 512);
  EXPECT_EQ(pings[8] - pings[7], 256);
}

TEST(Recovery, OnlyOnePingIsUnderWay) {  // spec/multirail.md 7
  Recovery recovery;
  begin_recovery(recovery, at(10));
  count_ping(recovery, at(11), 900);
  EXPECT_EQ(recovery.next_ping, 13);
  EXPECT_EQ(next_of(recovery, kUnwell, at(500), 0), RecoveryStep::kWait);
  recovery.on(RecoveryEvent::kPingEnded);
  EXPECT_EQ(next_of(recovery, kUnwell, at(500), 0), RecoveryStep::kPing);
}

TEST(Recovery, ASuccessKeepsTheComputedTime) {  // spec/multirail.md 7
  Recovery recovery;
  begin_recovery(recovery, at(10));
  for (int i = 0; i < 3; ++i) {
    count_ping(recovery, at(100), 8);
    recovery.on(RecoveryEvent::kPingEnded);
  }
  recovery.ping_count = 0;  // a message came
  EXPECT_EQ(due_of(recovery), at(108)) << "one long gap";
  count_ping(recovery, at(108), 8);
  EXPECT_EQ(due_of(recovery), at(110)) << "then 2^1";
}

TEST(Recovery, AHealthyNiLeaves) {
  Recovery recovery;
  begin_recovery(recovery, at(10));
  EXPECT_EQ(next_of(recovery, {.health = kHealthMax, .last_heard = kNever}, at(10), 0),
            RecoveryStep::kLeave);
}

TEST(Recovery, ASilentPeerNiLeavesWhenItsNextPingIsDue) {  // spec/multirail.md 7
  Recovery recovery;
  begin_recovery(recovery, at(110));
  count_ping(recovery, at(118), 4);
  recovery.on(RecoveryEvent::kPingEnded);  // the next ping is due at 120
  const Standing silent{.health = 500, .last_heard = at(99)};
  EXPECT_EQ(next_of(recovery, silent, at(119, 900), 20), RecoveryStep::kWait);
  EXPECT_EQ(next_of(recovery, silent, at(120), 20), RecoveryStep::kLeave);
  EXPECT_EQ(next_of(recovery, silent, at(120), 21), RecoveryStep::kPing);
  EXPECT_EQ(next_of(recovery, silent, at(120), 0), RecoveryStep::kPing) << "there is no limit";
  EXPECT_EQ(next_of(recovery, kUnwell, at(120), 20), RecoveryStep::kPing) << "an NI of this node";
}

}  // namespace
}  // namespace ulnet::core

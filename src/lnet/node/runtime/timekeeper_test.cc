#include "lnet/node/runtime/timekeeper.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "lnet/node/runtime/clock.h"
#include "lnet/node/runtime/outer_loop.h"

namespace ulnet::node {
namespace {

constexpr Duration kLong = std::chrono::hours(1);

TEST(Timekeeper, PolledTimersRunInTheOrderOfTheirInstants) {
  Timekeeper keeper;
  int due = 0;
  keeper.start([&] { ++due; }, false);
  std::vector<int> order;
  const Instant base = now();
  keeper.after(base + 3 * kLong, [&] { order.push_back(3); });
  keeper.after(base + kLong, [&] { order.push_back(1); });
  keeper.after(base + kLong, [&] { order.push_back(2); });
  EXPECT_FALSE(keeper.poll(base));
  EXPECT_EQ(keeper.deadline(), base + kLong);
  EXPECT_TRUE(keeper.poll(base + 2 * kLong));
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
  EXPECT_EQ(keeper.deadline(), base + 3 * kLong);
  EXPECT_TRUE(keeper.poll(base + 3 * kLong));
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(keeper.deadline(), kNever);
  EXPECT_EQ(due, 2);
}

TEST(Timekeeper, ATimerRunsAsAHandlerAndMaySetTheNext) {
  Timekeeper keeper;
  keeper.start([] {}, false);
  int runs = 0;
  const Instant base = now();
  keeper.after(base, [&] {
    EXPECT_TRUE(OuterLoop::current().running());
    ++runs;
    keeper.after(base + kLong, [&] { ++runs; });
  });
  keeper.poll(base);
  EXPECT_EQ(runs, 1);
  keeper.poll(base + kLong);
  EXPECT_EQ(runs, 2);
}

// If the thread does not wake, this test runs into its time limit: the test can assert nothing
// else.
TEST(Timekeeper, SmokeItsThreadWakesForAnEarlierDeadline) {
  Timekeeper keeper;
  std::atomic<int> due{0};
  keeper.start(
      [&] {
        ++due;
        due.notify_all();
      },
      true);
  keeper.arm(now() + kLong);
  keeper.arm(now());
  due.wait(0);
  std::atomic<bool> ran{false};
  keeper.after(now(), [&] {
    ran = true;
    ran.notify_all();
  });
  ran.wait(false);
}

TEST(Timekeeper, MeasuresDueWork) {
  Timekeeper keeper;
  std::atomic<int> due{0};
  keeper.start(
      [&] {
        due = due + 1;
        due.notify_all();
      },
      true);
  for (int times = 0; times < 3; ++times) {
    keeper.arm(Instant{});
    due.wait(times);
  }
  keeper.stop();
  const lnd::Duty duty = keeper.duty().duty();
  EXPECT_GE(duty.cycles, 2U) << "the last cycle may have ended after the thread";
  EXPECT_LE(duty.cycles, 3U);
  EXPECT_EQ(duty.long_cycles, duty.cycles) << "the threshold is 0";
  EXPECT_GT(duty.longest, Duration{});
}

TEST(Timekeeper, ItsThreadSleepsOrSpinsAsConfigured) {
  Timekeeper keeper;
  std::atomic<int> due{0};
  const auto done_times = [&](int times) {
    for (int done = due; done < times; done = due) due.wait(done);
  };
  keeper.set_spin(true);
  keeper.start(
      [&] {
        due = due + 1;
        due.notify_all();
      },
      true);
  for (int times = 1; times <= 100; ++times) {
    keeper.arm(Instant{});
    done_times(times);
  }
  EXPECT_EQ(keeper.duty().duty().sleeps, 0u);
  keeper.set_spin(false);
  while (keeper.duty().duty().sleeps == 0) std::this_thread::yield();
  keeper.arm(Instant{});  // wakes it
  done_times(101);
  keeper.set_spin(true);  // wakes it too: it does not sleep until the next deadline
  const auto slept = keeper.duty().duty().sleeps;
  keeper.arm(Instant{});
  done_times(102);
  EXPECT_LE(keeper.duty().duty().sleeps, slept + 1) << "the thread may have been about to sleep";
  keeper.stop();
}

TEST(Timekeeper, StoppingDropsPendingTimersAndRefusesNewOnes) {
  Timekeeper keeper;
  bool ran = false;
  keeper.start([] {}, true);
  keeper.after(now() + kLong, [&] { ran = true; });
  keeper.stop();
  keeper.after(now(), [&] { ran = true; });
  keeper.stop();
  EXPECT_FALSE(ran);
}

}  // namespace
}  // namespace ulnet::node

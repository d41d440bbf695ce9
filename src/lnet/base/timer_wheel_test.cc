#include "lnet/base/timer_wheel.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <memory>
#include <tuple>
#include <vector>

namespace ulnet {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

struct Named : Timer {
  explicit Named(int n = 0) : name(n) {}
  int name;
};

constexpr Instant at(Duration since_start) { return Instant(since_start); }

std::vector<int> pop_all(TimerWheel& wheel, Instant now) {
  std::vector<int> names;
  while (Timer* timer = wheel.pop(now)) names.push_back(static_cast<Named*>(timer)->name);
  return names;
}
using Names = std::vector<int>;

TEST(TimerWheel, FiresWhenTheTimeHasComeAndNotBefore) {
  TimerWheel wheel(0);
  Named timer(1);
  wheel.arm(timer, at(seconds(5)));
  EXPECT_TRUE(timer.armed());
  EXPECT_EQ(timer.deadline(), at(seconds(5)));
  EXPECT_EQ(pop_all(wheel, at(seconds(5) - nanoseconds(1))), Names{});
  EXPECT_EQ(pop_all(wheel, at(seconds(5))), Names{1});
  EXPECT_FALSE(timer.armed());
  EXPECT_EQ(timer.deadline(), kNever);
  EXPECT_EQ(pop_all(wheel, at(seconds(9))), Names{});
}

TEST(TimerWheel, ATickMayRoundUpButNeverDown) {
  TimerWheel wheel;  // ticks of about a millisecond
  Named timer(1);
  wheel.arm(timer, at(milliseconds(10)));
  EXPECT_EQ(pop_all(wheel, at(milliseconds(10) - nanoseconds(1))), Names{});
  EXPECT_EQ(pop_all(wheel, at(milliseconds(12))), Names{1});
}

TEST(TimerWheel, OrderIsByDeadlineThenByArming) {
  TimerWheel wheel(0);
  std::vector<std::unique_ptr<Named>> timers;
  for (int name = 0; name < 6; ++name) timers.push_back(std::make_unique<Named>(name));
  wheel.arm(*timers[0], at(seconds(2)));
  wheel.arm(*timers[1], at(seconds(1)));
  wheel.arm(*timers[2], at(seconds(2)));
  wheel.arm(*timers[3], at(nanoseconds(1)));
  EXPECT_EQ(pop_all(wheel, at(seconds(1) + nanoseconds(5))), (Names{3, 1}));
  wheel.arm(*timers[4], at(seconds(2)));  // the same deadline, but armed later
  wheel.arm(*timers[5], at(seconds(2) - nanoseconds(1)));
  EXPECT_EQ(pop_all(wheel, at(seconds(3))), (Names{5, 0, 2, 4}));
}

TEST(TimerWheel, ACancelledTimerDoesNotFire) {
  TimerWheel wheel(0);
  Named a(1), b(2);
  wheel.arm(a, at(seconds(1)));
  wheel.arm(b, at(seconds(1)));
  a.cancel();
  a.cancel();
  EXPECT_EQ(wheel.size(), 1U);
  EXPECT_EQ(pop_all(wheel, at(seconds(1))), Names{2});
}

TEST(TimerWheel, ArmingAgainMoves) {
  TimerWheel wheel(0);
  Named timer(1);
  wheel.arm(timer, at(seconds(1)));
  wheel.arm(timer, at(seconds(3)));
  EXPECT_EQ(wheel.size(), 1U);
  EXPECT_EQ(pop_all(wheel, at(seconds(2))), Names{});
  wheel.arm(timer, at(seconds(2) + nanoseconds(1)));
  EXPECT_EQ(pop_all(wheel, at(seconds(2) + nanoseconds(1))), Names{1});
  wheel.arm(timer, at(seconds(9)));
  wheel.arm(timer, kNever);
  EXPECT_FALSE(timer.armed());
  EXPECT_EQ(wheel.size(), 0U);
}

TEST(TimerWheel, APastDeadlineFiresAtTheNextTick) {
  TimerWheel wheel(0);
  Named timer(1);
  wheel.pop(at(seconds(10)));
  wheel.arm(timer, at(seconds(1)));
  EXPECT_EQ(pop_all(wheel, at(seconds(10))), Names{}) << "a loop that arms again ends";
  EXPECT_EQ(pop_all(wheel, at(seconds(10) + nanoseconds(1))), Names{1});
}

TEST(TimerWheel, TimersMayBeArmedAndCancelledWhileTheyFire) {
  TimerWheel wheel(0);
  Named a(1), b(2), c(3);
  wheel.arm(a, at(seconds(1)));
  wheel.arm(b, at(seconds(1)));
  wheel.arm(c, at(seconds(2)));
  EXPECT_EQ(wheel.pop(at(seconds(5))), &a);
  b.cancel();
  wheel.arm(a, at(seconds(6)));
  EXPECT_EQ(wheel.pop(at(seconds(5))), &c);
  EXPECT_EQ(wheel.pop(at(seconds(5))), nullptr);
  EXPECT_EQ(wheel.pop(at(seconds(6))), &a);
}

TEST(TimerWheel, TheNextDeadlineIsNeverLateAndSoonExact) {
  TimerWheel wheel(0);
  EXPECT_EQ(wheel.next_deadline(), kNever);
  Named timer(1);
  const Instant deadline = at(seconds(50) + nanoseconds(12345));
  wheel.arm(timer, deadline);
  int wakes = 0;
  while (timer.armed()) {
    const Instant next = wheel.next_deadline();
    ASSERT_LE(next, deadline);
    if (wheel.pop(next) == nullptr) ++wakes;
    ASSERT_LT(wakes, 12) << "a wake-up in vain per level at most";
  }
  EXPECT_EQ(wheel.next_deadline(), kNever);
}

TEST(TimerWheel, FarDeadlinesFireOnTime) {
  TimerWheel wheel(0);
  Named timer(1);
  wheel.arm(timer, Instant(Duration::max() - nanoseconds(1)));
  EXPECT_EQ(pop_all(wheel, at(std::chrono::hours(24 * 365 * 200))), Names{});
  EXPECT_EQ(pop_all(wheel, Instant(Duration::max() - nanoseconds(1))), Names{1});
  TimerWheel coarse;
  coarse.arm(timer, Instant(Duration::max() - nanoseconds(1)));
  EXPECT_GT(coarse.next_deadline(), at(seconds(0)));
}

TEST(TimerWheel, WheelAndTimerMayEndInEitherOrder) {
  auto wheel = std::make_unique<TimerWheel>(0);
  Named outlives(1);
  {
    Named dies(2);
    wheel->arm(dies, at(seconds(1)));
    wheel->arm(outlives, at(seconds(1)));
  }
  EXPECT_EQ(wheel->size(), 1U);
  wheel.reset();
  EXPECT_FALSE(outlives.armed());
}

// The wheel behaves as a list that is sorted by (tick, order of arming).
RC_GTEST_PROP(TimerWheel, BehavesLikeASortedList, ()) {
  struct Entry {
    std::int64_t tick;
    int order;
    int name;
  };
  const auto shift = *rc::gen::element(0U, 3U);
  TimerWheel wheel(shift);
  std::vector<std::unique_ptr<Named>> timers;
  for (int name = 0; name < 12; ++name) timers.push_back(std::make_unique<Named>(name));
  std::vector<Entry> model;
  std::int64_t now = 0;
  const auto forget = [&](int name) {
    std::erase_if(model, [name](const Entry& e) { return e.name == name; });
  };
  for (int step = 0; step < 80; ++step) {
    const int name = *rc::gen::inRange(0, 12);
    const auto ahead = *rc::gen::inRange<std::int64_t>(-10, 1LL << *rc::gen::inRange(1, 20));
    switch (*rc::gen::inRange(0, 4)) {
      case 0:
        timers[static_cast<std::size_t>(name)]->cancel();
        forget(name);
        break;
      case 1:
      case 2: {
        wheel.arm(*timers[static_cast<std::size_t>(name)], at(nanoseconds(now + ahead)));
        forget(name);
        const std::int64_t up =
            (std::max<std::int64_t>(now + ahead, 0) + (1 << shift) - 1) >> shift;
        model.push_back({std::max(up, (now >> shift) + 1), step, name});
        break;
      }
      default: {
        now += std::max<std::int64_t>(ahead, 0);
        std::sort(model.begin(), model.end(), [](const Entry& a, const Entry& b) {
          return std::tie(a.tick, a.order) < std::tie(b.tick, b.order);
        });
        Names expected;
        while (!model.empty() && model.front().tick <= now >> shift) {
          expected.push_back(model.front().name);
          model.erase(model.begin());
        }
        RC_ASSERT(pop_all(wheel, at(nanoseconds(now))) == expected);
      }
    }
    RC_ASSERT(wheel.size() == model.size());
    std::int64_t earliest = -1;
    for (const Entry& entry : model)
      earliest = earliest < 0 ? entry.tick : std::min(earliest, entry.tick);
    if (earliest < 0) {
      RC_ASSERT(wheel.next_deadline() == kNever);
    } else {
      RC_ASSERT(wheel.next_deadline() <= at(nanoseconds(earliest << shift)));
    }
  }
}

}  // namespace
}  // namespace ulnet

#include "lnet/lnd/duty_meter.h"

#include <gtest/gtest.h>

namespace ulnet::lnd {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

Instant at(std::int64_t ms) { return Instant(milliseconds(ms)); }

TEST(DutyMeter, CountsCyclesAndKeepsTheLongest) {
  DutyMeter meter;
  meter.set_threshold(milliseconds(10));
  EXPECT_EQ(meter.duty(), Duty{});
  meter.begin(at(100));
  EXPECT_TRUE(meter.running());
  EXPECT_EQ(meter.duty(), Duty{}) << "not before it has ended";
  meter.end(at(103));
  EXPECT_EQ(meter.duty(), (Duty{1, 0, milliseconds(3)}));
  meter.begin(at(200));
  meter.end(at(225));
  meter.begin(at(225));
  meter.end(at(226));
  EXPECT_EQ(meter.duty(), (Duty{3, 1, milliseconds(25)}));
}

TEST(DutyMeter, CountsHowOftenItsThreadSlept) {
  DutyMeter meter;
  meter.sleep();
  meter.sleep();
  EXPECT_EQ(meter.duty(), (Duty{0, 0, {}, 2}));
}

TEST(DutyMeter, TimeBetweenCyclesDoesNotCount) {
  DutyMeter meter;
  meter.end(at(50));
  EXPECT_EQ(meter.duty(), Duty{}) << "none had begun";
  meter.begin(at(100));
  meter.end(at(101));
  meter.end(at(900));
  EXPECT_FALSE(meter.running());
  EXPECT_EQ(meter.duty(), (Duty{1, 1, milliseconds(1)}));
  meter.begin(at(1000));
  meter.begin(at(1500));
  meter.end(at(1501));
  EXPECT_EQ(meter.duty().longest, milliseconds(1)) << "the first one was given up";
}

TEST(DutyMeter, LongIsMoreThanTheThresholdOfThatTime) {
  DutyMeter meter;
  const auto cycle = [&](Duration length) {
    meter.begin(at(7));
    meter.end(at(7) + length);
    return meter.duty().long_cycles;
  };
  meter.set_threshold(milliseconds(2));
  EXPECT_EQ(cycle(milliseconds(2)), 0U);
  EXPECT_EQ(cycle(milliseconds(2) + nanoseconds(1)), 1U);
  meter.set_threshold(milliseconds(5));
  EXPECT_EQ(cycle(milliseconds(4)), 1U);
  meter.set_threshold(Duration{});
  EXPECT_EQ(cycle(Duration{}), 1U) << "every one that took any time";
  EXPECT_EQ(cycle(nanoseconds(1)), 2U);
  EXPECT_EQ(cycle(nanoseconds(-5)), 2U) << "a clock that stepped back";
  EXPECT_EQ(meter.duty().longest, milliseconds(4));
}

}  // namespace
}  // namespace ulnet::lnd

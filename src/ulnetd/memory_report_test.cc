#include <gtest/gtest.h>

#include "ulnetd/reports.h"

namespace ulnet::tools {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(MemoryReport, SaysWhenMemoryIsShortAndWhenItIsThereAgain) {
  int tried = 0;
  bool there = false;
  MemoryReport report([&] { return ++tried, there; });
  const MemoryReport::Time start{seconds(1000)};
  EXPECT_EQ(report.look(start, false), "");
  EXPECT_EQ(report.look(start, true).find("memory is short"), 0U);
  EXPECT_EQ(report.look(start + milliseconds(900), true), "");
  EXPECT_EQ(tried, 0);
  EXPECT_EQ(report.look(start + seconds(1), true), "");
  EXPECT_EQ(report.look(start + milliseconds(1500), true), "");
  EXPECT_EQ(tried, 1);
  there = true;
  EXPECT_EQ(report.look(start + seconds(2), true).find("there is memory again"), 0U);
  EXPECT_EQ(report.look(start + seconds(3), false), "");
  EXPECT_EQ(tried, 2);
}

}  // namespace
}  // namespace ulnet::tools

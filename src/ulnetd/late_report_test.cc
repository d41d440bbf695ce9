// spec/multirail.md 5.2, "late messages" console report.
#include <gtest/gtest.h>

#include "ulnetd/reports.h"

namespace ulnet::tools {
namespace {

using std::chrono::seconds;

constexpr LateReport::Time kStart{seconds(1000)};
constexpr std::uint64_t kSecond = 1'000'000'000;

TEST(LateReport, SaysOnceAMinuteWhatIsNew) {  // spec/multirail.md 5.2
  LateReport report(kStart);
  EXPECT_FALSE(report.is_due(kStart + seconds(59)));
  EXPECT_TRUE(report.is_due(kStart + seconds(60)));
  EXPECT_EQ(report.look(kStart + seconds(60), {}), "");
  EXPECT_FALSE(report.is_due(kStart + seconds(119)));
  EXPECT_EQ(report.look(kStart + seconds(120), {2, 5 * kSecond}),
            "2 messages failed past their deadline in the last 60 s, by 2.500 s on average");
  EXPECT_EQ(report.look(kStart + seconds(180), {2, 5 * kSecond}), "");
  EXPECT_EQ(report.look(kStart + seconds(245), {3, 6 * kSecond}),
            "1 messages failed past their deadline in the last 65 s, by 1.000 s on average");
}

TEST(LateReport, CountsFromTheBeginningAfterAReset) {
  LateReport report(kStart);
  (void)report.look(kStart + seconds(60), {5, 5 * kSecond});
  EXPECT_EQ(report.look(kStart + seconds(120), {1, 2 * kSecond}),
            "1 messages failed past their deadline in the last 60 s, by 2.000 s on average");
}

}  // namespace
}  // namespace ulnet::tools

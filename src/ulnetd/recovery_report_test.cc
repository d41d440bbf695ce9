// spec/multirail.md 7, console report.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ulnetd/reports.h"

namespace ulnet::tools {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr RecoveryReport::Time kBegin{seconds(1000)};

std::vector<Nid> nids(std::uint32_t count) {
  std::vector<Nid> all;
  for (std::uint32_t i = 1; i <= count; ++i)
    all.push_back(Nid::small({NetType::kTcp, 0}, 0x0a000000U + i));
  return all;
}

TEST(RecoveryReport, IsMadeAfterAMinuteThenLessAndLessOften) {  // spec/multirail.md 7
  RecoveryReport report(kBegin);
  const auto some = nids(1);
  std::vector<int> made;
  for (int second = 0; second <= 1200; ++second) {
    const auto now = kBegin + seconds(second);
    if (!report.is_due(now)) continue;
    EXPECT_THAT(report.look(now, {}, some), ElementsAre("1 peer NI in recovery: 10.0.0.1@tcp"));
    made.push_back(second);
  }
  EXPECT_THAT(made, ElementsAre(60, 180, 420, 720, 1020));
}

TEST(RecoveryReport, ItPausesWhileAllAreHealthy) {
  RecoveryReport report(kBegin);
  const auto some = nids(1);
  auto now = kBegin + seconds(60);
  for (int times = 0; times < 4; ++times, now += seconds(300)) (void)report.look(now, some, {});
  EXPECT_THAT(report.look(now, {}, {}), IsEmpty());
  EXPECT_FALSE(report.is_due(now + seconds(59)));
  EXPECT_TRUE(report.is_due(now + seconds(60)));
}

TEST(RecoveryReport, ALineNamesTwentyNidsAtMost) {  // spec/multirail.md 7
  RecoveryReport report(kBegin);
  const auto lines = report.look(kBegin, nids(2), nids(5000));
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0], "2 local NIs in recovery: 10.0.0.1@tcp 10.0.0.2@tcp");
  EXPECT_EQ(std::count(lines[1].begin(), lines[1].end(), '@'), 20);
  EXPECT_THAT(lines[1], testing::StartsWith("5000 peer NIs in recovery: 10.0.0.1@tcp "));
  EXPECT_THAT(lines[1], testing::EndsWith("10.0.0.20@tcp and 4980 more"));
}

}  // namespace
}  // namespace ulnet::tools

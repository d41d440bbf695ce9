#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "fgr/simulate/report.h"
#include "fgr/site/new_site.h"
#include "fgr/site/site_file.h"
#include "text/chart/svg_check_fixture.h"
#include "text/chart/svg_geometry_fixture.h"

namespace ulnet::tools::fgr {
namespace {

/// The picture of a Sonexion of this many SSUs, in which each OSS took a little longer than the one
/// before.
std::string picture_of_times(std::uint32_t ssus) {
  const auto text = new_site({.ssus = ssus, .cluster = "snx11001", .net = {NetType::kO2ib, 6000}});
  const plan::Plan plan = *plan::make_plan(*read_site(*text));
  const TrialSetup setup;
  Outcome outcome;
  const auto& servers = plan.site.file_systems[0].servers;
  for (std::size_t i = 0; i < servers.size(); ++i)
    if (!servers[i].metadata())
      outcome.osss.push_back(
          {.place = {0, i}, .seconds = 50 + 20.0 * double(i) / double(servers.size())});
  outcome.latencies.percentiles.fill(0.01);
  return simulated_picture(
      {.plan = plan, .setup = setup, .losses = {}, .outcomes = {outcome, outcome}});
}

TEST(TimesPicture, FitsItsTexts) {
  for (const std::uint32_t ssus : {1U, 2U, 3U, 6U, 12U, 20U, 60U, 180U}) {
    SCOPED_TRACE(ssus);
    const std::string svg = picture_of_times(ssus);
    EXPECT_EQ(chart::svg_problem(svg), "");
    const chart::SvgGeometry drawn(svg);
    EXPECT_THAT(drawn.misplaced(), testing::IsEmpty());
    for (const chart::Text& each : drawn.texts) EXPECT_GE(each.size, 11) << each.words;
  }
}

/// The labels below the bars reach from one end of the plot to the other.
TEST(TimesPicture, BarsTakeTheWidthOfThePlot) {
  for (const std::uint32_t ssus : {2U, 6U, 12U}) {
    SCOPED_TRACE(ssus);
    const chart::SvgGeometry drawn(picture_of_times(ssus));
    double left = drawn.width, right = 0, axis_left = drawn.width, axis_right = 0;
    for (const chart::Segment& line : drawn.segments) {
      axis_left = std::min(axis_left, line.from.x);
      axis_right = std::max(axis_right, line.to.x);
    }
    for (const chart::Text& each : drawn.texts) {
      if (!each.words.starts_with("home ")) continue;
      left = std::min(left, (each.left + each.right) / 2);
      right = std::max(right, (each.left + each.right) / 2);
    }
    // A group is in the middle of its part of the axis.
    const double groups = 2 * std::ceil(ssus / 3.0), part = (axis_right - axis_left) / groups;
    EXPECT_NEAR(left - axis_left, part / 2, 6);
    EXPECT_NEAR(axis_right - right, part / 2, 6);
  }
}

}  // namespace
}  // namespace ulnet::tools::fgr

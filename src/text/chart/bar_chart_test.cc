#include "text/chart/bar_chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "text/chart/svg_check_fixture.h"

namespace ulnet::tools::chart {
namespace {

using testing::HasSubstr;
using testing::Not;

std::size_t times_of(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++found;
  return found;
}

BarChart bars_of(std::vector<Bar> bars) {
  return {.title = "t", .unit = "GB/s", .bars = std::move(bars)};
}

TEST(BarChart, HeightsAreTheValues) {
  // The axis is from 0 to 10 and 250 pixels high, from 52 to 302.
  const std::string svg = draw(bars_of({{.label = "a", .value = 10}, {.label = "b", .value = 5}}));
  EXPECT_EQ(svg_problem(svg), "");
  EXPECT_THAT(svg, HasSubstr("<rect x=\"98\" y=\"52\" width=\"40\" height=\"250\""));
  EXPECT_THAT(svg, HasSubstr("<rect x=\"143\" y=\"177\" width=\"40\" height=\"125\""));
  EXPECT_THAT(svg, HasSubstr(">GB/s</text>"));
  EXPECT_EQ(draw(bars_of({{.label = "a", .value = 10}, {.label = "b", .value = 5}})), svg);
}

TEST(BarChart, BarsOfAGroupAreAdjacentAndNamedOnce) {
  const std::string svg = draw(bars_of({{.label = "a", .value = 1, .group = "002"},
                                        {.label = "b", .value = 1, .group = "002"},
                                        {.label = "c", .value = 1, .group = "003"}}));
  EXPECT_EQ(svg_problem(svg), "");
  EXPECT_EQ(times_of(svg, ">002</text>"), 1U);
  EXPECT_EQ(times_of(svg, ">003</text>"), 1U);
  EXPECT_EQ(times_of(svg, "height=\"250\" fill=\"#0072b2\""), 2U);
  EXPECT_EQ(times_of(svg, "height=\"250\" fill=\"#56b4e9\""), 1U) << "another shade";
  EXPECT_THAT(svg, HasSubstr("<rect x=\"98\""));
  EXPECT_THAT(svg, HasSubstr("<rect x=\"143\""));
  EXPECT_THAT(svg, HasSubstr("<rect x=\"204\""))
      << "groups are farther apart than the bars of a group";
}

TEST(BarChart, ASecondValueIsBesideTheFirst) {
  BarChart chart = bars_of({{.label = "a", .value = 4, .second = 2}, {.label = "b", .value = 4}});
  chart.value_name = "before";
  chart.second_name = "after";
  const std::string svg = draw(chart);
  EXPECT_EQ(svg_problem(svg), "");
  EXPECT_THAT(svg, HasSubstr("<rect x=\"138\" y=\"201\" width=\"40\" height=\"125\""));
  EXPECT_EQ(times_of(svg, ">–</text>"), 1U) << "b has no second value";
  EXPECT_THAT(svg, HasSubstr(">before</text>"));
  EXPECT_THAT(svg, HasSubstr(">after</text>"));
}

TEST(BarChart, MarksAndLevels) {
  BarChart chart =
      bars_of({{.label = "a", .value = 4}, {.label = "slow", .value = 0, .marked = true}});
  chart.levels = {{3.2, "80 %"}, {std::numeric_limits<double>::quiet_NaN(), "no figure"}};
  const std::string svg = draw(chart);
  EXPECT_EQ(svg_problem(svg), "");
  EXPECT_EQ(times_of(svg, "<polyline"), 1U);
  EXPECT_EQ(times_of(svg, "font-weight=\"bold\""), 2U) << "the title and the label";
  EXPECT_THAT(svg, HasSubstr(">80 %</text>"));
  EXPECT_THAT(svg, Not(HasSubstr("no figure")));
}

TEST(BarChart, ManyBarsAreInRowsWithOneAxis) {
  BarChart chart = bars_of({});
  for (int k = 0; k < 360; ++k)
    chart.bars.push_back({.label = "oss" + std::to_string(k),
                          .value = k % 7,
                          .group = "group " + std::to_string(k / 2)});
  const std::string svg = draw(chart);
  EXPECT_EQ(svg_problem(svg), "");
  EXPECT_EQ(times_of(svg, ">oss"), 360U);
  EXPECT_GE(times_of(svg, ">GB/s</text>"), 6U);
  EXPECT_EQ(times_of(svg, ">6</text>"), times_of(svg, ">GB/s</text>"));
  EXPECT_EQ(svg.find("width=\"2"), std::string::npos) << "no row is 2000 wide or more";
}

TEST(BarChart, EmptyAndExtremeValues) {
  EXPECT_EQ(svg_problem(draw(BarChart{})), "");
  EXPECT_THAT(draw(BarChart{}), HasSubstr("no values"));
  for (const double value : {0.0, -3.0, 1e300, std::numeric_limits<double>::infinity(), 5e-324,
                             std::numeric_limits<double>::quiet_NaN()}) {
    const std::string svg =
        draw(bars_of({{.label = "<\xff&", .value = value, .group = "<g>", .second = value}}));
    EXPECT_EQ(svg_problem(svg), "") << value;
    EXPECT_THAT(svg, HasSubstr("&lt;g&gt;"));
  }
  EXPECT_EQ(times_of(draw(bars_of({{.label = "a"}})), ">–</text>"), 1U);
  EXPECT_THAT(draw(bars_of({{.label = "a", .value = -4}, {.label = "b", .value = 4}})),
              HasSubstr("height=\"125\""))
      << "bars hang from 0 when they are negative";
}

}  // namespace
}  // namespace ulnet::tools::chart

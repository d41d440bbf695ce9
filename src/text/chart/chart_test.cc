#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "text/chart/axis.h"
#include "text/chart/heat_map.h"
#include "text/chart/line_chart.h"
#include "text/chart/svg.h"
#include "text/chart/svg_check_fixture.h"
#include "text/chart/svg_geometry_fixture.h"

namespace ulnet::tools::chart {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++found;
  return found;
}

TEST(Svg, TheCheckOfTheseTestsSees) {
  EXPECT_EQ(svg_problem("<svg a=\"1\"><g/>x &amp; y</svg>\n"), "");
  for (const char* bad : {"", "x", "<svg>", "<svg a>\n", "<svg a=\"b>\n", "<>\n", "<svg></g>",
                          "<svg><g></svg>", "<svg>&</svg>\n", "<svg>&nbsp;</svg>\n",
                          "<svg>></svg>\n", "<svg a=\"<\"/>\n", "<svg/>\nx", "<svg x=\"nan\"/>\n"})
    EXPECT_NE(svg_problem(bad), "") << bad;
}

TEST(Svg, HatchesAreFillsOfTheirOwn) {
  std::set<std::string> pictures;
  for (std::size_t kind = 0; kind < kHatches; ++kind) {
    Svg svg(10, 10);
    svg.hatch("h", static_cast<Hatch>(kind), 8, "#ffffff", "#000000");
    svg.rect({}, 10, 10, "url(#h)");
    const std::string text = std::move(svg).finish();
    EXPECT_EQ(svg_problem(text), "");
    EXPECT_THAT(text, HasSubstr("<pattern id=\"h\" width=\"8\" height=\"8\""));
    EXPECT_TRUE(pictures.insert(text).second) << "as another one";
  }
}

TEST(Svg, EscapesXml) {
  EXPECT_EQ(escaped("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&apos;");
  EXPECT_EQ(escaped("grüße"), "grüße");
  EXPECT_EQ(escaped(std::string_view("\0\x1b[31m\n", 7)), "\ufffd\ufffd[31m\n");
  EXPECT_EQ(escaped("\xff\xc0\xaf|\xed\xa0\x80|\xe2\x82"),
            "\ufffd\ufffd\ufffd|\ufffd\ufffd\ufffd|\ufffd\ufffd");
  EXPECT_EQ(escaped("\xef\xbf\xbe"), "\ufffd") << "U+FFFE is no character of XML";
}

TEST(Svg, CutsLongTexts) {
  const std::string fits(64, '<');
  EXPECT_EQ(count(label(fits), "&lt;"), 64U);
  EXPECT_THAT(label(fits), Not(HasSubstr("…")));
  EXPECT_EQ(count(label(fits + "<"), "&lt;"), 63U);
  EXPECT_THAT(label(fits + "<"), testing::EndsWith("…"));
  EXPECT_EQ(width_of(std::string(1000, 'x'), 10), width_of(fits, 10));
}

std::vector<std::string> texts(const Axis& axis) {
  std::vector<std::string> all;
  for (const Tick& tick : axis.ticks) all.push_back(tick.text);
  return all;
}

Span span(std::initializer_list<double> values) {
  Span all;
  for (const double value : values) all.add(value);
  return all;
}

TEST(Axis, SizesArePowersOfTwo) {
  EXPECT_THAT(texts(size_axis(span({4096, 1 << 20}))),
              testing::ElementsAre("4k", "8k", "16k", "32k", "64k", "128k", "256k", "512k", "1M"));
  EXPECT_THAT(
      texts(size_axis(span({1, 1 << 20}))),
      testing::ElementsAre("1", "4", "16", "64", "256", "1k", "4k", "16k", "64k", "256k", "1M"));
  EXPECT_THAT(texts(size_axis(span({1000, 3000}))), testing::ElementsAre("512", "1k", "2k", "4k"));
  EXPECT_THAT(texts(size_axis(span({1}))), testing::ElementsAre("1", "2"));
  EXPECT_THAT(texts(size_axis(span({4096}))), testing::ElementsAre("2k", "4k"));
  EXPECT_THAT(texts(size_axis(span({}))), testing::ElementsAre("1", "2"));
  EXPECT_EQ(size_axis(span({1, 1e15})).high, std::exp2(50));
  EXPECT_DOUBLE_EQ(size_axis(span({1, 1024})).place(32), 0.5);
}

TEST(Axis, LinearBeginsAtZero) {
  EXPECT_THAT(texts(linear_axis(span({3, 9}))),
              testing::ElementsAre("0", "2", "4", "6", "8", "10"));
  EXPECT_THAT(texts(linear_axis(span({0.3}))),
              testing::ElementsAre("0", "0.05", "0.1", "0.15", "0.2", "0.25", "0.3"));
  EXPECT_THAT(texts(linear_axis(span({-4, 4}))), testing::ElementsAre("-4", "-2", "0", "2", "4"));
  EXPECT_EQ(linear_axis(span({0})).high, linear_axis(span({})).high);
  EXPECT_THAT(texts(linear_axis(span({1e15}))).back(), "1e+15");
}

TEST(Axis, LogarithmicHasRoundEnds) {
  EXPECT_THAT(texts(log_axis(span({3, 70}))),
              testing::ElementsAre("2", "5", "10", "20", "50", "100"));
  EXPECT_THAT(texts(log_axis(span({1, 1e6}))),
              testing::ElementsAre("1", "10", "100", "1000", "10000", "100000", "1000000"));
  EXPECT_THAT(texts(log_axis(span({20}))), testing::ElementsAre("10", "20", "50"));
  EXPECT_DOUBLE_EQ(log_axis(span({1, 100})).place(10), 0.5);
}

TEST(Axis, FiguresAreAsLongAsTheyDeserve) {
  EXPECT_EQ(value_text(3.424, 9), "3.42");
  EXPECT_EQ(value_text(3.424, 12.5), "3.4");
  EXPECT_EQ(value_text(3.424, 1000), "3");
  EXPECT_EQ(value_text(12345.6, 12345.6), "12346");
  EXPECT_EQ(value_text(12345678, 12345678), "1.23e+07");
}

TEST(HeatMap, DrawsTitleLabelsAndCells) {
  const HeatMap map{.title = "ping",
                    .unit = "µs",
                    .rows = {"a"},
                    .columns = {"x", "y"},
                    .values = {{10.0, std::nullopt}}};
  const std::string svg = draw(map);
  EXPECT_EQ(svg_problem(svg), "");
  EXPECT_THAT(svg,
              HasSubstr("<rect x=\"37.44\" y=\"66\" width=\"43\" height=\"25\" fill=\"#fee838\"/>\n"
                        "<text x=\"59.44\" y=\"83\" font-size=\"11\" fill=\"#111111\" "
                        "text-anchor=\"middle\">10.0</text>\n"
                        "<rect x=\"81.44\" y=\"66\" width=\"43\" height=\"25\" fill=\"#e4e4e4\"/>\n"
                        "<text x=\"103.44\" y=\"83\" font-size=\"11\" fill=\"#555555\" "
                        "text-anchor=\"middle\">–</text>\n"));
  EXPECT_EQ(draw(map), svg);
}

TEST(HeatMap, LighterIsMore) {
  const std::string svg = draw({.title = "t",
                                .unit = "MB/s",
                                .rows = {"a", "b"},
                                .columns = {"a", "b"},
                                .values = {{0.0, 50.0}, {100.0, kNan}}});
  EXPECT_EQ(svg_problem(svg), "");
  EXPECT_THAT(svg, HasSubstr("height=\"25\" fill=\"#00224e\""));
  EXPECT_THAT(svg, HasSubstr("height=\"25\" fill=\"#7c7b78\""));
  EXPECT_THAT(svg, HasSubstr("height=\"25\" fill=\"#fee838\""));
  EXPECT_THAT(svg, HasSubstr("height=\"25\" fill=\"#e4e4e4\"")) << "no figure: as if missing";
}

TEST(HeatMap, NoiseDoesNotLookLikeAFault) {
  const std::string svg = draw({.title = "t",
                                .unit = "MB/s",
                                .rows = {"a"},
                                .columns = {"a", "b"},
                                .values = {{1000.0, 999.0}}});
  EXPECT_THAT(svg, Not(HasSubstr("height=\"25\" fill=\"#00224e\"")));
  EXPECT_THAT(svg, HasSubstr(">800</text>")) << "the legend begins at four fifths";
}

TEST(HeatMap, AScaleFitsAnyValues) {
  const auto drawn = [](double value) {
    return draw({.title = "t",
                 .unit = "%",
                 .rows = {"a"},
                 .columns = {"a"},
                 .values = {{value}},
                 .scale = {.low = 0, .high = 100}});
  };
  EXPECT_THAT(drawn(100), HasSubstr("height=\"25\" fill=\"#fee838\""));
  EXPECT_THAT(drawn(50), HasSubstr("height=\"25\" fill=\"#7c7b78\""));
  EXPECT_THAT(drawn(0), HasSubstr("height=\"25\" fill=\"#00224e\""));
  EXPECT_THAT(drawn(100), HasSubstr(">0</text>")) << "where the legend begins";
}

TEST(HeatMap, EmptyAndExtremeValues) {
  EXPECT_EQ(svg_problem(draw(HeatMap{})), "");
  EXPECT_THAT(draw(HeatMap{}), HasSubstr("no values"));
  for (const double value : {0.0, -3.0, 1e300, kInfinity, 5e-324}) {
    const std::string svg =
        draw({.title = "t", .rows = {"a"}, .columns = {"b"}, .values = {{value}}});
    EXPECT_EQ(svg_problem(svg), "") << value;
  }
}

TEST(HeatMap, GrowsWithItsNodesAndTheirNames) {
  HeatMap map{.title = "t", .unit = "MB/s", .row_title = "from", .column_title = "to"};
  for (int node = 0; node < 64; ++node)
    map.rows.push_back("fe80::" + std::to_string(node) + "@tcp<&>");
  map.columns = map.rows;
  map.values.assign(64, std::vector<std::optional<double>>(64, 1.5));
  const std::string svg = draw(map);
  EXPECT_EQ(svg_problem(svg), "");
  EXPECT_EQ(count(svg, ">1.50</text>"), 64U * 64U + 1) << "and the legend's end";
  EXPECT_EQ(count(svg, "fe80::7@tcp&lt;&amp;&gt;"), 2U);
  EXPECT_EQ(count(svg, "rotate(-90"), 65U) << "names of columns do not fit above their cells";
}

LineChart chart_of(std::vector<Series> above, std::vector<Series> below) {
  return {.title = "t",
          .subtitle = "s",
          .x_title = "message size (bytes)",
          .panels = {{.y_title = "bandwidth (MB/s)", .series = std::move(above)},
                     {.y_title = "latency (µs)", .log_y = true, .series = std::move(below)}}};
}

TEST(LineChart, PlacesPoints) {
  const std::string svg = draw(chart_of({{"read", {{1, 0}, {1024, 50}, {1 << 20, 100}}}},
                                        {{"read", {{1, 10}, {1 << 20, 1000}}}}));
  EXPECT_EQ(svg_problem(svg), "");
  EXPECT_THAT(svg, HasSubstr("<polyline points=\"90,322 400,197 710,72\" fill=\"none\""));
  EXPECT_THAT(svg, HasSubstr("<polyline points=\"90,612 710,362\" fill=\"none\""));
  EXPECT_EQ(count(svg, "stroke=\"#0072b2\""), 4U) << "a curve and its legend, in both panels";
  EXPECT_EQ(count(svg, ">1M</text>"), 2U);
  EXPECT_EQ(count(svg, ">message size (bytes)</text>"), 1U);
}

TEST(LineChart, AMissingFigureIsAGap) {
  const std::string svg =
      draw(chart_of({{"a", {{1, 1}, {2, 2}, {4, kNan}, {8, 1}, {16, 3}, {0, 1}, {64, kInfinity}}}},
                    {{"b", {{1, 1}, {2, 0}, {4, -1}, {8, 3}}}}));
  EXPECT_EQ(svg_problem(svg), "");
  EXPECT_EQ(count(svg, "<polyline"), 2U) << "two in the upper panel, dots only in the lower";
  EXPECT_EQ(count(svg, "<circle"), 4U + 2U + 2U) << "with those of the legends";
}

TEST(LineChart, EmptyAndExtremeValues) {
  EXPECT_EQ(svg_problem(draw(LineChart{})), "");
  EXPECT_EQ(svg_problem(draw(chart_of({}, {}))), "");
  EXPECT_EQ(svg_problem(draw(chart_of({{"", {}}}, {{"<>", {{4096, 20}}}}))), "");
  EXPECT_EQ(svg_problem(draw(chart_of({{"\xff", {{1, -5}}}}, {{"x", {{1e15, 1e-15}}}}))), "");
}

TEST(LineChart, TimesBeginAtZeroAndHaveMarks) {
  const Series series{"rate", {{0.25, 3}, {5, 4}, {10, 5}}};
  const LineChart chart{
      .title = "t",
      .panels = {{.y_title = "MB/s",
                  .series = {series},
                  .marks = {{5, 10, "kill <a>"}, {20, 30, "beyond"}, {4, 3, "no"}}}},
      .x = LineChart::X::kTimes};
  const std::string svg = draw(chart);
  EXPECT_EQ(svg_problem(svg), "");
  EXPECT_THAT(svg, HasSubstr("kill &lt;a&gt;"));
  EXPECT_THAT(svg, Not(HasSubstr("beyond")));
  EXPECT_THAT(svg, Not(HasSubstr(">no<")));
  // The plot is from 90 to 710: the mark begins in its middle, where the second point is.
  EXPECT_THAT(svg, HasSubstr("<rect x=\"400\" y=\"67\" width=\"310\" height=\"250\""));
  EXPECT_THAT(svg, HasSubstr("cx=\"400\""));
  EXPECT_THAT(svg, HasSubstr("cx=\"105.5\"")) << "a time below 1 is shown, unlike a size";
}

/// Many faults, some at the same time, some near each other.
TEST(LineChart, TextsOfMarksDoNotOverlap) {
  LineChart chart{.title = "t",
                  .panels = {{.y_title = "MB/s", .series = {{"rate", {{0, 3}, {60, 4}}}}}},
                  .x = LineChart::X::kTimes};
  for (const double from : {30.0, 3.0, 3.0, 59.0, 5.0, 31.0, 8.0, 60.0, 12.0, 0.0, 33.0, 58.0})
    chart.panels[0].marks.push_back({from, from + 4, "a fault that has a long name"});
  const std::string svg = draw(chart);
  EXPECT_EQ(count(svg, ">a fault that has a long name<"), 12U);
  const SvgGeometry drawn(svg);
  EXPECT_THAT(drawn.misplaced(), IsEmpty());
  for (const Text& text : drawn.texts)
    for (const Segment& line : drawn.segments) {
      if (!text.words.starts_with("a fault") || line.from.x != line.to.x) continue;
      EXPECT_FALSE(line.around().overlaps(text)) << "a line to a band at " << line.from.x;
    }
}

TEST(LineChart, ColoursRunOutAndDashesBegin) {
  std::vector<Series> many;
  for (int each = 0; each < 20; ++each)
    many.push_back({std::to_string(each), {{1, each + 1.0}, {2, each + 2.0}}});
  const std::string svg = draw(chart_of(many, {}));
  EXPECT_EQ(svg_problem(svg), "");
  EXPECT_EQ(count(svg, "stroke-dasharray=\"7,4\""), 14U);
  EXPECT_EQ(count(svg, "stroke-dasharray=\"2,3\""), 12U);
}

}  // namespace
}  // namespace ulnet::tools::chart

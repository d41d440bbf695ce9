#include "text/chart/svg_geometry_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ulnet::tools::chart {
namespace {

using testing::ElementsAre;

/// A square of 20 pixels.
void square(Svg& svg, Spot corner) {
  const double right = corner.x + 20, bottom = corner.y + 20;
  svg.shape({corner, {right, corner.y}, {right, bottom}, {corner.x, bottom}}, "none", {});
}

TEST(SvgGeometry, SeesTextsThatAreMisplaced) {
  Svg svg(200, 100);
  svg.text({10, 50}, "first", {});
  svg.text({40, 55}, "second", {.anchor = Anchor::kMiddle});
  svg.text({10, 80}, "third", {});
  svg.text({180, 20}, "fourth", {});
  svg.text({10, 103}, "fifth", {});
  svg.text({150, 60}, "sixth", {.anchor = Anchor::kEnd, .turn = -90});
  svg.text({150, 90}, "seventh", {.turn = -90});
  EXPECT_THAT(
      SvgGeometry(std::move(svg).finish()).misplaced(),
      ElementsAre("second on first", "outside: fourth", "outside: fifth", "seventh on sixth"));
}

TEST(SvgGeometry, SeesLinesAcrossBoxes) {
  Svg svg(200, 100);
  square(svg, {40, 40});
  square(svg, {100, 40});
  svg.line({60, 50}, {100, 50}, {});               // from one to the other
  svg.line({70, 30}, {70, 90}, {});                // between them
  svg.path({{20, 55}, {110, 55}, {110, 90}}, {});  // across one, and into the other
  EXPECT_EQ(SvgGeometry(std::move(svg).finish()).lines_across_boxes().size(), 3U);
}

TEST(SvgGeometry, LetsALineIntoABoxToABoxInside) {
  Svg svg(200, 100);
  svg.shape({{30, 30}, {130, 30}, {130, 70}, {30, 70}}, "none", {});
  square(svg, {40, 40});
  svg.line({10, 50}, {40, 50}, {});
  EXPECT_THAT(SvgGeometry(std::move(svg).finish()).lines_across_boxes(), ElementsAre());
}

TEST(SvgGeometry, SeesMarksBeyondASheet) {
  Svg svg(100, 200);
  svg.line({0, 100}, {100, 100}, {});  // between two sheets
  svg.text({20, 103}, "between", {});
  svg.text({20, 50}, "within", {});
  square(svg, {75, 50});
  EXPECT_THAT(SvgGeometry(std::move(svg).finish()).beyond_sheets(100, 10),
              ElementsAre("between at (20, 93.4)", "a box at (75, 50)"));
}

}  // namespace
}  // namespace ulnet::tools::chart

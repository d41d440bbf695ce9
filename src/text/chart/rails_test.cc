#include "text/chart/rails.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ulnet::tools::chart {
namespace {

using testing::HasSubstr;
using testing::Not;

Rails two_rails() {
  return {.title = "peer 10.0.0.2@tcp",
          .note = "",
          .local = {{.nid = "10.0.0.1@tcp", .net = "tcp", .sent = 90, .received = 10},
                    {.nid = "10.0.1.1@tcp1", .net = "tcp1"},
                    {.nid = "10.0.9.1@tcp9", .net = "tcp9"}},
          .peer = {{.nid = "10.0.0.2@tcp", .net = "tcp", .sent = 50},
                   {.nid = "10.0.1.2@tcp1", .net = "tcp1", .health = 900}}};
}

TEST(Rails, ShowsBothEndsOfEachNetOfThePeer) {
  const std::string svg = draw_rails(two_rails());
  for (const char* text : {"10.0.0.1@tcp<", "10.0.1.1@tcp1<", "10.0.0.2@tcp<", "10.0.1.2@tcp1<",
                           ">tcp<", ">tcp1<", "health 900, sent 0, received 0"})
    EXPECT_THAT(svg, HasSubstr(text));
  EXPECT_THAT(svg, Not(HasSubstr("tcp9"))) << "the peer is not on that net";
}

TEST(Rails, TheWidestLineIsTheBusiestInterface) {
  const std::string svg = draw_rails(two_rails());
  EXPECT_THAT(svg, HasSubstr("stroke-width=\"9\""));  // 100 of 100 messages
  EXPECT_THAT(svg, HasSubstr("stroke-width=\"5\""));  // 50
  EXPECT_THAT(svg, HasSubstr("stroke-width=\"1\""));  // none
}

TEST(Rails, HealthIsAColourAndADeadRailIsDashed) {
  Rails rails = two_rails();
  EXPECT_THAT(draw_rails(rails), HasSubstr("#e69f00"));
  EXPECT_THAT(draw_rails(rails), Not(HasSubstr("stroke-dasharray")));
  rails.peer[1].health = 0;
  EXPECT_THAT(draw_rails(rails), HasSubstr("stroke=\"#d55e00\" stroke-width=\"1\" stroke-dash"));
  rails.peer[1].health = 1000;
  rails.local[0].down = true;
  EXPECT_THAT(draw_rails(rails), HasSubstr("down, health 1000, sent 90"));
}

TEST(Rails, ANetWhereThisNodeIsNotSaysSo) {
  Rails rails = two_rails();
  rails.local.clear();
  EXPECT_THAT(draw_rails(rails), HasSubstr("tcp: not here"));
  EXPECT_THAT(draw_rails({}), HasSubstr("<svg")) << "nothing to draw is a picture too";
}

TEST(Rails, TextsOfOthersAreEscaped) {
  Rails rails = two_rails();
  rails.note = "<script>";
  EXPECT_THAT(draw_rails(rails), Not(HasSubstr("<script>")));
}

}  // namespace
}  // namespace ulnet::tools::chart

#include "lnet/config/routes.h"

#include <gtest/gtest.h>

#include "lnet/config/routes_fixture.h"

namespace ulnet::conf {
namespace {

std::string of_text(std::string_view text) {
  const PlainText in(text);
  const auto rules = read_routes(in, in.text());
  if (!rules) return rules.error().reason;
  const auto routes = routes_of(in, *rules);
  if (routes) return shown(*routes);
  return std::to_string(routes.error().place.line) + ":" +
         std::to_string(routes.error().place.column) + " " + routes.error().reason;
}
TEST(RouteItems, DuplicateRoutesAreOne) {  // spec/cli-lnetctl.md 9.2
  EXPECT_EQ(of_text("tcp[1-2] 3 10.0.0.[1,2]@o2ib:7"),
            "tcp1/10.0.0.1@o2ib/3/7 tcp1/10.0.0.2@o2ib/3/7 tcp2/10.0.0.1@o2ib/3/7 "
            "tcp2/10.0.0.2@o2ib/3/7");
  EXPECT_EQ(of_text("tcp1 10.0.0.2@o2ib; tcp1 10.0.0.[1-2]@o2ib:1"),
            "tcp1/10.0.0.2@o2ib/-1/0 tcp1/10.0.0.1@o2ib/-1/1")
      << "the first of two equal routes counts";
  EXPECT_EQ(of_text("tcp1: { gateway: fd00::1@tcp }"), "tcp1/fd00::1@tcp/-1/0");
  EXPECT_EQ(of_text("tcp1 10.0.0.1@tcp\nlo 10.0.0.1@tcp"), "2:1 setting @lo not allowed");
  EXPECT_EQ(of_text("tcp 0@lo"), "1:1 gateway '0@lo' is this node itself");
  EXPECT_EQ(of_text("tcp[0-65535] [1-2]@gni"), "1:1 more than 65536 routes");
  EXPECT_EQ(of_text("tcp[0-32767] [1-2]@gni; \\\n tcp9 7@gni"), "2:2 more than 65536 routes");
}

}  // namespace
}  // namespace ulnet::conf

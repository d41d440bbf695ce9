#include "lnet/config/routes_text.h"

#include <gtest/gtest.h>

namespace ulnet::conf {
namespace {

/// "line:column reason" of the problem in the text; empty if there is no problem.
std::string wrong(std::string_view text) {
  const PlainText in(text);
  const auto routes = read_routes(in, in.text());
  if (routes) return {};
  const Problem& problem = routes.error();
  return std::to_string(problem.place.line) + ":" + std::to_string(problem.place.column) + " " +
         problem.reason;
}

TEST(Routes, AllForms) {  // spec/cli-lnetctl.md 9.2
  const auto routes = parse_routes(
      "tcp1 1 192.168.1.[1-4]@o2ib:2; o2ib [3,4]@gni # a comment\ntcp[2-3] tcp7 10.0.0.1@tcp "
      "10.0.0.2@tcp");
  ASSERT_TRUE(routes.has_value()) << routes.error().reason;
  ASSERT_EQ(routes->size(), 6U);
  EXPECT_EQ(routes->at(0).net, "tcp1");
  EXPECT_EQ(routes->at(0).gateway, "192.168.1.[1-4]@o2ib");
  EXPECT_EQ(routes->at(0).hop, 1U);
  EXPECT_EQ(routes->at(0).priority, 2U);
  EXPECT_EQ(routes->at(1).gateway, "[3,4]@gni");
  EXPECT_EQ(routes->at(1).hop, std::nullopt);
  EXPECT_EQ(routes->at(5).net, "tcp7");
  EXPECT_TRUE(parse_routes("")->empty());
}

TEST(Routes, TheFormInBraces) {  // spec/cli-lnetctl.md 9.2
  const auto routes = parse_routes(
      "tcp7: { gateway: 10.3.3.[6-12]@tcp, priority: 20, hop: 8 }  # a comment\n"
      "o2ib : {hop:255,\n gateway: \"[3,4]@gni\"};tcp8:{gateway:fd00::1@tcp1,}\ntcp9 2 \\\n "
      "1.1.1.1@o2ib");
  ASSERT_TRUE(routes.has_value()) << routes.error().reason;
  ASSERT_EQ(routes->size(), 4U);
  EXPECT_EQ(routes->at(0).net, "tcp7");
  EXPECT_EQ(routes->at(0).gateway, "10.3.3.[6-12]@tcp");
  EXPECT_EQ(routes->at(0).hop, 8U);
  EXPECT_EQ(routes->at(0).priority, 20U);
  EXPECT_EQ(routes->at(1).gateway, "[3,4]@gni");
  EXPECT_EQ(routes->at(1).hop, 255U);
  EXPECT_EQ(routes->at(1).priority, std::nullopt);
  EXPECT_EQ(routes->at(2).gateway, "fd00::1@tcp1");
  EXPECT_EQ(routes->at(3).hop, 2U) << "a line that goes on";
}

TEST(Routes, Refusals) {  // spec/cli-lnetctl.md 9.2
  for (const char* bad : {"tcp1",
                          "10.0.0.1@tcp",
                          "tcp1 0 10.0.0.1@tcp",
                          "tcp1 256 10.0.0.1@tcp",
                          "tcp1 10.0.0.1@foo",
                          "tcp1 10.0.0.1@tcp:x",
                          "foo 10.0.0.1@tcp",
                          "tcp1 *@tcp",
                          "tcp1 10.0.0.1@tcp tcp2",
                          "tcp1 1 2 10.0.0.1@tcp",
                          "tcp1 10.0.0.1@tcp:1 10.0.0.2@tcp",
                          "* 10.0.0.1@tcp",
                          "tcp* 10.0.0.1@tcp",
                          "tcp1 10.0.0.1@tcp:",
                          "tcp1 10.0.0.1@tcp:-1",
                          "tcp1: {}",
                          "tcp1: { hop: 1 }",
                          "tcp1 { gateway: 10.0.0.1@tcp }",
                          ": { gateway: 10.0.0.1@tcp }",
                          "tcp1: { gateway: }",
                          "tcp1: { gateway: 10.0.0.1@tcp",
                          "tcp1: { gateway: 10.0.0.1@tcp } x",
                          "tcp1: { gateway: 10.0.0.1@tcp, hop: }",
                          "tcp1: { gateway: 10.0.0.1@tcp, hop: 1, hop: 1 }",
                          "tcp1: {{ gateway: 10.0.0.1@tcp }}",
                          "tcp1 tcp2: { gateway: 10.0.0.1@tcp }",
                          "tcp1: [ gateway: 10.0.0.1@tcp ]",
                          "}",
                          "tcp1 10.0.0.1@tcp }"}) {
    EXPECT_FALSE(parse_routes(bad).has_value()) << bad;
  }
}

TEST(Routes, ErrorsHaveTheirPlace) {  // spec/cli-lnetctl.md 9.2
  EXPECT_EQ(wrong("tcp1 0 10.0.0.1@tcp"), "1:6 hopcount '0' out of range (1 to 255)");
  EXPECT_EQ(wrong("tcp1 10.0.0.1@tcp\n# more\ntcp2 99999999999 10.0.0.1@tcp"),
            "3:6 hopcount '99999999999' out of range (1 to 255)");
  EXPECT_EQ(wrong("tcp1 10.0.0.1@tcp; \\\n tcp2 1 10.0.0.[1-300]@tcp").substr(0, 4), "2:9 ");
  EXPECT_EQ(wrong("tcp1: { gateway: 10.0.0.1@tcp,\n hop: 300 }"),
            "2:7 hopcount '300' out of range (1 to 255)");
  EXPECT_EQ(wrong("tcp1: { gateway: 1.1.1.1@tcp, gateway: 1.1.1.2@tcp }"),
            "1:31 multiple gateway specifications found");
  EXPECT_EQ(wrong("tcp1: { gateway: 1.1.1.1@tcp, hops: 1 }"),
            "1:31 invalid key 'hops' in route 'tcp1: { gateway: 1.1.1.1@tcp, hops: 1 }'");
  EXPECT_EQ(wrong("tcp1 10.0.0.[1@tcp"), "1:13 unbalanced brackets in 'tcp1 10.0.0.[1@tcp'");
  EXPECT_EQ(wrong("  tcp1 "), "1:3 a route needs a net and a gateway: 'tcp1'");
}

TEST(Routes, AShortTextCannotExpandToManyRoutes) {  // spec/cli-lnetctl.md 9.2
  std::string words;
  for (int i = 0; i < 400; ++i) words += "tcp ";
  for (int i = 0; i < 400; ++i) words += "1@gni ";
  const auto routes = parse_routes(words);
  ASSERT_FALSE(routes);
  EXPECT_EQ(routes.error().code, -E2BIG);
  EXPECT_EQ(wrong("tcp1 1@gni\ntcp[0-65535] 1@gni"), "2:1 more than 65536 routes");
  EXPECT_EQ(wrong("tcp[0-65535] o2ib 1@gni"), "1:14 more than 65536 routes");
}

}  // namespace
}  // namespace ulnet::conf

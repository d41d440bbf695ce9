#include "lnet/config/routes_text.h"

#include <gmock/gmock.h>

namespace ulnet::conf {
namespace {

using testing::ElementsAre;

/// "line:column reason" of the problem in the text; empty if there is no problem.
std::string wrong(std::string_view text) {
  const PlainText in(text);
  const auto routes = read_routes(in, in.text());
  if (routes) return {};
  const Problem& problem = routes.error();
  return std::to_string(problem.place.line) + ":" + std::to_string(problem.place.column) + " " +
         problem.reason;
}

/// A line for each net and gateway: "net gateway hop priority".
std::vector<std::string> routes_in(std::string_view text) {
  const PlainText in(text);
  const auto rules = read_routes(in, in.text());
  if (!rules) return {rules.error().reason};
  const auto shown = [](const std::optional<std::uint32_t>& number) {
    return number ? " " + std::to_string(*number) : " -";
  };
  std::vector<std::string> routes;
  for (const RouteRule& rule : *rules)
    for (const std::string_view net : rule.nets)
      for (const std::string_view gateway : rule.gateways)
        routes.push_back(std::string(net) + " " + std::string(gateway) + shown(rule.hop) +
                         shown(rule.priority));
  return routes;
}

TEST(Routes, AllForms) {  // spec/cli-lnetctl.md 9.2
  EXPECT_THAT(routes_in("tcp1 1 192.168.1.[1-4]@o2ib:2; o2ib [3,4]@gni # a comment\ntcp[2-3] tcp7 "
                        "10.0.0.1@tcp 10.0.0.2@tcp"),
              ElementsAre("tcp1 192.168.1.[1-4]@o2ib 1 2", "o2ib [3,4]@gni - -",
                          "tcp[2-3] 10.0.0.1@tcp - -", "tcp[2-3] 10.0.0.2@tcp - -",
                          "tcp7 10.0.0.1@tcp - -", "tcp7 10.0.0.2@tcp - -"));
  EXPECT_THAT(routes_in(""), ElementsAre());
}

TEST(Routes, TheFormInBraces) {  // spec/cli-lnetctl.md 9.2
  EXPECT_THAT(routes_in("tcp7: { gateway: 10.3.3.[6-12]@tcp, priority: 20, hop: 8 }  # a comment\n"
                        "o2ib : {hop:255,\n gateway: \"[3,4]@gni\"};tcp8:{gateway:fd00::1@tcp1,}\n"
                        "tcp9 2 \\\n 1.1.1.1@o2ib"),
              ElementsAre("tcp7 10.3.3.[6-12]@tcp 8 20", "o2ib [3,4]@gni 255 -",
                          "tcp8 fd00::1@tcp1 - -", "tcp9 1.1.1.1@o2ib 2 -"));
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
    EXPECT_NE(wrong(bad), "") << bad;
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
  const PlainText in(words);
  const auto routes = read_routes(in, in.text());
  ASSERT_FALSE(routes);
  EXPECT_EQ(routes.error().code, -E2BIG);
  EXPECT_EQ(wrong("tcp1 1@gni\ntcp[0-65535] 1@gni"), "2:1 more than 65536 routes");
  EXPECT_EQ(wrong("tcp[0-65535] o2ib 1@gni"), "1:14 more than 65536 routes");
}

}  // namespace
}  // namespace ulnet::conf

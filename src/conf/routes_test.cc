#include "conf/routes.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <nlohmann/json.hpp>

#include "conf/route_trees.h"
#include "conf/yaml_out.h"

namespace ulnet::conf {
namespace {

/// "tcp1/10.0.0.1@tcp/-1/0 ..."
std::string shown(const std::vector<RouteItem>& routes) {
  std::string text;
  for (const RouteItem& route : routes)
    text += (text.empty() ? "" : " ") + route.net.to_string() + "/" + route.gateway.to_string() +
            "/" + std::to_string(route.hops) + "/" + std::to_string(route.priority);
  return text;
}
std::string of_text(std::string_view text) {
  const PlainText in(text);
  const auto rules = read_routes(in, in.text());
  if (!rules) return rules.error().reason;
  const auto routes = routes_of(in, *rules);
  if (routes) return shown(*routes);
  return std::to_string(routes.error().place.line) + ":" +
         std::to_string(routes.error().place.column) + " " + routes.error().reason;
}
/// The routes of all items of a document; of a wrong one the reason.
std::string of_yaml(std::string_view yaml) {
  std::string text;
  const auto document = read_yaml(yaml);
  for (const Item& item : document.value().items) {
    if (const auto* problem = std::get_if<Problem>(&item.what)) return problem->reason;
    const auto routes = routes_of(std::get<RouteEntry>(item.what));
    if (!routes) return routes.error().reason;
    text += shown(*routes) + ";";
  }
  return text;
}

TEST(RouteItems, OfATextOnceEach) {
  EXPECT_EQ(of_text("tcp[1-2] 3 10.0.0.[1,2]@o2ib:7"),
            "tcp1/10.0.0.1@o2ib/3/7 tcp1/10.0.0.2@o2ib/3/7 tcp2/10.0.0.1@o2ib/3/7 "
            "tcp2/10.0.0.2@o2ib/3/7");
  EXPECT_EQ(of_text("tcp1 10.0.0.2@o2ib; tcp1 10.0.0.[1-2]@o2ib:1"),
            "tcp1/10.0.0.2@o2ib/-1/0 tcp1/10.0.0.1@o2ib/-1/1")
      << "of a route that is there twice the first counts";
  EXPECT_EQ(of_text("tcp1: { gateway: fd00::1@tcp }"), "tcp1/fd00::1@tcp/-1/0");
  EXPECT_EQ(of_text("tcp1 10.0.0.1@tcp\nlo 10.0.0.1@tcp"), "2:1 setting @lo not allowed");
  EXPECT_EQ(of_text("tcp 0@lo"), "1:1 gateway '0@lo' is this node itself");
  EXPECT_EQ(of_text("tcp[0-65535] [1-2]@gni"), "1:1 more than 65536 routes");
  EXPECT_EQ(of_text("tcp[0-32767] [1-2]@gni; \\\n tcp9 7@gni"), "2:2 more than 65536 routes");
}

TEST(RouteItems, OfAnItemInEachForm) {
  EXPECT_EQ(
      of_yaml("route:\n  - net: tcp1\n    gateway: 10.0.0.1@tcp\n    hop: -1\n    priority: 0\n"
              "    state: up\n    type: single-hop\n"),
      "tcp1/10.0.0.1@tcp/-1/0;");
  EXPECT_EQ(of_yaml("route:\n  - {net: tcp1, gateway: [10.0.0.1@tcp, 10.0.0.2@tcp], hop: 255}\n"),
            "tcp1/10.0.0.1@tcp/255/0 tcp1/10.0.0.2@tcp/255/0;");
  EXPECT_EQ(
      of_yaml("route:\n  - {net: tcp1, gateway: {0: 10.0.0.1@tcp, 1: '[3-4]@gni'}, priority: 2}\n"),
      "tcp1/10.0.0.1@tcp/-1/2 tcp1/3@gni/-1/2 tcp1/4@gni/-1/2;");
  EXPECT_EQ(
      of_yaml("route:\n  - {net: 'tcp[1,5]', gateway: '10.0.0.1@tcp 10.0.0.1@tcp', detail: 1}\n"),
      "tcp1/10.0.0.1@tcp/-1/0 tcp5/10.0.0.1@tcp/-1/0;")
      << "a gateway that is named twice is one";
  const auto numbered = read_yaml("route:\n  - {net: tcp1, gateway: 1@gni, seq_no: 4}\n");
  EXPECT_EQ(numbered.value().items[0].seq_no, 4);
}

TEST(RouteItems, Refusals) {
  const auto with = [](const std::string& more) {
    return of_yaml("route:\n  - {net: tcp1, gateway: 10.0.0.1@tcp, " + more + "}\n");
  };
  EXPECT_EQ(with("hop: 0"), "invalid hop count must be between 1 and 255");
  EXPECT_EQ(with("hop: 256"), "invalid hop count must be between 1 and 255");
  EXPECT_EQ(with("hop: -2"), "invalid hop count must be between 1 and 255");
  EXPECT_EQ(with("priority: -1"), "invalid priority -1, must be 0 or more");
  EXPECT_EQ(with("priority: 2147483648"), "invalid priority 2147483648, must be 0 or more");
  EXPECT_EQ(with("detail: x"), "invalid value 'x' for key 'detail'");
  EXPECT_EQ(of_yaml("route:\n  - {net: tcp*, gateway: 1@gni}\n"),
            "net 'tcp*': '*' does not name single values");
  EXPECT_EQ(of_yaml("route:\n  - {net: tcp1, gateway: [[1@gni]]}\n"),
            "invalid value '(a list)' for key 'gateway'");
  EXPECT_EQ(of_yaml("route:\n  - {net: tcp1, gateway: }\n"),
            "no value specified for key 'gateway'");
  EXPECT_EQ(of_yaml("route:\n  - {net: tcp1, gateway: []}\n"),
            "invalid value '(a list)' for key 'gateway'");
}

TEST(RouteTrees, AreInTheFormOfABackup) {
  const RouteItem route{NetId::parse("tcp1").value(), Nid::parse("10.0.0.1@tcp").value(), -1, 3};
  EXPECT_EQ(
      to_yaml(route_tree({{route}}), YamlStyle::kWide),
      "route:\n-     net: tcp1\n      gateway: 10.0.0.1@tcp\n      hop: -1\n      priority: 3\n");
  EXPECT_EQ(to_yaml(routing_tree(true, {16, 8, 4}), YamlStyle::kClassic),
            "routing:\n    enable: 1\nbuffers:\n    tiny: 16\n    small: 8\n    large: 4\n");
}

// What is printed is read as the same.
RC_GTEST_PROP(RouteTrees, ComeBackUnchanged, ()) {
  std::vector<RouteItem> routes;
  for (int i = *rc::gen::inRange(1, 20); i > 0; --i) {
    const bool hops = *rc::gen::arbitrary<bool>();
    routes.push_back({{NetType::kTcp, *rc::gen::arbitrary<std::uint16_t>()},
                      Nid::parse(std::to_string(*rc::gen::inRange(1, 1000)) + "@gni").value(),
                      hops ? *rc::gen::inRange(1, 256) : -1,
                      static_cast<std::uint32_t>(*rc::gen::inRange(0, 1000))});
  }
  RC_ASSERT(of_yaml(to_yaml(route_tree(routes), YamlStyle::kWide)) == [&] {
    std::string text;
    for (const RouteItem& route : routes) text += shown({route}) + ";";
    return text;
  }());
}

}  // namespace
}  // namespace ulnet::conf

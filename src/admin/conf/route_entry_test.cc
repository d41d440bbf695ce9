#include "admin/conf/route_entry.h"

#include <gtest/gtest.h>

#include "lnet/config/routes_fixture.h"

namespace ulnet::conf {
namespace {

/// Returns the routes of all items of a document; the reason for a wrong item.
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

TEST(RouteEntries, EachFormIsRead) {  // spec/cli-lnetctl.md 5.2
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

TEST(RouteEntries, Refusals) {  // spec/cli-lnetctl.md 5.2
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

}  // namespace
}  // namespace ulnet::conf

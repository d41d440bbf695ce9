// /v1/route, /v1/routing, /v1/buffers: what they ask of the node, and what they show. The node only
// records (FakeNode).
#include "admin/server/endpoints_fixture.h"

namespace ulnet::node::control {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class RouteEndpoints : public Endpoints {
 protected:
  std::string said(const char* method, const char* path, const std::string& body) {
    return outcome_of(ask(method, path, body));
  }
};

TEST_F(RouteEndpoints, ARouteIsAddedAndDeleted) {  // spec/cli-lnetctl.md 3.6
  EXPECT_EQ(said("POST", "/v1/route", R"({"net": "tcp1", "gateway": "10.0.0.1@tcp"})"), "0");
  EXPECT_EQ(said("POST", "/v1/route",
                 R"({"net": "tcp2", "gateway": "10.0.0.1@tcp", "hop": 3, "priority": 7})"),
            "0");
  EXPECT_EQ(said("DELETE", "/v1/route", R"({"net": "tcp1", "gateway": "10.0.0.1@tcp"})"), "0");
  EXPECT_THAT(node().recorded(),
              ElementsAre("route_add tcp1 10.0.0.1@tcp -1 0", "route_add tcp2 10.0.0.1@tcp 3 7",
                          "route_del tcp1 10.0.0.1@tcp"));
  EXPECT_THAT(logged_, testing::Contains(HasSubstr("route add {\"net\": \"tcp1\"")));
}

TEST_F(RouteEndpoints, APatternIsAListThatComesIntoForceTogether) {  // spec/cli-lnetctl.md 3.6
  EXPECT_EQ(said("POST", "/v1/route", R"({"net": "tcp1", "gateway": "10.0.0.[1-2]@tcp,3@gni"})"),
            "0");
  EXPECT_THAT(node().recorded(),
              ElementsAre("route_add tcp1 10.0.0.1@tcp -1 0", "route_add tcp1 10.0.0.2@tcp -1 0",
                          "route_add tcp1 3@gni -1 0"));
}

TEST_F(RouteEndpoints, BadRoutesAreRefusedBeforeTheNodeIsAsked) {
  EXPECT_EQ(said("POST", "/v1/route", R"({"net": "tcp1"})"), "-22 'gateway' is missing");
  EXPECT_EQ(said("POST", "/v1/route", R"({"gateway": "10.0.0.1@tcp"})"), "-22 'net' is missing");
  EXPECT_EQ(said("POST", "/v1/route", R"({"net": "lo", "gateway": "10.0.0.1@tcp"})"),
            "-13 setting @lo not allowed");
  EXPECT_EQ(said("POST", "/v1/route", R"({"net": "tcp1", "gateway": "10.0.0.1@tcp", "hop": 256})"),
            "-22 invalid hop count must be between 1 and 255");
  EXPECT_EQ(said("POST", "/v1/route", R"({"net": "tcp1", "gateway": "1@gni", "speed": 1})"),
            "-22 unknown key 'speed'");
  EXPECT_THAT(said("POST", "/v1/route", R"({"net": "tcp[0-9999]", "gateway": "[1-99]@gni"})"),
              HasSubstr("-7 more than"));
  EXPECT_EQ(said("DELETE", "/v1/route", R"({"net": "tcp1", "gateway": "1@gni", "hop": 1})"),
            "-22 unknown key 'hop'");
  EXPECT_EQ(
      ask("POST", "/v1/route", R"({"net": "tcp1", "gateway": "1@gni"})", Access::kRead).status,
      403);
  EXPECT_TRUE(node().recorded().empty());
  node().next = fail(-EHOSTUNREACH, "No interface configured on the same net as gateway");
  EXPECT_EQ(said("POST", "/v1/route", R"({"net": "tcp1", "gateway": "1@gni"})"),
            "-113 No interface configured on the same net as gateway");
}

TEST_F(RouteEndpoints, RoutesAreShownWithWhyTheyAreDown) {  // spec/cli-lnetctl.md 3.6
  EXPECT_EQ(ask("GET", "/v1/route").body, "{\"route\":[]}\n");
  core::RouteRow down{{*NetId::parse("tcp1"), nid_of("10.0.0.1@tcp")},
                      core::RouteTrouble::kNotRouting};
  core::RouteRow up{
      {*NetId::parse("tcp2"), nid_of("10.0.0.1@tcp"), 2, 3}, core::RouteTrouble::kNone, true};
  node().routes_shown.routes = {down, up};
  EXPECT_EQ(ask("GET", "/v1/route").body,
            "{\"route\":[{\"net\":\"tcp1\",\"gateway\":\"10.0.0.1@tcp\",\"hop\":-1,\"priority\":0,"
            "\"state\":\"down\",\"type\":\"single-hop\","
            "\"why\":\"the gateway advertises that it does not route\"},"
            "{\"net\":\"tcp2\",\"gateway\":\"10.0.0.1@tcp\",\"hop\":2,\"priority\":3,"
            "\"state\":\"up\",\"type\":\"multi-hop\"}]}\n");
}

TEST_F(RouteEndpoints, RoutingAndItsBuffersAreSet) {  // spec/cli-lnetctl.md 3.7
  EXPECT_EQ(said("PATCH", "/v1/routing", R"({"enable": 1})"), "0");
  EXPECT_EQ(said("PATCH", "/v1/buffers", R"({"tiny": 16, "large": 0})"), "0");
  EXPECT_EQ(said("PATCH", "/v1/routing", R"({"enable": 0, "small": 8})"), "0");
  EXPECT_THAT(node().recorded(),
              ElementsAre("routing on", "buffers 16 - 0", "buffers - 8 -", "routing off"));
  EXPECT_THAT(said("PATCH", "/v1/routing", R"({"enable": 2})"), HasSubstr("-22 'enable'"));
  EXPECT_THAT(said("PATCH", "/v1/buffers", R"({"tiny": -1})"), HasSubstr("-22 'tiny'"));
  EXPECT_EQ(said("PATCH", "/v1/routing", "{}"), "-22 nothing to set");
  node().next = fail(-EBUSY, "routing is being turned off");
  EXPECT_EQ(said("PATCH", "/v1/routing", R"({"enable": 1})"), "-16 routing is being turned off");
}

TEST_F(RouteEndpoints, RoutingIsShownForEachPartitionAndInSum) {  // spec/cli-lnetctl.md 4.4
  Node::RoutingShow& shown = node().routing_shown;
  shown.wanted.buffers = {16, 0, 0};
  EXPECT_EQ(tree(ask("GET", "/v1/routing")), Json::parse(R"({"routing": [], "buffers": {},
                            "wanted": {"enable": 0, "tiny": 16, "small": 0, "large": 0}})"));
  shown.was_on = shown.wanted.on = true;
  shown.now.state = core::RoutingState::kStarting;
  for (const std::uint32_t cpt : {0U, 1U})
    for (const std::int32_t pages : {0, 1, 256})
      shown.now.pools.push_back({cpt, pages, 8, 8 - pages, -pages});
  const Json all = tree(ask("GET", "/v1/routing"));
  ASSERT_EQ(all["routing"].size(), 3U);
  EXPECT_EQ(all["routing"][1]["cpt[1]"]["large"],
            Json::parse(R"({"npages": 256, "nbuffers": 8, "credits": -248, "mincredits": -256})"));
  EXPECT_EQ(all["routing"][2], Json({{"enable", 3}}));
  EXPECT_EQ(all["buffers"], Json::parse(R"({"tiny": 16, "small": 16, "large": 16})"));
}

}  // namespace
}  // namespace ulnet::node::control

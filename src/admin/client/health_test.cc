#include "admin/client/health.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace ulnet::ctl {
namespace {

Tree ni(const char* nid, const char* status = "up", int health = 1000) {
  return {{"nid", nid}, {"status", status}, {"health stats", {{"health value", health}}}};
}
Tree nets(std::initializer_list<Tree> nis) {
  Tree lo = {{"net type", "lo"}, {"local NI(s)", Tree::array({ni("0@lo", "down")})}};
  Tree tcp = {{"net type", "tcp"}, {"local NI(s)", Tree::array()}};
  for (const Tree& one : nis) tcp["local NI(s)"].push_back(one);
  return {{"net", Tree::array({lo, tcp})}};
}
Tree route(const char* net, const char* gateway, const char* state) {
  return {{"net", net}, {"gateway", gateway}, {"state", state}};
}
Tree peer(const char* primary, const char* other, const char* why) {
  return {{"primary nid", primary},
          {"why", why},
          {"peer ni", Tree::array({{{"nid", primary}}, {{"nid", other}}})}};
}

/// Formats the reasons, a line for each: "ERROR what [command]".
std::string reasons_text(const HealthTrees& trees) {
  std::string text;
  for (const HealthReason& reason : health_of(trees).reasons)
    text +=
        std::string(to_string(reason.health)) + " " + reason.what + " [" + reason.command + "]\n";
  return text;
}

TEST(Health, ANodeThatIsWellHasNoReasons) {
  const HealthTrees trees{
      .net = nets({ni("10.0.0.1@tcp")}),
      .peer = {{"peer", Tree::array({peer("10.0.0.2@tcp", "10.0.1.2@tcp", "")})}},
      .route = {{"route", Tree::array({route("tcp1", "10.0.0.9@tcp", "up")})}}};
  EXPECT_EQ(reasons_text(trees), "");
  EXPECT_EQ(health_of(trees).health(), Health::kOk);
  EXPECT_EQ(health_of(trees).summary, "1 network interface, 1 peer, 1 route");
}

TEST(Health, NetworkInterfacesThatAreDownOrNotWell) {
  EXPECT_EQ(reasons_text({.net = nets({ni("10.0.0.1@tcp", "down"), ni("10.0.0.2@tcp", "up", 900),
                                       ni("10.0.0.3@tcp")})}),
            "WARNING 1 of 3 network interfaces is down: 10.0.0.1@tcp [events --types ni]\n"
            "WARNING 1 of 3 network interfaces is not well: 10.0.0.2@tcp (health 900) "
            "[net show -v 2]\n");
  EXPECT_EQ(reasons_text({.net = nets({ni("10.0.0.1@tcp", "down")})}),
            "ERROR every network interface is down: 10.0.0.1@tcp [events --types ni]\n");
  EXPECT_EQ(reasons_text({}),
            "WARNING no network interface is configured [net add --net tcp --if INTERFACE]\n");
}

TEST(Health, ANetWithoutAnyRouteIsWorseThanARouteThatIsDown) {
  const Tree half =
      Tree::array({route("tcp1", "10.0.0.8@tcp", "down"), route("tcp1", "10.0.0.9@tcp", "up")});
  EXPECT_EQ(reasons_text({.net = nets({ni("10.0.0.1@tcp")}), .route = {{"route", half}}}),
            "WARNING 1 of 2 routes is down: tcp1 through 10.0.0.8@tcp [route show -v]\n");
  const Tree none =
      Tree::array({route("tcp1", "10.0.0.8@tcp", "down"), route("tcp2", "10.0.0.9@tcp", "up")});
  EXPECT_EQ(reasons_text({.net = nets({ni("10.0.0.1@tcp", "up", 1)}), .route = {{"route", none}}}),
            "ERROR no route is up to tcp1 [route show -v]\n"
            "WARNING 1 of 1 network interface is not well: 10.0.0.1@tcp (health 1) "
            "[net show -v 2]\n")
      << "the worst first";
}

TEST(Health, AGatewayThatDoesNotAnswerIsOneReason) {
  HealthTrees trees{
      .net = nets({ni("10.0.0.1@tcp")}),
      .peer = {{"peer", Tree::array({peer("10.0.1.9@tcp1", "10.0.0.9@tcp", "all are down")})}},
      .route = {{"route", Tree::array({route("tcp1", "10.0.0.9@tcp", "down")})}},
      .recovery = {{"Peer NI recovery", {{"nid-0", "10.0.0.9@tcp"}, {"nid-1", "10.0.1.9@tcp1"}}}}};
  EXPECT_EQ(reasons_text(trees), "ERROR no route is up to tcp1 [route show -v]\n");
  trees.route = Tree::object();
  EXPECT_EQ(reasons_text(trees),
            "WARNING nothing is sent to 1 peer: 10.0.1.9@tcp1: all are down "
            "[peer show -v --nid 10.0.1.9@tcp1]\n");
  trees.peer = Tree::object();
  EXPECT_EQ(reasons_text(trees),
            "WARNING 2 interfaces of peers are not well, and pinged until well: 10.0.0.9@tcp, "
            "10.0.1.9@tcp1 [peer show -v 2 --nid 10.0.0.9@tcp]\n");
}

TEST(Health, FaultRulesAndMessagesThatWait) {
  const Tree pools = {{"tiny", {{"credits", 3}}}, {"small", {{"credits", -2}}}};
  EXPECT_EQ(
      reasons_text({.net = nets({ni("10.0.0.1@tcp")}),
                    .routing = {{"routing", Tree::array({{{"cpt[0]", pools}}, {{"enable", 1}}})}},
                    .fault = {{"fault", Tree::array({{{"rule_type", "delay"}}})}}}),
      "WARNING 1 fault rule drops or delays messages on purpose [fault delay show]\n"
      "WARNING messages wait for router buffers: small [routing show]\n");
}

TEST(Health, ALongListOfNidsIsCounted) {
  Tree queue = Tree::object();
  for (int i = 0; i < 8; ++i)
    queue["nid-" + std::to_string(i)] = "10.0.0." + std::to_string(i) + "@tcp";
  EXPECT_THAT(
      reasons_text({.net = nets({ni("10.0.0.1@tcp")}), .recovery = {{"Peer NI recovery", queue}}}),
      testing::HasSubstr("10.0.0.4@tcp and 3 more ["));
}

TEST(Health, AnswersOfOtherShapesAreNoReasons) {
  const Tree odd = {{"net", 1},
                    {"peer", "x"},
                    {"route", {{"state", 1}}},
                    {"routing", {1, "x"}},
                    {"fault", nullptr},
                    {"Peer NI recovery", {1, 2}}};
  EXPECT_EQ(reasons_text({odd, odd, odd, odd, odd, odd}),
            "WARNING no network interface is configured [net add --net tcp --if INTERFACE]\n");
}

}  // namespace
}  // namespace ulnet::ctl

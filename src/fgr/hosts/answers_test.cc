#include "fgr/hosts/answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

namespace ulnet::tools::fgr {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The form of docs/spec/cli-lnetctl.md 4.
constexpr const char* kState = R"(net:
    - net type: lo
      local NI(s):
        - nid: 0@lo
          status: up
    - net type: tcp
      local NI(s):
        - nid: 10.1.1.1@tcp
          status: up
          interfaces:
              0: eth0
    - net type: o2ib6000
      local NI(s):
        - nid: 10.2.0.1@o2ib6000
          status: down
---
route:
    - net: o2ib6003
      gateway: 10.1.1.3@tcp
      hop: 2
      priority: 0
      state: down
      type: single-hop
    - net: o2ib6003
      gateway: 10.1.1.4@tcp
routing:
    - cpt[0]:
          tiny: {npages: 0, nbuffers: 512}
    - enable: 1
)";

TEST(Answers, LnetctlDescribesItsHost) {
  const auto tree = tree_of_yaml(kState);
  ASSERT_TRUE(tree) << tree.error().reason;
  const plan::HostSeen seen = host_seen(*tree).value();
  EXPECT_TRUE(seen.asked());
  ASSERT_EQ(seen.nis.size(), 2U) << "0@lo is left out";
  EXPECT_EQ(seen.nis[0].nid.to_string(), "10.1.1.1@tcp");
  EXPECT_TRUE(seen.nis[0].up);
  EXPECT_FALSE(seen.nis[1].up);
  ASSERT_EQ(seen.routes.size(), 2U);
  EXPECT_EQ(seen.routes[0].hops, 2);
  EXPECT_EQ(seen.routes[0].up, false);
  EXPECT_EQ(seen.routes[1].hops, -1);
  EXPECT_FALSE(seen.routes[1].up.has_value()) << "without -v lnetctl does not print the state";
  EXPECT_EQ(seen.routing, true);
  const std::string lo = "net: [{net type: lo, local NI(s): [{nid: 0@lo}]}]\n";
  EXPECT_EQ(host_seen(*tree_of_yaml(lo + "routing: {enable: 0}\n"))->routing, false);
  EXPECT_EQ(host_seen(*tree_of_yaml(lo))->routing, false) << "the host has never routed";
  EXPECT_TRUE(host_seen(*tree_of_yaml(lo))->nis.empty()) << "the host has no net";
}

TEST(Answers, OtherShapesAreSkipped) {
  const std::string lo = "net: [1, {local NI(s): [{nid: 0@lo}, 5]}]\n";
  for (const std::string text : {"", "route: {net: tcp}\n",
                                 "route: [{net: tcp}, {net: [], gateway: 1}]\n", "routing: x\n"}) {
    const auto seen = host_seen(*tree_of_yaml(lo + text));
    ASSERT_TRUE(seen) << text;
    EXPECT_TRUE(seen->nis.empty() && seen->routes.empty() && seen->routing == false) << text;
  }
  // An answer without any NID gives no observations about a host.
  for (const char* text :
       {"", "net: 7\n", "net: [1, {}, {local NI(s): 3}, {local NI(s): [{nid: 4}, {nid: x@y}]}]\n",
        "Welcome: to this machine\n"})
    EXPECT_FALSE(host_seen(*tree_of_yaml(text))) << text;
  for (const char* text : {"- a\n", "net: [", "text", "a: \xff\n"})
    EXPECT_FALSE(tree_of_yaml(text)) << text;
}

/// The output of a production node after this command, at its first occurrence in the recording.
std::string recorded(const std::string& file, const std::string& command) {
  std::ifstream in(std::string(ULNET_SOURCE_DIR) + "/tests/data/text/" + file);
  std::string text, line;
  while (std::getline(in, line) && !line.ends_with(command)) {
  }
  EXPECT_TRUE(in) << file << ": " << command;
  while (std::getline(in, line) && !line.starts_with("[") && !line.starts_with("Command exited") &&
         line.find("$ lnetctl") == std::string::npos)
    text += line + "\n";
  return text;
}

TEST(Answers, ProductionNodesAreRead) {
  for (const char* level : {"", "_v1", "_v2", "_v4"}) {
    const std::string file = std::string("lnetctl_net_show") + level + ".yaml";
    const auto seen = host_seen(*tree_of_yaml(recorded(file, *level == 0 ? "show" : level + 2)));
    ASSERT_TRUE(seen) << file;
    ASSERT_EQ(seen->nis.size(), 1U) << file;
    EXPECT_EQ(seen->nis[0].nid.to_string(), "10.99.0.3@tcp");
    EXPECT_TRUE(seen->nis[0].up);
    EXPECT_EQ(seen->routing, false);
  }
  const std::string nets = recorded("lnetctl_net_show.yaml", "lnetctl net show");
  const auto client =
      host_seen(*tree_of_yaml(nets + recorded("route_add_show.txt", "route show -v") +
                              recorded("lnetctl_routing_show.yaml", "show")));
  ASSERT_EQ(client->routes.size(), 1U);
  EXPECT_EQ(client->routes[0].net.to_string(), "tcp1");
  EXPECT_EQ(client->routes[0].gateway.to_string(), "10.99.0.4@tcp");
  EXPECT_EQ(client->routes[0].hops, -1);
  EXPECT_EQ(client->routes[0].up, false);
  EXPECT_EQ(client->routing, false) << "the host has never routed";
  const auto router =
      host_seen(*tree_of_yaml(nets + recorded("two_routers_show.txt", "lnetctl routing show")));
  EXPECT_EQ(router->routing, true);
  for (const char* command : {"lnetctl lnet unconfigure; lnetctl net show", "show --net tcp7"})
    EXPECT_FALSE(host_seen(*tree_of_yaml(recorded("errors_lnetctl.txt", command)))) << command;
}

class PingAnswers : public testing::Test {
 protected:
  static std::vector<std::string> texts_of(const Result<std::vector<plan::SeenPing>>& pings) {
    if (!pings) return {"wrong: " + pings.error().reason};
    std::vector<std::string> all;
    for (const plan::SeenPing& ping : *pings) {
      std::string text = ping.target.nid.to_string() + (ping.answered ? " yes" : " no");
      for (const Nid& nid : ping.nids) text += " " + nid.to_string();
      all.push_back(text + (ping.trouble.empty() ? "" : ": " + ping.trouble));
    }
    return all;
  }
  const std::vector<plan::PingTarget> targets_ = {{0, *Nid::parse("10.2.0.1@o2ib")},
                                                  {1, *Nid::parse("10.2.0.9@o2ib")},
                                                  {2, *Nid::parse("10.2.0.2@o2ib")}};
};

constexpr const char* kPings = R"(ping:
    - primary nid: 10.1.1.1@tcp
      Multi-Rail: true
      peer_ni:
        - nid: 10.1.1.1@tcp
        - nid: 10.2.0.1@o2ib
    - primary nid: 10.2.0.2@o2ib
      Multi-Rail: false
      peer ni:
        - nid: 12345-10.2.0.2@o2ib
        - nid: 0@lo
)";

TEST_F(PingAnswers, AnswersOfLnetctlAreRead) {
  const std::string failed =
      "manage:\n    - ping:\n      errno: -110\n      descr: \"failed to ping 10.2.0.9@o2ib: "
      "Connection timed out\"\n";
  const auto expected =
      ElementsAre("10.2.0.1@o2ib yes 10.1.1.1@tcp 10.2.0.1@o2ib",
                  "10.2.0.9@o2ib no: Connection timed out", "10.2.0.2@o2ib yes 10.2.0.2@o2ib");
  EXPECT_THAT(texts_of(pings_seen(targets_, *tree_of_yaml(kPings + failed), "")), expected);
  // Older versions print it on standard error.
  EXPECT_THAT(texts_of(pings_seen(targets_, *tree_of_yaml(kPings), "ssh: warning\n" + failed)),
              expected);
}

TEST_F(PingAnswers, UnclearAnswersDoNotCount) {
  EXPECT_THAT(texts_of(pings_seen(targets_, *tree_of_yaml(kPings), "")),
              ElementsAre("10.2.0.1@o2ib yes 10.1.1.1@tcp 10.2.0.1@o2ib",
                          HasSubstr("10.2.0.9@o2ib no: neither an answer nor an error"),
                          "10.2.0.2@o2ib yes 10.2.0.2@o2ib"));
}

TEST_F(PingAnswers, ProductionNodesAreRead) {
  const auto of = [](const char* file, const char* command, const char* nid) {
    return texts_of(
        pings_seen({{0, *Nid::parse(nid)}}, *tree_of_yaml(recorded(file, command)), ""));
  };
  EXPECT_THAT(of("errors_ping.txt", "lnetctl ping 10.99.0.1@tcp", "10.99.0.1@tcp"),
              ElementsAre("10.99.0.1@tcp yes 10.99.0.1@tcp"));
  EXPECT_THAT(of("errors_ping.txt", "--timeout 8 10.99.0.77@tcp", "10.99.0.77@tcp"),
              ElementsAre("10.99.0.77@tcp no: No route to host"));
  EXPECT_THAT(of("errors_ping.txt", "--timeout 5 10.99.0.254@tcp", "10.99.0.254@tcp"),
              ElementsAre("10.99.0.254@tcp no: Connection refused"));
}

TEST_F(PingAnswers, OtherAnswersAreSkipped) {
  const auto of = [&](const std::string& text) {
    return texts_of(pings_seen(targets_, *tree_of_yaml(text), ""));
  };
  EXPECT_THAT(
      of(recorded("errors_lnetctl.txt", "lnetctl ping 10.99.0.1@foo")),
      ElementsAre("wrong: \"Unable to parse nidlist: invalid NID in nidstr\" (Invalid argument)"));
  EXPECT_THAT(of(recorded("errors_lnetctl.txt", "lnetctl ping 10.99.0.1@tcp")),
              ElementsAre("wrong: Unspecific failure (Network is down)"))
      << "LNet is not configured";
  EXPECT_THAT(of("Welcome: here\n"), ElementsAre(HasSubstr("wrong: neither")));
  EXPECT_THAT(texts_of(pings_seen(targets_, ctl::Tree::parse("[1]"), "")),
              ElementsAre(HasSubstr("wrong: neither")));
}

TEST_F(PingAnswers, OfTheControlApi) {
  const auto tree = ctl::Tree::parse(
      R"({"ping": [{"peer_ni": [{"nid": "10.2.0.1@o2ib"}]}],
          "failed": [{"nid": "10.2.0.9@o2ib", "errno": -110},
                     {"nid": "10.2.0.1@tcp", "errno": -2147483648},
                     {"nid": "10.2.0.2@o2ib", "errno": -5, "hint": "it refused\u001b the connection"}]})");
  EXPECT_THAT(
      texts_of(pings_seen(targets_, tree, "")),
      ElementsAre("10.2.0.1@o2ib yes 10.2.0.1@o2ib", "10.2.0.9@o2ib no: Connection timed out",
                  "10.2.0.2@o2ib no: it refused? the connection"));
}

}  // namespace
}  // namespace ulnet::tools::fgr

// ulnetctl trace: which hops it asks, what it prints about each, and what it concludes when one
// does not answer. spec/multirail.md 9.3, 9.5, 9.7.
#include <gmock/gmock.h>

#include "workbench.h"

namespace ulnet::ctl::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// A node on tcp, with two gateways to tcp1.
struct Trace : Workbench {
  Trace() {
    node.path = Tree::parse(R"json({"cpt": 0, "known": true, "rule": "a route",
        "routes": [{"gateway": "10.0.0.2@tcp", "chosen": true},
                   {"gateway": "10.0.0.3@tcp", "chosen": false, "lost by": "priority"}],
        "nets": [], "local NI(s)": [], "peer ni": [],
        "source": "10.0.0.1@tcp", "hop": "10.0.0.2@tcp"})json");
    node.routes.routes = Tree::parse(R"json([
        {"net": "tcp1", "gateway": "10.0.0.2@tcp", "state": "up"},
        {"net": "tcp1", "gateway": "10.0.0.3@tcp", "state": "up"},
        {"net": "tcp1", "gateway": "10.0.0.4@tcp", "state": "down", "why": "it does not answer"},
        {"net": "tcp2", "gateway": "10.0.0.5@tcp", "state": "down", "why": "of another net"}])json");
    node.answers["10.0.0.2@tcp"] = {{"10.0.0.2@tcp", "10.1.0.2@tcp1"}};
  }
  void peer(const std::string& primary, const std::string& other, const char* state) {
    Tree peer = {{"primary nid", primary}, {"peer ni", Tree::array()}};
    for (const auto& [nid, is] : {std::pair(primary, "up"), {other, state}})
      peer["peer ni"].push_back(
          {{"nid", nid}, {"state", is}, {"health stats", {{"health value", 900}}}});
    node.peers.push_back(std::move(peer));
  }
  /// Runs a trace and expects the exit code for "some hop failed"; returns its standard output.
  std::string fails(const std::string& args) {
    const Outcome outcome = sh("ulnetctl trace " + args);
    EXPECT_EQ(outcome.code, 255) << outcome.err;
    return outcome.out;
  }
};

TEST_F(Trace, EachHopWithItsTimeItsHealthAndWhatWasNotTaken) {
  node.answers["10.1.0.9@tcp1"] = {{"10.1.0.9@tcp1"}};
  peer("10.0.0.2@tcp", "10.1.0.2@tcp1", "up");
  const Outcome outcome = sh("ulnetctl trace 10.1.0.9@tcp1");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out,
            "Trace to 10.1.0.9@tcp1\n"
            "Rule: a route\n"
            " 1  10.0.0.2@tcp, a router: 0.250 ms, health 900\n"
            "      not through 10.0.0.3@tcp: priority\n"
            "      not through 10.0.0.4@tcp: it does not answer\n"
            " 2  10.1.0.9@tcp1: 0.250 ms\n"
            "Result: the target answers, so a path back exists too\n");
  const Tree tree = Tree::parse(sh("ulnetctl trace --json 10.1.0.9@tcp1").out)["trace"];
  EXPECT_EQ(tree["hops"][0]["nids"], Tree({"10.0.0.2@tcp", "10.1.0.2@tcp1"}));
  EXPECT_EQ(tree["answers"], true);
}

TEST_F(Trace, WithoutARouterThereIsOneHop) {
  node.path.erase("routes");
  node.path["hop"] = "10.0.0.9@tcp";
  EXPECT_THAT(fails("10.0.0.9@tcp"), HasSubstr(" 1  10.0.0.9@tcp: no answer, "));
  node.answers["10.0.0.9@tcp"] = {{"10.0.0.9@tcp"}};
  EXPECT_EQ(sh("ulnetctl trace 10.0.0.9@tcp").code, 0);
}

TEST_F(Trace, WithoutAPathItSaysWhichRoutesAreDown) {
  node.path = Tree::parse(R"json({"rule": "", "errno": -113, "descr": "no route"})json");
  const std::string said = fails("10.1.0.9@tcp1");
  EXPECT_THAT(said, HasSubstr("      not through 10.0.0.4@tcp: it does not answer\n"));
  EXPECT_THAT(said, HasSubstr("Result: no path: no route (errno -113)\n"));
  EXPECT_THAT(said, HasSubstr("Found: nothing is sent: no route to tcp1 can be used\n"));
  EXPECT_THAT(
      fails("10.1.0.9@tcp7"),
      HasSubstr("not on tcp7 and has no route to it ('route add --net tcp7 --gateway NID'"));
}

TEST_F(Trace, AGatewayThatDoesNotAnswerIsTheEnd) {
  node.answers.clear();
  EXPECT_THAT(fails("10.1.0.9@tcp1"),
              HasSubstr("Found: the gateway 10.0.0.2@tcp does not answer: the trace cannot ask"));
}

TEST_F(Trace, OneSidedRoutesAreReported) {  // 9.5, 9.7
  peer("10.0.0.2@tcp", "10.1.0.2@tcp1", "down");
  EXPECT_THAT(
      fails("10.1.0.9@tcp1"),
      HasSubstr("Found: one-sided: 10.0.0.2@tcp reports that its interface on tcp1 is down"));
  node.peers = Tree::array();
  peer("10.0.0.2@tcp", "10.1.0.2@tcp1", "up");
  EXPECT_THAT(
      fails("10.1.0.9@tcp1"),
      HasSubstr("the target is down, or the path is one-sided (the target has no route back"));
}

/// The gateway 10.0.0.2@tcp is not on tcp2.
TEST_F(Trace, ASecondRouterThatDiedIsNamedIfItIsKnown) {
  peer("10.0.0.2@tcp", "10.1.0.2@tcp1", "up");
  peer("10.1.0.7@tcp1", "10.2.0.7@tcp2", "up");
  peer("10.1.0.8@tcp1", "10.3.0.8@tcp3", "up");
  const std::string said = fails("10.2.0.9@tcp2");
  EXPECT_THAT(said, HasSubstr(" 2  10.1.0.7@tcp1, perhaps a router on this path: its nets connect "
                              "the hops: no answer, "));
  EXPECT_THAT(said, HasSubstr(" 3  10.2.0.9@tcp2: no answer, "));
  EXPECT_THAT(said,
              HasSubstr("Found: the router 10.1.0.7@tcp1 behind 10.0.0.2@tcp does not answer\n"));
  EXPECT_THAT(said, Not(HasSubstr("10.1.0.8@tcp1"))) << "it does not lead there";

  // The trace names the second router also when the user names it on the command line.
  node.peers = Tree::array();
  const std::string unknown = fails("10.2.0.9@tcp2");
  EXPECT_THAT(unknown, HasSubstr("no node reports which routers follow; name them with --via"));
  EXPECT_THAT(fails("--via 10.1.0.7@tcp1 10.2.0.9@tcp2"),
              HasSubstr("Found: the router 10.1.0.7@tcp1 behind 10.0.0.2@tcp does not answer\n"));
}

TEST_F(Trace, AChainOfKnownRoutersIsFound) {
  peer("10.0.0.2@tcp", "10.1.0.2@tcp1", "up");
  peer("10.1.0.7@tcp1", "10.2.0.7@tcp2", "up");
  peer("10.2.0.8@tcp2", "10.3.0.8@tcp3", "up");
  for (const char* nid : {"10.1.0.7@tcp1", "10.2.0.8@tcp2", "10.3.0.9@tcp3"})
    node.answers[nid] = {{nid}};
  const Outcome outcome = sh("ulnetctl trace --json 10.3.0.9@tcp3");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  std::vector<std::string> hops;
  const Tree shown = Tree::parse(outcome.out);
  for (const Tree& hop : shown["trace"]["hops"]) hops.push_back(hop["nid"].get<std::string>());
  EXPECT_THAT(hops, ::testing::ElementsAre("10.0.0.2@tcp", "10.1.0.7@tcp1", "10.2.0.8@tcp2",
                                           "10.3.0.9@tcp3"));
}

TEST_F(Trace, MistakesAreRefused) {
  EXPECT_NE(sh("ulnetctl trace").code, 0);
  EXPECT_NE(sh("ulnetctl trace 10.0.0.1@tcp 10.0.0.2@tcp").code, 0);
  EXPECT_EQ(sh("ulnetctl trace 10.0.0.[1-2]@tcp").code, 234);
  EXPECT_EQ(sh("ulnetctl trace --via nobody@@ 10.0.0.1@tcp").code, 234);
  for (const char* timeout : {"soon", "0", "-1", "181"})
    EXPECT_EQ(sh(std::string("ulnetctl trace 10.0.0.1@tcp --timeout ") + timeout).code, 234);
}

}  // namespace
}  // namespace ulnet::ctl::test

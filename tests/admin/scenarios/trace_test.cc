// ulnetctl trace: which hops it asks, what it prints about each, and what it concludes when one
// does not answer. spec/multirail.md 9.3, 9.5, 9.7.
#include <gmock/gmock.h>

#include <regex>

#include "workbench.h"

namespace ulnet::ctl::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// The node 10.0.0.1@tcp. It has a route to tcp1 through 10.0.0.4@tcp, which nobody has.
struct Trace : Workbench {
  Trace() {
    sh("ulnetctl net add --nid 10.0.0.1@tcp; "
       "ulnetctl route add --net tcp1 --gateway 10.0.0.4@tcp; "
       "ulnetctl route add --net tcp2 --gateway 10.0.0.5@tcp");
    node.wait_for_silent("10.0.0.4@tcp");
    node.wait_for_silent("10.0.0.5@tcp");
  }
  /// The state of a peer's NID; empty: this node does not know it.
  std::string state_of(const std::string& nid) {
    const Tree peers = node.peers();
    for (const Tree& peer : peers)
      for (const Tree& ni : peer["peer ni"])
        if (ni["nid"] == nid) return ni["state"];
    return {};
  }
  node::Node& router(const std::string& one, const std::string& other,
                     std::map<std::string, std::string> params = {}) {
    params.emplace("forwarding", "enabled");
    return network.host({one, other}, params);
  }
  static void add_route(node::Node& at, const char* net, const char* gateway) {
    const core::Route route{NetId::parse(net).value(), Nid::parse(gateway).value()};
    EXPECT_TRUE(at.change(conf::change::AddRoutes{{{route}}}));
  }
  /// Starts the router 10.0.0.2 between tcp and tcp1, and waits until this node knows its NIDs.
  node::Node& first_router(const std::map<std::string, std::string>& params = {}) {
    node::Node& started = router("10.0.0.2@tcp", "10.1.0.2@tcp1", params);
    sh("ulnetctl route add --net tcp1 --gateway 10.0.0.2@tcp");
    TestNode::wait_until([this] { return !state_of("10.1.0.2@tcp1").empty(); });
    return started;
  }
  /// Runs a trace and expects the exit code for "some hop failed"; returns its standard output.
  std::string fails(const std::string& args) {
    const Outcome outcome = sh("ulnetctl trace " + args);
    EXPECT_EQ(outcome.code, 255) << outcome.err;
    return outcome.out;
  }
};

TEST_F(Trace, EachHopWithItsTimeItsHealthAndWhatWasNotTaken) {
  first_router();
  router("10.0.0.3@tcp", "10.1.0.3@tcp1");
  sh("ulnetctl route add --net tcp1 --gateway 10.0.0.3@tcp --hop 2");
  add_route(network.host({"10.1.0.9@tcp1"}), "tcp", "10.1.0.2@tcp1");
  const Outcome outcome = sh("ulnetctl trace 10.1.0.9@tcp1");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const std::string rule = node.get("/v1/path?to=10.1.0.9@tcp1")["path"]["rule"];
  EXPECT_EQ(std::regex_replace(outcome.out, std::regex("[0-9]+\\.[0-9]{3} ms"), "T ms"),
            "Trace to 10.1.0.9@tcp1\n"
            "Rule: " +
                rule +
                "\n"
                " 1  10.0.0.2@tcp, a router: T ms, health 1000\n"
                "      not through 10.0.0.3@tcp: more hops\n"
                "      not through 10.0.0.4@tcp: the gateway does not answer\n"
                " 2  10.1.0.9@tcp1: T ms\n"
                "Result: the target answers, so a path back exists too\n");
  const Tree tree = Tree::parse(sh("ulnetctl trace --json 10.1.0.9@tcp1").out)["trace"];
  EXPECT_EQ(tree["hops"][0]["nids"], Tree({"10.0.0.2@tcp", "10.1.0.2@tcp1"}));
  EXPECT_EQ(tree["answers"], true);
}

TEST_F(Trace, WithoutARouterThereIsOneHop) {
  EXPECT_THAT(fails("10.0.0.9@tcp"), HasSubstr(" 1  10.0.0.9@tcp: no answer, "));
  network.host({"10.0.0.9@tcp"});
  EXPECT_EQ(sh("ulnetctl trace 10.0.0.9@tcp").code, 0);
}

TEST_F(Trace, WithoutAPathItSaysWhichRoutesAreDown) {
  const std::string said = fails("10.1.0.9@tcp1");
  EXPECT_THAT(said, HasSubstr("      not through 10.0.0.4@tcp: the gateway does not answer\n"));
  EXPECT_THAT(said, Not(HasSubstr("10.0.0.5@tcp"))) << "it leads to another net";
  EXPECT_THAT(said, HasSubstr("Result: no path: "));
  EXPECT_THAT(said, HasSubstr(" (errno -113)\n"));
  EXPECT_THAT(said, HasSubstr("Found: nothing is sent: no route to tcp1 can be used\n"));
  EXPECT_THAT(
      fails("10.1.0.9@tcp7"),
      HasSubstr("not on tcp7 and has no route to it ('route add --net tcp7 --gateway NID'"));
}

TEST_F(Trace, AGatewayThatDoesNotAnswerIsTheEnd) {
  first_router();
  network.refuse("10.0.0.2@tcp", -EHOSTUNREACH);
  EXPECT_THAT(fails("10.1.0.9@tcp1"),
              HasSubstr("Found: the gateway 10.0.0.2@tcp does not answer: the trace cannot ask"));
}

/// A router takes its interface for down when no node there answers it.
TEST_F(Trace, AnInterfaceOfTheRouterThatIsDownIsReported) {  // spec/multirail.md 9.5, 9.7
  const std::map<std::string, std::string> quick = {{"alive_router_check_interval", "1"},
                                                    {"router_ping_timeout", "1"}};
  sh("ulnetctl param set alive_router_check_interval=1 avoid_asym_router_failure=0");
  EXPECT_TRUE(first_router(quick).change(
      conf::change::AddPeer{.primary = Nid::parse("10.1.0.9@tcp1").value()}));
  TestNode::wait_until([this] { return state_of("10.1.0.2@tcp1") == "down"; });
  EXPECT_THAT(
      fails("10.1.0.9@tcp1"),
      HasSubstr("Found: one-sided: 10.0.0.2@tcp reports that its interface on tcp1 is down"));
}

TEST_F(Trace, AMissingRouteBackIsReported) {  // spec/multirail.md 9.5, 9.7
  first_router();
  network.host({"10.1.0.9@tcp1"});
  EXPECT_THAT(
      fails("10.1.0.9@tcp1"),
      HasSubstr("the target is down, or the path is one-sided (the target has no route back"));
}

/// The gateway 10.0.0.2@tcp is not on tcp2.
TEST_F(Trace, ASecondRouterThatDiedIsNamedIfItIsKnown) {
  add_route(first_router(), "tcp2", "10.1.0.7@tcp1");
  sh("ulnetctl route add --net tcp2 --gateway 10.0.0.2@tcp; "
     "ulnetctl peer add --nid 10.1.0.7@tcp1,10.2.0.7@tcp2; "
     "ulnetctl peer add --nid 10.1.0.8@tcp1,10.3.0.8@tcp3");
  const std::string said = fails("10.2.0.9@tcp2");
  EXPECT_THAT(said, HasSubstr(" 2  10.1.0.7@tcp1, perhaps a router on this path: its nets connect "
                              "the hops: no answer, "));
  EXPECT_THAT(said, HasSubstr(" 3  10.2.0.9@tcp2: no answer, "));
  EXPECT_THAT(said,
              HasSubstr("Found: the router 10.1.0.7@tcp1 behind 10.0.0.2@tcp does not answer\n"));
  EXPECT_THAT(said, Not(HasSubstr("10.1.0.8@tcp1"))) << "it does not lead there";

  // The trace names the second router also when the user names it on the command line.
  for (const char* nid : {"10.1.0.7@tcp1", "10.1.0.8@tcp1"})
    EXPECT_EQ(sh("ulnetctl peer del --prim_nid " + std::string(nid)).code, 0) << nid;
  const std::string unknown = fails("10.2.0.9@tcp2");
  EXPECT_THAT(unknown, HasSubstr("no node reports which routers follow; name them with --via"));
  EXPECT_THAT(fails("--via 10.1.0.7@tcp1 10.2.0.9@tcp2"),
              HasSubstr("Found: the router 10.1.0.7@tcp1 behind 10.0.0.2@tcp does not answer\n"));
}

TEST_F(Trace, AChainOfKnownRoutersIsFound) {
  node::Node& first = first_router();
  node::Node& second = router("10.1.0.7@tcp1", "10.2.0.7@tcp2");
  node::Node& third = router("10.2.0.8@tcp2", "10.3.0.8@tcp3");
  for (const char* net : {"tcp2", "tcp3"}) add_route(first, net, "10.1.0.7@tcp1");
  add_route(second, "tcp3", "10.2.0.8@tcp2");
  add_route(second, "tcp", "10.1.0.2@tcp1");
  for (const char* net : {"tcp", "tcp1"}) add_route(third, net, "10.2.0.7@tcp2");
  add_route(network.host({"10.3.0.9@tcp3"}), "tcp", "10.3.0.8@tcp3");
  sh("ulnetctl route add --net tcp2 --gateway 10.0.0.2@tcp; "
     "ulnetctl route add --net tcp3 --gateway 10.0.0.2@tcp; "
     "ulnetctl peer add --nid 10.1.0.7@tcp1,10.2.0.7@tcp2; "
     "ulnetctl peer add --nid 10.2.0.8@tcp2,10.3.0.8@tcp3");
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

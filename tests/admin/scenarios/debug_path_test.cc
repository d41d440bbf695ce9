// ulnetctl debug path: the explanation of a path in words. spec/multirail.md 3.
#include <gmock/gmock.h>

#include "workbench.h"

namespace ulnet::ctl::test {
namespace {

using ::testing::HasSubstr;

/// A node with four CPU partitions. Some tests print a path that was recorded elsewhere.
struct DebugPath : Workbench {
  DebugPath() : Workbench(kFourPartitions) {}
  void show(const char* path) {
    node.answer_as_recorded("GET /v1/path", {{"path", Tree::parse(path)}});
  }
  /// The answer of the node itself.
  Tree path_of(const std::string& query) { return node.get("/v1/path?" + query)["path"]; }
  Tree shown_as_json(const std::string& options) {
    return Tree::parse(sh("ulnetctl debug path --json " + options).out)["path"];
  }
};

TEST_F(DebugPath, SaysStepByStepWhatWasChosenAndWhyNotTheOthers) {
  show(R"json({
      "to": "10.0.0.9@tcp",
      "cpt": 0, "known": true, "multi-rail": true, "waits for discovery": false,
      "rule": "multi-rail peer: any of its NIDs by any NI",
      "nets": [
        {"net": "tcp", "chosen": false, "lost by": "lower health", "health value": 900,
         "priority": -1, "local health value": 1000, "local priority": -1, "turn": 0,
         "local turn": 4},
        {"net": "tcp1", "chosen": true, "health value": 1000, "priority": 2,
         "local health value": 1000, "local priority": -1, "turn": 7, "local turn": 5}],
      "local NI(s)": [
        {"nid": "10.1.0.1@tcp1", "chosen": false, "lost by": "farther from the memory",
         "fatal_error": 0, "health value": 1000, "priority": -1, "distance": 21,
         "credits": 256, "turn": 0},
        {"nid": "10.1.0.2@tcp1", "chosen": true, "fatal_error": 0, "health value": 1000,
         "priority": -1, "distance": 10, "credits": 255, "turn": 5}],
      "peer ni": [
        {"nid": "10.1.0.9@tcp1", "chosen": true, "health value": 1000, "priority": -1,
         "preferred": true, "credits": 8, "turn": 0}],
      "source": "10.1.0.2@tcp1", "hop": "10.1.0.9@tcp1"})json");
  const Outcome shown = sh("ulnetctl debug path --to 10.0.0.9@tcp");
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_EQ(shown.out,
            "Path to 10.0.0.9@tcp, as CPU partition 0 would choose now\n"
            "Rule: multi-rail peer: any of its NIDs by any NI\n"
            "Step A, the net:\n"
            "    tcp: health 900 at the peer, priority none; health 1000 here, priority none; no "
            "turn yet, last turn of the local net 4\n"
            "      not chosen: lower health\n"
            "  * tcp1: health 1000 at the peer, priority 2; health 1000 here, priority none; last "
            "turn 7, last turn of the local net 5\n"
            "Step B, the interface of this node:\n"
            "    10.1.0.1@tcp1: health 1000, priority none, distance 21, credits 256, no turn yet\n"
            "      not chosen: farther from the memory\n"
            "  * 10.1.0.2@tcp1: health 1000, priority none, distance 10, credits 255, last turn 5\n"
            "Step C, the peer's NID:\n"
            "  * 10.1.0.9@tcp1: health 1000, priority none, preferred from this interface, credits "
            "8, no turn yet\n"
            "Result: to 10.1.0.9@tcp1 from 10.1.0.2@tcp1\n");
}

TEST_F(DebugPath, OfTheNodeItself) {
  sh("ulnetctl net add --net tcp --if eth0,eth1; ulnetctl peer add --nid 10.0.0.[8-9]@tcp");
  const Tree path = path_of("to=10.0.0.9@tcp");
  const Outcome shown = sh("ulnetctl debug path --to 10.0.0.9@tcp");
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_TRUE(shown.out.starts_with("Path to 10.0.0.9@tcp, as CPU partition " + path["cpt"].dump() +
                                    " would choose now\n"))
      << shown.out;
  EXPECT_THAT(shown.out, HasSubstr("\nRule: " + path["rule"].get<std::string>() +
                                   "\nStep A, the net:\n  * tcp: health 1000 at the peer"));
  EXPECT_THAT(shown.out, HasSubstr("Result: to " + path["hop"].get<std::string>() + " from " +
                                   path["source"].get<std::string>() + "\n"));
}

TEST_F(DebugPath, AsJsonIsTheAnswerOfTheControlApi) {
  sh("ulnetctl net add --net tcp --if eth0,eth1");
  const Tree tree = shown_as_json("--to 10.0.0.9@tcp --from 10.99.1.3@tcp");
  EXPECT_EQ(tree.at("from"), "10.99.1.3@tcp");
  EXPECT_EQ(tree.at("source"), "10.99.1.3@tcp") << tree;
  EXPECT_EQ(tree, path_of("to=10.0.0.9@tcp&from=10.99.1.3@tcp"));
  EXPECT_EQ(Tree::parse(sh("ulnetctl --json debug path --to 10.0.0.9@tcp").out)["path"]["hop"],
            "10.0.0.9@tcp");
}

TEST_F(DebugPath, SaysThatThereIsNoPathAndThatTheFirstMessageWaits) {
  show(R"json({"to": "10.0.0.9@o2ib", "from": "10.1.0.2@tcp1", "cpt": 1, "known": false,
    "waits for discovery": true, "rule": "peer without multi-rail: it always sees the same NI",
    "nets": [], "local NI(s)": [], "peer ni": [], "errno": -113, "descr": "no route"})json");
  EXPECT_EQ(sh("ulnetctl debug path --to 10.0.0.9@o2ib --from 10.1.0.2@tcp1").out,
            "Path to 10.0.0.9@o2ib from 10.1.0.2@tcp1, as CPU partition 1 would choose now\n"
            "The node does not know this peer yet.\n"
            "The first message waits until the peer is discovered; the node then chooses its path "
            "again.\n"
            "Rule: peer without multi-rail: it always sees the same NI\n"
            "Result: no path: no route (errno -113)\n");
}

TEST_F(DebugPath, AnotherPartitionPicksTheNi) {
  sh("ulnetctl net add --net tcp --if eth0,eth1");
  for (const std::string cpt : {"0", "1"}) {
    const Tree tree = shown_as_json("--to 10.0.0.9@tcp --cpt " + cpt);
    EXPECT_EQ(tree["cpt"].dump(), cpt);
    EXPECT_EQ(tree, path_of("to=10.0.0.9@tcp&cpt=" + cpt));
  }
  EXPECT_THAT(sh("ulnetctl debug path --to 10.0.0.9@tcp --cpt 4").err, HasSubstr("errno: -34"));
  show(R"json({"to": "10.0.0.9@tcp", "cpt": 1, "known": true, "rule": "r",
               "hop": "10.0.0.9@tcp"})json");
  EXPECT_THAT(sh("ulnetctl debug path --to 10.0.0.9@tcp").out,
              HasSubstr("Result: to 10.0.0.9@tcp from an interface that the peer's own partition"));
}

TEST_F(DebugPath, MistakesAreRefused) {
  const Outcome none = sh("ulnetctl debug path");
  EXPECT_EQ(none.code, 234);
  EXPECT_THAT(none.out, HasSubstr("debug path: show which path"));
  EXPECT_EQ(sh("ulnetctl debug path --bogus").code, 234);
  EXPECT_EQ(sh("ulnetctl debug path 10.0.0.9@tcp").code, 234);
  for (const char* bad :
       {"--to 10.0.0@tcp", "--to '*'", "--to 10.0.0.9@tcp --from x", "--to 10.0.0.9@tcp --cpt -1",
        "--to 10.0.0.9@tcp --cpt x", "--to 10.0.0.9@tcp --cpt 5000000000"}) {
    const Outcome outcome = sh(std::string("ulnetctl debug path ") + bad);
    EXPECT_EQ(outcome.code, 234) << bad;
    EXPECT_THAT(outcome.err, HasSubstr("errno: -22")) << bad;
    EXPECT_EQ(last_request(), "") << bad << ": nobody is asked";
  }
  node.unconfigure();
  EXPECT_THAT(sh("ulnetctl debug path --to 10.0.0.9@tcp").err, HasSubstr("errno: -100"));
}

}  // namespace
}  // namespace ulnet::ctl::test

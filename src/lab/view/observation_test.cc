#include "lab/view/observation.h"

#include <gtest/gtest.h>

#include "lab/view/view_fixture.h"

namespace ulnet::tools::lab {
namespace {

TEST(Observation, HasWhatTheControlApiReports) {
  const ObservedNode node = observed("a", node_answers(100, "down"), at_second(1), nullptr);
  EXPECT_EQ(node.state, NodeState::kUp);
  EXPECT_TRUE(node.routing);
  ASSERT_EQ(node.nis.size(), 1U);  // without 0@lo
  const ObservedNi& ni = node.nis[0];
  EXPECT_EQ(ni.nid, "10.0.0.1@tcp");
  EXPECT_EQ(ni.net, "tcp");
  EXPECT_EQ(ni.interface, "eth0");
  EXPECT_FALSE(ni.up);
  EXPECT_EQ(ni.health, 900);
  EXPECT_EQ(ni.credits, -2);
  EXPECT_EQ(ni.credits_min, -7);
  EXPECT_EQ(ni.sent, 100U);
  EXPECT_EQ(ni.received, 10U);
  EXPECT_EQ(ni.messages, 7U);
  EXPECT_EQ(ni.dropped_messages, 5U);
  EXPECT_EQ(ni.sent_per_s, 0);
  ASSERT_EQ(node.routes.size(), 1U);
  EXPECT_EQ(node.routes[0].net, "tcp1");
  EXPECT_FALSE(node.routes[0].up);
  EXPECT_EQ(node.routes[0].why, "the gateway does not answer");
  EXPECT_EQ(node.drops, 3U);
  EXPECT_EQ(node.resends, 6U);
}

TEST(Observation, RatesAreBetweenTwoLooks) {
  const ObservedNode before = observed("a", node_answers(1000), at_second(1), nullptr);
  EXPECT_EQ(observed("a", node_answers(3000), at_second(3), &before).nis[0].sent_per_s, 1000);
  // The node has restarted.
  EXPECT_EQ(observed("a", node_answers(10), at_second(3), &before).nis[0].sent_per_s, 0);
  // Two looks at the same time.
  EXPECT_EQ(observed("a", node_answers(3000), at_second(1), &before).nis[0].sent_per_s, 0);
}

TEST(Observation, GoodputIsWhatEndNodesReceive) {
  auto nodes = routed_nodes();
  for (ObservedNode& node : nodes)
    for (ObservedNi& ni : node.nis) {
      ni.received = 10;
      ni.received_per_s = 5;
    }
  EXPECT_EQ(nodes[0].goodput(), 10U);
  EXPECT_EQ(nodes[0].goodput_per_s(), 5);
  EXPECT_EQ(nodes[1].goodput(), 0U) << "the node routes";
  EXPECT_EQ(nodes[1].goodput_per_s(), 0);
  EXPECT_EQ(tree_of(nodes[2])["goodput_per_s"], 5);
}

TEST(Observation, NamesAreShownBesideNids) {
  const NidNames names(routed_nodes());
  EXPECT_EQ(names.beside("10.0.0.9@tcp is down"), "10.0.0.9@tcp (router) is down");
  EXPECT_EQ(names.beside("by 10.0.0.9@tcp: 10.1.0.1@tcp1."),
            "by 10.0.0.9@tcp (router): 10.1.0.1@tcp1 (server).");
  EXPECT_EQ(names.beside("10.0.0.9@tcp is down", "router"), "10.0.0.9@tcp is down");
  for (const char* other : {"", ".", "10.0.0.9@tcp1", "110.0.0.9@tcp", "10.0.0.9", "a (b)"})
    EXPECT_EQ(names.beside(other), other);
}

TEST(Observation, AnswersOfAnotherShapeArePassedOver) {
  for (const char* text :
       {"null", "[]", "{}", R"json({"net": 1, "route": {}, "nis": []})json",
        R"json({"net": [1, {"net type": 7, "local NI(s)": 1}, {"net type": "tcp"}],
                "route": [7, {"net": 1}], "routing": [null]})json"}) {
    const ctl::Tree tree = ctl::Tree::parse(text);
    const ObservedNode node = observed("a", {tree, tree, tree, tree, tree}, at_second(1), nullptr);
    EXPECT_TRUE(node.nis.empty()) << text;
    EXPECT_FALSE(node.routing) << text;
  }
}

TEST(Observation, TheTreeHasItAll) {
  const ctl::Tree tree = tree_of(observed("a", node_answers(100, "up"), at_second(1), nullptr));
  EXPECT_EQ(tree["name"], "a");
  EXPECT_EQ(tree["state"], "up");
  EXPECT_EQ(tree["nis"][0]["credits"], -2);
  EXPECT_EQ(tree["nis"][0]["sent"], 100);
  EXPECT_EQ(tree["routes"][0]["up"], true);
  EXPECT_EQ(tree["drops"], 3);
}

}  // namespace
}  // namespace ulnet::tools::lab

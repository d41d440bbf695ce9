// Sessions, groups and time. Tests of batches are in batches_test.cc.
#include "selftest/console/console.h"

#include <gmock/gmock.h>

#include "selftest/console/console_fixture.h"

namespace ulnet::svc::selftest::console {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

class ConsoleSession : public test::ConsoleTest {};
class ConsoleGroups : public test::ConsoleTest {};
class ConsoleTime : public test::ConsoleTest {};
class ConsoleJoin : public test::ConsoleTest {};
using test::kSomebody;
using test::node_id;

TEST_F(ConsoleSession, BeginsWithABatchAndSendsNothing) {  // spec/cli-lst.md 9
  const auto shown = begin({.key = kKey, .name = "rw", .timeout = 60});
  ASSERT_TRUE(shown);
  EXPECT_EQ(shown->name, "rw");
  EXPECT_EQ(shown->timeout, 60U);
  EXPECT_EQ(shown->id.console, node_id(1).nid);
  EXPECT_EQ(shown->features, 1U);
  ASSERT_EQ(console.batches(kKey)->size(), 1U);
  EXPECT_EQ(console.batches(kKey)->at(0)->name, "batch");
  EXPECT_EQ(nodes.calls, 0U);
}

TEST_F(ConsoleSession, CommandsNeedASession) {
  EXPECT_EQ(console.show_session().error().code, -ESRCH);
  EXPECT_EQ(add("g", {2}).error().reason, "No session exists");
  EXPECT_EQ(console.add_batch(kKey, "b").error().code, -ESRCH);
}

TEST_F(ConsoleSession, AnotherKeyIsRefused) {  // spec/cli-lst.md 4
  ASSERT_TRUE(begin());
  EXPECT_EQ(console.groups(kKey + 1).error().reason, "Unmatched session key or not root");
  const auto added =
      wait<NodesAdded>([&](auto done) { console.add_nodes(1, "g", {node_id(2)}, done); });
  EXPECT_EQ(added.error().code, -EACCES);
  EXPECT_TRUE(console.show_session()) << "but every user may look at the session";
}

TEST_F(ConsoleSession, ASecondOneIsRefusedUnlessItIsForced) {  // spec/cli-lst.md 4
  ASSERT_TRUE(begin());
  ASSERT_TRUE(add("g", {2}));
  EXPECT_EQ(begin({.key = 8, .name = "other"}).error().reason, "session already exists");
  EXPECT_FALSE(nodes.node(2).session.is_none());
  ASSERT_TRUE(begin({.key = 8, .name = "other", .force = true}));
  EXPECT_TRUE(nodes.node(2).session.is_none()) << "the first session has released its node";
  EXPECT_EQ(console.show_session()->key, 8U);
}

TEST_F(ConsoleSession, EachHasItsOwnStampAndBatchIdsGoOn) {  // spec/wire-selftest.md 2.4
  const auto first = begin();
  ASSERT_TRUE(console.add_batch(kKey, "b"));
  EXPECT_EQ(console.batch(kKey, "b").value()->id, 2U);
  ASSERT_TRUE(end());
  const auto second = begin();
  EXPECT_NE(first->id, second->id);
  EXPECT_EQ(console.batch(kKey, "batch").value()->id, 3U);
}

TEST_F(ConsoleSession, BadSessionsAreRefused) {
  EXPECT_EQ(begin({.key = 0, .name = "x"}).error().code, -EINVAL);
  EXPECT_EQ(begin({.key = 1, .name = std::string(32, 'x')}).error().code, -EINVAL);
  EXPECT_EQ(begin({.key = 1, .name = "x", .timeout = 0}).error().code, -EINVAL);
  EXPECT_EQ(begin({.key = 1, .name = "x", .features = 2}).error().code, -EPROTO);
  nodes.no_nid = true;
  EXPECT_EQ(begin({.key = 1, .name = "x"}).error().code, -EADDRNOTAVAIL);
}

TEST_F(ConsoleSession, EndsAtEveryNodeAlsoWhereItWasInvitedTwice) {  // spec/cli-lst.md 3.3
  ASSERT_TRUE(begin());
  ASSERT_TRUE(add("g", {2, 3, 4}));
  nodes.node(2).references = 3;
  nodes.node(3).session = {};  // the node has lost its session
  const auto ended = end();
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->size(), 3U);
  for (const NodeResult& result : *ended) EXPECT_TRUE(result.good());
  for (const std::uint32_t last : {2U, 3U, 4U}) EXPECT_TRUE(nodes.node(last).session.is_none());
  EXPECT_EQ(console.show_session().error().code, -ESRCH);
}

TEST_F(ConsoleSession, WhileItEndsItTakesNoCommands) {
  ASSERT_TRUE(begin());
  ASSERT_TRUE(add("g", {2}));
  nodes.node(2).delay = 2s;
  bool ended = false;
  console.end_session(kKey, [&](const auto&) { ended = true; });
  EXPECT_EQ(console.groups(kKey).error().reason, "Session is shutting down");
  nodes.pass(2s);
  EXPECT_TRUE(ended);
}

TEST_F(ConsoleSession, CommandsWaitForEachOther) {
  ASSERT_TRUE(begin());
  nodes.node(2).delay = 1s;
  std::vector<int> order;
  console.add_nodes(kKey, "g", {node_id(2)}, [&](const auto&) { order.push_back(1); });
  console.delete_group(kKey, "g", [&](const auto& deleted) {
    EXPECT_TRUE(deleted);
    order.push_back(2);
  });
  nodes.pass(5s);
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
}

TEST_F(ConsoleSession, TooManyCommandsAreRefused) {
  ASSERT_TRUE(begin());
  nodes.node(2).silent = true;
  int refused = 0;
  for (int i = 0; i < 100; ++i)
    console.add_nodes(kKey, "g", {node_id(2)}, [&](const auto& added) {
      refused += !added && added.error().code == -EBUSY;
    });
  EXPECT_GT(refused, 0);
}

TEST_F(ConsoleSession, AnswersThatComeWhenItIsGoneAreNotHeard) {
  nodes.node(2).delay = 1s;
  {
    Console short_lived(nodes);
    short_lived.new_session({.key = 1, .name = "x"}, [](const auto&) {});
    short_lived.add_nodes(1, "g", {node_id(2)}, [](const auto&) { FAIL(); });
  }
  nodes.pass(60s);
}

TEST_F(ConsoleGroups, NodesAreInvitedAndShownAsTheyAnswered) {  // spec/cli-lst.md 4
  ASSERT_TRUE(begin());
  nodes.node(3).join(kSomebody, "theirs");
  nodes.node(4).silent = true;
  const auto added = add("g", {2, 3, 4});
  ASSERT_TRUE(added);
  EXPECT_FALSE(added->compatible);
  EXPECT_EQ(state_of("g", 0), NodeState::kActive);
  EXPECT_EQ(state_of("g", 1), NodeState::kBusy);
  EXPECT_EQ(state_of("g", 2), NodeState::kDown);
  EXPECT_EQ(added->results[1].status, static_cast<std::uint32_t>(EBUSY));
  EXPECT_EQ(added->results[2].error, -ETIMEDOUT);
  EXPECT_EQ(count_states(console.group(kKey, "g").value()->members),
            (StateCounts{.active = 1, .busy = 1, .down = 1, .total = 3}));
  EXPECT_EQ(heard<wire::LstMakeSession>(2).at(0).name.text(), "rw");
}

TEST_F(ConsoleGroups, ForceTakesNodesFromOthers) {  // spec/cli-lst.md 4
  ASSERT_TRUE(begin({.key = kKey, .name = "rw", .force = true}));
  nodes.node(3).join(kSomebody, "theirs");
  ASSERT_TRUE(add("g", {3}));
  EXPECT_EQ(state_of("g", 0), NodeState::kActive);
  EXPECT_EQ(nodes.node(3).session_name, "rw");
}

TEST_F(ConsoleGroups, ANodeIsInvitedOnceAndMayBeInSeveral) {  // spec/cli-lst.md 4
  ASSERT_TRUE(begin());
  ASSERT_TRUE(add("a", {2}));
  ASSERT_TRUE(add("b", {2, 2}));
  EXPECT_EQ(nodes.node(2).references, 1U);
  EXPECT_EQ(console.group(kKey, "b").value()->members.size(), 1U);
  EXPECT_EQ(console.show_session()->nodes, 1U);
  // A node stays in the session while it is in at least one group.
  ASSERT_TRUE(wait<NodeResults>([&](auto done) { console.delete_group(kKey, "a", done); }));
  EXPECT_FALSE(nodes.node(2).session.is_none());
  ASSERT_TRUE(wait<NodeResults>([&](auto done) { console.delete_group(kKey, "b", done); }));
  EXPECT_TRUE(nodes.node(2).session.is_none());
  EXPECT_EQ(console.show_session()->nodes, 0U);
}

TEST_F(ConsoleGroups, OtherFeaturesAreReported) {  // spec/cli-lst.md 4
  ASSERT_TRUE(begin());
  nodes.node(2).features = 0;
  const auto added = add("g", {2});
  ASSERT_TRUE(added);
  EXPECT_TRUE(added->compatible);
  EXPECT_EQ(added->results[0].status, static_cast<std::uint32_t>(EPROTO));
  EXPECT_EQ(state_of("g", 0), NodeState::kUnknown);
}

TEST_F(ConsoleGroups, RefreshAsksAgainAndInvitesFreeNodes) {  // spec/cli-lst.md 3.5
  ASSERT_TRUE(begin());
  nodes.node(2).silent = true;
  nodes.node(3).join(kSomebody, "theirs");
  ASSERT_TRUE(add("g", {2, 3, 4}));
  nodes.node(2).silent = false;
  nodes.node(3).session = {};
  nodes.node(4).silent = true;
  const auto results =
      wait<NodeResults>([&](auto done) { console.refresh_group(kKey, "g", done); });
  ASSERT_TRUE(results);
  EXPECT_EQ(results->size(), 3U);
  EXPECT_EQ(state_of("g", 0), NodeState::kActive);
  EXPECT_EQ(state_of("g", 1), NodeState::kActive);
  EXPECT_EQ(state_of("g", 2), NodeState::kDown);
  EXPECT_EQ(nodes.node(2).references, 1U);
}

TEST_F(ConsoleGroups, CleanAndRemoveTakeNodesAway) {  // spec/cli-lst.md 3.5
  ASSERT_TRUE(begin());
  nodes.node(3).join(kSomebody, "theirs");
  nodes.node(4).silent = true;
  ASSERT_TRUE(add("g", {2, 3, 4, 5, 6}));
  const auto remove = [&](const Leaving& leaving) {
    return wait<NodeResults>([&](auto done) { console.remove_nodes(kKey, "g", leaving, done); });
  };
  const auto left = [&] { return console.group(kKey, "g").value()->members.size(); };
  ASSERT_TRUE(remove({.state = NodeState::kBusy}));
  EXPECT_EQ(left(), 4U);
  EXPECT_EQ(nodes.node(3).session, kSomebody);
  ASSERT_TRUE(remove({.not_active = true}));
  EXPECT_EQ(left(), 3U);
  ASSERT_TRUE(remove({.nodes = {node_id(5), node_id(77)}}));
  EXPECT_EQ(left(), 2U);
  EXPECT_TRUE(nodes.node(5).session.is_none());
  EXPECT_FALSE(nodes.node(6).session.is_none());
  EXPECT_EQ(wait<NodeResults>([&](auto done) { console.delete_group(kKey, "none", done); })
                .error()
                .reason,
            "Can't find none in current session");
}

TEST_F(ConsoleGroups, TargetsAreGroupsOrElseNodes) {  // spec/cli-lst.md 2
  ASSERT_TRUE(begin());
  ASSERT_TRUE(add("g", {2, 3}));
  nodes.node(2).stat.framework.brw_errors = 7;
  const auto sample = [&](const Target& target) {
    return wait<NodeResults>([&](auto done) { console.sample(kKey, target, 5s, done); });
  };
  const auto of_group = sample({"g", {node_id(9)}});
  ASSERT_TRUE(of_group);
  ASSERT_EQ(of_group->size(), 2U);
  EXPECT_EQ(of_group->at(0).as<wire::LstStatReply>()->framework.brw_errors, 7U);
  const auto of_nodes = sample({"x", {node_id(3), node_id(9)}});
  ASSERT_TRUE(of_nodes);
  EXPECT_TRUE(of_nodes->at(0).good());
  EXPECT_EQ(of_nodes->at(1).status, static_cast<std::uint32_t>(ESRCH))
      << "the node is not in the session";
  EXPECT_EQ(console.show_session()->nodes, 2U)
      << "and a query does not add the node to the session";
  EXPECT_EQ(sample({"x", {}}).error().code, -ENOENT);
}

TEST_F(ConsoleGroups, PingSaysWhoseNodesAre) {  // spec/cli-lst.md 3.4
  ASSERT_TRUE(begin());
  ASSERT_TRUE(add("g", {2, 3}));
  nodes.node(3).join(kSomebody, "theirs");
  const auto results = wait<NodeResults>([&](auto done) { console.ping_session(kKey, 5s, done); });
  ASSERT_TRUE(results);
  EXPECT_EQ(results->at(0).as<wire::LstDebugReply>()->name.text(), "rw");
  EXPECT_EQ(results->at(1).as<wire::LstDebugReply>()->session, kSomebody);
  EXPECT_EQ(state_of("g", 1), NodeState::kBusy);
}

// spec/cli-lst.md 4; spec/wire-selftest.md 1.3
TEST_F(ConsoleTime, QuietNodesAreAskedBeforeTheyLeave) {
  ASSERT_TRUE(begin());
  ASSERT_TRUE(add("g", {2}));  // its session time-out is 100 s
  nodes.pass(49s);
  EXPECT_TRUE(heard<wire::LstDebug>(2).empty());
  nodes.pass(8s);
  EXPECT_EQ(heard<wire::LstDebug>(2).size(), 1U);
  nodes.pass(60s);
  EXPECT_EQ(heard<wire::LstDebug>(2).size(), 2U);
}

TEST_F(ConsoleTime, ASilentNodeIsFoundByItself) {  // spec/cli-lst.md 4
  ASSERT_TRUE(begin());
  ASSERT_TRUE(add("g", {2, 3}));
  nodes.node(2).silent = true;
  nodes.pass(100s);
  EXPECT_EQ(state_of("g", 0), NodeState::kDown);
  EXPECT_EQ(state_of("g", 1), NodeState::kActive);
}

// spec/cli-lst.md 4; spec/wire-selftest.md 1.3
TEST_F(ConsoleTime, AForgottenSessionEndsEverywhere) {
  ASSERT_TRUE(begin({.key = kKey, .name = "rw", .timeout = 300}));
  ASSERT_TRUE(add("g", {2}));
  nodes.pass(200s);
  ASSERT_TRUE(console.groups(kKey)) << "a command, from which time counts again";
  nodes.pass(299s);
  EXPECT_FALSE(nodes.node(2).session.is_none());
  nodes.pass(20s);
  EXPECT_TRUE(nodes.node(2).session.is_none());
  EXPECT_EQ(console.show_session().error().code, -ESRCH);
}

TEST_F(ConsoleTime, NodesOfAnotherSessionAreNotDisturbed) {
  ASSERT_TRUE(begin({.key = kKey, .name = "rw", .timeout = 40}));
  nodes.pass(20s);
  ASSERT_TRUE(end());
  ASSERT_TRUE(begin({.key = kKey, .name = "rw", .timeout = 40}));
  nodes.pass(36s);
  EXPECT_TRUE(console.show_session());
  nodes.pass(12s);
  EXPECT_FALSE(console.show_session());
}

TEST_F(ConsoleJoin, ANodeBecomesAMember) {  // spec/cli-lst.md 9; spec/wire-selftest.md 3.7
  const auto join = [&](std::uint32_t last, const std::string& group,
                        const wire::LstSessionId& wanted = {}, std::uint32_t features = 1) {
    return console.joined(node_id(last), features,
                          {.session = wanted, .group = wire::LstName(group)});
  };
  EXPECT_EQ(join(2, "g").status, static_cast<std::uint32_t>(ESRCH));
  ASSERT_TRUE(begin());
  const auto reply = join(2, "g");
  EXPECT_EQ(reply.status, 0U);
  EXPECT_EQ(reply.session, console.show_session()->id);
  EXPECT_EQ(reply.name.text(), "rw");
  EXPECT_EQ(reply.timeout, 300U);
  EXPECT_EQ(state_of("g", 0), NodeState::kActive);
  EXPECT_EQ(join(2, "g").status, static_cast<std::uint32_t>(EEXIST));
  EXPECT_EQ(join(3, "g", kSomebody).status, static_cast<std::uint32_t>(EBUSY));
  EXPECT_EQ(join(3, "g", reply.session).status, 0U);
  EXPECT_EQ(join(4, "g", {}, 0).status, static_cast<std::uint32_t>(EPROTO));
  EXPECT_EQ(join(4, "").status, static_cast<std::uint32_t>(EINVAL));
}

}  // namespace
}  // namespace ulnet::svc::selftest::console

// Batches and their tests.
#include <gmock/gmock.h>

#include "selftest/console/console.h"
#include "selftest/console/console_fixture.h"

namespace ulnet::svc::selftest::console {
namespace {

using test::node_id;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ConsoleBatches : public test::ConsoleTest {};
class ConsoleTests : public test::ConsoleTest {};

const TestSpec kBrw{.service = wire::LstService::kBrw, .loop = 2000, .concurrency = 8};

TEST_F(ConsoleTests, ServersFirstThenClientsWithTheirLists) {  // spec/wire-selftest.md 5.1
  parties(4, 2);
  TestSpec spec = kBrw;
  spec.spread = {2, 1};
  const auto added = add_test(spec);
  ASSERT_TRUE(added);
  EXPECT_EQ(added->size(), 6U);
  for (std::uint32_t last : {11U, 12U}) {
    const auto asked = heard<wire::LstTest>(last);
    ASSERT_EQ(asked.size(), 1U);
    EXPECT_FALSE(asked[0].is_client);
    EXPECT_EQ(asked[0].loop, 16U) << "1 run at each server, of 2 clients, with 8 requests";
    EXPECT_EQ(asked[0].destinations, 0U);
  }
  for (std::uint32_t last : {1U, 2U, 3U, 4U}) {
    const auto asked = heard<wire::LstTest>(last);
    ASSERT_EQ(asked.size(), 1U);
    EXPECT_TRUE(asked[0].is_client);
    EXPECT_TRUE(asked[0].stop_on_error);
    EXPECT_EQ(asked[0].loop, 2000U);
    EXPECT_EQ(asked[0].concurrency, 8U);
    EXPECT_EQ(asked[0].batch, 1U);
    EXPECT_THAT(nodes.node(last).batches[1].destinations[0],
                ElementsAre(node_id(last <= 2 ? 11 : 12)));
  }
  EXPECT_EQ(console.batch(kKey, "batch").value()->tests.size(), 1U);
}

TEST_F(ConsoleTests, UnitsGoOnAfterAnErrorWhenAsked) {
  parties(1, 1);
  TestSpec spec = kBrw;
  spec.keep_going = true;
  ASSERT_TRUE(add_test(spec));
  EXPECT_FALSE(heard<wire::LstTest>(1).at(0).stop_on_error);
}

TEST_F(ConsoleTests, WithoutAllServersNoClientHearsOfIt) {  // spec/wire-selftest.md 5.1
  parties(1, 2);
  nodes.node(12).refuse_tests = ENOMEM;
  const auto added = add_test(kBrw);
  ASSERT_TRUE(added);
  EXPECT_EQ(added->at(1).status, static_cast<std::uint32_t>(ENOMEM));
  EXPECT_TRUE(heard<wire::LstTest>(1).empty());
  EXPECT_TRUE(console.batch(kKey, "batch").value()->tests.empty());
  EXPECT_TRUE(wait<NodeResults>([&](auto done) { console.delete_group(kKey, "s", done); }))
      << "and nothing is frozen";
}

TEST_F(ConsoleTests, OnlyActiveNodesTakePart) {  // spec/cli-lst.md 4
  ASSERT_TRUE(begin());
  nodes.node(2).silent = true;
  ASSERT_TRUE(add("c", {1, 2}));
  ASSERT_TRUE(add("s", {11}));
  ASSERT_TRUE(add_test(kBrw));
  EXPECT_EQ(console.batch(kKey, "batch").value()->clients().size(), 1U);
}

TEST_F(ConsoleTests, BadTestsAreRefusedBeforeTheyAreSent) {
  parties(1, 1);
  EXPECT_EQ(add_test(kBrw, "none").error().reason, "Can't find none in current session");
  EXPECT_EQ(add_test(kBrw, "batch", "none").error().code, -ENOENT);
  EXPECT_EQ(add_test(kBrw, "batch", "c", "none").error().code, -ENOENT);
  TestSpec odd = kBrw;
  odd.size = 4001;
  EXPECT_THAT(add_test(odd).error().reason, HasSubstr("stops production nodes"));
  TestSpec wide = kBrw;
  wide.spread = {1, 2};
  EXPECT_EQ(add_test(wide).error().code, -EINVAL);
  EXPECT_TRUE(heard<wire::LstTest>(1).empty());
  EXPECT_TRUE(heard<wire::LstTest>(11).empty());
}

TEST_F(ConsoleTests, ItsGroupsAreFrozenUntilTheSessionEnds) {  // spec/cli-lst.md 4
  parties(1, 1);
  ASSERT_TRUE(add_test(kBrw));
  for (const char* group : {"c", "s"}) {
    EXPECT_EQ(add(group, {9}).error().code, -EBUSY);
    const auto refused = [&](auto&& command) {
      EXPECT_EQ(wait<NodeResults>(command).error().code, -EBUSY);
    };
    refused([&](auto done) { console.delete_group(kKey, group, done); });
    refused([&](auto done) { console.refresh_group(kKey, group, done); });
    refused([&](auto done) { console.remove_nodes(kKey, group, {.not_active = true}, done); });
  }
  const auto joined = console.joined(node_id(9), 1, {.group = wire::LstName("c")});
  EXPECT_EQ(joined.status, static_cast<std::uint32_t>(EBUSY));
  EXPECT_TRUE(nodes.node(9).heard.empty());
}

TEST_F(ConsoleBatches, RunStopAndQuery) {  // spec/cli-lst.md 3.6, 4
  parties(2, 1);
  ASSERT_TRUE(add_test(kBrw));
  ASSERT_TRUE(run());
  EXPECT_TRUE(heard<wire::LstBatch>(11).empty()) << "servers are not started";
  EXPECT_NE(console.batch(kKey, "batch").value()->run, 0U);
  EXPECT_EQ(add_test(kBrw).error().code, -EBUSY);
  const auto asked = query();
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->size(), 2U);
  EXPECT_EQ(active_at(*asked, 0), 1U);
  EXPECT_EQ(active_at(*query(1), 0), 8U) << "units of one test";
  ASSERT_TRUE(stop(true));
  EXPECT_NE(console.batch(kKey, "batch").value()->run, 0U)
      << "until the console knows that the batch has stopped";
  EXPECT_EQ(active_at(*query(), 0), 0U);
  EXPECT_EQ(console.batch(kKey, "batch").value()->run, 0U);
  EXPECT_TRUE(add_test(kBrw));
}

TEST_F(ConsoleBatches, StopSaysWhetherToWait) {
  parties(1, 1);
  ASSERT_TRUE(add_test(kBrw));
  ASSERT_TRUE(stop(true));
  ASSERT_TRUE(stop(false));
  const auto asked = heard<wire::LstBatch>(1);
  ASSERT_EQ(asked.size(), 2U);
  EXPECT_EQ(asked[0].argument, 1U);
  EXPECT_EQ(asked[1].argument, 0U);
}

// The index in QUERY counts the tests of that node, not the tests of the batch.
TEST_F(ConsoleBatches, ATestIsAskedForByThePlaceThatItHasAtTheNode) {
  parties(2, 1);
  ASSERT_TRUE(add("one", {2}));
  ASSERT_TRUE(add_test(kBrw, "batch", "c", "s"));
  ASSERT_TRUE(add_test({.concurrency = 3}, "batch", "one", "s"));
  ASSERT_TRUE(add_test({.concurrency = 5}, "batch", "c", "c"));  // the clients are the servers too
  ASSERT_TRUE(run());
  const auto second = query(2);
  ASSERT_TRUE(second);
  ASSERT_EQ(second->size(), 1U);
  EXPECT_EQ(active_at(*second, 0), 3U);
  const auto third = query(3);
  EXPECT_EQ(heard<wire::LstBatch>(1).back().test_index, 3U) << "after one as client, one as server";
  EXPECT_EQ(heard<wire::LstBatch>(2).back().test_index, 4U);
  EXPECT_EQ(active_at(*third, 0), 5U);
  EXPECT_EQ(active_at(*third, 1), 5U);
  EXPECT_EQ(query(4).error().reason, "Can't find test in current session");
  EXPECT_EQ(query(0, true)->size(), 3U) << "all that serve";
}

TEST_F(ConsoleBatches, ANodeThatIsLostDoesNotStopTheOthers) {  // spec/cli-lst.md 4
  parties(2, 1);
  ASSERT_TRUE(add_test(kBrw));
  ASSERT_TRUE(run());
  nodes.node(2).silent = true;
  const auto asked = query();
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->at(0).error, 0);
  EXPECT_EQ(asked->at(1).error, -ETIMEDOUT);
  EXPECT_EQ(state_of("c", 1), NodeState::kDown);
  EXPECT_EQ(stop()->size(), 1U) << "the console does not query a node that is down again";
}

TEST_F(ConsoleBatches, NamesAreTakenOnce) {
  ASSERT_TRUE(begin());
  ASSERT_TRUE(console.add_batch(kKey, "b"));
  EXPECT_EQ(console.add_batch(kKey, "b").error().reason, "batch already exists");
  EXPECT_EQ(console.add_batch(kKey, "batch").error().code, -EEXIST);
  EXPECT_EQ(console.add_batch(kKey, std::string(32, 'b')).error().code, -EINVAL);
  EXPECT_EQ(run("none").error().reason, "Can't find none in current session");
  EXPECT_TRUE(run("b")) << "an empty batch runs nothing";
}

// docs/SELFTEST.md: ulnet nodes report latencies; the console does not ask other nodes.
TEST_F(ConsoleBatches, AsksOnlyClientsThatReportLatencies) {
  for (const std::uint32_t last : {1U, 2U}) {
    nodes.node(last).abilities = wire::kLstAbilities;
    nodes.node(last).latency.emplace();
    for (std::uint32_t i = 0; i < last; ++i)
      nodes.node(last).latency->record(std::chrono::microseconds(7 * last));
  }
  parties(3, 1);
  ASSERT_TRUE(add_test({}));
  const auto ask = [&](const std::string& batch, std::size_t test) {
    return wait<std::vector<ClientLatency>>([&](auto done) {
      console.latencies(kKey, batch, test, Duration(std::chrono::seconds(5)), done);
    });
  };
  const auto replies = ask("batch", 1);
  ASSERT_EQ(replies->size(), 3U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_TRUE((*replies)[i].ulnet);
    EXPECT_EQ((*replies)[i].latency->count(), i + 1);
    EXPECT_GE((*replies)[i].latency->within(500), std::chrono::microseconds(7 * (i + 1)));
  }
  EXPECT_FALSE((*replies)[2].ulnet);
  EXPECT_FALSE((*replies)[2].latency);
  EXPECT_EQ(heard<wire::LstStat>(3).size(), 0U);
  EXPECT_EQ(heard<wire::LstStat>(1).at(0).batch, 1U);
  EXPECT_EQ(heard<wire::LstStat>(1).at(0).test_index, 1U);
  EXPECT_EQ(ask("batch", 2).error().code, -ENOENT);
  EXPECT_EQ(ask("none", 1).error().code, -ENOENT);
}

TEST_F(ConsoleBatches, MarksOfOtherSessionsAreRefused) {
  nodes.node(1).abilities = wire::kLstAbilities;
  nodes.node(1).join(test::kSomebody, "theirs");
  parties(1, 1);
  EXPECT_EQ(console.group(kKey, "c").value()->members.at(0)->abilities, 0U) << "the node is busy";
}

}  // namespace
}  // namespace ulnet::svc::selftest::console

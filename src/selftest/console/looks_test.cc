// Looks at nodes while they run, some of them silent: docs/CONTROL-API.md (look).
#include "selftest/console/console_fixture.h"

namespace ulnet::svc::selftest::console::test {
namespace {

using namespace std::chrono_literals;

class Looks : public ConsoleTest {
 protected:
  void SetUp() override {
    parties(2, 1);
    ASSERT_TRUE(add_test({}));
  }
  Result<std::vector<Seen>> look(Duration wait = 500ms, Duration patience = 10s) {
    return this->wait<std::vector<Seen>>([&](auto done) {
      console.look(kKey, {.name = "c"}, "batch", {.wait = wait, .patience = patience}, done);
    });
  }
  std::size_t asked(std::uint32_t last) { return heard<wire::LstStat>(last).size(); }
};

TEST_F(Looks, AnswersDoNotWaitForSilentNodes) {
  nodes.node(2).delay = 4s;
  const Instant begun = nodes.now();
  auto seen = look();
  EXPECT_LE(nodes.now() - begun, 600ms);
  ASSERT_EQ(seen->size(), 2U);
  EXPECT_TRUE(seen->at(0).result.good());
  EXPECT_EQ(seen->at(1).result.error, -EINPROGRESS);
  // The console does not ask a node again while it awaits the node's answer. The silent node delays
  // no other node.
  const Instant again = nodes.now();
  seen = look();
  EXPECT_LE(nodes.now() - again, 100ms);
  EXPECT_TRUE(seen->at(0).result.good());
  EXPECT_EQ(seen->at(1).result.error, -EINPROGRESS);
  nodes.pass(5s);
  EXPECT_EQ(asked(2), 1U);
  // The next look reports the answer that came meanwhile, and asks again.
  seen = look();
  EXPECT_TRUE(seen->at(1).result.good());
  nodes.pass(5s);
  EXPECT_EQ(asked(2), 2U);
}

TEST_F(Looks, ANodeThatIsSilentTooLongHasFailed) {
  nodes.node(2).silent = true;
  (void)look();
  nodes.pass(11s);
  const auto seen = look();
  EXPECT_EQ(seen->at(1).result.error, -ETIMEDOUT);
  EXPECT_EQ(state_of("c", 1), NodeState::kDown);
}

// docs/CONTROL-API.md: wait_ms 0
TEST_F(Looks, WithoutATimeAllAreWaitedFor) {
  nodes.node(2).delay = 4s;
  const Instant begun = nodes.now();
  const auto seen = look(0ms);
  EXPECT_GE(nodes.now() - begun, 4s);
  EXPECT_TRUE(seen->at(0).result.good());
  EXPECT_TRUE(seen->at(1).result.good());
}

TEST_F(Looks, ASilentNodeGetsNoCommand) {
  nodes.node(2).delay = 4s;
  (void)look();
  EXPECT_EQ(run()->size(), 1U);
  EXPECT_EQ(stop()->size(), 1U);
  nodes.pass(5s);
  EXPECT_EQ(run()->size(), 2U) << "the console has heard from the node";
}

TEST_F(Looks, WithATimeLimitASilentNodeDelaysNobody) {
  nodes.node(2).delay = 4s;
  const Instant begun = nodes.now();
  const auto results =
      wait<NodeResults>([&](auto done) { console.run(kKey, "batch", 0, done, 500ms); });
  EXPECT_LE(nodes.now() - begun, 600ms);
  EXPECT_TRUE(results->at(0).good());
  EXPECT_EQ(results->at(1).error, -EINPROGRESS);
  nodes.pass(5s);
  EXPECT_TRUE(nodes.node(2).batches.at(1).running) << "the node got the command all the same";
}

// The number of RPCs belongs to the moment at which the node answered, not to a later one.
TEST_F(Looks, TheOwnNodesRpcsAreThoseOfItsAnswer) {
  nodes.own.emplace();
  nodes.own->record(1us);
  nodes.node(2).delay = 400ms;
  nodes.after(200ms, [&] {
    for (int i = 0; i < 1000; ++i) nodes.own->record(1us);
  });
  const auto seen = look();
  EXPECT_EQ(seen->at(0).own_rpcs, 1U);
  EXPECT_FALSE(seen->at(1).own_rpcs);
  EXPECT_TRUE(seen->at(1).result.good()) << "the console waited for the node";
}

TEST_F(Looks, NeedABatchAndNodes) {
  const auto why = [&](const Target& target, const std::string& batch) {
    return this
        ->wait<std::vector<Seen>>([&](auto done) { console.look(kKey, target, batch, {}, done); })
        .error()
        .code;
  };
  EXPECT_EQ(why({.name = "none"}, "batch"), -ENOENT);
  EXPECT_EQ(why({.name = "c"}, "none"), -ENOENT);
}

TEST_F(Looks, AnswersThatComeWhenTheConsoleIsGoneAreNotHeard) {
  {
    Console short_lived(nodes);
    short_lived.new_session({.key = 1, .name = "x"}, [](const auto&) {});
    nodes.pass(1s);
    short_lived.look(1, {.name = "", .nodes = {node_id(7)}}, "batch", {},
                     [](const auto&) { FAIL(); });
  }
  nodes.pass(60s);
}

}  // namespace
}  // namespace ulnet::svc::selftest::console::test
